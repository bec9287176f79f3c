import { formatGoDuration, HOUR, MILLISECOND, MINUTE, parseGoDuration } from '../../go/duration.ts'
import { quoteGo } from '../../go/text.ts'
import { compareBytewise } from '../../json/json.ts'
import type { Json } from '../../json/value.ts'
import { Refusal } from '../../kernel/refusal.ts'
import { formatTimestamp, parseTimestamp } from '../../kernel/time.ts'
import type { World } from '../../kernel/world.ts'
import { nextIndex } from '../indexes.ts'
import { denied, malformed, missing, rejected } from '../refusals.ts'
import { completed } from '../shape/complete.ts'
import { failing, multiError } from '../validation/errors.ts'
import { requireAcls, requireManagement, type SchedulerCaller } from './callers.ts'
import { type AclToken, aclTokenShape, aclTokens, type SentAclToken } from './tables.ts'
import { dropToken, isExpired, storeToken } from './token-rows.ts'
import { uuidFault } from './uuids.ts'

/** A token as lists have it: without its secret. */
export type AclTokenStub = Omit<AclToken, 'SecretID'>

/** Which tokens are listed. */
export interface TokenSelection {
  /** What the AccessorID begins with. */
  readonly prefix?: string | undefined
  readonly globalOnly?: boolean | undefined
}

/**
 * The tokens in the order of their creation; of a selection by AccessorID.
 *
 * @throws Refusal 400 with ACLs off, 403
 */
export function listTokens(
  world: World,
  caller: SchedulerCaller,
  { prefix = '', globalOnly = false }: TokenSelection = {},
): readonly AclTokenStub[] {
  requireAcls(world)
  requireManagement(caller)
  const byId = prefix !== '' || globalOnly
  return Array.from(world.table(aclTokens).rows(prefix))
    .filter((token) => (token.Global || !globalOnly || prefix !== '') && !isExpired(world, token))
    .sort(
      (a, b) =>
        (byId ? 0 : a.CreateIndex - b.CreateIndex) || compareBytewise(a.AccessorID, b.AccessorID),
    )
    .map(({ SecretID: _, ...stub }) => stub)
}

/**
 * A token, for management tokens and for itself.
 *
 * @throws Refusal 400 with ACLs off, 403, 404, 500 for what is no UUID
 */
export function readToken(world: World, caller: SchedulerCaller, accessor: string): AclToken {
  requireAcls(world)
  const token = tokenWith(world, accessor, (fault) => rejected(`acl token lookup failed: ${fault}`))
  if (!caller.isManagement && caller.token?.AccessorID !== accessor) throw denied()
  if (token === undefined) throw missing('ACL token not found')
  return token
}

/**
 * The caller's own token.
 *
 * @throws Refusal 400 with ACLs off, 500 for a caller without one
 */
export function readOwnToken(world: World, { token }: SchedulerCaller): AclToken {
  requireAcls(world)
  if (token === undefined) throw rejected('acl token lookup failed: missing secret id')
  // Read anew, because who waits for it does not wait for its caller.
  return world.table(aclTokens).get(token.AccessorID) ?? token
}

/** The token of an AccessorID whose time is not over. */
function tokenWith(
  world: World,
  accessor: string,
  refusal: (fault: string) => Refusal,
): AclToken | undefined {
  const fault = uuidFault(accessor)
  if (fault !== undefined) throw refusal(fault)
  const token = world.table(aclTokens).get(accessor)
  return token === undefined || isExpired(world, token) ? undefined : token
}

/**
 * Creates a token, or, where an AccessorID is sent, replaces what one says; its secret and its expiry
 * stay.
 *
 * @param pathAccessor the AccessorID in the path, where the path has one
 * @throws Refusal 400 for another AccessorID than the path's, with ACLs off and for a token that cannot
 * be; 403; 500 for what is no UUID
 */
export function putToken(
  world: World,
  caller: SchedulerCaller,
  sent: SentAclToken,
  pathAccessor?: string,
): AclToken {
  const token = completed(sent, aclTokenShape)
  const ttl = durationOf(token.ExpirationTTL ?? null)
  const expiry = instantOf(token.ExpirationTime)
  if (pathAccessor !== undefined && pathAccessor !== token.AccessorID) {
    throw malformed('ACL token accessor does not match request path')
  }
  requireAcls(world)
  requireManagement(caller)
  const { AccessorID } = token
  const before =
    AccessorID === ''
      ? undefined
      : tokenWith(world, AccessorID, (fault) =>
          rejected(`token lookup failed: acl token lookup failed: ${fault}`),
        )
  if (AccessorID !== '' && before === undefined) {
    throw malformed(`cannot find token ${AccessorID}`)
  }
  const now = world.clock.now()
  const end = expiry ?? (ttl === 0 ? undefined : now + Math.ceil(ttl / MILLISECOND))
  const faults = [
    ...contentFaults(token, sent),
    ...(before === undefined
      ? lifeFaults(ttl, end, now)
      : changeFaults(before, token, ttl, expiry)),
  ]
  if (faults.length > 0) throw malformed(`token 0 invalid: ${multiError(faults)}`)
  refuseRoles(sent)
  return world.write(() => {
    const index = nextIndex(world)
    const { ExpirationTime: _time, ExpirationTTL: _ttl, ...content } = token
    return storeToken(world, {
      ...content,
      ...(before === undefined ? birth(world, end, ttl) : lifeOf(before)),
      CreateIndex: before?.CreateIndex ?? index,
      ModifyIndex: index,
    })
  })
}

