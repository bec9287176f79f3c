import type { World } from '../../kernel/worlds/world.ts'
import { changeRenewalTerms } from '../leases/renewal-terms.ts'
import type { Mount } from '../mounts/mounts.ts'
import { credentialConfig } from './credentials.ts'
import { refuse } from './messages.ts'
import { type DatabaseRole, databaseRoles } from './roles.ts'
import { staticRoles } from './static-roles.ts'

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
 * Creates or changes a role; members that are left out keep their values, except settings of
 * credentials, which return to their defaults. The connection need not exist. Renewals of leases that
 * exist already follow the changed TTLs.
 * @throws Refusal `invalid`
 */
export function writeDatabaseRole(
  world: World,
  mount: Mount,
  name: string,
  change: Partial<DatabaseRole>,
): void {
  if (staticRoles.find(world, mount, name) !== undefined) throw refuse('database-role-name-taken')
  const before = databaseRoles.find(world, mount, name) ?? unset
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
