import { JsonNumber, type JsonObject } from '../../kernel/json.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { jsonObjectIn } from '../jwt-part.ts'
import { grantLogin, type LoginGrant } from '../logins/grants.ts'
import type { Mount } from '../mounts/mounts.ts'
import type { Namespace } from '../namespaces/namespaces.ts'
import { publicKeyOf } from './keys.ts'
import { loginRefused } from './messages.ts'
import { cloudInstances, cloudUsers } from './principals.ts'
import { type CloudRole, cloudConfigs, cloudRoles } from './roles.ts'
import {
  type HeaderTexts,
  headerTexts,
  isSignedBy,
  type RawHeaders,
  readSignature,
  requestTarget,
  type SignedHeaders,
} from './signature.ts'

/** The identity that signed a login. */
interface Principal {
  readonly id: string
  /** `user` or `instance`; a security token may claim another type. */
  readonly type: string
  /** Tenancy id. */
  readonly tenancy: string
  /** Ids of the user's groups, or of the instance's dynamic groups. */
  readonly memberships: readonly string[]
}

/** A principal and the keys with which it may have signed the login. */
interface Candidate {
  readonly principal: Principal
  /** The public keys in PEM format. */
  readonly keys: readonly string[]
}

/**
 * Authenticates the principal that signed headers (behaviour/secrets#cloud-login, step 3). The key
 * id is `<tenancy>/<user>/<fingerprint>`, or `ST$<jwt>` whose claims name the principal.
 *
 * @throws Refusal `denied` with the failed check.
 */
function authenticatePrincipal(world: World, headers: HeaderTexts): Principal {
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
 * Returns the principal that a security token names, with its known keys. Throws a refusal for a
 * token that is malformed or expired, or that names an unknown principal. The token itself is not
 * verified. Instead, the caller checks the signature over the headers with the principal's keys.
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

/**
 * Returns a principal by its id, with its known keys: a user if the type is `user`, otherwise an
 * instance. Returns undefined for an unknown id.
 */
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

interface CloudLogin {
  readonly namespace: Namespace
  readonly mount: Mount
  /** Role name, case-insensitive. */
  readonly role: string
  readonly headers: RawHeaders
}

/**
 * Logs in an identity of the cloud (behaviour/secrets#cloud-login). Checks the role, the request
 * target, the signature, the type of the principal, its tenancy, its memberships and the policies,
 * in this order.
 * @returns the grant of a token, which is an orphan and cannot be renewed
 * @throws Refusal whose rule names the failed check; in this case no token is created
 */
export function cloudLogin(world: World, login: CloudLogin): LoginGrant {
  const { namespace, mount } = login
  const roleName = login.role.toLowerCase()
  const role = cloudRoles.find(world, mount, roleName)
  if (role === undefined) throw loginRefused('login-role', `there is no role "${roleName}"`)
  const headers = headerTexts(login.headers)
  checkTarget(headers.get(requestTarget), roleName)
  const principal = authenticatePrincipal(world, headers)
  checkType(principal)
  checkTenancy(world, mount, principal)
  checkMembership(role, principal)
  return grantLogin(world, {
    namespace,
    mount,
    path: `login/${roleName}`,
    alias: principal.id,
    name: roleName,
    metadata: { role_name: roleName },
    fields: role,
    renewable: false,
  })
}

/** The path prefix of a world other than the default one (behaviour/program#worlds). */
const worldPrefix = /^\/_world\/[^/]+(?=\/)/

/**
 * Requires the request target `get /v1/auth/<mount>/login/<role>`. As in the reference, the mount
 * in the target may differ from the mount that handles the login.
 * @throws Refusal with the failed check
 */
function checkTarget(target: string | undefined, role: string): void {
  if (target === undefined) {
    throw loginRefused('login-request-target-missing', 'request_headers has no (request-target)')
  }
  const [method, path = '', ...more] = target.split(/\s+/)
  const segments = path.replace(worldPrefix, '').replace(/^\//, '').split('/')
  const isLoginTarget =
    method?.toLowerCase() === 'get' &&
    more.length === 0 &&
    segments.length >= 5 &&
    segments[0] === 'v1' &&
    segments[1] === 'auth' &&
    segments.at(-2) === 'login' &&
    segments.at(-1) === role
  if (isLoginTarget) return
  throw loginRefused(
    'login-request-target',
    `(request-target) is "${target}", not "get /v1/auth/<mount>/login/${role}"`,
  )
}

function checkType({ id, type }: Principal): void {
  if (type === 'user' || type === 'instance') return
  throw loginRefused(
    'login-principal-type',
    `"${id}" is of the type "${type}", neither user nor instance`,
  )
}

function checkTenancy(world: World, mount: Mount, { tenancy }: Principal): void {
  const config = cloudConfigs.find(world, mount)
  if (config === undefined) {
    throw loginRefused('login-config', `no home_tenancy_id is configured at ${mount.path}`)
  }
  if (tenancy === config.home_tenancy_id) return
  throw loginRefused(
    'login-tenancy',
    `the tenancy "${tenancy}" is not the home tenancy "${config.home_tenancy_id}"`,
  )
}

function checkMembership(role: CloudRole, { id, memberships }: Principal): void {
  if (memberships.length === 0) throw loginRefused('login-no-memberships', `"${id}" is in no group`)
  if (role.cid_list.some((cid) => memberships.includes(cid))) return
  throw loginRefused(
    'login-membership',
    `"${id}" is in [${memberships.join(' ')}], the role is for [${role.cid_list.join(' ')}]`,
  )
}
