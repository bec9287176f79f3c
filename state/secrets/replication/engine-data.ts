import { appRoleTable } from '../approle/roles.ts'
import { secretIds } from '../approle/secret-ids.ts'
import { certTables } from '../cert/index.ts'
import { cloudConfigTable, cloudRoleTable } from '../cloud/roles.ts'
import { databaseEngineTables } from '../database/database.ts'
import { githubTables } from '../github/index.ts'
import { jwtConfigTable } from '../jwt/config.ts'
import { jwtRoleTable } from '../jwt/roles.ts'
import { cubbyholes } from '../kv/cubbyhole.ts'
import { kvTables } from '../kv/kv.ts'
import { ldapConfigTable } from '../ldap/config.ts'
import { ldapGroupTable, ldapUserTable } from '../ldap/people.ts'
import { oidcTables } from '../oidc/index.ts'
import { oidcLoginTable } from '../oidc/logins.ts'
import { oktaTables } from '../okta/index.ts'
import { orchConfigTable, orchRoleTable } from '../orch/roles.ts'
import { orchLoginConfigTable, orchLoginRoleTable } from '../orch-login/roles.ts'
import { pkiTables } from '../pki/index.ts'
import { sshTables } from '../ssh/index.ts'
import { totpKeyTable } from '../totp/keys.ts'
import { transitTables } from '../transit/keys.ts'
import { userTable } from '../userpass/users.ts'

/**
 * Tables of engines and login methods. Rows of these tables contain the position of their last
 * write. All other replicated tables form the core (behaviour/secrets#first-copy).
 */
export const engineData: ReadonlySet<string> = new Set(
  [
    ...kvTables,
    cubbyholes,
    orchConfigTable,
    orchRoleTable,
    ...databaseEngineTables,
    totpKeyTable,
    ...sshTables,
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
    ...certTables,
    ...githubTables,
    ...oktaTables,
    jwtConfigTable,
    jwtRoleTable,
    oidcLoginTable,
    orchLoginConfigTable,
    orchLoginRoleTable,
    ...oidcTables,
  ].map(({ id }) => id),
)
