import type { World } from '../../kernel/worlds/world.ts'
import { appRoles } from '../approle/roles.ts'
import { certFieldsOf } from '../cert/certs.ts'
import { githubFieldsOf } from '../github/github.ts'
import { type Alias, aliasNamed, newAlias, putAlias } from '../identity/aliases.ts'
import { type Entity, findEntity, newEntity, putEntity } from '../identity/entities.ts'
import { joinExternalGroups } from '../identity/group-aliases.ts'
import { jwtRoles } from '../jwt/roles.ts'
import { ldapFieldsOf } from '../ldap/people.ts'
import { authPrefix, type Mount, mountOf } from '../mounts/mounts.ts'
import { type Namespace, rootNamespace } from '../namespaces/namespaces.ts'
import { oktaFieldsOf } from '../okta/okta.ts'
import { orchLoginRoles } from '../orch-login/roles.ts'
import { responseWrapping } from '../policies/policies.ts'
import { checkLeaseCount } from '../quotas/lease-counts.ts'
import { type CreatedToken, createToken, sanitizePolicies } from '../tokens/creation.ts'
import type { Token } from '../tokens/rows.ts'
import { users } from '../userpass/users.ts'
import { refuse } from './messages.ts'
import type { TokenFields } from './token-fields.ts'

/** The user of a login, as the login method identifies the user. */
interface AliasAtLogin {
  readonly namespace: Namespace
  /** The mount of the login method. The mount's accessor and the name identify the alias. */
  readonly mount: Mount
  readonly name: string
  /** Metadata from the login method; null if there are none. */
  readonly metadata: Readonly<Record<string, string>> | null
  /**
   * Group names from the login method. The entity joins the external groups whose aliases have
   * these names.
   */
  readonly groups?: readonly string[] | undefined
}

/**
 * Returns the entity of a login's alias, creating both if necessary (behaviour/secrets#identity).
 * Metadata from the method replace those of the last login.
 *
 * @throws Refusal `denied` if the entity is disabled
 */
export function aliasAtLogin(world: World, login: AliasAtLogin): Entity {
  const entity = entityAtLogin(world, login)
  if (login.groups !== undefined) joinExternalGroups(world, entity, login.mount, login.groups)
  return entity
}

function entityAtLogin(world: World, login: AliasAtLogin): Entity {
  const { namespace, mount, name, metadata } = login
  const known = aliasNamed(world, mount.accessor, name)
  const entity = known && findEntity(world, { id: known.namespace }, known.canonical_id)
  if (known === undefined || entity === undefined) {
    const created = putEntity(world, newEntity(world, namespace))
    putAlias(world, { ...newAlias(world, created, mount, name), metadata })
    return created
  }
  if (entity.disabled) throw refuse('token-refused').withDetails({ entity })
  if (!hasSameMetadata(known, metadata)) {
    putAlias(world, { ...known, metadata, last_update_time: world.clock.now() })
  }
  return entity
}

function hasSameMetadata({ metadata: before }: Alias, metadata: AliasAtLogin['metadata']): boolean {
  const entries = Object.entries(before ?? {})
  const now = Object.entries(metadata ?? {})
  return entries.length === now.length && now.every(([key, value]) => before?.[key] === value)
}

/** A login that has passed the checks of its method. */
interface Login {
  readonly namespace: Namespace
  readonly mount: Mount
  /** The request path below the mount: `login/dev`. */
  readonly path: string
  /** The user's name at this mount, which is the name of the entity's alias. */
  readonly alias: string
  /**
   * End of the token's display name, after the mount's path; empty if the display name is the path
   * alone.
   */
  readonly name: string
  readonly metadata: Readonly<Record<string, string>>
  /** Metadata of the alias; by default the token's metadata. */
  readonly aliasMetadata?: Readonly<Record<string, string>> | null
  /** Group names that the login method reported; left out for methods without groups. */
  readonly groups?: readonly string[]
  readonly fields: TokenFields
  /** Networks of the token in place of the role's. */
  readonly boundCidrs?: readonly string[]
  readonly renewable?: boolean
}

/**
 * Issues the token of a login (behaviour/secrets#login-token): an orphan that belongs to the entity
 * of the alias. Creates a missing entity.
 * @throws Refusal `invalid` for an empty alias, and if the role grants root or the policy of
 *   wrapping tokens; `denied` if the entity is disabled
 */
