import { text } from '../../../../state/kernel/shape/kinds.ts'
import { struct } from '../../../../state/kernel/shape/members.ts'
import { formatTimestamp } from '../../../../state/kernel/time.ts'
import { approleLogin } from '../../../../state/secrets/approle/login.ts'
import { refuse } from '../../../../state/secrets/approle/messages.ts'
import { deleteAppRole, writeAppRole } from '../../../../state/secrets/approle/role-changes.ts'
import { appRoles } from '../../../../state/secrets/approle/roles.ts'
import {
  createSecretId,
  destroySecretId,
  findSecretId,
  findSecretIdByAccessor,
  isAccessorInMount,
  type SecretId,
  secretIdAccessors,
} from '../../../../state/secrets/approle/secret-ids.ts'
import {
  dataOutcome,
  emptyOutcome,
  keysOutcome,
  type SecretsOutcome,
} from '../../envelope/outcome.ts'
import {
  authEnvelope,
  deletedEnvelope,
  keysEnvelope,
  warningEnvelope,
} from '../../envelope/schemas.ts'
import { requiredText, textField } from '../../fields/field-kinds.ts'
import { message } from '../../messages.ts'
import { type Call, type Engine, operationsOf } from '../../operation.ts'
import { roleData, roleOperations } from '../../role-operations.ts'
import { loginOutcome } from '../login-outcome.ts'
import {
  newSecretIdEnvelope,
  propertyOperations,
  roleEnvelope,
  roleFields,
  secretIdEnvelope,
  secretIdFields,
} from './properties.ts'

const operation = operationsOf({ spec: 'behaviour/secrets#approle-secret-ids' })

type RoleCall = Call<{ readonly role_name: string }>

/**
 * Returns the name under which a role is stored. Throws `approle-role-not-there` if the role does
 * not exist.
 */
function requireRoleName({ world, mount, params: { role_name } }: Omit<RoleCall, 'fields'>) {
  const role = appRoles.find(world, mount, role_name)
  if (role === undefined) throw refuse('approle-role-not-there', { role: role_name })
  return role.name
}

function createdOutcome(secretId: SecretId): SecretsOutcome {
  const { secret_id, secret_id_accessor, secret_id_ttl, secret_id_num_uses } = secretId
  return {
    kind: 'envelope',
    data: { secret_id, secret_id_accessor, secret_id_ttl, secret_id_num_uses },
    wrappedAccessor: secret_id_accessor,
  }
}

function viewOutcome(secretId: SecretId): SecretsOutcome {
  const { expiration_time: end } = secretId
  return dataOutcome({
    secret_id_num_uses: secretId.secret_id_num_uses,
    secret_id_ttl: secretId.secret_id_ttl,
    creation_time: formatTimestamp(secretId.creation_time),
    expiration_time: end === null ? '0001-01-01T00:00:00Z' : formatTimestamp(end),
    last_updated_time: formatTimestamp(secretId.last_updated_time),
    metadata: secretId.metadata,
    cidr_list: secretId.cidr_list,
    token_bound_cidrs: secretId.token_bound_cidrs,
    secret_id_accessor: secretId.secret_id_accessor,
  })
}

const secretIdField = {
  secret_id: requiredText('The secret id'),
} as const
const accessorField = {
  secret_id_accessor: requiredText('The accessor of the secret id'),
} as const

function requireProperty(name: string, value: string): string {
  if (value === '') throw refuse('approle-property-missing', { name })
  return value
}

type SecretIdCall = RoleCall & { readonly fields: { readonly secret_id: string } }
type AccessorCall = RoleCall & { readonly fields: { readonly secret_id_accessor: string } }

function findBySecretId(call: SecretIdCall): SecretId | undefined {
  const { world, mount, fields } = call
  const secretId = requireProperty('secret_id', fields.secret_id)
  return findSecretId(world, mount, requireRoleName(call), secretId)
}

function findByIdAccessorField(call: AccessorCall): SecretId | undefined {
  const { world, mount, fields } = call
  const accessor = requireProperty('secret_id_accessor', fields.secret_id_accessor)
  return findSecretIdByAccessor(world, mount, requireRoleName(call), accessor)
}

function absentAccessorParams(fields: AccessorCall['fields']) {
  return { accessor: JSON.stringify(fields.secret_id_accessor) }
}

function destroyBySecretId(call: SecretIdCall): SecretsOutcome {
  const found = findBySecretId(call)
  if (found !== undefined) destroySecretId(call.world, call.mount, found)
  return emptyOutcome
}

function destroyByAccessor(call: AccessorCall): SecretsOutcome {
  const found = findByIdAccessorField(call)
  if (found === undefined) {
    const { world, mount, fields } = call
    if (isAccessorInMount(world, mount, fields.secret_id_accessor)) {
      throw refuse('approle-accessor-of-other-role')
    }
    throw refuse('approle-accessor-absent', absentAccessorParams(fields))
  }
  destroySecretId(call.world, call.mount, found)
  return emptyOutcome
}

