import { optionsOf } from '../../../state/mesh/options.ts'
import {
  type ApiExplanations,
  type Diagnosis,
  type ExplainedRequest,
  type OperationAddress,
  takesBody,
} from '../../http/explains.ts'
import { diagnoseWaitParameter, waitRules } from '../../http/unreadable-wait.ts'
import { meshCoverage } from '../coverage.ts'
import type { MeshDialect } from '../dialect.ts'
import { absentOf } from './absent.ts'
import { rightMissing, tokenRefused } from './access.ts'
import { decisions } from './decisions.ts'
import {
  contradicting,
  namespacesUnsupported,
  otherDatacenter,
  otherNames,
  reserved,
  wrongBody,
} from './requests.ts'

const underAcls = ({ world }: ExplainedRequest): boolean => optionsOf(world).aclEnabled

/** What a request is refused for before its operation looks at it. */
const checks: ApiExplanations['checks'] = [
  { name: 'route', rules: ['unknown-path', 'method-not-allowed', 'wrong-api'] },
  { name: 'partition', rules: ['other-partition'] },
  {
    name: 'namespace',
    rules: ['namespaces-unsupported-in-header', 'namespaces-unsupported-in-query'],
  },
  { name: 'datacenter', rules: ['other-datacenter'] },
  {
    name: 'consistency',
    rules: [
      'stale-and-consistent',
      'cached-and-consistent',
      'bad-max-stale',
      'bad-cache-control',
      ...waitRules,
    ],
    applies: ({ method }) => method === 'GET',
  },
  {
    name: 'token',
    rules: [
      'acl-disabled',
      'token-missing',
      'token-in-wrong-header',
      'token-scheme-wrong',
      'token-is-accessor',
      'token-unknown',
      'token-revoked',
      'token-expired',
      'bootstrap-wanted',
    ],
    applies: underAcls,
  },
  {
    name: 'access',
    rules: ['right-missing', 'right-missing-without-token'],
    applies: underAcls,
  },
  {
    name: 'body',
    rules: ['body-unreadable', 'body-empty', 'wrong-type', 'unknown-field'],
    applies: takesBody,
  },
]

/** The last parameter of a path takes the rest of it, slashes included. */
function addresses(): readonly OperationAddress[] {
  return meshCoverage().operations.map(({ id, verb, path }) => ({
    operation: id,
    method: verb,
    path: path.replace(/:(\w+)$/, '*$1'),
  }))
}

/** The mistakes behind refusals, by their rules. */
const diagnoses: Readonly<Record<string, (asked: ExplainedRequest) => Diagnosis | undefined>> = {
  'right-missing': rightMissing,
  'namespaces-unsupported-in-header': namespacesUnsupported,
  'namespaces-unsupported-in-query': namespacesUnsupported,
  'other-datacenter': otherDatacenter,
  'other-partition': otherDatacenter,
  'stale-and-consistent': contradicting,
  'cached-and-consistent': contradicting,
  'wait-unreadable': diagnoseWaitParameter,
  'index-unreadable': diagnoseWaitParameter,
  'namespace-reserved': reserved,
  'namespace-builtin': reserved,
  'policy-name-reserved': reserved,
  'builtin-deletion': reserved,
  'no-label': reserved,
  'namespace-names-differ': otherNames,
  'ids-differ': otherNames,
  'accessors-differ': otherNames,
  'body-unreadable': wrongBody,
  'body-empty': wrongBody,
  'wrong-type': wrongBody,
  'unknown-field': wrongBody,
}

/** What the mesh API knows of its refusals (behaviour/program#explanations). */
export function explainedIn({ name }: MeshDialect): ApiExplanations {
  const header = name === 'vendor' ? 'X-Consul-Token' : 'X-Mesh-Token'
  const ofTokens: ReadonlySet<string> = new Set(['right-missing-without-token', 'token-unknown'])
  return {
    checks,
    spec: 'behaviour/mesh#conventions',
    decisions,
    addresses,
    diagnose: (asked) =>
      ofTokens.has(asked.rule)
        ? tokenRefused(asked, header)
        : (diagnoses[asked.rule]?.(asked) ?? absentOf(asked)),
  }
}
