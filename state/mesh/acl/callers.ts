import type { World } from '../../kernel/worlds/world.ts'
import { defaultNamespace } from '../namespaces/namespaces.ts'
import { optionsOf } from '../options.ts'
import { type AccessNeed, Authorization, type Decision } from './authorization.ts'
import { message, refuse } from './messages.ts'
import { aclStatusOf } from './status.ts'
import { type AclToken, aclTokens } from './tables.ts'

/** The token of requests that bring none. */
export const anonymousId = '00000000-0000-0000-0000-000000000002'

/** Who calls, by which token. */
export interface MeshCaller {
  readonly accessorId: string
  readonly anonymous: boolean
  /** The token's own. */
  readonly namespace: string
  /** Undefined while ACLs are off: nobody looks at tokens then. */
  readonly token: AclToken | undefined
  /** Tells that there is nothing which it may not do. */
  readonly isUnrestricted: boolean
  may(need: AccessNeed): boolean
  /** The same with what decided. */
  decide(need: AccessNeed): Decision
}

/** While ACLs are off everybody may do everything. */
const unrestrictedCaller: MeshCaller = {
  accessorId: anonymousId,
  anonymous: true,
  namespace: defaultNamespace,
  token: undefined,
  isUnrestricted: true,
  may: () => true,
  decide: () => ({ allowed: true, rule: null, source: 'acl-disabled', origin: null }),
}

/**
 * The caller behind a token (behaviour/mesh#acl). Refuses an unknown or expired one. No
 * observation notes it: who waits for data does not wait for what happens to tokens.
 *
 * @param secret undefined or empty for none: the anonymous token
 */
export function meshCaller(world: World, secret: string | undefined): MeshCaller {
  if (!optionsOf(world).aclEnabled) return unrestrictedCaller
  const token = world.unobserved(() =>
    secret ? tokenOfSecret(world, secret) : anonymousToken(world),
  )
  if (token === undefined)
    throw refuse(isBootstrapped(world) ? 'token-unknown' : 'bootstrap-wanted')
  const authorization = new Authorization(world, token)
  const decide = (need: AccessNeed) => world.unobserved(() => authorization.decide(need))
  return {
    accessorId: token.accessor_id,
    anonymous: token.accessor_id === anonymousId,
    namespace: token.namespace,
    token,
    isUnrestricted: false,
    may: (need) => decide(need).allowed,
    decide,
  }
}

/** Tells whether the first management token was made; no observation notes it. */
function isBootstrapped(world: World): boolean {
  return world.unobserved(() => aclStatusOf(world)).bootstrap_index !== null
}

/**
 * The token that reads itself, by its secret (behaviour/mesh#acl-endpoints). Refuses a missing, unknown or
 * expired one.
 */
export function selfToken(world: World, secret: string | undefined): AclToken {
  const token = secret ? world.table(aclTokens).index('bySecret').get(secret) : undefined
  if (token === undefined) throw refuse('own-token-absent')
  if (isExpired(world, token)) throw refuse('own-token-expired')
  return token
}

/** The token of a SecretID whose time is not over. */
function tokenOfSecret(world: World, secret: string): AclToken | undefined {
  const token = world.table(aclTokens).index('bySecret').get(secret)
  return token === undefined || isExpired(world, token) ? undefined : token
}

/** Tells whether a token's time is over. */
export function isExpired(world: World, { expires_at }: AclToken): boolean {
  return expires_at !== null && expires_at <= world.clock.now()
}

/** The anonymous token; one without policies where imported state has none. */
function anonymousToken(world: World): AclToken {
  return world.table(aclTokens).get(anonymousId) ?? fallbackAnonymousToken
}

const fallbackAnonymousToken: AclToken = {
  accessor_id: anonymousId,
  secret_id: 'anonymous',
  description: 'Anonymous Token',
  policies: [],
  roles: [],
  local: false,
  created_at: 0,
  expires_at: null,
  hash: '',
  namespace: defaultNamespace,
  create_index: 0,
  modify_index: 0,
}

/** Refuses with 403 what a caller may not do, in the words of behaviour/mesh#acl. */
export function requireAccess(caller: MeshCaller, need: AccessNeed): void {
  if (!caller.may(need)) throw permissionDenied(caller, need)
}

/** The refusal of what a caller may not do. */
function permissionDenied(
  { accessorId, anonymous }: MeshCaller,
  { resource, access, name = '' }: AccessNeed,
) {
  const right = `${resource}:${access}`
  const object = name === '' ? '' : message('on-object', { name })
  return anonymous
    ? refuse('right-missing-without-token', { right, object })
    : refuse('right-missing', { accessor: accessorId, right, object })
}
