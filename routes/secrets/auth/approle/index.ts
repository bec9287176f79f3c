import { deleteAppRole, writeAppRole } from '../../../../state/secrets/approle/role-changes.ts'
import { appRoles } from '../../../../state/secrets/approle/roles.ts'
import type { Engine } from '../../operation.ts'
import { roleData, roleOperations } from '../../role-operations.ts'
import { loginOperation } from './login.ts'
import { propertyOperations } from './properties.ts'
import { roleEnvelope, roleFields } from './schemas.ts'
import { secretIdOperations } from './secret-ids.ts'

/** The method `approle`: machines log in by a role id and a secret id (behaviour/secrets#approle). */
export const approleEngine: Engine = {
  type: 'approle',
  unauthenticatedPrefix: 'login',
  operations: [
    ...roleOperations({
      method: 'approle',
      path: 'role/:role_name',
      spec: 'behaviour/secrets#approle-roles',
      fields: roleFields,
      envelope: roleEnvelope,
      rows: appRoles,
      view: ({ mount, name, role_id, ...role }) => roleData(role),
      write: writeAppRole,
      remove: deleteAppRole,
      writeOverrides: { failures: [500] },
      deleteOverrides: { summary: 'Deletes a role with its secret ids.' },
    }),
    ...propertyOperations,
    ...secretIdOperations,
    loginOperation,
  ],
}
