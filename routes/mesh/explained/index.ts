import { memoize } from '../../../state/kernel/memoize.ts'
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
import {
  diagnoseMissingToken,
  diagnosePastToken,
  diagnoseUnknownToken,
  findDeletedToken,
} from '../../http/journal-hooks/unexpected-token.ts'
import { meshCoverage } from '../coverage.ts'
import type { MeshDialect } from '../dialect.ts'
import { explainAbsentIntention, explainAbsentObject } from './absent-objects.ts'
import { correctionIn } from './corrections.ts'
import { explainServed } from './served-answers.ts'

const conventions = 'behaviour/mesh#conventions'

/** Explains that the edition or the version has no namespaces. */
function explainUnsupportedNamespaces({ headers, world }: ExplainedRequest): Diagnosis {
  const header = Object.keys(headers).find((name) => /^x-(mesh|consul)-namespace$/.test(name))
  const { edition, version } = optionsOf(world)
  return {
    because: `the request names a namespace in ${header ?? '?ns='}, but version ${version} of the ${edition} edition has no namespaces`,
    change: 'Omit the namespace, or set the option mesh.edition to enterprise',
    request: {
      query: { ns: undefined },
      ...(header === undefined ? {} : { headers: { [header]: undefined } }),
    },
    spec: conventions,
  }
}

/** Explains that there is only one datacenter and one partition. */
function explainUnknownDatacenter({ world, query, rule }: ExplainedRequest): Diagnosis {
  const isPartition = rule === 'other-partition'
  const name = isPartition ? 'partition' : 'dc'
  const allowed = isPartition ? 'default' : optionsOf(world).datacenter
  const noun = isPartition ? 'partition' : 'datacenter'
  return {
    because: `the request is for the ${noun} ${[query[name]].flat()[0] ?? 'in its body'}, but the only ${noun} is ${allowed}`,
    change: `Send ?${name}=${allowed}, or omit it`,
    request: { query: { [name]: undefined } },
    spec: conventions,
  }
}

/** Explains which two parameters exclude each other. */
function explainConflictingParameters({ rule }: ExplainedRequest): Diagnosis {
  const parameter = rule === 'stale-and-consistent' ? 'stale' : 'cached'
  return {
    because: `the request has both ?${parameter} and ?consistent, which are mutually exclusive`,
    change: `Send either ?${parameter} or ?consistent`,
    request: { query: { consistent: undefined } },
    spec: 'behaviour/mesh#reads',
  }
}

/**
 * Explains why a name is not allowed: the name is reserved or malformed. Returns undefined if the
 * request was not refused.
 */
function explainReservedName({ refusal, rule }: ExplainedRequest): Diagnosis | undefined {
  if (refusal === undefined) return undefined
  const isLabel = rule === 'no-label'
  const reason = isLabel
    ? 'a name consists of 1 to 63 letters, digits and hyphens, and must not start or end with a hyphen'
    : 'the name is reserved'
  return {
    because: `${renderMessage(refusal.reason)}: ${reason}`,
    change: 'Use another name',
    spec: namespaceWritesSpec,
  }
}

const namespaceWritesSpec = 'behaviour/mesh#namespace-writes'

/**
 * Explains that the path and the body name different objects. Returns undefined if the request was
 * not refused.
 */
function explainMismatchedNames({ path, body, refusal }: ExplainedRequest): Diagnosis | undefined {
  if (refusal === undefined) return undefined
  const pathName = decodeURIComponent(path.split('/').at(-1) ?? '')
  const member = ['Name', 'AccessorID', 'ID'].find((each) => each in Object(body)) ?? 'Name'
  return {
    because: `${renderMessage(refusal.reason)}: the path has ${pathName}, but the body has ${JSON.stringify(Object(body)[member])}`,
    change: `Send "${member}": "${pathName}", or omit it`,
    request: { body: (sentBody) => ({ ...Object(sentBody), [member]: pathName }) },
    spec: namespaceWritesSpec,
  }
}

/** Explains the error in a body. Returns undefined if the request was not refused. */
function explainInvalidBody({ rule, refusal, body }: ExplainedRequest): Diagnosis | undefined {
  if (refusal === undefined) return undefined
  const text = renderMessage(refusal.reason)
  if (rule === 'body-empty' || body === undefined) {
    return { because: 'the request has no body', change: 'Send JSON', spec: conventions }
  }
  if (typeof body === 'string') {
    return { because: `the body is not JSON: ${text}`, change: 'Send JSON', spec: conventions }
  }
  return {
    because: `the body is invalid: ${text}`,
    change: 'Correct the body as the message says',
    spec: conventions,
  }
}

/**
 * Design choices of the mesh API, by the rules of the refusals that depend on them
 * (behaviour/program#explanations).
 */
export const choicesByRule: Readonly<Record<string, string>> = {
  'namespaces-unsupported-in-header': 'editions-without-namespaces',
  'namespaces-unsupported-in-query': 'editions-without-namespaces',
  'no-leader': 'no-leader',
  'body-unreadable': 'broken-json-texts',
  'namespace-absent-for-data': 'kv-unknown-namespace',
  'key-of-every-namespace': 'kv-wildcard-namespace',
}

const spec = 'behaviour/mesh#acl'

/**
 * Explains which right a token lacks, and names the policies and roles of the token. Returns
 * undefined for a request without a known token.
 */
