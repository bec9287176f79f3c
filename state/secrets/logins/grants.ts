import { bool, int, list, map, text, word } from '../../kernel/shape/kinds.ts'
import { optional, struct } from '../../kernel/shape/members.ts'
import type { StoredOf } from '../../kernel/shape/values.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { type Alias, aliasNamed, newAlias, putAlias } from '../identity/aliases.ts'
import { type Entity, findEntity, newEntity, putEntity } from '../identity/entities.ts'
import { joinExternalGroups } from '../identity/group-aliases.ts'
import { authPrefix, type Mount, mountOf } from '../mounts/mounts.ts'
import { type Namespace, rootNamespace } from '../namespaces/namespaces.ts'
import { responseWrapping } from '../policies/policies.ts'
import { checkLeaseCount } from '../quotas/lease-counts.ts'
import { type CreatedToken, createToken, sanitizePolicies } from '../tokens/creation.ts'
import { refuse } from './messages.ts'
import type { TokenFields } from './token-fields.ts'

/**
 * The user of a login: the alias that identifies the user, with the data that the login method
 * reports.
 */
interface LoginIdentity {
  readonly namespace: Namespace
  /** Mount of the login method. The mount's accessor and `name` together identify the alias. */
  readonly mount: Mount
  readonly name: string
  /** Metadata from the login method; null without metadata. */
  readonly metadata: Readonly<Record<string, string>> | null
  /**
   * Group names from the login method. The user joins the external groups with aliases of these
   * names.
   */
  readonly groups?: readonly string[] | undefined
}

/**
 * Finds the entity of a login's user, and creates a missing entity or alias
 * (behaviour/secrets#identity). Metadata from the login method replace the alias's metadata. If the
 * login has groups, updates the user's memberships in the external groups of the method.
 *
 * @throws Refusal `denied` if the entity is disabled
 */
export function entityForLogin(world: World, login: LoginIdentity): Entity {
  const entity = findOrCreateEntity(world, login)
  if (login.groups !== undefined) joinExternalGroups(world, entity, login.mount, login.groups)
  return entity
}

