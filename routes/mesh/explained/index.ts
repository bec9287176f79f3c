import { optionsOf } from '../../../state/mesh/options.ts'
import { diagnoseWaitParameter, waitRules } from '../../http/blocking/wait-parameters.ts'
import {
  type ApiExplanations,
  type Diagnosis,
  type ExplainedRequest,
  type OperationAddress,
  takesBody,
} from '../../http/journal-hooks/api-explanations.ts'
import { meshCoverage } from '../coverage.ts'
import type { MeshDialect } from '../dialect.ts'
import { absentObject } from './absent-objects.ts'
import { missingRight, refusedToken } from './access.ts'
import { decisions } from './decisions.ts'
import {
  conflictingParameters,
  invalidBody,
  mismatchedNames,
  namespacesUnsupported,
  reservedName,
  unknownDatacenter,
} from './requests.ts'

const aclsEnabled = ({ world }: ExplainedRequest): boolean => optionsOf(world).aclEnabled

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
    applies: aclsEnabled,
  },
  {
    name: 'access',
    rules: ['right-missing', 'right-missing-without-token'],
    applies: aclsEnabled,
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
const diagnoses: Readonly<Record<string, (request: ExplainedRequest) => Diagnosis | undefined>> = {
  'right-missing': missingRight,
  'namespaces-unsupported-in-header': namespacesUnsupported,
  'namespaces-unsupported-in-query': namespacesUnsupported,
  'other-datacenter': unknownDatacenter,
  'other-partition': unknownDatacenter,
  'stale-and-consistent': conflictingParameters,
  'cached-and-consistent': conflictingParameters,
  'wait-unreadable': diagnoseWaitParameter,
  'index-unreadable': diagnoseWaitParameter,
  'namespace-reserved': reservedName,
  'namespace-builtin': reservedName,
  'policy-name-reserved': reservedName,
  'builtin-deletion': reservedName,
  'no-label': reservedName,
  'namespace-names-differ': mismatchedNames,
  'ids-differ': mismatchedNames,
  'accessors-differ': mismatchedNames,
  'body-unreadable': invalidBody,
  'body-empty': invalidBody,
  'wrong-type': invalidBody,
  'unknown-field': invalidBody,
}

/** What the mesh API knows of its refusals (behaviour/program#explanations). */
export function explanationsIn({ name }: MeshDialect): ApiExplanations {
  const header = name === 'vendor' ? 'X-Consul-Token' : 'X-Mesh-Token'
  const tokenRules: ReadonlySet<string> = new Set(['right-missing-without-token', 'token-unknown'])
  return {
    checks,
    spec: 'behaviour/mesh#conventions',
    decisions,
    addresses,
    diagnose: (request) =>
      tokenRules.has(request.rule)
        ? refusedToken(request, header)
        : (diagnoses[request.rule]?.(request) ?? absentObject(request)),
  }
}