function explainMissingRight({ world, caller, refusal }: ExplainedRequest): Diagnosis | undefined {
  // The cast is safe: only this API sets the callers of its requests.
  const token = (caller as MeshCaller | undefined)?.token
  if (refusal === undefined || token === undefined) return undefined
  const policies = token.policies.map((id) => world.table(aclPolicies).get(id)?.name ?? id)
  const roles = token.roles.map((id) => world.table(aclRoles).get(id)?.name ?? id)
  const grants = [...policies, ...roles]
  const grantsText = grants.length === 0 ? 'no policies' : `the policies ${grants.join(', ')}`
  const { right = '', object = '' } = refusal.params
  const objectText = typeof object === 'object' && 'rule' in object ? renderMessage(object) : ''
  return {
    because: `the token ${nameOf(token)} lacks ${String(right)}${objectText}: it has ${grantsText}`,
    change: `Add ${String(right)}${objectText} to one of the token's policies`,
    spec,
  }
}

/** Explains why the token of a request was refused, or that the request has no token. */
function explainRefusedToken(request: ExplainedRequest, header: string): Diagnosis {
  const { token: secret, world } = request
  if (secret === undefined) return { ...explainMissingToken(request, header), spec }
  const storedToken = world.table(aclTokens).index('bySecret').get(secret)
  const { row = storedToken, deletedBy = '' } =
    storedToken === undefined
      ? findDeletedToken<AclToken>(request, 'mesh.acl-tokens', (each) => each.secret_id === secret)
      : {}
  if (row === undefined) {
    return { ...diagnoseUnknownToken(world.table(aclTokens).get(secret) !== undefined), spec }
  }
  const { expires_at } = row
  const hasExpired = expires_at !== null && expires_at <= request.at
  const past = hasExpired ? { expiredAt: formatTimestamp(expires_at) } : { deletedBy }
  return { ...diagnosePastToken(nameOf(row), past), spec }
}

/** Formats a token for a sentence: the quoted description or, if there is none, the AccessorID. */
function nameOf({ description, accessor_id }: AclToken): string {
  return description === '' ? accessor_id : `"${description}"`
}

/** Explains a missing token and the right that the anonymous token lacks. */
function explainMissingToken(request: ExplainedRequest, header: string): Diagnosis {
  const diagnosis = diagnoseMissingToken(request, 'mesh', header)
  const { right = '' } = { ...request.refusal?.params }
  return {
    ...diagnosis,
    because: `${diagnosis.because}, and the anonymous token lacks ${String(right)}`,
  }
}

const aclsEnabled = ({ world }: ExplainedRequest): boolean => optionsOf(world).aclEnabled

/**
 * Checks that precede an operation, listed only for explanations. Requests are not checked with
 * this list, because operations resolve the caller and some of the parameters lazily.
 */
const checks: ApiExplanations['checks'] = [
  { name: 'route', rules: ['unknown-path', 'method-not-allowed', 'wrong-api'] },
  {
    name: 'partition',
    rules: [
      'other-partition',
      'partitions-unsupported-in-header',
      'partitions-unsupported-in-query',
    ],
  },
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
      'event-token-unknown',
      'token-revoked',
      'token-expired',
      'bootstrap-wanted',
    ],
    applies: aclsEnabled,
  },
  {
    name: 'access',
    rules: ['right-missing', 'right-missing-without-token', 'right-missing-bare'],
    applies: aclsEnabled,
  },
  {
    name: 'body',
    rules: ['body-unreadable', 'body-empty', 'wrong-type', 'unknown-field'],
    applies: takesBody,
  },
]

/**
 * Returns the addresses of the operations. A parameter at the end of an address matches the rest of
 * the path, including slashes.
 */
const addresses = memoize((): readonly OperationAddress[] =>
  meshCoverage().operations.map(({ id, verb, path }) => ({
    operation: id,
    method: verb,
    path: path.replace(/:(\w+)$/, '*$1'),
  })),
)

const diagnoses: Readonly<Record<string, (request: ExplainedRequest) => Diagnosis | undefined>> = {
  'right-missing': explainMissingRight,
  'intention-absent': explainAbsentIntention,
  'namespaces-unsupported-in-header': explainUnsupportedNamespaces,
  'namespaces-unsupported-in-query': explainUnsupportedNamespaces,
  'other-datacenter': explainUnknownDatacenter,
  'other-partition': explainUnknownDatacenter,
  'stale-and-consistent': explainConflictingParameters,
  'cached-and-consistent': explainConflictingParameters,
  'wait-unreadable': diagnoseWaitParameter,
  'index-unreadable': diagnoseWaitParameter,
  'namespace-reserved': explainReservedName,
  'namespace-builtin': explainReservedName,
  'policy-name-reserved': explainReservedName,
  'builtin-deletion': explainReservedName,
  'no-label': explainReservedName,
  'namespace-names-differ': explainMismatchedNames,
  'ids-differ': explainMismatchedNames,
  'accessors-differ': explainMismatchedNames,
  'body-unreadable': explainInvalidBody,
  'body-empty': explainInvalidBody,
  'wrong-type': explainInvalidBody,
  'unknown-field': explainInvalidBody,
}

/**
 * Returns the checks, diagnoses and corrections for explanations of the mesh API
 * (behaviour/program#explanations).
 */
export function explanationsIn({ name }: MeshDialect): ApiExplanations {
  const header = name === 'vendor' ? 'X-Consul-Token' : 'X-Mesh-Token'
  const tokenRules: ReadonlySet<string> = new Set(['right-missing-without-token', 'token-unknown'])
  return {
    checks,
    spec: 'behaviour/mesh#conventions',
    choicesByRule,
    addresses,
    diagnoseServed: explainServed,
    diagnose: (request) =>
      tokenRules.has(request.rule)
        ? explainRefusedToken(request, header)
        : (diagnoses[request.rule]?.(request) ?? explainAbsentObject(request)),
    correct: correctionIn(header),
  }
}