function findOrCreateEntity(world: World, login: LoginIdentity): Entity {
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

function hasSameMetadata(
  { metadata: before }: Alias,
  metadata: LoginIdentity['metadata'],
): boolean {
  const entries = Object.entries(before ?? {})
  const newEntries = Object.entries(metadata ?? {})
  return (
    entries.length === newEntries.length &&
    newEntries.every(([key, value]) => before?.[key] === value)
  )
}

/** A login that has passed the checks of its method. */
interface Login {
  readonly namespace: Namespace
  readonly mount: Mount
  /** Request path below the mount, such as `login/dev`. */
  readonly path: string
  /** The name of the entity's alias, which identifies the user at the mount. */
  readonly alias: string
  /**
   * Second part of the token's display name, after the mount's path; empty to use the path alone.
   */
  readonly name: string
  readonly metadata: Readonly<Record<string, string>>
  /** Metadata of the alias; by default the token's metadata. */
  readonly aliasMetadata?: Readonly<Record<string, string>> | null
  /** Group names that the login method reported; left out for methods without groups. */
  readonly groups?: readonly string[]
  readonly fields: TokenFields
  /** Networks from which the token can be used, instead of the role's networks. */
  readonly boundCidrs?: readonly string[]
  readonly renewable?: boolean
}

/**
 * A granted login whose token does not exist yet, because a second factor may have to be validated
 * first. TTLs and periods are in seconds; 0 means unset.
 */
export const loginGrantShape = struct({
  /** Namespace id. */
  namespace: text,
  namespace_path: text,
  /** Request path within the namespace, such as `auth/userpass/login/ann`. */
  path: text,
  policies: list(text),
  type: word('service', 'batch'),
  display_name: text,
  meta: map(text),
  ttl: int,
  max_ttl: int,
  explicit_max_ttl: int,
  period: int,
  /**
   * Number of uses that the reply shows. For a batch token, the number has no effect, because the
   * uses are not counted.
   */
  num_uses: int,
  renewable: bool,
  entity_id: text,
  bound_cidrs: list(text),
  login_groups: optional(list(text)),
})
export interface LoginGrant extends StoredOf<typeof loginGrantShape> {}

/**
 * Grants a login (behaviour/secrets#login-token). The token will be an orphan that belongs to the
 * entity of the alias. Creates a missing entity.
 * @throws Refusal `invalid` for an empty alias, and if the role grants the policy `root` or
 *   `response-wrapping`; `denied` if the entity is disabled; also if the token would exceed a lease
 *   count quota
 */
export function grantLogin(world: World, login: Login): LoginGrant {
  const { namespace, mount, path, alias, name, metadata, fields, renewable = true } = login
  const { aliasMetadata = metadata, groups } = login
  if (alias === '') throw refuse('login-alias-nameless')
  const policies = sanitizePolicies(fields.token_policies, !fields.token_no_default_policy)
  if (policies.includes('root')) throw refuse('login-root')
  if (policies.includes(responseWrapping)) throw refuse('login-policy')
  const entity = entityForLogin(world, {
    namespace,
    mount,
    name: alias,
    metadata: aliasMetadata,
    groups,
  })
  const grant: LoginGrant = {
    namespace: namespace.id,
    namespace_path: namespace.path,
    path: mount.path + path,
    policies,
    type: tokenTypeOf(mount, fields),
    display_name: [displayPrefix(namespace, mount), name].filter((part) => part !== '').join('-'),
    meta: metadata,
    ttl: fields.token_ttl,
    max_ttl: fields.token_max_ttl,
    explicit_max_ttl: fields.token_explicit_max_ttl,
    period: fields.token_period,
    num_uses: fields.token_num_uses,
    renewable,
    entity_id: entity.id,
    bound_cidrs: login.boundCidrs ?? fields.token_bound_cidrs,
    ...(groups !== undefined && { login_groups: groups }),
  }
  checkGrantQuota(world, grant)
  return grant
}

/** Throws a refusal if the token of the login would exceed a lease count quota. */
export function checkGrantQuota(world: World, { type, meta, ...grant }: LoginGrant): void {
  if (type !== 'service') return
  const namespace = { ...rootNamespace, id: grant.namespace, path: grant.namespace_path }
  const mount = mountOf(world, namespace, grant.path)
  if (mount === undefined) return
  const role = meta['role'] ?? meta['role_name'] ?? ''
  checkLeaseCount(world, { namespace, mount, path: grant.path, role })
}

export function createLoginToken(world: World, grant: LoginGrant): CreatedToken {
  const { type, num_uses: uses } = grant
  const created = createToken(world, {
    policies: grant.policies,
    type,
    namespace: { ...rootNamespace, id: grant.namespace, path: grant.namespace_path },
    path: grant.path,
    displayName: grant.display_name,
    meta: grant.meta,
    ttl: grant.ttl,
    maxTtl: grant.max_ttl,
    explicitMaxTtl: grant.explicit_max_ttl,
    period: grant.period,
    // The reference does not store batch tokens, so it cannot count their uses.
    numUses: type === 'batch' ? 0 : uses,
    renewable: grant.renewable,
    entityId: grant.entity_id,
    boundCidrs: grant.bound_cidrs,
    loginGroups: grant.login_groups,
  })
  // As in the product, the reply to a login shows the role's number of uses even for a batch token.
  return { ...created, shownUses: uses }
}

/** Returns the type of a token. The mount's tuning can fix the type; otherwise the role decides. */
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

/**
 * Returns the part of display names that identifies a mount: `cloud` for `auth/cloud/`, or
 * `team-auth-cloud` for this mount in the namespace `team`.
 */
function displayPrefix(namespace: Namespace, { path }: Mount): string {
  // As in the product, `auth/` is left out only in the root namespace.
  const source = namespace.path === '' ? path.slice(authPrefix.length) : namespace.path + path
  return source.slice(0, -1).replaceAll('/', '-')
}
