import type { World } from '../../kernel/worlds/world.ts'
import { authPrefix, type Mount } from '../mounts/mounts.ts'
import type { Namespace } from '../namespaces/namespaces.ts'
import { responseWrapping } from '../policies/policies.ts'
import { type CreatedToken, createToken, sanitizePolicies } from '../tokens/creation.ts'
import { aliasAtLogin } from './identity.ts'
import { refuse } from './messages.ts'
import type { TokenFields } from './token-fields.ts'

/** A login that passed its method's checks. */
export interface Login {
  readonly namespace: Namespace
  readonly mount: Mount
  /** The request path below the mount: `login/dev`. */
  readonly path: string
  /** The user's name at this mount, which is the name of the entity's alias. */
  readonly alias: string
  /** End of the token's display name, after the mount's path; empty for none. */
  readonly name: string
  readonly metadata: Readonly<Record<string, string>>
  /** Metadata of the alias; by default the token's metadata. */
  readonly aliasMetadata?: Readonly<Record<string, string>> | null
  /** Group names that the method reported, if it knows groups. */
  readonly groups?: readonly string[]
  readonly fields: TokenFields
  /** Networks of the token in place of the role's. */
  readonly boundCidrs?: readonly string[]
  readonly renewable?: boolean
}

/**
 * Issues the token of a login (behaviour/secrets#login-token): an orphan of the entity that has the
 * alias; a missing entity is created.
 *
 * @throws invalid if the role grants root or the policy of wrapping tokens; denied if the entity is
 * disabled.
 */
export function issueLogin(world: World, login: Login): CreatedToken {
  const { namespace, mount, path, alias, name, metadata, fields, renewable = true } = login
  const { aliasMetadata = metadata, groups } = login
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
  return createToken(world, {
    policies,
    type,
    namespace,
    path: mount.path + path,
    displayName: name === '' ? displayPrefix(mount) : `${displayPrefix(mount)}-${name}`,
    meta: metadata,
    ttl: fields.token_ttl,
    maxTtl: fields.token_max_ttl,
    explicitMaxTtl: fields.token_explicit_max_ttl,
    period: fields.token_period,
    // Batch tokens are not stored in the reference, so nothing can count their uses.
    numUses: type === 'batch' ? 0 : fields.token_num_uses,
    renewable,
    entityId: entity.id,
    boundCidrs: login.boundCidrs ?? fields.token_bound_cidrs,
    loginGroups: groups,
  })
}

/** Returns the token type: the mount's, if its tuning fixes one, otherwise the role's. */
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
function displayPrefix({ path }: Mount): string {
  return path.slice(authPrefix.length, -1).replaceAll('/', '-')
}
