import type { World } from '../../kernel/worlds/world.ts'
import { appRoles } from '../approle/roles.ts'
import { certFieldsOf } from '../cert/certs.ts'
import { githubFieldsOf } from '../github/github.ts'
import { joinExternalGroups } from '../identity/group-aliases.ts'
import { jwtRoles } from '../jwt/roles.ts'
import { ldapFieldsOf } from '../ldap/people.ts'
import { type Mount, mountOf } from '../mounts/mounts.ts'
import { rootNamespace } from '../namespaces/namespaces.ts'
import { oktaFieldsOf } from '../okta/okta.ts'
import { orchLoginRoles } from '../orch-login/roles.ts'
import { sanitizePolicies } from '../tokens/creation.ts'
import type { Token } from '../tokens/rows.ts'
import { users } from '../userpass/users.ts'
import { refuse } from './messages.ts'
import type { TokenFields } from './token-fields.ts'

/**
 * Returns the role whose name is in the token's metadata. Throws a refusal if the role was deleted.
 */
function jwtRoleFields(world: World, mount: Mount, token: Token): TokenFields {
  const name = token.meta?.['role'] ?? ''
  const role = jwtRoles.find(world, mount, name)
  if (role === undefined) throw refuse('login-role-gone', { role: name })
  return role
}

/**
 * Functions that return the current settings of a token's role, by type of login method. For other
 * login methods, a renewal uses the settings that applied at the login.
 */
const methods: Readonly<Record<string, (world: World, mount: Mount, token: Token) => TokenFields>> =
  {
    approle(world, mount, token) {
      const name = token.meta?.['role_name'] ?? ''
      const role = appRoles.find(world, mount, name)
      if (role === undefined) throw refuse('login-role-gone', { role: name })
      return role
    },
    jwt: jwtRoleFields,
    oidc: jwtRoleFields,
    cert: withSameGrants(certFieldsOf),
    github: withSameGrants(githubFieldsOf),
    ldap: withSameGrants(ldapFieldsOf),
    okta: withSameGrants(oktaFieldsOf),
    orch(world, mount, token) {
      const name = token.meta?.['role'] ?? ''
      const role = orchLoginRoles.find(world, mount, name)
      if (role === undefined) throw refuse('orch-login-role-gone', { role: name })
      return role
    },
    userpass(world, mount, token) {
      const user = users.find(world, mount, token.meta?.['username'] ?? '')
      if (user === undefined || !hasSameGrants(user, token)) throw refuse('login-policies-changed')
      return user
    },
  }

/**
 * Wraps `find` in a function that returns the same settings, but throws a refusal if their policies
 * differ from the token's policies.
 */
function withSameGrants(find: (world: World, mount: Mount, token: Token) => TokenFields) {
  return (world: World, mount: Mount, token: Token): TokenFields => {
    const fields = find(world, mount, token)
    if (!hasSameGrants(fields, token)) throw refuse('login-policies-changed')
    return fields
  }
}

/**
 * Returns whether a new login would grant the policies of the token. Ignores the policy `default`.
 * As in the product, returns false for a token without policies.
 */
function hasSameGrants(fields: TokenFields, token: Token): boolean {
  if (token.policies.length === 0) return false
  const currentPolicies = sanitizePolicies(fields.token_policies, false)
  const withoutDefault = (names: readonly string[]) =>
    names.filter((name) => name !== 'default').join()
  return withoutDefault(currentPolicies) === withoutDefault(token.policies)
}

/**
 * Returns the current settings of the role of a token, which renewals follow
 * (behaviour/secrets#login-token). Returns undefined for a token that no login created, and for
 * login methods that are not in `methods`.
 * @throws Refusal `invalid` if the role was deleted, if the directory is unreachable or refuses the
 *   user, or, for most methods, if the settings grant other policies
 */
export function currentLoginFields(world: World, token: Token): TokenFields | undefined {
  const mount = mountOf(world, { ...rootNamespace, id: token.namespace }, token.path)
  const find = mount === undefined ? undefined : methods[mount.type]
  return mount === undefined ? undefined : find?.(world, mount, token)
}

/**
 * Sets the external groups of a token's entity to the groups that the login method reported at the
 * login (behaviour/secrets#groups). Does nothing if the method reported no groups. Called at
 * renewals.
 */
export function rejoinExternalGroups(world: World, token: Token): void {
  const { login_groups: names, entity_id: id, namespace, path } = token
  const mount = mountOf(world, { ...rootNamespace, id: namespace }, path)
  if (names !== undefined && mount !== undefined) joinExternalGroups(world, { id }, mount, names)
}
