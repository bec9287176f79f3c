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

/** A role that creates users of a database. TTLs in seconds, 0 if unset. */
const databaseRoleShape = struct({
  db_name: text,
  creation_statements: list(text),
  revocation_statements: list(text),
  rollback_statements: list(text),
  renew_statements: list(text),
  default_ttl: uint,
  max_ttl: uint,
  credential_type: text,
  credential_config: map(any),
  ...walField,
})
export interface DatabaseRole extends StoredOf<typeof databaseRoleShape> {}

/** Roles by mount and name. */
export const databaseRoleTable = secretsTable('database-roles', databaseRoleShape, {
  secrets: 'none',
})

/** Access to the roles of each mount. */
export const databaseRoles = new NamedRows(
  databaseRoleTable,
  () => refuse('database-role-absent'),
  exactName,
)

const unset: DatabaseRole = {
  db_name: '',
  creation_statements: [],
  revocation_statements: [],
  rollback_statements: [],
  renew_statements: [],
  default_ttl: 0,
  max_ttl: 0,
  credential_type: 'password',
  credential_config: {},
}

/**
 * Creates or changes a role; members that are left out keep their values. The connection need not
 * exist.
 * @throws Refusal `invalid`
 */
export function writeDatabaseRole(
  world: World,
  mount: Mount,
  name: string,
  change: Partial<DatabaseRole>,
): void {
  const before = databaseRoles.find(world, mount, name) ?? unset
  const role = { ...before, ...change }
  if (role.db_name === '') throw refuse('database-role-without-connection')
  const credential_config = credentialConfig(role.credential_type, role.credential_config)
  databaseRoles.put(world, mount, name, { ...role, credential_config })
}

/** Returns the configuration of a credential type with its defaults. Refuses invalid values. */
export function credentialConfig(
  type: string,
  config: DatabaseRole['credential_config'],
): DatabaseRole['credential_config'] {
  switch (type) {
    case 'password':
    case 'client_certificate':
      return config
    case 'rsa_private_key': {
      const { format = 'pkcs8', key_bits = 2048 } = config
      if (format !== 'pkcs8') throw refuse('database-credential-config-invalid', { why: 'format' })
      if (![2048, 3072, 4096].includes(Number(key_bits))) {
        throw refuse('database-credential-config-invalid', { why: 'key_bits' })
      }
      return { format: 'pkcs8', key_bits: Number(key_bits) }
    }
    default:
      throw refuse('database-credential-type-unknown', { type: quoteGo(type) })
  }
}

/** The members of a role that decide about its connection. */
type ConnectedRole = Pick<DatabaseRole, 'db_name' | 'credential_type'>

/**
 * Returns the connection of a role.
 * @throws Refusal `absent` if there is no such connection, `invalid` if the connection does not
 *   allow the role or if its plug-in does not support the role's type of credentials
 */
export function connectionOfRole(
  world: World,
  mount: Pick<Mount, 'uuid'>,
  name: string,
  { db_name, credential_type }: ConnectedRole,
): DatabaseConfig {
  const config = requireConnection(world, mount, db_name)
  if (!config.allowed_roles.some((glob) => matchesGlob(glob, name))) {
    throw refuse('database-role-not-allowed', { role: quoteGo(name) })
  }
  // Simulated plug-ins create no other type of credentials.
  if (credential_type !== 'password') {
    throw refuse('database-credential-type-unsupported', { type: quoteGo(credential_type) })
  }
  return config
}

/** Returns the name of the password policy of a role; empty if there is none. */
export function passwordPolicyOf(
  { credential_config }: Pick<DatabaseRole, 'credential_config'>,
  config: DatabaseConfig,
): string {
  return String(credential_config['password_policy'] ?? '') || config.password_policy
}
