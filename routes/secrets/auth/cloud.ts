import {
  deleteCloudConfig,
  findCloudConfig,
  readCloudConfig,
  writeCloudConfig,
} from '../../../state/secrets/cloud/config.ts'
import { cloudLogin } from '../../../state/secrets/cloud/login.ts'
import {
  cloudRoleNames,
  deleteCloudRole,
  findCloudRole,
  readCloudRole,
  writeCloudRole,
} from '../../../state/secrets/cloud/roles.ts'
import { data, empty, keys } from '../envelope/outcome.ts'
import { authEnvelope, keysEnvelope, warningEnvelope } from '../envelope/schemas.ts'
import { type Engine, operation } from '../operation.ts'
import {
  configEnvelope,
  configFields,
  loginFields,
  roleEnvelope,
  roleFields,
} from './cloud-schemas.ts'
import { authOutcome } from './token-replies.ts'

const spec = 'behaviour/secrets#api-cloud'
const decided = 'behaviour/secrets#cloud'

/** The method `cloud`: identities of a cloud log in with headers that they signed. */
export const cloudEngine: Engine = {
  type: 'cloud',
  renamed: true,
  openPrefix: 'login/',
  operations: [
    operation({
      id: 'cloudReadConfig',
      verb: 'read',
      path: 'config',
      summary: 'Reads which tenancy may log in.',
      spec,
      reply: { 200: configEnvelope },
      run({ world, mount }) {
        const { home_tenancy_id } = readCloudConfig(world, mount)
        return data({ home_tenancy_id })
      },
    }),
    operation({
      id: 'cloudWriteConfig',
      verb: 'write',
      path: 'config',
      summary: 'Sets which tenancy may log in.',
      spec,
      exists: ({ world, mount }) => findCloudConfig(world, mount) !== undefined,
      body: configFields,
      reply: { 200: warningEnvelope },
      run({ world, mount, fields }) {
        writeCloudConfig(world, mount, fields.home_tenancy_id)
        return data(null)
      },
    }),
    operation({
      id: 'cloudDeleteConfig',
      verb: 'delete',
      path: 'config',
      summary: 'Deletes the configuration; nobody can log in without one.',
      spec,
      reply: { 204: null },
      run({ world, mount }) {
        deleteCloudConfig(world, mount)
        return empty
      },
    }),
    operation({
      id: 'cloudListRoles',
      verb: 'list',
      path: 'role',
      summary: 'Lists the names of the roles.',
      spec: decided,
      reply: { 200: keysEnvelope },
      run: ({ world, mount }) => keys(cloudRoleNames(world, mount)),
    }),
    operation({
      id: 'cloudReadRole',
      verb: 'read',
      path: 'role/:name',
      summary: 'Reads a role.',
      spec,
      reply: { 200: roleEnvelope },
      run({ world, mount, params }) {
        const { wal, ...role } = readCloudRole(world, mount, params.name)
        return { kind: 'envelope', dataIn: (dialect) => dialect.fields(role) }
      },
    }),
    operation({
      id: 'cloudWriteRole',
      verb: 'write',
      path: 'role/:name',
      summary: 'Makes or changes a role.',
      spec,
      exists: ({ world, mount, params }) => findCloudRole(world, mount, params.name) !== undefined,
      body: roleFields,
      reply: { 204: null },
      run({ world, mount, params, fields }) {
        writeCloudRole(world, mount, params.name, fields)
        return empty
      },
    }),
    operation({
      id: 'cloudDeleteRole',
      verb: 'delete',
      path: 'role/:name',
      summary: 'Deletes a role.',
      spec,
      reply: { 204: null },
      run({ world, mount, params }) {
        deleteCloudRole(world, mount, params.name)
        return empty
      },
    }),
    operation({
      id: 'cloudLogin',
      verb: 'write',
      path: 'login/:role',
      summary: 'Logs an identity in by headers that it signed.',
      spec,
      access: 'anyone',
      body: loginFields,
      failures: [403],
      reply: { 200: authEnvelope },
      run: ({ world, namespace, mount, params, fields }) =>
        authOutcome(
          world,
          cloudLogin(world, {
            namespace,
            mount,
            role: params.role,
            headers: fields.request_headers,
          }),
        ),
    }),
  ],
}
