import { list, text } from '../../../state/kernel/shape/kinds.ts'
import { described, withDefault } from '../../../state/kernel/shape/members.ts'
import { cloudLogin } from '../../../state/secrets/cloud/login.ts'
import {
  cloudConfigs,
  cloudRoles,
  writeCloudConfig,
  writeCloudRole,
} from '../../../state/secrets/cloud/roles.ts'
import { dataOutcome } from '../envelope/outcome.ts'
import { authEnvelope, structEnvelope, warningEnvelope } from '../envelope/schemas.ts'
import {
  headers,
  requiredField,
  requiredText,
  signedDuration,
  texts,
} from '../fields/field-kinds.ts'
import { type Engine, operationsOf } from '../operation.ts'
import { roleOperations } from '../role-operations.ts'
import { loginOutcome } from './login-outcome.ts'
import { tokenFieldSchemas, tokenInputFields } from './login-schemas.ts'

/** Fields of the configuration (behaviour/secrets#api-cloud). */
const configFields = {
  home_tenancy_id: requiredText('Tenancy whose identities may log in'),
} as const

const configEnvelope = structEnvelope({ home_tenancy_id: text })

/** Fields of a request that writes a role. A missing field keeps its value. */
const roleFields = {
  cid_list: texts('Ids of the groups and dynamic groups whose members may use the role'),
  ...tokenInputFields,
  // The conversion accepts negative values, because writing the role refuses them with its own
  // message.
  token_explicit_max_ttl: signedDuration('Maximum lifetime of the tokens, including renewals'),
  token_max_ttl: signedDuration('Maximum lifetime of the tokens'),
  token_period: signedDuration('Period of the tokens'),
  token_ttl: signedDuration('Lifetime of the tokens'),
} as const

const roleEnvelope = structEnvelope({ cid_list: list(text), ...tokenFieldSchemas })

const loginFields = {
  request_headers: withDefault(
    requiredField(
      described(
        headers,
        'The signed headers by name: date, (request-target), host and authorization',
      ),
    ),
    {},
  ),
} as const

const spec = 'behaviour/secrets#api-cloud'
const operation = operationsOf({ spec })
const behaviourSpec = 'behaviour/secrets#cloud'

/** The login method `cloud`. Identities of the cloud log in with headers that they have signed. */
export const cloudEngine: Engine = {
  type: 'cloud',
  hasVendorFields: true,
  unauthenticatedPrefix: 'login/',
  operations: [
    operation.read('cloudReadConfig', 'config', {
      summary: 'Read which tenancy may log in.',
      reply: { 200: configEnvelope },
      run({ world, mount }) {
        const { home_tenancy_id } = cloudConfigs.read(world, mount)
        return dataOutcome({ home_tenancy_id })
      },
    }),
    operation.write('cloudWriteConfig', 'config', {
      summary: 'Set which tenancy may log in.',
      exists: ({ world, mount }) => cloudConfigs.find(world, mount) !== undefined,
      body: configFields,
      reply: { 200: warningEnvelope },
      run({ world, mount, fields }) {
        writeCloudConfig(world, mount, fields.home_tenancy_id)
        return dataOutcome(null)
      },
    }),
    operation.delete('cloudDeleteConfig', 'config', {
      summary: 'Delete the configuration; nobody can log in without one.',
      apply: ({ world, mount }) => cloudConfigs.remove(world, mount),
    }),
    ...roleOperations({
      method: 'cloud',
      spec,
      fields: roleFields,
      envelope: roleEnvelope,
      rows: cloudRoles,
      view: ({ wal, ...role }, dialect) => dialect.fields(role),
      apply: writeCloudRole,
      listOverrides: { spec: behaviourSpec },
      writeOverrides: { reply: { 204: null } },
    }),
    operation.write('cloudLogin', 'login/:role', {
      summary: 'Log in an identity by headers that it signed.',
      access: 'anyone',
      body: loginFields,
      failures: [403],
      reply: { 200: authEnvelope },
      run(call) {
        const { world, namespace, mount, params, fields } = call
        const login = { namespace, mount, role: params.role, headers: fields.request_headers }
        return loginOutcome(call, cloudLogin(world, login))
      },
    }),
  ],
}
