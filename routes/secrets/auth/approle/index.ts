import { approleLogin } from '../../../../state/secrets/approle/login.ts'
import { refuse } from '../../../../state/secrets/approle/messages.ts'
import { deleteAppRole, writeAppRole } from '../../../../state/secrets/approle/role-changes.ts'
import { appRoles } from '../../../../state/secrets/approle/roles.ts'
import { authEnvelope } from '../../envelope/schemas.ts'
import { requiredText, textField } from '../../fields/field-kinds.ts'
import { type Engine, operationsOf } from '../../operation.ts'
import { roleData, roleOperations } from '../../role-operations.ts'
import { authOutcome } from '../token-replies.ts'
import { propertyOperations, roleEnvelope, roleFields } from './properties.ts'
import { secretIdOperations } from './secret-ids.ts'

/** The login of AppRole. */
const loginOperation = operationsOf({ spec: 'behaviour/secrets#approle-login' }).write(
  'approleLogin',
  'login',
  {
    secrets: { body: ['secret_id'] },
    summary: 'Logs a machine in by role id and secret id.',
    access: 'anyone',
    // The reference looks up the role before it checks the verb.
    resolveToken({ input, request }) {
      if ((input['role_id'] ?? '') === '') throw refuse('approle-role-id-missing')
      return request.clientToken
    },
    body: {
      role_id: requiredText('The id of the role'),
      secret_id: textField('A secret id of the role, where it needs one'),
    },
    failures: [403, 500],
    reply: { 200: authEnvelope },
    run: ({ world, namespace, mount, fields, request }) =>
      authOutcome(
        world,
        approleLogin(world, {
          namespace,
          mount,
          roleId: fields.role_id,
          secretId: fields.secret_id,
          address: request.peer,
        }),
      ),
  },
)

/**
 * The login method `approle`: machines log in with a role id and a secret id
 * (behaviour/secrets#approle).
 */
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