const secretIdOperations = [
  operation.write('approleCreateSecretId', 'role/:role_name/secret-id', {
    secrets: { reply: ['data/secret_id'] },
    summary: 'Create a secret id.',
    body: secretIdFields,
    failures: [404, 500],
    reply: { 200: newSecretIdEnvelope },
    run: ({ world, mount, params, fields }) =>
      createdOutcome(createSecretId(world, mount, params.role_name, fields)),
  }),
  operation.list('approleListSecretIds', 'role/:role_name/secret-id', {
    summary: 'List the accessors of the secret ids.',
    reply: { 200: keysEnvelope },
    run({ world, mount, params }) {
      const role = appRoles.find(world, mount, params.role_name)
      if (role === undefined) throw refuse('approle-role-absent', { role: params.role_name })
      return keysOutcome(secretIdAccessors(world, mount, role.name))
    },
  }),
  operation.write('approleChooseSecretId', 'role/:role_name/custom-secret-id', {
    secrets: { body: ['secret_id'], reply: ['data/secret_id'] },
    summary: 'Create a secret id with a value that the caller chooses.',
    body: { ...secretIdField, ...secretIdFields },
    failures: [404, 500],
    reply: { 200: newSecretIdEnvelope },
    run({ world, mount, params, fields }) {
      requireProperty('secret_id', fields.secret_id)
      return createdOutcome(createSecretId(world, mount, params.role_name, fields))
    },
  }),
  operation.write('approleLookupSecretId', 'role/:role_name/secret-id/lookup', {
    allowsSlash: true,
    secrets: { body: ['secret_id'] },
    summary: 'Read a secret id; 204 for an unknown secret id.',
    body: secretIdField,
    failures: [404],
    reply: { 200: secretIdEnvelope, 204: null },
    run(call) {
      const found = findBySecretId(call)
      return found === undefined ? emptyOutcome : viewOutcome(found)
    },
  }),
  ...(['write', 'delete'] as const).map((verb) =>
    operation[verb](
      verb === 'write' ? 'approleDestroySecretId' : 'approleDeleteSecretId',
      'role/:role_name/secret-id/destroy',
      {
        allowsSlash: true,
        secrets: { body: ['secret_id'] },
        summary: 'Destroy a secret id; succeeds for an unknown secret id.',
        body: secretIdField,
        failures: [404],
        run: destroyBySecretId,
      },
    ),
  ),
  operation.write('approleLookupSecretIdAccessor', 'role/:role_name/secret-id-accessor/lookup', {
    allowsSlash: true,
    summary: 'Read a secret id by its accessor.',
    body: accessorField,
    reply: { 200: secretIdEnvelope, 204: null, 404: deletedEnvelope(struct({ error: text })) },
    run(call) {
      const found = findByIdAccessorField(call)
      if (found !== undefined) return viewOutcome(found)
      const { world, mount, fields } = call
      if (isAccessorInMount(world, mount, fields.secret_id_accessor)) return emptyOutcome
      const { reason: absent } = refuse(
        'approle-accessor-absent',
        absentAccessorParams(call.fields),
      )
      return {
        kind: 'envelope',
        status: 404,
        renderData: (dialect) => ({ error: dialect.render(absent) }),
      }
    },
  }),
  ...(['write', 'delete'] as const).map((verb) =>
    operation[verb](
      verb === 'write' ? 'approleDestroySecretIdAccessor' : 'approleDeleteSecretIdAccessor',
      'role/:role_name/secret-id-accessor/destroy',
      {
        allowsSlash: true,
        summary: 'Destroy a secret id by its accessor.',
        body: accessorField,
        failures: [403, 404],
        run: destroyByAccessor,
      },
    ),
  ),
  operation.write('approleTidySecretIds', 'tidy/secret-id', {
    summary: 'Start the removal of expired secret ids; there are none to remove.',
    reply: { 202: warningEnvelope },
    run: () => ({ kind: 'envelope', status: 202, warnings: [message('tidy-started')] }),
  }),
]

const loginOperation = operationsOf({ spec: 'behaviour/secrets#approle-login' }).write(
  'approleLogin',
  'login',
  {
    secrets: { body: ['secret_id'] },
    summary: 'Log in a machine by role id and secret id.',
    access: 'anyone',
    body: {
      role_id: requiredText('Id of the role'),
      secret_id: textField('Secret id of the role; required if the role has bind_secret_id'),
    },
    failures: [403, 500],
    reply: { 200: authEnvelope },
    run(call) {
      const { world, namespace, mount, fields, request } = call
      const login = {
        namespace,
        mount,
        roleId: fields.role_id,
        secretId: fields.secret_id,
        address: request.peer,
      }
      return loginOutcome(call, approleLogin(world, login))
    },
  },
)

/**
 * The login method `approle`: machines log in with a role id and a secret id
 * (behaviour/secrets#approle).
 */
export const approleEngine: Engine = {
  type: 'approle',
  isNamelessLogin: (path, { role_id = '' }) => path === 'login' && (role_id ?? '') === '',
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
      deleteOverrides: { summary: 'Delete a role with its secret ids.' },
    }),
    ...propertyOperations,
    ...secretIdOperations,
    loginOperation,
  ],
}
