import { bool, list, text, word } from '../../../state/kernel/shape/kinds.ts'
import { described, optional, withDefault } from '../../../state/kernel/shape/members.ts'
import { orchLogin } from '../../../state/secrets/orch-login/login.ts'
import {
  orchLoginConfigs,
  orchLoginRoles,
  writeOrchLoginConfig,
  writeOrchLoginRole,
} from '../../../state/secrets/orch-login/roles.ts'
import { dialectDataOutcome } from '../envelope/outcome.ts'
import { authEnvelope, structEnvelope } from '../envelope/schemas.ts'
import { flag, requiredText, textField, texts } from '../fields/field-kinds.ts'
import { type Engine, operationsOf } from '../operation.ts'
import { roleData, roleOperations } from '../role-operations.ts'
import { loginOutcome } from './login-outcome.ts'
import {
  oldTokenFieldSchemas,
  oldTokenInputFields,
  tokenFieldSchemas,
  tokenInputFields,
} from './login-schemas.ts'

const operation = operationsOf({ spec: 'behaviour/secrets#orch-login-config' })

const textList = list(text)

const configFields = {
  orch_host: requiredText("URL of the orchestrator's API"),
  orch_ca_cert: textField('PEM; not checked'),
  token_reviewer_jwt: textField('Token of the method itself; not checked, never returned'),
  pem_keys: withDefault(texts('Keys or certificates in PEM, one of which must have signed'), []),
  issuer: textField('The issuer, where that is validated'),
  disable_iss_validation: withDefault(described(bool, 'Take any issuer'), true),
  disable_local_ca_jwt: flag("Do without the pod's files"),
} as const

const configEnvelope = structEnvelope({
  orch_host: text,
  orch_ca_cert: text,
  pem_keys: textList,
  issuer: text,
  disable_iss_validation: bool,
  disable_local_ca_jwt: bool,
  token_reviewer_jwt_set: bool,
})

const roleFields = {
  bound_service_account_names: texts('Service accounts: `*` alone, or globs'),
  bound_service_account_namespaces: texts('Their namespaces: `*` alone, or globs'),
  audience: described(text, 'An audience (`aud`) that JWTs need'),
  alias_name_source: described(
    text,
    'What names the holder: `serviceaccount_uid` or `serviceaccount_name`',
  ),
  ...tokenInputFields,
  ...oldTokenInputFields,
} as const

const roleEnvelope = structEnvelope({
  bound_service_account_names: textList,
  bound_service_account_namespaces: textList,
  audience: optional(described(text, 'When it is set')),
  alias_name_source: word('serviceaccount_uid', 'serviceaccount_name'),
  ...tokenFieldSchemas,
  ...oldTokenFieldSchemas,
})

/** The login method `orch`. Service accounts of the orchestrator log in with their JWTs. */
export const orchLoginEngine: Engine = {
  type: 'orch-login',
  mountedType: 'orch',
  hasVendorFields: true,
  operations: [
    operation.read('orchLoginReadConfig', 'config', {
      summary: 'Read the configuration of the service accounts that may log in.',
      reply: { 200: configEnvelope },
      run({ world, mount }) {
        const { token_reviewer_jwt, wal, ...config } = orchLoginConfigs.read(world, mount)
        const known = { ...config, token_reviewer_jwt_set: token_reviewer_jwt !== '' }
        return dialectDataOutcome((dialect) => dialect.fields(known))
      },
    }),
    operation.write('orchLoginWriteConfig', 'config', {
      secrets: { body: ['token_reviewer_jwt'] },
      summary: 'Replace the configuration of the service accounts that may log in.',
      body: configFields,
      failures: [500],
      apply: ({ world, mount, fields }) => writeOrchLoginConfig(world, mount, fields),
    }),
    ...roleOperations({
      method: 'orchLogin',
      spec: 'behaviour/secrets#orch-login-roles',
      fields: roleFields,
      envelope: roleEnvelope,
      rows: orchLoginRoles,
      view({ audience, ...role }) {
        return { ...roleData(role), ...(audience !== '' && { audience }) }
      },
      write: writeOrchLoginRole,
    }),
    operation.write('orchLogin', 'login', {
      secrets: { body: ['jwt'] },
      summary: 'Log in a service account with its JWT.',
      spec: 'behaviour/secrets#orch-login',
      access: 'anyone',
      body: {
        role: requiredText('The role'),
        jwt: requiredText("The service account's JWT"),
      },
      failures: [403, 500],
      reply: { 200: authEnvelope },
      run(call) {
        const { world, namespace, mount, fields, request } = call
        const login = {
          namespace,
          mount,
          role: fields.role,
          jwt: fields.jwt,
          address: request.peer,
        }
        return loginOutcome(call, orchLogin(world, login))
      },
    }),
  ],
}
