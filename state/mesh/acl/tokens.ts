import { formatGoDuration, MILLISECOND } from '../../go/duration.ts'
import type { JobHandler } from '../../kernel/worlds/service.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { nextIndex, touch } from '../indexes.ts'
import { milliseconds, optionsOf } from '../options.ts'
import { anonymousId, isExpired, type MeshCaller } from './callers.ts'
import { type IdentityInput, normalizeIdentities } from './identities.ts'
import { hashOf, isUuid } from './ids.ts'
import { type AclLink, absenceMessage, resolveLinks } from './links.ts'
import { refuse } from './messages.ts'
import { type AclToken, aclTokens, isInNamespace, linkPrefix, namespacePrefix } from './tables.ts'

/** Key under which `dataIndexes` stores the index of the last write to a token. */
export const tokenDataKind = 'acl-tokens'

/** A token in a request. Members that are left out count as empty. */
export interface TokenInput {
  readonly accessorId?: string | undefined
  readonly secretId?: string | undefined
  readonly description?: string | undefined
  readonly policies?: readonly AclLink[] | undefined
  readonly roles?: readonly AclLink[] | undefined
  readonly identities?: IdentityInput | undefined
  readonly local?: boolean | undefined
  /** Expiry time in milliseconds since 1970. */
  readonly expiresAt?: number | undefined
  /** Time to live in nanoseconds; 0 counts as left out. */
  readonly ttl?: number | undefined
}

/** Prefix of IDs that are reserved for builtin tokens. */
const reservedIdPrefix = '00000000-0000-0000-0000-0000000000'

const expiryJob = 'mesh.acl-token-expiry'

/** Jobs that delete tokens when they expire. */
export const aclTokenJobs: Readonly<Record<string, JobHandler>> = {
  [expiryJob]: (world, { id }) => {
    const token = world.table(aclTokens).get(id)
    if (token !== undefined && isExpired(world, token)) dropToken(world, token)
  },
}

/**
 * Returns the token with this AccessorID in a namespace, for reads. Throws a refusal if the ID is
 * malformed, or if the token is unknown or has expired.
 */
export function requireToken(world: World, namespace: string, id: string): AclToken {
  if (!isUuid(id)) throw refuse('lookup-id-no-uuid', { kind: 'token' })
  const token = tokenWithAccessor(world, namespace, id)
  if (token === undefined)
    throw refuse('token-absent-for-read', { problem: absenceMessage(world, namespace) })
  return token
}

/**
 * Returns the token with this AccessorID in a namespace; undefined if there is none or it has
 * expired.
 */
function tokenWithAccessor(world: World, namespace: string, id: string): AclToken | undefined {
  const token = world.table(aclTokens).get(id)
  if (token === undefined || isExpired(world, token)) return undefined
  return isInNamespace(token, namespace) ? token : undefined
}

/**
 * Filter on the tokens of a namespace: the ID of a policy, the ID of a role, or the name of a
 * service. A token must match every member that is set.
 */
interface TokenFilter {
  readonly policy?: string | undefined
  readonly role?: string | undefined
  readonly service?: string | undefined
}

/**
 * Returns the unexpired tokens of a namespace, ordered by AccessorID. With a filter, only matching
 * tokens are observed, so that other tokens do not wake a blocking read
 * (behaviour/mesh#acl-endpoints). Throws a refusal for a malformed ID in the filter.
 */
export function tokensIn(
  world: World,
  namespace: string,
  filter: TokenFilter = {},
): readonly AclToken[] {
  const { policy, role, service } = filter
  for (const id of [policy, role]) {
    if (id !== undefined && !isUuid(id)) throw refuse('lookup-id-no-uuid', { kind: 'token' })
  }
  const table = world.table(aclTokens)
  const filteredSets = [
    policy !== undefined && table.index('byPolicy').rows(linkPrefix(namespace, policy)),
    role !== undefined && table.index('byRole').rows(linkPrefix(namespace, role)),
    service !== undefined && table.index('byService').rows(linkPrefix(namespace, service)),
  ].flatMap((rows) => (rows === false ? [] : [new Set(rows)]))
  const [first, ...others] = filteredSets
  const candidates = first ?? table.index('byNamespace').rows(namespacePrefix(namespace))
  return Array.from(candidates).filter(
    (token) => !isExpired(world, token) && others.every((each) => each.has(token)),
  )
}

export function createToken(world: World, namespace: string, input: TokenInput): AclToken {
  checkNewId(world, 'AccessorID', input.accessorId)
  checkNewId(world, 'SecretID', input.secretId)
  const expires_at = expiryOf(world, input)
  const content = contentOf(world, input, namespace)
  return world.write(() =>
    addToken(world, {
      ...(input.accessorId ? { accessor_id: input.accessorId } : {}),
      ...(input.secretId ? { secret_id: input.secretId } : {}),
      namespace,
      expires_at,
      ...content,
    }),
  )
}

/**
 * Replaces the content of a token. Throws a refusal in each of these cases: the ID is malformed or
 * unknown; the input changes the secret, `Local` or the expiry; a link or an identity in the input
 * is invalid.
 */
export function updateToken(
  world: World,
  namespace: string,
  id: string,
  input: TokenInput,
): AclToken {
  if (!isUuid(id)) throw refuse('accessor-no-uuid')
  const before = tokenWithAccessor(world, namespace, id)
  if (before === undefined) throw refuse('token-absent', { id })
  if (input.secretId && input.secretId !== before.secret_id) {
    throw refuse('secret-changed')
  }
  if ((input.local ?? false) !== before.local) throw refuse('mode-changed', { id })
  const { ttl = 0, expiresAt = before.expires_at } = input
  if (ttl !== 0 || expiresAt !== before.expires_at) {
    throw refuse('expiry-changed', { id })
  }
  const content = contentOf(world, input, before.namespace)
  const { service_identities: _, node_identities: __, templated_policies: ___, ...rest } = before
  return world.write(() => putToken(world, { ...rest, ...content }))
}

