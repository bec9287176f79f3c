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
  orch_ca_cert: textField('CA certificate in PEM; not checked'),
  token_reviewer_jwt: textField('Token of the mount itself; not checked and never returned'),
  pem_keys: withDefault(
    texts('PEM keys or certificates; one of them must have signed the JWT'),
    [],
  ),
  issuer: textField('Required issuer, if the issuer is validated'),
  disable_iss_validation: withDefault(described(bool, 'Whether any issuer is accepted'), true),
  disable_local_ca_jwt: flag('Whether the CA and the token of the pod are ignored'),
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
  bound_service_account_names: texts('Names of service accounts as globs; `*` must stand alone'),
  bound_service_account_namespaces: texts(
    'Namespaces of service accounts as globs; `*` must stand alone',
  ),
  audience: described(text, 'Required audience (`aud`) of the JWTs'),
  alias_name_source: described(
    text,
    'Source of the alias name: `serviceaccount_uid` or `serviceaccount_name`',
  ),
  ...tokenInputFields,
  ...oldTokenInputFields,
} as const

const roleEnvelope = structEnvelope({
  bound_service_account_names: textList,
  bound_service_account_namespaces: textList,
  audience: optional(described(text, 'Absent if the role has no audience')),
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
        jwt: requiredText('JWT of the service account'),
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
