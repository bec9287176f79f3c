import type { Engine } from '../../operation.ts'
import { loginOperation } from './login.ts'
import { propertyOperations } from './properties.ts'
import { appRoleOperations } from './roles.ts'
import { secretIdOperations } from './secret-ids.ts'

/** The method `approle`: machines log in by a role id and a secret id (behaviour/secrets#approle). */
export const approleEngine: Engine = {
  type: 'approle',
  openPrefix: 'login',
  operations: [...appRoleOperations, ...propertyOperations, ...secretIdOperations, loginOperation],
}
