import type { World } from '../../kernel/worlds/world.ts'
import { type Lease, leases } from '../leases/leases.ts'
import type { Mount } from '../mounts/mounts.ts'
import { credentialConfig } from './credentials.ts'
import { refuse } from './messages.ts'
import { type DatabaseRole, databaseRoles } from './roles.ts'
import { staticRoles } from './static-roles.ts'

const defaults: DatabaseRole = {
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
 * Creates a role or changes the given members. If `credential_config` is left out, a role with
 * passwords keeps its settings, a role with key pairs gets the default settings, and a role with
 * client certificates is refused. The connection need not exist. Later renewals of existing leases
 * use the changed TTLs.
 *
 * @throws Refusal `invalid`
 */
export function writeDatabaseRole(
  world: World,
  mount: Mount,
  name: string,
  change: Partial<DatabaseRole>,
): void {
  if (staticRoles.find(world, mount, name) !== undefined) throw refuse('database-role-name-taken')
  const before = databaseRoles.find(world, mount, name) ?? defaults
  const role = { ...before, ...change }
  if (role.db_name === '') throw refuse('database-role-without-connection')
  const config = credentialConfig(role.credential_type, change.credential_config ?? {})
  databaseRoles.put(world, mount, name, {
    ...role,
    revocation_statements: role.revocation_statements.filter((statement) => statement !== ''),
    credential_config: Object.keys(config).length > 0 ? config : before.credential_config,
  })
  changeRenewalTerms(world, mount, `creds/${name}/`, role)
}

/** TTLs for renewals, in seconds; 0 means the mount's TTL. */
type RenewalTerms = Required<Pick<Lease, 'default_ttl' | 'max_ttl'>>

/**
 * Changes the TTLs for later renewals of the leases below a path of a mount.
 *
 * @param path ends with a slash
 */
function changeRenewalTerms(
  world: World,
  { namespace, path: mountPath }: Mount,
  path: string,
  { default_ttl, max_ttl }: RenewalTerms,
): void {
  const table = world.table(leases)
  const changed = [...table.rows(`${namespace}/${mountPath}${path}`)].filter(
    (lease) => lease.default_ttl !== default_ttl || lease.max_ttl !== max_ttl,
  )
  world.write(() => {
    for (const lease of changed) {
      table.put(`${namespace}/${lease.id}`, { ...lease, default_ttl, max_ttl })
    }
  })
}
