import type { World } from '../../kernel/worlds/world.ts'
import { issueLogin } from '../logins/issue.ts'
import type { Mount } from '../mounts/mounts.ts'
import type { Namespace } from '../namespaces/namespaces.ts'
import type { CreatedToken } from '../tokens/creation.ts'
import { authenticatePrincipal, type Principal } from './authenticate.ts'
import { cloudConfigs } from './config.ts'
import { loginRefused } from './messages.ts'
import { type CloudRole, cloudRoles } from './roles.ts'
import { headerTexts, type RawHeaders, requestTarget } from './signature.ts'

/** Where a login came in, and what with. */
interface CloudLogin {
  readonly namespace: Namespace
  readonly mount: Mount
  /** Role name; its case does not count. */
  readonly role: string
  /** The signed headers. */
  readonly headers: RawHeaders
}

/**
 * Logs an identity of the cloud in (behaviour/secrets#cloud-login): role, request target,
 * signature, kind of principal, tenancy, memberships, policies, in this order.
 *
 * @returns the token: an orphan that cannot be renewed.
 * @throws Refusal whose rule is the check that failed; no token is made then.
 */
export function cloudLogin(world: World, login: CloudLogin): CreatedToken {
  const { namespace, mount } = login
  const roleName = login.role.toLowerCase()
  const role = cloudRoles.find(world, mount, roleName)
  if (role === undefined) {
    throw loginRefused('login-role', `there is no role "${roleName}"`)
  }
  const headers = headerTexts(login.headers)
  checkTarget(headers.get(requestTarget), roleName)
  const principal = authenticatePrincipal(world, headers)
  checkType(principal)
  checkTenancy(world, mount, principal)
  checkMembership(role, principal)
  return issueLogin(world, {
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

/**
 * Matches what stands before the path of a world that is not the default one (behaviour/program#worlds).
 */
const worldPrefix = /^\/_world\/[^/]+(?=\/)/

/** `get /v1/auth/<mount>/login/<role>`, whatever the mount, as in the reference. */
function checkTarget(target: string | undefined, role: string): void {
  if (target === undefined) {
    throw loginRefused('login-request-target-missing', 'request_headers has no (request-target)')
  }
  const [method, path = '', ...more] = target.split(/\s+/)
  const segments = path.replace(worldPrefix, '').replace(/^\//, '').split('/')
  const isRight =
    method?.toLowerCase() === 'get' &&
    more.length === 0 &&
    segments.length >= 5 &&
    segments[0] === 'v1' &&
    segments[1] === 'auth' &&
    segments.at(-2) === 'login' &&
    segments.at(-1) === role
  if (isRight) return
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
  if (memberships.length === 0) {
    throw loginRefused('login-no-memberships', `"${id}" is in no group`)
  }
  if (role.cid_list.some((cid) => memberships.includes(cid))) return
  throw loginRefused(
    'login-membership',
    `"${id}" is in [${memberships.join(' ')}], the role is for [${role.cid_list.join(' ')}]`,
  )
}
