import { appRoleTable } from '../approle/roles.ts'
import { secretIds } from '../approle/secret-ids.ts'
import { certConfigTable, certCrlTable, certTable } from '../cert/certs.ts'
import { cloudConfigTable, cloudRoleTable } from '../cloud/roles.ts'
import { databaseEngineTables } from '../database/database.ts'
import { githubConfigTable, githubTeamTable, githubUserTable } from '../github/github.ts'
import { jwtConfigTable } from '../jwt/config.ts'
import { jwtRoleTable } from '../jwt/roles.ts'
import { cubbyholes } from '../kv/cubbyhole.ts'
import { kvTables } from '../kv/kv.ts'
import { ldapConfigTable } from '../ldap/config.ts'
import { ldapGroupTable, ldapUserTable } from '../ldap/people.ts'
import { oidcTables } from '../oidc/index.ts'
import { oidcLoginTable } from '../oidc/logins.ts'
import { oktaConfigTable, oktaGroupTable, oktaUserTable } from '../okta/okta.ts'
import { orchConfigTable, orchRoleTable } from '../orch/roles.ts'
import { orchLoginConfigTable, orchLoginRoleTable } from '../orch-login/roles.ts'
import { pkiTables } from '../pki/index.ts'
import { sshCaTable } from '../ssh/ca.ts'
import { sshPasswordTable, sshZeroAddressTable } from '../ssh/passwords.ts'
import { sshRoleTable } from '../ssh/roles.ts'
import { totpKeyTable } from '../totp/keys.ts'
import { transitTables } from '../transit/keys.ts'
import { userTable } from '../userpass/users.ts'

/**
 * Tables of engines and login methods. The rows of these tables have a write-ahead position. All
 * other replicated tables are the core (behaviour/secrets#first-copy).
 */
export const engineTables = [
  ...kvTables,
  cubbyholes,
  orchConfigTable,
  orchRoleTable,
  ...databaseEngineTables,
  totpKeyTable,
  sshCaTable,
  sshRoleTable,
  sshPasswordTable,
  sshZeroAddressTable,
  ...transitTables,
  ...pkiTables,
  cloudConfigTable,
  cloudRoleTable,
  appRoleTable,
  secretIds,
  userTable,
  ldapConfigTable,
  ldapGroupTable,
  ldapUserTable,
  certTable,
  certConfigTable,
  certCrlTable,
  githubConfigTable,
  githubTeamTable,
  githubUserTable,
  oktaConfigTable,
  oktaGroupTable,
  oktaUserTable,
  jwtConfigTable,
  jwtRoleTable,
  oidcLoginTable,
  orchLoginConfigTable,
  orchLoginRoleTable,
  ...oidcTables,
] as const

/** Ids of `engineTables`. */
export const engineData: ReadonlySet<string> = new Set(engineTables.map(({ id }) => id))
