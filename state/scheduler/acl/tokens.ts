import { formatGoDuration, HOUR, MILLISECOND, MINUTE, parseGoDuration } from '../../go/duration.ts'
import { quoteGo } from '../../go/text.ts'
import { compareBytewise } from '../../json/json.ts'
import type { Json } from '../../kernel/json.ts'
import type { Message } from '../../kernel/message.ts'
import { Refusal } from '../../kernel/refusal.ts'
import { fillDefaults } from '../../kernel/shape/fill-defaults.ts'
import { formatTimestamp, parseTimestamp } from '../../kernel/time.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { nextIndex } from '../indexes.ts'
import { refuse as requestRefusal } from '../messages.ts'
import { failedChecks, multiError } from '../validation/errors.ts'
import { requireAcls, requireManagement, type SchedulerCaller } from './callers.ts'
import { message, refuse } from './messages.ts'
import { type AclToken, aclRoles, aclTokenShape, aclTokens, type InputAclToken } from './tables.ts'
import { deleteStoredToken, findTokenBySecret, storeToken } from './token-bodies.ts'
import { uuidError, uuidPrefix, uuidPrefixError } from './uuids.ts'

/** A token in list responses, without its secret. */
type AclTokenStub = Omit<AclToken, 'SecretID'>

/**
 * Conditions that select the tokens of a list. Without conditions, the list has all tokens. With a
 * prefix, `globalOnly` is ignored.
 */
interface TokenSelection {
  readonly prefix?: string | undefined
  readonly globalOnly?: boolean | undefined
}

/**
 * Returns tokens in order of creation or, with a prefix or `globalOnly`, in order of AccessorID.
 *
 * @throws Refusal 400 while ACLs are off, 403 without management rights, 500 for an invalid prefix
 */
export function listTokens(
  world: World,
  caller: SchedulerCaller,
  { prefix = '', globalOnly = false }: TokenSelection = {},
): readonly AclTokenStub[] {
  requireAcls(world)
  requireManagement(caller)
  const why = uuidPrefixError(prefix)
  if (why !== undefined) throw refuse('token-lookup-failed', { why })
  const byId = prefix !== '' || globalOnly
  return Array.from(world.table(aclTokens).rows(uuidPrefix(prefix)))
    .filter((token) => token.Global || !globalOnly || prefix !== '')
    .sort(
      (a, b) =>
        (byId ? 0 : a.CreateIndex - b.CreateIndex) || compareBytewise(a.AccessorID, b.AccessorID),
    )
    .map(({ SecretID: _, ...stub }) => stub)
}

/**
 * Returns a token. Only management tokens and the token itself may read the token.
 *
 * @throws Refusal 400 while ACLs are off, 403 for other tokens, 404 for an unknown token, 500 for
 *   an invalid UUID
 */
export function readToken(world: World, caller: SchedulerCaller, accessor: string): AclToken {
  requireAcls(world)
  const token = findToken(world, accessor, 'token-lookup-failed')
  if (!caller.isManagement && caller.token?.AccessorID !== accessor)
    throw requestRefusal('permission-denied')
  if (token === undefined) throw refuse('token-not-found')
  return token
}

/**
 * Returns the caller's own token. Most other operations refuse every bad secret with 403, but the
 * refusals of this operation describe the error in the secret (behaviour/scheduler#auth).
 * @param secret undefined if the request has no token
 * @throws Refusal 400 while ACLs are off, 404 for an unknown secret, 500 for a missing or malformed
 *   secret
 */
export function readOwnToken(world: World, secret: string | undefined): AclToken {
  requireAcls(world)
  if (secret === undefined) throw refuse('token-secret-missing')
  const token = findTokenBySecret(world, secret)
  if (token !== undefined) return token
  const why = uuidError(secret)
  throw why === undefined ? refuse('token-not-found') : refuse('token-lookup-failed', { why })
}

/**
 * Finds a token by its AccessorID; undefined for an unknown token. The token may have expired.
 *
 * @param lookupRule name of the refusal that is thrown for a malformed AccessorID
 */
function findToken(
  world: World,
  accessor: string,
  lookupRule: `token-lookup-${'' | 'on-write-' | 'on-delete-'}failed`,
): AclToken | undefined {
  const why = uuidError(accessor)
  if (why !== undefined) throw refuse(lookupRule, { why })
  return world.table(aclTokens).get(accessor)
}

/**
 * Creates a token or, if the body has an AccessorID, updates the token. An update changes neither
 * the secret nor the expiry.
 *
 * @param pathAccessor the AccessorID in the path, if any
 * @throws Refusal 400 for an invalid duration or time, if the AccessorID differs from that in the
 *   path, while ACLs are off, for an unknown or invalid token, and for an unknown role; 403 without
 *   management rights; 500 for an invalid UUID
 */
export function putToken(
  world: World,
  caller: SchedulerCaller,
  input: InputAclToken,
  pathAccessor?: string,
): AclToken {
  const token = fillDefaults(input, aclTokenShape)
  const ttl = parseDuration(token.ExpirationTTL ?? null)
  const expiry = parseInstant(token.ExpirationTime ?? undefined)
  if (pathAccessor !== undefined && pathAccessor !== token.AccessorID) {
    throw refuse('token-accessor-mismatch')
  }
  requireAcls(world)
  requireManagement(caller)
  const { AccessorID } = token
  const before =
    AccessorID === '' ? undefined : findToken(world, AccessorID, 'token-lookup-on-write-failed')
  if (AccessorID !== '' && before === undefined) {
    throw refuse('token-unknown', { accessor: AccessorID })
  }
  const now = world.clock.now()
  const expiresAt = expiry ?? (ttl === 0 ? undefined : now + Math.ceil(ttl / MILLISECOND))
  const problems = [
    ...contentErrors(token, input),
    ...(before === undefined
      ? lifetimeErrors(ttl, expiresAt, now)
      : changeErrors(before, token, ttl, expiry)),
  ]
  if (problems.length > 0) throw refuse('token-invalid', { errors: multiError(problems) })
  const roles = roleIds(world, input)
  return world.write(() => {
    const index = nextIndex(world)
    const { Name, Type, Policies, Global } = token
    return storeToken(world, {
      Name,
      Type,
      Policies,
      ...(roles.length === 0 ? {} : { Roles: roles }),
      Global,
      ...(before === undefined ? newTokenFields(world, expiresAt, ttl) : permanentFields(before)),
      CreateIndex: before?.CreateIndex ?? index,
      ModifyIndex: index,
    })
  })
}

