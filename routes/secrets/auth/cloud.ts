import { cloudConfigs, writeCloudConfig } from '../../../state/secrets/cloud/config.ts'
import { cloudLogin } from '../../../state/secrets/cloud/login.ts'
import { cloudRoles, writeCloudRole } from '../../../state/secrets/cloud/roles.ts'
import { data, empty } from '../envelope/outcome.ts'
import { authEnvelope, warningEnvelope } from '../envelope/schemas.ts'
import { type Engine, operation } from '../operation.ts'
import { roleOperations } from '../role-operations.ts'
import {
  configEnvelope,
  configFields,
  loginFields,
  roleEnvelope,
  roleFields,
} from './cloud-schemas.ts'
import { authOutcome } from './token-replies.ts'

const spec = 'behaviour/secrets#api-cloud'
const behaviourSpec = 'behaviour/secrets#cloud'

/** The method `cloud`: identities of a cloud log in with headers that they signed. */
export const cloudEngine: Engine = {
  type: 'cloud',
  hasVendorFields: true,
  unauthenticatedPrefix: 'login/',
  operations: [
    operation({
      id: 'cloudReadConfig',
      verb: 'read',
      path: 'config',
      summary: 'Reads which tenancy may log in.',
      spec,
      reply: { 200: configEnvelope },
      run({ world, mount }) {
        const { home_tenancy_id } = cloudConfigs.read(world, mount)
        return data({ home_tenancy_id })
      },
    }),
    operation({
      id: 'cloudWriteConfig',
      verb: 'write',
      path: 'config',
      summary: 'Sets which tenancy may log in.',
      spec,
      exists: ({ world, mount }) => cloudConfigs.find(world, mount) !== undefined,
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
        cloudConfigs.remove(world, mount)
        return empty
      },
    }),
    ...roleOperations({
      method: 'cloud',
      spec,
      fields: roleFields,
      envelope: roleEnvelope,
      rows: cloudRoles,
      view: ({ wal, ...role }, dialect) => dialect.fields(role),
      write(...args) {
        writeCloudRole(...args)
        return []
      },
      listOverrides: { spec: behaviourSpec },
      writeOverrides: { reply: { 204: null } },
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
