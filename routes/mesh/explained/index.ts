import { renderMessage } from '../../../state/kernel/message.ts'
import { formatTimestamp } from '../../../state/kernel/time.ts'
import type { MeshCaller } from '../../../state/mesh/acl/callers.ts'
import { type AclToken, aclPolicies, aclRoles, aclTokens } from '../../../state/mesh/acl/tables.ts'
import { optionsOf } from '../../../state/mesh/options.ts'
import { diagnoseWaitParameter, waitRules } from '../../http/blocking/wait-parameters.ts'
import {
  type ApiExplanations,
  type Diagnosis,
  type ExplainedRequest,
  type OperationAddress,
  takesBody,
} from '../../http/journal-hooks/api-explanations.ts'
import { diagnoseMissingToken } from '../../http/journal-hooks/unexpected-token.ts'
import { meshCoverage } from '../coverage.ts'
import type { MeshDialect } from '../dialect.ts'
import { absentObject } from './absent-objects.ts'
import { decisions } from './decisions.ts'
import {
  conflictingParameters,
  invalidBody,
  mismatchedNames,
  namespacesUnsupported,
  reservedName,
  unknownDatacenter,
} from './requests.ts'

const spec = 'behaviour/mesh#acl'

/** Explains which right a token lacks and which policies it has. */
function missingRight({ world, caller, refusal }: ExplainedRequest): Diagnosis | undefined {
  // Only this API sets the caller of its requests.
  const token = (caller as MeshCaller | undefined)?.token
  if (refusal === undefined || token === undefined) return undefined
  const policies = token.policies.map((id) => world.table(aclPolicies).get(id)?.name ?? id)
  const roles = token.roles.map((id) => world.table(aclRoles).get(id)?.name ?? id)
  const grants = [...policies, ...roles]
  const grantsText = grants.length === 0 ? 'no policies' : `the policies ${grants.join(', ')}`
  const { right = '', object = '' } = refusal.params
  const objectText = typeof object === 'object' && 'rule' in object ? renderMessage(object) : ''
  const name = token.description === '' ? token.accessor_id : `"${token.description}"`
  return {
    because: `the token ${name} lacks ${String(right)}${objectText}: it has ${grantsText}`,
    change: `Give one of its policies ${String(right)}${objectText}`,
    spec,
  }
}

/** Explains why the token of a request was refused, or that there is none. */
function refusedToken(request: ExplainedRequest, header: string): Diagnosis {
  const { token: secret, world } = request
  if (secret === undefined) return { ...missingToken(request, header), spec }
  const change = 'Send the SecretID of a token that is valid'
  const { row, deletedBy } = tokenHistory(request, secret)
  if (row === undefined) {
    return world.table(aclTokens).get(secret) === undefined
      ? {
          rule: 'token-unknown',
          because: 'the token that was sent is not known here',
          change,
          spec,
        }
      : {
          rule: 'token-is-accessor',
          because: 'what was sent is the AccessorID of a token, not its SecretID',
          change,
          spec,
        }
  }
  const name = row.description === '' ? row.accessor_id : `"${row.description}"`
  if (row.expires_at !== null && row.expires_at <= request.at) {
    const expiry = formatTimestamp(row.expires_at)
    return {
      rule: 'token-expired',
      because: `the token ${name} expired at ${expiry}`,
      change,
      spec,
    }
  }
  const because = `the token ${name} was deleted by the request ${deletedBy ?? ''}`
  return { rule: 'token-revoked', because, change, spec }
}

/** Explains a missing token and the right that the anonymous token lacks. */
function missingToken(request: ExplainedRequest, header: string): Diagnosis {
  const diagnosis = diagnoseMissingToken(request, 'mesh', header)
  const { right = '' } = { ...request.refusal?.params }
  return {
    ...diagnosis,
    because: `${diagnosis.because}, and the anonymous token lacks ${String(right)}`,
  }
}

interface TokenHistory {
  readonly row?: AclToken
  /** ID of the request that deleted the token. */
  readonly deletedBy?: string
}

/** Looks a token up in the state and in the changes of earlier requests. */
function tokenHistory(request: ExplainedRequest, secret: string): TokenHistory {
  const storedToken = request.world.table(aclTokens).index('bySecret').get(secret)
  if (storedToken !== undefined) return { row: storedToken }
  for (const { id, changes } of request.earlier()) {
    for (const { table, before, after } of changes) {
      if (table !== 'mesh.acl-tokens') continue
      // The rows of this table are tokens.
      const row = (after ?? before) as AclToken
      if (row.secret_id !== secret) continue
      return after === undefined ? { row, deletedBy: id } : { row }
    }
  }
  return {}
}

const aclsEnabled = ({ world }: ExplainedRequest): boolean => optionsOf(world).aclEnabled

/**
 * Checks before the operation. The list serves only explanations: the caller and some of
 * the parameters are resolved lazily inside the operation, so no list of functions runs them.
 */
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

/**
 * Returns the operations' addresses. The last parameter of a path matches the rest of it, slashes
 * included.
 */
function addresses(): readonly OperationAddress[] {
  return meshCoverage().operations.map(({ id, verb, path }) => ({
    operation: id,
    method: verb,
    path: path.replace(/:(\w+)$/, '*$1'),
  }))
}

/** Explanations by the rule of the refusal. */
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

/** Returns the explanations of the mesh API's refusals (behaviour/program#explanations). */
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
