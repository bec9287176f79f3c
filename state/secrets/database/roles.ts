import { quoteGo } from '../../go/text.ts'
import { any, list, map, text, uint } from '../../kernel/shape/kinds.ts'
import { struct } from '../../kernel/shape/members.ts'
import type { StoredOf } from '../../kernel/shape/values.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { type Mount, NamedRows, walField } from '../mounts/mounts.ts'
import { secretsTable } from '../table.ts'
import { matchesGlob } from '../tokens/globs.ts'
import { type DatabaseConfig, exactName, requireConnection } from './configs.ts'
import { refuse } from './messages.ts'
import { supportsCredentials } from './plugins.ts'

/**
 * Statements of a role by purpose. If the list for revocation or renewal is empty, default
 * statements are used.
 */
export const statementMembers = {
  creation_statements: list(text),
  revocation_statements: list(text),
  rollback_statements: list(text),
  renew_statements: list(text),
}

/** A role that creates database users. TTLs in seconds; 0 means that the role sets no TTL. */
const databaseRoleShape = struct({
  db_name: text,
  ...statementMembers,
  default_ttl: uint,
  max_ttl: uint,
  credential_type: text,
  credential_config: map(any),
  ...walField,
})
export interface DatabaseRole extends StoredOf<typeof databaseRoleShape> {}

export const databaseRoleTable = secretsTable('database-roles', databaseRoleShape, {
  secrets: { members: ['credential_config/ca_private_key'] },
})

export const databaseRoles = new NamedRows(
  databaseRoleTable,
  () => refuse('database-role-absent'),
  exactName,
)

/** Throws a refusal if a connection does not allow the role. */
export function checkRoleAllowed({ allowed_roles }: DatabaseConfig, name: string): void {
  if (allowed_roles.some((glob) => matchesGlob(glob, name))) return
  throw refuse('database-role-not-allowed', { role: quoteGo(name) })
}

/**
 * Name of a role's connection, and the type of credentials that the connection's plugin must
 * support.
 */
type ConnectedRole = Pick<DatabaseRole, 'db_name' | 'credential_type'>

/**
 * Returns the connection of a role after checking that the role may use it.
 *
 * @param unsupported rule for a type of credentials that the plugin does not support
 * @throws Refusal `absent` for an unknown connection; `invalid` if the connection does not allow
 * the role, or if its plugin does not support the role's type of credentials
 */
export function connectionOfRole(
  world: World,
  mount: Pick<Mount, 'uuid'>,
  name: string,
  { db_name, credential_type }: ConnectedRole,
  unsupported: 'database-credential-type-unsupported' | 'static-credential-type-unsupported',
): DatabaseConfig {
  const config = requireConnection(world, mount, db_name)
  checkRoleAllowed(config, name)
  if (!supportsCredentials(config.plugin_name, credential_type)) {
    throw refuse(unsupported, { type: quoteGo(credential_type) })
  }
  return config
}