/** What a token is given when it is made. */
function birth(world: World, end: number | undefined, ttl: number) {
  return {
    AccessorID: world.ids.uuid(),
    SecretID: world.ids.uuid(),
    CreateTime: formatTimestamp(world.clock.now()),
    ...(end === undefined ? {} : { ExpirationTime: formatTimestamp(end) }),
    ...(ttl === 0 ? {} : { ExpirationTTL: formatGoDuration(ttl) }),
  }
}

/** What a token keeps for life. */
function lifeOf({ AccessorID, SecretID, CreateTime, ExpirationTime, ExpirationTTL }: AclToken) {
  return {
    AccessorID,
    SecretID,
    CreateTime,
    ...(ExpirationTime === undefined ? {} : { ExpirationTime }),
    ...(ExpirationTTL === undefined ? {} : { ExpirationTTL }),
  }
}

/** In bytes. */
const longestName = 256

function contentFaults(
  { Name, Type, Policies }: AclToken,
  { Roles }: SentAclToken,
): readonly string[] {
  const hasAny = (Policies?.length ?? 0) + (Roles?.length ?? 0) > 0
  return failing(
    [Buffer.byteLength(Name) > longestName, 'token name too long'],
    [Type === 'client' && !hasAny, 'client token missing policies or roles'],
    [
      Type === 'management' && hasAny,
      'management token cannot be associated with policies or roles',
    ],
    [Type !== 'client' && Type !== 'management', 'token type must be client or management'],
  )
}

const shortestLife = MINUTE
const longestLife = 24 * HOUR

function lifeFaults(ttl: number, end: number | undefined, now: number): readonly string[] {
  const life = end === undefined ? undefined : (end - now) * MILLISECOND
  const said = formatGoDuration(life ?? 0)
  return failing(
    [ttl < 0, `token expiration TTL '${formatGoDuration(ttl)}' should not be negative`],
    [life !== undefined && life < 0, 'expiration time cannot be before create time'],
    [
      life !== undefined && life > longestLife,
      `expiration time cannot be more than 24h0m0s in the future (was ${said})`,
    ],
    [
      life !== undefined && life < shortestLife,
      `expiration time cannot be less than 1m0s in the future (was ${said})`,
    ],
  )
}

function changeFaults(
  before: AclToken,
  { Global }: AclToken,
  ttl: number,
  expiry: number | undefined,
): readonly string[] {
  return failing(
    [Global !== before.Global, 'cannot toggle global mode'],
    [ttl !== durationOf(before.ExpirationTTL ?? null), 'cannot update expiration TTL'],
    [
      expiry !== undefined && expiry !== instantOf(before.ExpirationTime),
      'cannot update expiration time',
    ],
  )
}

/** There are no roles here, so none can be linked. */
function refuseRoles({ Roles }: SentAclToken): void {
  const [role] = Roles ?? []
  if (role !== undefined) throw malformed(`cannot find role ${role.ID || role.Name}`)
}

/** A duration as requests have it, in nanoseconds; 0 for none. */
function durationOf(sent: Json): number {
  if (typeof sent === 'number') return Math.trunc(sent)
  if (typeof sent !== 'string' || sent === '') return 0
  try {
    return parseGoDuration(sent)
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    throw malformed(error.message)
  }
}

/** An instant as requests have it, in milliseconds since 1970; Go's zero time is none. */
function instantOf(sent: string | undefined): number | undefined {
  if (sent === undefined || sent === '' || sent.startsWith('0001-01-01T00:00:00')) return undefined
  const instant = parseTimestamp(sent)
  if (instant !== undefined) return instant
  const form = '"2006-01-02T15:04:05Z07:00"'
  throw malformed(
    `parsing time ${quoteGo(sent)} as ${form}: cannot parse ${quoteGo(sent)} as "2006"`,
  )
}

/**
 * Deletes a token.
 *
 * @throws Refusal 400 for a token that there is not and with ACLs off, 403
 */
export function deleteToken(world: World, caller: SchedulerCaller, accessor: string): void {
  requireAcls(world)
  requireManagement(caller)
  const token = tokenWith(world, accessor, (fault) =>
    malformed(`token lookup failed: acl token lookup failed: ${fault}`),
  )
  if (token === undefined) throw malformed(`Cannot delete nonexistent tokens: ${accessor}`)
  world.write(() => dropToken(world, token))
}
