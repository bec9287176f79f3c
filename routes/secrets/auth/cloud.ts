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
import type { Engine } from '../operation.ts'
import { data, empty, keys } from '../outcome.ts'
import { pathsOf } from '../paths.ts'
import { authEnvelope, keysEnvelope, warningEnvelope } from '../schemas.ts'
import {
  configEnvelope,
  configFields,
  loginFields,
  roleEnvelope,
  roleFields,
} from './cloud-schemas.ts'
import { authOutcome } from './token-replies.ts'

const specified = pathsOf('1-secrets.md › Endpoints › Cloud-identity authentication')
const decided = pathsOf('1-secrets-decisions.md section 10')

/** The method `cloud`: identities of a cloud log in with headers that they signed. */
export const cloudEngine: Engine = {
  type: 'cloud',
  renamed: true,
  openPrefix: 'login/',
  paths: [
    specified('config', {
      exists: ({ world, mount }) => findCloudConfig(world, mount) !== undefined,
      read: {
        summary: 'Reads which tenancy may log in.',
        reply: { 200: configEnvelope },
        run: ({ world, mount }) => data(readCloudConfig(world, mount)),
      },
      write: {
        summary: 'Sets which tenancy may log in.',
        fields: configFields,
        reply: { 200: warningEnvelope },
        run({ world, mount, fields }) {
          writeCloudConfig(world, mount, fields.home_tenancy_id)
          return data(null)
        },
      },
      delete: {
        summary: 'Deletes the configuration; nobody can log in without one.',
        reply: { 204: null },
        run({ world, mount }) {
          deleteCloudConfig(world, mount)
          return empty
        },
      },
    }),
    decided('role', {
      list: {
        summary: 'Lists the names of the roles.',
        reply: { 200: keysEnvelope },
        run: ({ world, mount }) => keys(cloudRoleNames(world, mount)),
      },
    }),
    specified('role/:name', {
      exists: ({ world, mount, params }) => findCloudRole(world, mount, params.name) !== undefined,
      read: {
        summary: 'Reads a role.',
        reply: { 200: roleEnvelope },
        run({ world, mount, params }) {
          const role = readCloudRole(world, mount, params.name)
          return { kind: 'envelope', dataIn: (dialect) => dialect.fields({ ...role }) }
        },
      },
      write: {
        summary: 'Makes or changes a role.',
        fields: roleFields,
        reply: { 204: null },
        run({ world, mount, params, fields }) {
          writeCloudRole(world, mount, params.name, fields)
          return empty
        },
      },
      delete: {
        summary: 'Deletes a role.',
        reply: { 204: null },
        run({ world, mount, params }) {
          deleteCloudRole(world, mount, params.name)
          return empty
        },
      },
    }),
    specified('login/:role', {
      write: {
        summary: 'Logs an identity in by headers that it signed.',
        open: true,
        fields: loginFields,
        reply: { 200: authEnvelope },
        run: ({ world, namespace, mount, params, fields }) =>
          authOutcome(
            cloudLogin(world, {
              namespace,
              mount,
              role: params.role,
              headers: fields.request_headers,
            }),
          ),
      },
    }),
  ],
}
