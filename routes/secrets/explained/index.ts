import { memoizeByKey } from '../../../state/kernel/memoize.ts'
import type { World } from '../../../state/kernel/worlds/world.ts'
import { isVersioned, type Mount, mountOf, mountsIn } from '../../../state/secrets/mounts/mounts.ts'
import { namespacesBelow, rootNamespace } from '../../../state/secrets/namespaces/namespaces.ts'
import { type HealthCondition, healthCondition } from '../../../state/secrets/seal/health.ts'
import { closestName } from '../../http/declare/similarity.ts'
import type {
  ApiExplanations,
  Diagnosis,
  ExplainedRequest,
  OperationAddress,
} from '../../http/journal-hooks/api-explanations.ts'
import { methods } from '../coverage.ts'
import type { SecretsDialect } from '../dialect/dialect.ts'
import { requestChecks } from '../dispatch/checks.ts'
import { engineType, secretsEngines } from '../engines.ts'
import { correctionIn, tokenHeaderOf } from './corrections.ts'
import { databaseExplanations } from './database.ts'
import { explainAbsence, explainCas, explainMissingData } from './kv.ts'
import { explainDeniedLogin, loginExplanations } from './logins.ts'
import type { Explanations } from './names.ts'
import { oidcExplanations } from './oidc.ts'
import { pkiExplanations } from './pki.ts'
import { quotaExplanations } from './quotas.ts'
import { mountPathsIn, pathTo, type RequestTarget, targetOf } from './request-target.ts'
import {
  explainContentType,
  explainDuration,
  explainFolderWrite,
  explainReservedName,
  explainSealedNode,
  explainTrailingDot,
  explainUnconvertibleField,
  explainUnreadableBody,
} from './requests.ts'
import { explainRefusedFactors } from './second-factors.ts'
import { sshAndTotpExplanations } from './ssh-and-totp.ts'
import {
  explainAccountRefusal,
  explainMissingCapability,
  explainMissingKeys,
  explainTokenRefusal,
} from './tokens.ts'
import { transitExplanations } from './transit.ts'

/**
 * Names of the choices that cause refusals, by the rule of the refusal
 * (behaviour/program#explanations). A choice is a behaviour that the mock defines because no
 * specification does.
 */
export const choicesByRule: Readonly<Record<string, string>> = {
  'rate-limit-exceeded': 'rate-limit',
  'health-status-not-final': 'health-codes',
  'namespace-name-slash': 'namespace-names',
  'namespace-under-mount': 'namespace-conflicts',
  'cors-wildcard-alone': 'cors-wildcard',
  'max-versions-negative': 'negative-max-versions',
  'wrapping-token-unreadable': 'wrapping-token-field',
  'token-bound': 'bound-cidrs',
  'index-state-ahead': 'index-header-checks',
  'other-replication-cluster': 'replication-other-set',
  'ca-unreadable': 'replication-ca',
  'recovery-key-wrong': 'wrong-recovery-shares',
  'generation-shares-do-not-combine': 'generation-unequal-shares',
  'verification-shares-do-not-combine': 'verification-unequal-shares',
  'batch-role-periodic': 'cloud-batch-roles',
  'batch-role-limited': 'cloud-batch-roles',
  'login-policy': 'cloud-response-wrapping-role',
  'orch-failed': 'orch-failure-text',
  'name-template-failed': 'orch-name-template-applied',
  'additional-metadata-invalid': 'orch-metadata-input',
  'label-selector-invalid': 'orch-namespace-selector',
}

/** Explains a request whose path belongs to no operation, but resembles a valid path. */
function explainMisplacedRequest(request: ExplainedRequest, dialect: SecretsDialect) {
  const target = targetOf(request)
  return (
    explainRepeatedNamespace(target) ??
    (target.mount === undefined
      ? explainOtherDialect(request, target, dialect)
      : explainMissingDataSegment(request, target))
  )
}

function explainRepeatedNamespace({ headerNamespace, namespace, path }: RequestTarget) {
  if (headerNamespace === '' || !path.startsWith(headerNamespace)) return undefined
  const withoutRepetition = path.slice(headerNamespace.length)
  return {
    rule: 'namespace-twice',
    because: `the request contains the namespace ${headerNamespace} twice: in the header and at the start of the path`,
    change: `Send the request to /v1/${withoutRepetition}, or omit the header`,
    request: { path: pathTo(namespace, headerNamespace, withoutRepetition) },
    spec: 'behaviour/secrets#api-namespaces',
  }
}

/** Default mount paths that differ between the dialects. */
const mountPrefixes = [
  { neutral: 'orch/', vendor: 'kubernetes/' },
  { neutral: 'auth/cloud/', vendor: 'auth/oci/' },
] as const

