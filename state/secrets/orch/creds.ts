import { formatGoDuration, parseGoDuration, SECOND, toSeconds } from '../../go/duration.ts'
import type { Message } from '../../kernel/message.ts'
import { list, text } from '../../kernel/shape/kinds.ts'
import { struct } from '../../kernel/shape/members.ts'
import type { JobHandler } from '../../kernel/worlds/service.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { type Lease, registerLease } from '../leases/leases.ts'
import { defaultLeaseTtl, type Mount, maxLeaseTtl, storagePrefix } from '../mounts/mounts.ts'
import type { Namespace } from '../namespaces/namespaces.ts'
import { optionsOf } from '../options.ts'
import { checkLeaseCount } from '../quotas/lease-counts.ts'
import { secretsTable } from '../table.ts'
import type { Token } from '../tokens/rows.ts'
import { matchesSelector, parseLabelSelector } from './label-selector.ts'
import { message, refuse } from './messages.ts'
import { generateName } from './name-template.ts'
import {
  checkAccountName,
  checkNamespace,
  checkNoneExists,
  existingAccount,
  namespaceLabels,
  OrchestratorError,
  type OrchObject,
  objectKey,
  objectsFor,
  orchObjects,
} from './orchestrator.ts'
import { connectMount, type OrchRole, orchRoles } from './roles.ts'
import { signAccountToken } from './tokens.ts'

/** A request of the engine to the orchestrator for a token. */
interface TokenCall {
  /** URL of the orchestrator's API. */
  readonly host: string
  readonly namespace: string
  readonly account: string
}

/**
 * Returns the error with which the orchestrator refuses to issue a token, according to the world's
 * options. Returns undefined if the orchestrator issues the token. If the option `orchFault` is
 * `slow`, returns the error of a timeout immediately (named choice `orch-faults`).
 */
function failureOf(world: World, call: TokenCall, ttl: number): string | undefined {
  const { orchFault, orchMinTtl } = optionsOf(world)
  const { host, namespace, account } = call
  const url = `${host}/api/v1/namespaces/${namespace}/serviceaccounts/${account}/token`
  switch (orchFault) {
    case 'unreachable':
      return `Post "${url}": dial tcp ${addressOf(host)}: connect: connection refused`
    case 'slow':
      return `Post "${url}": context deadline exceeded (Client.Timeout exceeded while awaiting headers)`
    case 'refused':
      return `serviceaccounts "${account}" is forbidden: User "system:serviceaccount:default:default" cannot create resource "serviceaccounts/token" in API group "" in the namespace "${namespace}"`
    case 'none':
      break
  }
  const minTtl = toSeconds(parseGoDuration(orchMinTtl))
  if (ttl >= minTtl) return undefined
  return `spec.expirationSeconds: Invalid value: ${ttl}: may not specify a duration less than ${formatSeconds(minTtl)}`
}

/**
 * Returns the host and port of an HTTP or HTTPS URL, with the default port if the URL has no port.
 * Returns any other string unchanged.
 */
function addressOf(host: string): string {
  const [, scheme, address] = /^(https?):\/\/([^/]+)/i.exec(host) ?? []
  if (address === undefined) return host
  if (/:\d+$/.test(address)) return address
  return `${address}:${scheme?.toLowerCase() === 'http' ? 80 : 443}`
}

function formatSeconds(seconds: number): string {
  return seconds % 60 === 0 ? `${seconds / 60} minutes` : `${seconds} seconds`
}

const orchCredentialShape = struct({
  /** Keys, in `orch-objects`, of the objects that are deleted when the credentials end. */
  objects: list(text),
})

/** Credentials that own orchestrator objects, by `<mount uuid>/<uuid>`. */
export const orchCredentials = secretsTable('orch-credentials', orchCredentialShape, {
  secrets: 'none',
})

const revokeJob = 'secrets.orch.revoke'