/**
 * Creates a token with the content, rights and expiry of another token
 * (behaviour/mesh#acl-endpoints). Throws a refusal if the ID is malformed or unknown.
 *
 * @param description if empty, the description of the original is copied
 */
export function cloneToken(
  world: World,
  namespace: string,
  id: string,
  description: string,
): AclToken {
  const {
    hash: _,
    accessor_id: __,
    secret_id: ___,
    ...copiedFields
  } = requireToken(world, namespace, id)
  const overrides = {
    created_at: world.clock.now(),
    create_index: nextIndex(world),
    ...(description === '' ? {} : { description }),
  }
  return world.write(() => addToken(world, { ...copiedFields, ...overrides }))
}

/**
 * Deletes a token. Throws a refusal for a malformed ID, the anonymous token, an unknown ID, and the
 * caller's own token.
 */
export function deleteToken(world: World, namespace: string, id: string, caller: MeshCaller): void {
  if (!isUuid(id)) throw refuse('accessor-no-uuid-for-deletion')
  if (id === anonymousId) throw refuse('anonymous-deletion')
  const token = tokenWithAccessor(world, namespace, id)
  if (token === undefined) throw refuse('nothing-to-delete', { noun: 'token' })
  if (id === caller.accessorId) throw refuse('own-deletion')
  world.write(() => dropToken(world, token))
}

/** Removes a token without any check and cancels its expiry. Must run inside a transaction. */
export function dropToken(world: World, { accessor_id }: AclToken): void {
  world.table(aclTokens).delete(accessor_id)
  world.agenda.cancel(expiryJob, accessor_id)
  touch(world, tokenDataKind)
}

/**
 * Stores a token without validation and schedules its expiry. Generates the IDs that are left out.
 * Must run inside a transaction.
 */
export function addToken(
  world: World,
  token: Pick<AclToken, 'namespace'> & Partial<AclToken>,
): AclToken {
  const added = putToken(world, {
    accessor_id: token.accessor_id ?? world.ids.uuid(),
    secret_id: token.secret_id ?? world.ids.uuid(),
    description: '',
    policies: [],
    roles: [],
    local: false,
    created_at: world.clock.now(),
    expires_at: null,
    create_index: nextIndex(world),
    ...token,
  })
  if (added.expires_at !== null) {
    world.agenda.schedule({ at: added.expires_at, job: expiryJob, id: added.accessor_id })
  }
  return added
}

function putToken(world: World, row: Omit<AclToken, 'hash' | 'modify_index'>): AclToken {
  const { accessor_id: id, secret_id, description, policies, roles, local } = row
  const { service_identities, node_identities, templated_policies } = row
  const identities = { service_identities, node_identities, templated_policies }
  const token = {
    ...row,
    hash: hashOf({ id, secret_id, description, policies, roles, local, ...identities }),
    modify_index: nextIndex(world),
  }
  world.table(aclTokens).put(id, token)
  touch(world, tokenDataKind)
  return token
}

function contentOf(world: World, input: TokenInput, namespace: string) {
  const { description = '', local = false, policies = [], roles = [], identities = {} } = input
  // Roles are resolved before policies, because the reference reports errors in roles first.
  const roleIds = resolveLinks(world, 'role', roles, namespace)
  return {
    description,
    local,
    policies: resolveLinks(world, 'policy', policies, namespace),
    roles: roleIds,
    ...normalizeIdentities(identities, 'token', local),
  }
}

/** Throws a refusal if an ID that the caller chose is malformed, in use or reserved. */
export function checkNewId(world: World, idName: 'AccessorID' | 'SecretID', id = ''): void {
  if (id === '') return
  if (!isUuid(id)) throw refuse('token-id-no-uuid', { what: idName })
  if (world.table(aclTokens).has(id) || world.table(aclTokens).index('bySecret').has(id)) {
    throw refuse('token-id-in-use', { what: idName })
  }
  if (id.startsWith(reservedIdPrefix))
    throw refuse('token-id-reserved', { prefix: reservedIdPrefix })
}

/**
 * Returns the expiry of a new token in milliseconds since 1970; null if the token never expires.
 * Throws a refusal for a negative TTL, and for a TTL together with an expiry time. Also throws a
 * refusal for an expiry that is in the past or nearer than `tokenMinExpirationTTL`.
 */
function expiryOf(world: World, { ttl = 0, expiresAt: sent }: TokenInput): number | null {
  const now = world.clock.now()
  if (ttl < 0) throw refuse('ttl-negative', { ttl: formatGoDuration(ttl) })
  if (ttl !== 0 && sent !== undefined) throw refuse('ttl-and-time')
  const expiresAt = ttl === 0 ? sent : now + Math.ceil(ttl / MILLISECOND)
  if (expiresAt === undefined) return null
  if (expiresAt < now) throw refuse('expiry-past')
  const minimum = milliseconds(optionsOf(world).tokenMinExpirationTTL)
  const remainingLifetime = expiresAt - now
  if (remainingLifetime < minimum) {
    const formatMs = (time: number) => formatGoDuration(time * MILLISECOND)
    throw refuse('expiry-too-near', {
      least: formatMs(minimum),
      given: formatMs(remainingLifetime),
    })
  }
  return expiresAt
}