function explainOtherDialect(
  { world }: ExplainedRequest,
  { namespace, headerNamespace, path }: RequestTarget,
  { name }: SecretsDialect,
): Diagnosis | undefined {
  for (const prefixes of mountPrefixes) {
    const otherPrefix = name === 'vendor' ? prefixes.neutral : prefixes.vendor
    const dialectPrefix = prefixes[name]
    if (!path.startsWith(otherPrefix) || mountOf(world, namespace, dialectPrefix) === undefined)
      continue
    const intended = dialectPrefix + path.slice(otherPrefix.length)
    return {
      rule: 'wrong-dialect',
      because: `${otherPrefix} is the path in the ${name === 'vendor' ? 'neutral' : 'vendor'} dialect; this server uses the ${name} dialect, in which the path is ${dialectPrefix}`,
      change: `Send the request to /v1/${intended}, or start with --dialect ${name === 'vendor' ? 'neutral' : 'vendor'}`,
      request: { path: pathTo(namespace, headerNamespace, intended) },
      isMisdirected: true,
      spec: 'behaviour/secrets#vendor-names',
    }
  }
  return undefined
}

/** Explains that nothing is mounted at the path; undefined if the path belongs to a mount. */
function explainUnknownMount(request: ExplainedRequest): Diagnosis | undefined {
  const { world } = request
  const { namespace, headerNamespace, path, mount } = targetOf(request)
  if (mount !== undefined) return undefined
  const parts = path.split('/')
  const first = `${parts.slice(0, parts[0] === 'auth' ? 2 : 1).join('/')}/`
  const known = mountPathsIn(world, namespace)
  const closest = closestName(first, known)
  const where = namespace === rootNamespace ? '' : ` in the namespace ${namespace.path}`
  const because = `nothing is mounted at ${first}${where}`
  const spec = 'behaviour/secrets#mounts'
  if (closest === undefined) {
    return {
      rule: 'mount-unknown',
      because: `${because}; the mounts are ${known.join(', ')}`,
      change: `Mount an engine at ${first} first`,
      spec,
    }
  }
  return {
    rule: 'mount-unknown',
    because: `${because}; the closest mount is ${closest}`,
    change: `Send the request to /v1/${closest}${path.slice(first.length)}`,
    request: { path: pathTo(namespace, headerNamespace, closest + path.slice(first.length)) },
    spec,
  }
}

/**
 * Explains that a path of a versioned engine lacks `data/` or, for a list, `metadata/`, or that a
 * list is below `data/`. Returns undefined for other requests.
 */
function explainMissingDataSegment({ operation, method }: ExplainedRequest, target: RequestTarget) {
  const { mount, path, namespace, headerNamespace } = target
  if (mount === undefined || !isVersioned(mount)) return undefined
  if (operation !== undefined) return undefined
  const below = path.slice(mount.path.length)
  if (method === 'LIST' && /^data(\/|$)/.test(below)) {
    const listed = `${mount.path}metadata/${below.slice('data/'.length)}`
    return {
      rule: 'kv2-list-elsewhere',
      because: `${mount.path} lists the names of secrets below metadata/, not below data/`,
      change: `Send the request to /v1/${listed}`,
      request: { path: pathTo(namespace, headerNamespace, listed) },
      spec: 'behaviour/secrets#api-kv2',
    }
  }
  if (/^(data|metadata|config|subkeys|delete|undelete|destroy)(\/|$)/.test(below)) return undefined
  const part = method === 'LIST' ? 'metadata' : 'data'
  const intended = `${mount.path}${part}/${below}`
  return {
    rule: 'kv2-part-missing',
    because: `${mount.path} is a versioned engine: the path of ${below} is ${intended}`,
    change: `Send the request to /v1/${intended}`,
    request: { path: pathTo(namespace, headerNamespace, intended) },
    spec: 'behaviour/secrets#api-kv2',
  }
}

function explainUnknownNamespace(request: ExplainedRequest): Diagnosis {
  const { world } = request
  const { headerNamespace } = targetOf(request)
  const paths = namespacesBelow(world, rootNamespace).map(({ path }) => path)
  const closest = closestName(headerNamespace, paths)
  const available =
    paths.length === 0
      ? 'there is only the root namespace'
      : `the namespaces are ${paths.join(', ')}`
  const header = Object.keys(request.headers).find((name) => name.endsWith('-namespace')) ?? ''
  return {
    because: `the header names the namespace ${headerNamespace}, which does not exist; ${available}`,
    change:
      closest === undefined
        ? `Create the namespace ${headerNamespace} first`
        : `Use the namespace ${closest}`,
    ...(closest === undefined ? {} : { request: { headers: { [header]: closest } } }),
    spec: 'behaviour/secrets#namespaces',
  }
}

