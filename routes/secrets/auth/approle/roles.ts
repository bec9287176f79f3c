import { deleteAppRole, writeAppRole } from '../../../../state/secrets/approle/role-changes.ts'
import { appRoles } from '../../../../state/secrets/approle/roles.ts'
import { roleData, roleOperations } from '../../role-operations.ts'
import { roleEnvelope, roleFields } from './schemas.ts'

/** Roles as a whole. */
export const appRoleOperations = roleOperations({
  method: 'approle',
  path: 'role/:role_name',
  spec: 'behaviour/secrets#approle-roles',
  fields: roleFields,
  envelope: roleEnvelope,
  rows: appRoles,
  view: ({ mount, name, role_id, ...role }) => roleData(role),
  write: writeAppRole,
  remove: deleteAppRole,
  writing: { failures: [500] },
  removing: { summary: 'Deletes a role with its secret ids.' },
})
