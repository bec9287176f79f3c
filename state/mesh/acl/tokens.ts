import { formatGoDuration, MILLISECOND } from '../../go/duration.ts'
import type { JobHandler } from '../../kernel/worlds/service.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { nextIndex, touch } from '../indexes.ts'
import { namespaceKey } from '../namespaces/namespaces.ts'
import { milliseconds, optionsOf } from '../options.ts'
import { anonymousId, isExpired, type MeshCaller } from './callers.ts'
import { type IdentityInput, normalizeIdentities } from './identities.ts'
import { hashOf, isUuid } from './ids.ts'
import { type AclLink, resolveLinks } from './links.ts'
import { refuse } from './messages.ts'
import { type AclToken, aclTokens, linkPrefix, namespacePrefix } from './tables.ts'

/** The kind of data that tokens are, as their index is noted. */
export const tokenDataKind = 'acl-tokens'

/** A caller's wishes for a token; what is left out is empty. */
export interface TokenInput {
  readonly accessorId?: string | undefined
  readonly secretId?: string | undefined
  readonly description?: string | undefined
  readonly policies?: readonly AclLink[] | undefined
  readonly roles?: readonly AclLink[] | undefined
  readonly identities?: IdentityInput | undefined
  readonly local?: boolean | undefined
  /** In milliseconds since 1970. */
  readonly expiresAt?: number | undefined
  /** In nanoseconds; 0 for none. */
  readonly ttl?: number | undefined
}

/** IDs that begin so are for the service itself. */
const reservedIds = '00000000-0000-0000-0000-0000000000'

const expiryJob = 'mesh.acl-token-expiry'

/** Deletes tokens when their time is over. */
export const aclTokenJobs: Readonly<Record<string, JobHandler>> = {
  [expiryJob]: (world, { id }) => {
    const token = world.table(aclTokens).get(id)
    if (token !== undefined && isExpired(world, token)) dropToken(world, token)
  },
}

/** The token of an AccessorID in a namespace, for reads; refuses what is no ID, and one that is not there. */
export function requireToken(world: World, namespace: string, id: string): AclToken {
  if (!isUuid(id)) throw refuse('lookup-id-no-uuid', { kind: 'token' })
  const token = tokenWithAccessor(world, namespace, id)
  if (token === undefined) throw refuse('token-absent-for-read', { namespace })
  return token
}

/** The token of an AccessorID in a namespace whose time is not over. */
function tokenWithAccessor(world: World, namespace: string, id: string): AclToken | undefined {
  const token = world.table(aclTokens).get(id)
  if (token === undefined || isExpired(world, token)) return undefined
  return namespaceKey(token.namespace) === namespaceKey(namespace) ? token : undefined
}

/** The tokens of a namespace that are wanted: IDs of a policy and a role, a service's name. */
interface TokenFilter {
  readonly policy?: string | undefined
  readonly role?: string | undefined
  readonly service?: string | undefined
}

/**
 * The tokens of a namespace whose time is not over, by AccessorID. With a filter it looks at the
 * tokens that fit alone, so that who waits for them does not wake for others (behaviour/mesh#acl-endpoints).
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
  const candidates = first ?? table.index('byPlace').rows(namespacePrefix(namespace))
  return Array.from(candidates).filter(
    (token) => !isExpired(world, token) && others.every((each) => each.has(token)),
  )
}

/** Adds a token to a namespace. */
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

/** Replaces what a token says; its secret, expiry and mode stay. */
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
  const content = contentOf(world, input, before.namespace)
  if (content.local !== before.local) throw refuse('mode-changed', { id })
  const { ttl = 0, expiresAt = before.expires_at } = input
  if (ttl !== 0 || expiresAt !== before.expires_at) {
    throw refuse('expiry-changed', { id })
  }
  const { service_identities: _, node_identities: __, ...rest } = before
  return world.write(() => put(world, { ...rest, ...content }))
}

/**
 * Adds a token that says and may what another does (behaviour/mesh#acl-endpoints).
 *
 * @param description its own; empty for that of the other
 */
export function cloneToken(
  world: World,
  namespace: string,
  id: string,
  description: string,
): AclToken {
  const { hash: _, accessor_id: __, secret_id: ___, ...copied } = requireToken(world, namespace, id)
  const overrides = {
    created_at: world.clock.now(),
    create_index: nextIndex(world),
    ...(description === '' ? {} : { description }),
  }
  return world.write(() => addToken(world, { ...copied, ...overrides }))
}

/** Deletes a token; not the anonymous one, and not the one that calls. */
export function deleteToken(world: World, namespace: string, id: string, caller: MeshCaller): void {
  if (!isUuid(id)) throw refuse('accessor-no-uuid-for-deletion')
  if (id === anonymousId) throw refuse('anonymous-deletion')
  const token = tokenWithAccessor(world, namespace, id)
  if (token === undefined) throw refuse('nothing-to-delete', { noun: 'token' })
  if (id === caller.accessorId) throw refuse('own-deletion')
  world.write(() => dropToken(world, token))
}

/** Takes a token away; part of a transaction. */
export function dropToken(world: World, { accessor_id }: AclToken): void {
  world.table(aclTokens).delete(accessor_id)
  world.agenda.cancel(expiryJob, accessor_id)
  touch(world, tokenDataKind)
}

/** Adds a token as it is; part of a transaction. IDs that are left out are made up. */
export function addToken(
  world: World,
  token: Pick<AclToken, 'namespace'> & Partial<AclToken>,
): AclToken {
  const added = put(world, {
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

function put(world: World, row: Omit<AclToken, 'hash' | 'modify_index'>): AclToken {
  const { accessor_id: id, secret_id, description, policies, roles, local } = row
  const { service_identities, node_identities } = row
  const identities = { service_identities, node_identities }
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
  return {
    description,
    local,
    policies: resolveLinks(world, 'policy', policies, namespace),
    roles: resolveLinks(world, 'role', roles, namespace),
    ...normalizeIdentities(identities, 'token', local),
  }
}

/** Refuses an ID of the caller's choice that cannot be had. */
export function checkNewId(world: World, idName: 'AccessorID' | 'SecretID', id = ''): void {
  if (id === '') return
  if (!isUuid(id)) throw refuse('token-id-no-uuid', { what: idName })
  if (world.table(aclTokens).has(id) || world.table(aclTokens).index('bySecret').has(id)) {
    throw refuse('token-id-in-use', { what: idName })
  }
  if (id.startsWith(reservedIds)) throw refuse('token-id-reserved', { prefix: reservedIds })
}

/** When a new token's time is over; null for never. */
function expiryOf(world: World, { ttl = 0, expiresAt: sent }: TokenInput): number | null {
  const now = world.clock.now()
  if (ttl < 0) throw refuse('ttl-negative', { ttl: formatGoDuration(ttl) })
  if (ttl !== 0 && sent !== undefined) throw refuse('ttl-and-time')
  const expiresAt = ttl === 0 ? sent : now + Math.ceil(ttl / MILLISECOND)
  if (expiresAt === undefined) return null
  if (expiresAt < now) throw refuse('expiry-past')
  const minimum = milliseconds(optionsOf(world).tokenMinExpirationTTL)
  const remaining = expiresAt - now
  if (remaining < minimum) {
    const formatMs = (time: number) => formatGoDuration(time * MILLISECOND)
    throw refuse('expiry-too-near', { least: formatMs(minimum), given: formatMs(remaining) })
  }
  return expiresAt
}