export function issueLogin(world: World, login: Login): CreatedToken {
  const { namespace, mount, path, alias, name, metadata, fields, renewable = true } = login
  const { aliasMetadata = metadata, groups } = login
  if (alias === '') throw refuse('login-alias-nameless')
  const policies = sanitizePolicies(fields.token_policies, !fields.token_no_default_policy)
  if (policies.includes('root')) throw refuse('login-root')
  if (policies.includes(responseWrapping)) throw refuse('login-policy')
  const type = tokenTypeOf(mount, fields)
  const entity = aliasAtLogin(world, {
    namespace,
    mount,
    name: alias,
    metadata: aliasMetadata,
    groups,
  })
  if (type === 'service') {
    checkLeaseCount(world, {
      namespace,
      mount,
      path: mount.path + path,
      role: metadata['role'] ?? metadata['role_name'] ?? '',
    })
  }
  const created = createToken(world, {
    policies,
    type,
    namespace,
    path: mount.path + path,
    displayName: [displayPrefix(namespace, mount), name].filter((part) => part !== '').join('-'),
    meta: metadata,
    ttl: fields.token_ttl,
    maxTtl: fields.token_max_ttl,
    explicitMaxTtl: fields.token_explicit_max_ttl,
    period: fields.token_period,
    // The reference does not store batch tokens, so it cannot count their uses.
    numUses: type === 'batch' ? 0 : fields.token_num_uses,
    renewable,
    entityId: entity.id,
    boundCidrs: login.boundCidrs ?? fields.token_bound_cidrs,
    loginGroups: groups,
  })
  // As in the product, the reply shows the role's number of uses, which a batch token does not
  // have.
  return { ...created, shownUses: fields.token_num_uses }
}

/**
 * Returns the type of the token: that of the mount if the mount's tuning fixes one, otherwise that
 * of the role.
 */
function tokenTypeOf(mount: Mount, { token_type: requested }: TokenFields): 'service' | 'batch' {
  switch (mount.config.token_type) {
    case 'service':
    case 'batch':
      return mount.config.token_type
    case 'default-batch':
      return requested === 'service' ? 'service' : 'batch'
    default:
      return requested === 'batch' ? 'batch' : 'service'
  }
}

/** Returns the prefix of display names for a mount: `cloud`, `team-cloud`. */
function displayPrefix(namespace: Namespace, { path }: Mount): string {
  // As in the product, `auth/` is left out only in the root namespace.
  const source = namespace.path === '' ? path.slice(authPrefix.length) : namespace.path + path
  return source.slice(0, -1).replaceAll('/', '-')
}

/** Returns the token fields of the role that the metadata of a token name. */
function jwtRoleFields(world: World, mount: Mount, token: Token): TokenFields {
  const name = token.meta?.['role'] ?? ''
  const role = jwtRoles.find(world, mount, name)
  if (role === undefined) throw refuse('login-role-gone', { role: name })
  return role
}

/**
 * Functions that return the current settings of a token's role, by login method. Tokens of other
 * methods do not follow a role.
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

/** Wraps a function that returns settings, and refuses settings that grant other policies. */
function withSameGrants(find: (world: World, mount: Mount, token: Token) => TokenFields) {
  return (world: World, mount: Mount, token: Token): TokenFields => {
    const fields = find(world, mount, token)
    if (!hasSameGrants(fields, token)) throw refuse('login-policies-changed')
    return fields
  }
}

/**
 * Returns whether a login now would grant the token's policies, apart from `default`. As in the
 * product, returns false for a token without policies.
 */
function hasSameGrants(fields: TokenFields, token: Token): boolean {
  if (token.policies.length === 0) return false
  const now = sanitizePolicies(fields.token_policies, false)
  const others = (names: readonly string[]) => names.filter((name) => name !== 'default').join()
  return others(now) === others(token.policies)
}

/**
 * Returns the current settings of the role with which a token was created by a login
 * (behaviour/secrets#login-token). Renewals follow these settings. Returns undefined for other
 * tokens.
 * @throws Refusal `invalid` if the role no longer exists or grants other policies
 */
export function currentLoginFields(world: World, token: Token): TokenFields | undefined {
  const mount = mountOf(world, { ...rootNamespace, id: token.namespace }, token.path)
  const find = mount === undefined ? undefined : methods[mount.type]
  return mount === undefined ? undefined : find?.(world, mount, token)
}

/**
 * Updates the memberships of a token's entity in external groups: the groups are those that the
 * login method reported at the login (behaviour/secrets#groups).
 */
export function rejoinExternalGroups(world: World, token: Token): void {
  const { login_groups: names, entity_id: id, namespace, path } = token
  const mount = mountOf(world, { ...rootNamespace, id: namespace }, path)
  if (names !== undefined && mount !== undefined) joinExternalGroups(world, { id }, mount, names)
}