/** Returns the members that the server sets when it creates a token. */
function newTokenFields(world: World, expiresAt: number | undefined, ttl: number) {
  return {
    AccessorID: world.ids.uuid(),
    SecretID: world.ids.uuid(),
    CreateTime: formatTimestamp(world.clock.now()),
    ...(expiresAt === undefined ? {} : { ExpirationTime: formatTimestamp(expiresAt) }),
    ...(ttl === 0 ? {} : { ExpirationTTL: formatGoDuration(ttl) }),
  }
}

/** Returns the members that an update of a token does not change. */
function permanentFields({
  AccessorID,
  SecretID,
  CreateTime,
  ExpirationTime,
  ExpirationTTL,
}: AclToken) {
  return {
    AccessorID,
    SecretID,
    CreateTime,
    ...(ExpirationTime === undefined ? {} : { ExpirationTime }),
    ...(ExpirationTTL === undefined ? {} : { ExpirationTTL }),
  }
}

const maxNameBytes = 256

function contentErrors(
  { Name, Type, Policies }: Pick<AclToken, 'Name' | 'Type' | 'Policies'>,
  { Roles }: InputAclToken,
): readonly Message[] {
  const hasGrants = (Policies?.length ?? 0) + (Roles?.length ?? 0) > 0
  return failedChecks(
    Buffer.byteLength(Name) > maxNameBytes && message('token-name-long'),
    Type === 'client' && !hasGrants && message('token-client-powerless'),
    Type === 'management' && hasGrants && message('token-management-policies'),
    Type !== 'client' && Type !== 'management' && message('token-type-unknown'),
  )
}

const minLifetime = MINUTE
const maxLifetime = 24 * HOUR

function lifetimeErrors(ttl: number, expiresAt: number | undefined, now: number) {
  const remaining = expiresAt === undefined ? undefined : (expiresAt - now) * MILLISECOND
  const life = formatGoDuration(remaining ?? 0)
  return failedChecks(
    ttl < 0 && message('token-ttl-negative', { ttl: formatGoDuration(ttl) }),
    remaining !== undefined && remaining < 0 && message('token-expired-at-birth'),
    remaining !== undefined && remaining > maxLifetime && message('token-life-long', { life }),
    remaining !== undefined && remaining < minLifetime && message('token-life-short', { life }),
  )
}

function changeErrors(
  before: AclToken,
  { Global }: Pick<AclToken, 'Global'>,
  ttl: number,
  expiry: number | undefined,
): readonly Message[] {
  return failedChecks(
    Global !== before.Global && message('token-global-changed'),
    ttl !== parseDuration(before.ExpirationTTL ?? null) && message('token-ttl-changed'),
    expiry !== undefined &&
      expiry !== parseInstant(before.ExpirationTime) &&
      message('token-time-changed'),
  )
}

/**
 * Returns the IDs of the roles that a request names by ID or by name.
 *
 * @throws Refusal 400 for an unknown role
 */
function roleIds(world: World, { Roles }: InputAclToken): readonly string[] {
  const roles = world.table(aclRoles)
  const ids = (Roles ?? []).map(({ ID, Name }) => {
    const role = ID ? roles.get(ID) : roles.index('byName').get(Name ?? '')
    if (role === undefined) throw refuse('token-role-unknown', { role: ID || (Name ?? '') })
    return role.ID
  })
  return [...new Set(ids)]
}

/**
 * Parses the TTL of a request or a stored token to nanoseconds; 0 if the member is neither a number
 * nor a string, or is empty.
 *
 * @throws Refusal 400 for an invalid duration
 */
function parseDuration(input: Json): number {
  if (typeof input === 'number') return Math.trunc(input)
  if (typeof input !== 'string' || input === '') return 0
  try {
    return parseGoDuration(input)
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    throw refuse('token-duration-invalid', { why: error.reason })
  }
}

/**
 * Parses the expiry time of a request or a stored token to milliseconds since 1970; undefined if
 * the member is missing, empty or Go's zero time.
 *
 * @throws Refusal 400 for an invalid time
 */
function parseInstant(input: string | undefined): number | undefined {
  if (input === undefined || input === '' || input.startsWith('0001-01-01T00:00:00'))
    return undefined
  const instant = parseTimestamp(input)
  if (instant !== undefined) return instant
  throw refuse('token-time-invalid', { time: quoteGo(input) })
}

/**
 * Deletes a token.
 *
 * @throws Refusal 400 for an unknown or invalid AccessorID and while ACLs are off, 403 without
 *   management rights
 */
export function deleteToken(world: World, caller: SchedulerCaller, accessor: string): void {
  requireAcls(world)
  requireManagement(caller)
  const token = findToken(world, accessor, 'token-lookup-on-delete-failed')
  if (token === undefined) throw refuse('token-nonexistent', { accessor })
  world.write(() => deleteStoredToken(world, token))
}
