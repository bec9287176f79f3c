import type { World } from '../../kernel/world.ts'
import { authPrefix, type Mount } from '../mounts/mounts.ts'
import type { Namespace } from '../namespaces/namespaces.ts'
import { responseWrapping } from '../policies/policies.ts'
import { type CreatedToken, createToken, sanitizePolicies } from '../tokens/creation.ts'
import { entityIdOf } from '../tokens/entity-ids.ts'
import { authenticatePrincipal, type Principal } from './authenticate.ts'
import { findCloudConfig } from './config.ts'
import { type CloudRole, findCloudRole } from './roles.ts'
import { headerTexts, requestTarget, type SentHeaders } from './signature.ts'
import { loginRefused } from './texts.ts'

/** Where a login came in, and what with. */
interface CloudLogin {
  readonly namespace: Namespace
  readonly mount: Mount
  /** Role name; its case does not count. */
  readonly role: string
  /** The signed headers. */
  readonly headers: SentHeaders
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
  const role = findCloudRole(world, mount, roleName)
  if (role === undefined) {
    throw loginRefused('login-role', `there is no role "${roleName}"`)
  }
  const headers = headerTexts(login.headers)
  checkTarget(headers.get(requestTarget), roleName)
  const principal = authenticatePrincipal(world, headers)
  checkType(principal)
  checkTenancy(world, mount, principal)
  checkMembership(role, principal)
  const policies = policiesOf(role)
  const type = tokenTypeOf(mount, role)
  return createToken(world, {
    policies,
    type,
    namespace,
    path: `${mount.path}login/${roleName}`,
    displayName: `${displayPrefix(mount)}-${roleName}`,
    meta: { role_name: roleName },
    ttl: role.token_ttl,
    maxTtl: role.token_max_ttl,
    explicitMaxTtl: role.token_explicit_max_ttl,
    period: role.token_period,
    // Nobody counts the uses of a token that is not kept, as batch tokens are not in the reference.
    numUses: type === 'batch' ? 0 : role.token_num_uses,
    renewable: false,
    entityId: entityIdOf(mount, principal.id),
    boundCidrs: role.token_bound_cidrs,
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
  const config = findCloudConfig(world, mount)
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

function policiesOf(role: CloudRole): readonly string[] {
  const policies = sanitizePolicies(role.token_policies, !role.token_no_default_policy)
  if (policies.includes('root')) {
    throw loginRefused('login-root', 'the role grants root')
  }
  if (policies.includes(responseWrapping)) {
    throw loginRefused('login-policy', `the role grants ${responseWrapping}`)
  }
  return policies
}

/** The mount decides, or leaves the choice to the role, as its tuning says. */
function tokenTypeOf(mount: Mount, { token_type: asked }: CloudRole): 'service' | 'batch' {
  switch (mount.config.token_type) {
    case 'service':
    case 'batch':
      return mount.config.token_type
    case 'default-batch':
      return asked === 'service' ? 'service' : 'batch'
    default:
      return asked === 'batch' ? 'batch' : 'service'
  }
}

/** Returns what names begin with, after the mount: `cloud`, `team-cloud`. */
function displayPrefix({ path }: Mount): string {
  return path.slice(authPrefix.length, -1).replaceAll('/', '-')
}
