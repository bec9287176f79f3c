import { deleteAppRole, writeAppRole } from '../../../../state/secrets/approle/role-changes.ts'
import {
  type AppRole,
  appRoleNames,
  findAppRole,
  readAppRole,
} from '../../../../state/secrets/approle/roles.ts'
import { underOldNames } from '../../../../state/secrets/logins/old-names.ts'
import { data, done, empty, keys } from '../../envelope/outcome.ts'
import { keysEnvelope, warningEnvelope } from '../../envelope/schemas.ts'
import { operation } from '../../operation.ts'
import { roleEnvelope, roleFields } from './schemas.ts'

const spec = 'behaviour/secrets#approle-roles'

/** A role as it is read, in the reference's order; under old names what these have set. */
function roleData(role: AppRole): object {
  const { mount, name, role_id, old_names, wal, ...told } = role
  return {
    ...told,
    ...underOldNames(role, old_names),
  }
}

/** Roles as a whole. */
export const roleOperations = [
  operation({
    id: 'approleListRoles',
    verb: 'list',
    path: 'role',
    summary: 'Lists the names of the roles.',
    spec,
    reply: { 200: keysEnvelope },
    run: ({ world, mount }) => keys(appRoleNames(world, mount)),
  }),
  operation({
    id: 'approleReadRole',
    verb: 'read',
    path: 'role/:role_name',
    summary: 'Reads a role.',
    spec,
    reply: { 200: roleEnvelope },
    run: ({ world, mount, params }) => data(roleData(readAppRole(world, mount, params.role_name))),
  }),
  operation({
    id: 'approleWriteRole',
    verb: 'write',
    path: 'role/:role_name',
    summary: 'Makes or changes a role.',
    spec,
    exists: ({ world, mount, params }) => findAppRole(world, mount, params.role_name) !== undefined,
    body: roleFields,
    failures: [500],
    reply: { 200: warningEnvelope, 204: null },
    run: ({ world, mount, params, fields }) =>
      done(writeAppRole(world, mount, params.role_name, fields)),
  }),
  operation({
    id: 'approleDeleteRole',
    verb: 'delete',
    path: 'role/:role_name',
    summary: 'Deletes a role with its secret ids.',
    spec,
    reply: { 204: null },
    run({ world, mount, params }) {
      deleteAppRole(world, mount, params.role_name)
      return empty
    },
  }),
]
