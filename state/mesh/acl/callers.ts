import type { World } from '../../kernel/worlds/world.ts'
import { defaultNamespace } from '../namespaces/namespaces.ts'
import { optionsOf } from '../options.ts'
import { type AccessNeed, Authorization, type Decision } from './authorization.ts'
import { message, refuse } from './messages.ts'
import { type AclToken, aclStatusOf, aclTokens } from './tables.ts'

/** AccessorID of the token that applies to requests without a token. */
export const anonymousId = '00000000-0000-0000-0000-000000000002'

/** The caller of a request, identified by its token. */
export interface MeshCaller {
  readonly accessorId: string
  readonly isAnonymous: boolean
  /** Namespace of the token. */
  readonly namespace: string
  /** The caller's token; undefined while ACLs are disabled, because tokens are not checked then. */
  readonly token: AclToken | undefined
  /** True while ACLs are disabled. The caller may then do everything. */
  readonly isUnrestricted: boolean
  may(need: AccessNeed): boolean
  /** Makes the same decision as `may`, and also returns the rule that led to it. */
  decide(need: AccessNeed): Decision
}

/** Caller of every request while ACLs are disabled. */
const unrestrictedCaller: MeshCaller = {
  accessorId: anonymousId,
  isAnonymous: true,
  namespace: defaultNamespace,
  token: undefined,
  isUnrestricted: true,
  may: () => true,
  decide: () => ({ allowed: true, rule: null, source: 'acl-disabled', origin: null }),
}

/**
 * Returns the caller that a token identifies (behaviour/mesh#token). Throws a refusal for an
 * unknown or expired token. While ACLs are disabled, the token is not checked. The look-up is not
 * observed, so that blocking reads of data do not wake up when tokens change.
 *
 * @param secret SecretID; if undefined or empty, the anonymous token applies
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
    isAnonymous: token.accessor_id === anonymousId,
    namespace: token.namespace,
    token,
    isUnrestricted: false,
    may: (need) => decide(need).allowed,
    decide,
  }
}

/** Returns whether the ACLs are bootstrapped. The read is not observed. */
function isBootstrapped(world: World): boolean {
  return world.unobserved(() => aclStatusOf(world)).bootstrap_index !== null
}

/**
 * Returns the token with this SecretID, for requests in which a token reads itself
 * (behaviour/mesh#acl-endpoints). Throws a refusal if the secret is missing, unknown or expired.
 */
export function selfToken(world: World, secret: string | undefined): AclToken {
  const token = secret ? world.table(aclTokens).index('bySecret').get(secret) : undefined
  if (token === undefined) throw refuse('own-token-absent')
  if (isExpired(world, token)) throw refuse('own-token-expired')
  return token
}

/** Returns the token with this SecretID; undefined if there is no such token or it has expired. */
function tokenOfSecret(world: World, secret: string): AclToken | undefined {
  const token = world.table(aclTokens).index('bySecret').get(secret)
  return token === undefined || isExpired(world, token) ? undefined : token
}

/**
 * Returns whether a token has expired at the current time of the world. Expired tokens may still be
 * stored.
 */
export function isExpired(world: World, { expires_at }: AclToken): boolean {
  return expires_at !== null && expires_at <= world.clock.now()
}

/** Returns the anonymous token. If imported state has none, returns a token without policies. */
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

/**
 * Throws a refusal (403) if the caller lacks access. behaviour/mesh#denied-text defines the
 * message.
 */
export function requireAccess(caller: MeshCaller, need: AccessNeed): void {
  if (!caller.may(need)) throw permissionDenied(caller, need)
}

function permissionDenied(
  { accessorId, isAnonymous }: MeshCaller,
  { resource, access, name = '' }: AccessNeed,
) {
  const right = `${resource}:${access}`
  const object = name === '' ? '' : message('on-object', { name })
  return isAnonymous
    ? refuse('right-missing-without-token', { right, object })
    : refuse('right-missing', { accessor: accessorId, right, object })
}