export const orchJobs: Readonly<Record<string, JobHandler>> = {
  [revokeJob]: (world, { id }) => {
    const { objects = [] } = world.table(orchCredentials).get(id) ?? {}
    world.write(() => {
      for (const key of objects) world.table(orchObjects).delete(key)
      world.table(orchCredentials).delete(id)
    })
  },
}

/** The mount of the engine, and the caller that requests credentials. */
interface CredentialsCaller {
  readonly mount: Mount
  readonly namespace: Pick<Namespace, 'id' | 'path'>
  /** Request path within the namespace. */
  readonly path: string
  readonly token: Token
}

interface CredentialsRequest {
  readonly role: string
  /** Namespace of the orchestrator; empty if the request names no namespace. */
  readonly orchNamespace: string
  readonly clusterRoleBinding: boolean
  /** Requested lifetime in seconds; 0 if the request has no TTL. */
  readonly ttl: number
  /** Requested audiences of the token; empty to use the role's default. */
  readonly audiences: readonly string[]
}

interface Credentials {
  readonly account: string
  readonly namespace: string
  readonly token: string
  readonly lease: Lease
  readonly warnings: readonly Message[]
}

/**
 * Creates credentials of a service account: a token with a lease that cannot be renewed. Depending
 * on the role, the account exists already, or is created with a binding, or is created with a
 * binding and a role (behaviour/secrets#api-orch and behaviour/secrets#orch-creds).
 * @throws Refusal `invalid` for a bad request, `upstream` for an error of the orchestrator, 429 if
 *   a lease count quota is exhausted; in all cases nothing is stored
 */
export function createCredentials(
  world: World,
  caller: CredentialsCaller,
  request: CredentialsRequest,
): Credentials {
  const { mount } = caller
  const role = orchRoles.find(world, mount, request.role)
  if (role === undefined) throw refuse('orch-role-unknown', { role: request.role.toLowerCase() })
  const namespace = allowedNamespace(world, role, request.orchNamespace)
  if (request.clusterRoleBinding && role.orch_role_type === 'Role') {
    throw refuse('cluster-binding-of-role')
  }
  const { host } = connectMount(world, mount)
  const usesExistingAccount = role.service_account_name !== ''
  const account = usesExistingAccount
    ? role.service_account_name
    : generateName(world, role.name_template, {
        displayName: caller.token.display_name,
        roleName: role.name,
      })
  const { ttl, warnings } = ttlOf(mount, role, request.ttl)
  const failure = failureOf(world, { host, namespace, account }, ttl)
  if (failure !== undefined) throw orchestratorFailure(namespace, account, failure)
  const objectPlan = { role, namespace, name: account, isClusterWide: request.clusterRoleBinding }
  return world.write(() => {
    const objects = usesExistingAccount ? [] : objectsFor(world, objectPlan)
    const uid = callOrchestrator(namespace, account, () => {
      if (usesExistingAccount) return existingAccount(world, namespace, account)
      checkNamespace(namespace)
      checkAccountName(account)
      checkNoneExists(world, objects)
      return objects.find(({ kind }) => kind === 'ServiceAccount')?.uid ?? ''
    })
    const { granted, capWarnings } = grantedTtl(world, ttl)
    const audiences =
      request.audiences.length > 0 ? request.audiences : (role.token_default_audiences ?? [])
    const token = signAccountToken(world, { namespace, name: account, uid }, granted, audiences)
    const lease = leaseFor(world, caller, role, granted, objects)
    return { account, namespace, token, lease, warnings: [...warnings, ...capWarnings] }
  })
}

/**
 * Returns the requested orchestrator namespace. With the option `orchSoleNamespace`, the namespace
 * may be left out if the role allows only one namespace.
 * @throws Refusal `invalid` for a namespace that the role does not allow, and for a missing
 *   namespace that may not be left out
 */
