import { appRoles } from '../approle/roles.ts'
import { secretIds } from '../approle/secret-ids.ts'
import { cloudConfigs } from '../cloud/config.ts'
import { cloudRoles } from '../cloud/roles.ts'
import { jwtConfigs } from '../jwt/config.ts'
import { jwtRoles } from '../jwt/roles.ts'
import { cubbyholes } from '../kv/cubbyhole.ts'
import { kvTables } from '../kv/kv.ts'
import { orchConfigs } from '../orch/config.ts'
import { orchRoles } from '../orch/roles.ts'
import { orchLoginConfigs } from '../orch-login/config.ts'
import { orchLoginRoles } from '../orch-login/roles.ts'
import { transitTables } from '../transit/config.ts'
import { users } from '../userpass/users.ts'

/**
 * The tables of what engines and login methods keep, whose rows say when they were written; all
 * other tables that replicate are the core (behaviour/secrets#first-copy).
 */
export const engineData: ReadonlySet<string> = new Set(
  [
    ...kvTables,
    cubbyholes,
    orchConfigs,
    orchRoles,
    ...transitTables,
    cloudConfigs,
    cloudRoles,
    appRoles,
    secretIds,
    users,
    jwtConfigs,
    jwtRoles,
    orchLoginConfigs,
    orchLoginRoles,
  ].map(({ id }) => id),
)
