import { JsonNumber, type JsonObject } from '../../kernel/json.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { jsonObjectIn } from '../jwt-part.ts'
import { publicKeyOf } from './keys.ts'
import { loginRefused } from './messages.ts'
import { cloudInstances, cloudUsers } from './principals.ts'
import { type HeaderTexts, isSignedBy, readSignature, type SignedHeaders } from './signature.ts'

/** Who signed a login. */
export interface Principal {
  readonly id: string
  /** `user` or `instance`; tokens of other principals may say something else. */
  readonly type: string
  /** Tenancy id. */
  readonly tenancy: string
  /** Ids of the groups, or dynamic groups, that it is in. */
  readonly memberships: readonly string[]
}

/** A principal and the keys that may have signed for it. */
interface Candidate {
  readonly principal: Principal
  /** PEM. */
  readonly keys: readonly string[]
}

/**
 * Finds out who signed headers (behaviour/secrets#cloud-login 3 and Mock holds). The key
 * id is `<tenancy>/<user>/<fingerprint>`, or `ST$<jwt>` whose claims name the principal.
 *
 * @throws Refusal `denied` with the check that failed.
 */
export function authenticatePrincipal(world: World, headers: HeaderTexts): Principal {
  const signature = readSignature(headers, world.clock.now())
  const { principal, keys } = candidateOf(world, signature)
  const publicKeys = keys.map((pem) => publicKeyOf(pem)).filter((key) => key !== undefined)
  if (publicKeys.length === 0) {
    throw loginRefused('login-key-unknown', `"${principal.id}" has no public key that can be used`)
  }
  if (publicKeys.some((key) => isSignedBy(signature, key))) return principal
  throw loginRefused(
    'login-signature',
    `the signature is not one of "${principal.id}" over these headers`,
  )
}

function candidateOf(world: World, { keyId }: SignedHeaders): Candidate {
  return keyId.startsWith(securityTokenPrefix)
    ? candidateBySecurityToken(world, keyId)
    : candidateByApiKey(world, keyId)
}

function candidateByApiKey(world: World, keyId: string): Candidate {
  const [tenancy = '', id = '', fingerprint = '', ...more] = keyId.split('/')
  if (fingerprint === '' || more.length > 0) {
    throw loginRefused(
      'login-key-id-form',
      `the key id "${keyId}" is not of the form <tenancy>/<user>/<fingerprint>`,
    )
  }
  const user = world.table(cloudUsers).get(id)
  if (user?.tenancy !== tenancy) {
    throw loginRefused('login-key-unknown', `there is no user "${id}" in the tenancy "${tenancy}"`)
  }
  const name = fingerprint.toLowerCase()
  const key = Object.hasOwn(user.keys, name) ? user.keys[name] : undefined
  if (key === undefined) {
    throw loginRefused('login-key-unknown', `the user "${id}" has no key "${fingerprint}"`)
  }
  return { principal: { id, tenancy, type: 'user', memberships: user.groups }, keys: [key] }
}

const securityTokenPrefix = 'ST$'

/**
 * The principal that a security token names. Nobody vouches for the token itself: the signature over
 * the headers is compared with the key that is held for the principal.
 */
function candidateBySecurityToken(world: World, keyId: string): Candidate {
  const { tenant, sub, ptype, exp } = claimsOf(keyId.slice(securityTokenPrefix.length))
  if (typeof tenant !== 'string' || typeof sub !== 'string' || typeof ptype !== 'string') {
    throw loginRefused(
      'login-token-claims',
      'the token lacks one of the claims tenant, sub and ptype',
    )
  }
  const seconds = exp instanceof JsonNumber ? Number(String(exp)) : exp
  if (typeof seconds === 'number' && seconds * 1000 <= world.clock.now()) {
    throw loginRefused('login-token-expired', `the token of "${sub}" has expired`)
  }
  const candidate = holderOf(world, sub, ptype)
  if (candidate?.principal.tenancy !== tenant) {
    const kind = ptype === 'user' ? 'user' : 'instance'
    throw loginRefused(
      'login-key-unknown',
      `there is no ${kind} "${sub}" in the tenancy "${tenant}"`,
    )
  }
  return candidate
}

/** The holder of a token: an instance unless it says that it is a user. */
function holderOf(world: World, id: string, type: string): Candidate | undefined {
  if (type === 'user') {
    const user = world.table(cloudUsers).get(id)
    if (user === undefined) return undefined
    const { tenancy, groups: memberships, keys } = user
    return { principal: { id, type, tenancy, memberships }, keys: Object.values(keys) }
  }
  const instance = world.table(cloudInstances).get(id)
  if (instance === undefined) return undefined
  const { tenancy, dynamic_groups: memberships, key } = instance
  return { principal: { id, type, tenancy, memberships }, keys: key === null ? [] : [key] }
}

const jwtForm = /^[\w-]+\.([\w-]+)\.[\w-]*$/

function claimsOf(token: string): JsonObject {
  const [, payload] = jwtForm.exec(token) ?? []
  const claims = payload === undefined ? undefined : jsonObjectIn(payload)
  if (claims !== undefined) return claims
  throw loginRefused('login-key-id-form', 'the key id begins with ST$, but no token follows')
}