function allowedNamespace(world: World, role: OrchRole, requested: string): string {
  const { allowed_orch_namespaces: allowed, allowed_orch_namespace_selector: selector } = role
  if (requested === '') {
    if (!optionsOf(world).orchSoleNamespace) throw refuse('orch-namespace-missing')
    const [firstNamespace, secondNamespace] = allowed
    const isOnlyNamespace =
      firstNamespace !== undefined &&
      firstNamespace !== '*' &&
      secondNamespace === undefined &&
      selector === ''
    if (isOnlyNamespace) return firstNamespace
    throw refuse('orch-namespace-undetermined')
  }
  if (allowed.includes('*') || allowed.includes(requested)) return requested
  if (
    selector !== '' &&
    matchesSelector(parseLabelSelector(selector), namespaceLabels(world, requested))
  ) {
    return requested
  }
  throw refuse('orch-namespace-not-allowed', { asked: requested })
}

/**
 * Returns the TTL of credentials in seconds, and warnings about limits that shortened the TTL
 * (behaviour/secrets#orch-creds).
 */
function ttlOf(mount: Mount, role: OrchRole, requested: number) {
  const warnings: Message[] = []
  let ttl = requested || role.token_default_ttl || defaultLeaseTtl(mount)
  if (role.token_max_ttl > 0 && ttl > role.token_max_ttl) {
    const roleMax = formatDuration(role.token_max_ttl)
    warnings.push(message('orch-ttl-above-role', { ttl: formatDuration(ttl), most: roleMax }))
    ttl = role.token_max_ttl
  }
  const mountMax = maxLeaseTtl(mount)
  if (ttl > mountMax) {
    warnings.push(
      message('orch-ttl-above-mount', { ttl: formatDuration(ttl), most: formatDuration(mountMax) }),
    )
    ttl = mountMax
  }
  return { ttl, warnings }
}

/**
 * Returns the lifetime, in seconds, that the orchestrator grants to a token. The lease gets an
 * equal lifetime. Also returns a warning if the option `orchMaxTtl` shortens the lifetime.
 */
function grantedTtl(world: World, ttl: number) {
  const orchMax = toSeconds(parseGoDuration(optionsOf(world).orchMaxTtl))
  if (orchMax === 0 || ttl <= orchMax) return { granted: ttl, capWarnings: [] }
  const warning = message('orch-ttl-granted-less', {
    most: formatDuration(orchMax),
    ttl: formatDuration(ttl),
  })
  return { granted: orchMax, capWarnings: [warning] }
}

/**
 * Registers and returns the lease of credentials, and stores the created orchestrator objects,
 * which are deleted when the lease ends.
 * @throws Refusal (429) if a lease count quota is exhausted
 */
function leaseFor(
  world: World,
  { mount, namespace, path, token }: CredentialsCaller,
  role: OrchRole,
  ttl: number,
  objects: readonly Omit<OrchObject, 'lease'>[],
): Lease {
  const spec = { namespace, path, token, renewable: false, ttl, maxTtl: role.token_max_ttl }
  checkLeaseCount(world, { namespace, mount, path, role: '' })
  if (objects.length === 0) return registerLease(world, spec)
  const id = storagePrefix(mount) + world.ids.uuid()
  const lease = registerLease(world, { ...spec, revoke: { job: revokeJob, id } })
  world.table(orchCredentials).put(id, { objects: objects.map(objectKey) })
  for (const object of objects) {
    world.table(orchObjects).put(objectKey(object), { ...object, lease: lease.id })
  }
  return lease
}

/** Calls the orchestrator and converts its errors to `upstream` refusals of the engine. */
function callOrchestrator<T>(namespace: string, account: string, call: () => T): T {
  try {
    return call()
  } catch (error) {
    if (!(error instanceof OrchestratorError)) throw error
    throw orchestratorFailure(namespace, account, error.message)
  }
}

function orchestratorFailure(namespace: string, account: string, why: string) {
  return refuse('orch-failed', { namespace, account, why })
}

function formatDuration(seconds: number): string {
  return formatGoDuration(seconds * SECOND)
}