function operationAddresses(world: World): readonly OperationAddress[] {
  return mountsIn(world, rootNamespace).flatMap(addressesOf)
}

/**
 * Returns the addresses of the operations of a mount. The result is cached, because every refusal
 * needs it.
 */
const addressesOf = memoizeByKey((mount: Mount): readonly OperationAddress[] => {
  const type = engineType(mount)
  const engine = secretsEngines.find((each) => each.type === type)
  return (engine?.operations ?? []).map(({ id, verb, path }) => ({
    operation: id,
    method: methods[verb],
    path: `/v1/${mount.path}${path}`,
  }))
})

function diagnosesByRule(dialect: SecretsDialect) {
  const diagnoses: Explanations = {
    ...pkiExplanations,
    ...databaseExplanations,
    ...sshAndTotpExplanations,
    ...transitExplanations,
    ...loginExplanations,
    ...oidcExplanations,
    ...quotaExplanations,
    'token-refused': (request) =>
      explainDeniedLogin(request) ?? explainTokenRefusal(request, dialect),
    'acl-denied': (request) => explainUnknownMount(request) ?? explainMissingCapability(request),
    'route-unknown': explainUnknownMount,
    'unsupported-path': explainTrailingDot,
    'cas-mismatch': explainCas,
    'cas-required': explainCas,
    'cas-unreadable': explainCas,
    'nothing-here': explainAbsence,
    '': (request) => explainDuration(request) ?? explainAbsence(request),
    'no-data': explainMissingData,
    'namespace-not-found': explainUnknownNamespace,
    sealed: explainSealedNode,
    'write-to-folder': explainFolderWrite,
    'content-type-unsupported': explainContentType,
    'media-type-missing': explainContentType,
    'body-unreadable': explainUnreadableBody,
    'bare-body-unreadable': explainUnreadableBody,
    'field-unconvertible': explainUnconvertibleField,
    'field-validation-failed': explainUnconvertibleField,
    'mount-protected': explainReservedName,
    'unmount-protected': explainReservedName,
    'policy-fixed': explainReservedName,
    'policy-not-deletable': explainReservedName,
    'namespace-name-invalid': explainReservedName,
    'mfa-header-refused': explainRefusedFactors,
    'orch-login-unverified': explainAccountRefusal,
    'orch-login-not-reviewed': explainAccountRefusal,
    'jwt-unverified': explainMissingKeys,
    'jwt-key-set-failed': explainMissingKeys,
    'jwt-discovery-failed': explainMissingKeys,
  }
  return diagnoses
}

/**
 * Returns the checks, corrections and explanations of the secrets API
 * (behaviour/program#explanations).
 */
export function secretsExplanations(dialect: SecretsDialect): ApiExplanations {
  const diagnoses = diagnosesByRule(dialect)
  const tokenHeader = tokenHeaderOf(dialect)
  return {
    checks: requestChecks,
    spec: 'behaviour/secrets#conventions',
    choicesByRule,
    addresses: operationAddresses,
    diagnoseMisdirected: (request) => explainMisplacedRequest(request, dialect),
    diagnoseServed: (request) =>
      request.operation?.id === 'readHealth' ? explainHealthStatus(request) : undefined,
    diagnose: (request) => diagnoses[request.rule]?.({ ...request, tokenHeader }),
    correct: correctionIn(dialect),
  }
}

/**
 * Text for each condition of a node. The second item, if present, is the query parameter that makes
 * the health endpoint return the status of an active node for this condition.
 */
const conditionTexts: Readonly<Record<HealthCondition, readonly [is: string, asked?: string]>> = {
  uninitialized: ['not initialised', 'uninitcode'],
  sealed: ['sealed', 'sealedcode'],
  'dr-secondary': ['a DR secondary', 'drsecondarycode'],
  'performance-standby': ['a performance standby', 'perfstandbyok'],
  standby: ['a standby', 'standbyok'],
  active: ['active', 'activecode'],
}

/** Explains the status of a health reply (behaviour/secrets#api-health). */
function explainHealthStatus({ world, status }: ExplainedRequest): Diagnosis {
  const [text, parameter] = conditionTexts[healthCondition(world)]
  const because = `the node is ${text}, which health reports as ${status}`
  if (parameter === undefined) return { because }
  const value = parameter.endsWith('ok') ? 'true' : '200'
  return {
    because,
    change: `Send ?${parameter}=${value} to accept such a node`,
    request: { query: { [parameter]: value } },
  }
}
