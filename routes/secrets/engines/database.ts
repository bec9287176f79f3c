import { any, bool, int, list, map, text } from '../../../state/kernel/shape/kinds.ts'
import { described, optional, struct, withDefault } from '../../../state/kernel/shape/members.ts'
import { formatTimestamp } from '../../../state/kernel/time.ts'
import {
  type DatabaseConfig,
  databaseConfigs,
  writeDatabaseConfig,
} from '../../../state/secrets/database/configs.ts'
import { createDatabaseCredentials } from '../../../state/secrets/database/creds.ts'
import { namedCredentialTypes } from '../../../state/secrets/database/plugins.ts'
import { writeDatabaseRole } from '../../../state/secrets/database/role-changes.ts'
import { type DatabaseRole, databaseRoles } from '../../../state/secrets/database/roles.ts'
import {
  deleteStaticRole,
  nextRotation,
  resetConnection,
  rotateRoot,
  rotateStaticRole,
  type StaticRole,
  staticCredentials,
  staticRoles,
  writeStaticRole,
} from '../../../state/secrets/database/static-roles.ts'
import { hidePassword } from '../../../state/secrets/database/target.ts'
import type { SecretsDialect } from '../dialect/dialect.ts'
import { envelopeLease } from '../envelope/lease.ts'
import { dialectDataOutcome, emptyWithWarnings, keysOutcome } from '../envelope/outcome.ts'
import { enveloped, envelopeOf, keysEnvelope, warningEnvelope } from '../envelope/schemas.ts'
import { duration, unsplitTexts } from '../fields/field-kinds.ts'
import { refuse } from '../messages.ts'
import { type Engine, operationsOf } from '../operation.ts'
import { roleOperations } from '../role-operations.ts'

const spec = 'behaviour/secrets#database'
const operation = operationsOf({ spec })
const credentialsOperation = operationsOf({ spec: 'behaviour/secrets#database-creds' })
const staticSpec = 'behaviour/secrets#database-static'
const staticOperation = operationsOf({ spec: staticSpec })

const configFields = {
  plugin_name: described(text, 'Plug-in for the type of database; required for a new connection'),
  plugin_version: described(text, 'Version of the plug-in; the built-in version if left out'),
  allowed_roles: described(list(text), 'Roles that may use the connection; `*` matches any text'),
  verify_connection: withDefault(
    described(bool, 'Whether to connect to the database before the connection is stored'),
    true,
  ),
  root_rotation_statements: unsplitTexts("Statements that change the administrator's password"),
  password_policy: described(text, 'Password policy for generated passwords'),
}

const configData = struct({
  allowed_roles: list(text),
  connection_details: described(map(any), 'Details of the plug-in without the password'),
  password_policy: text,
  plugin_name: text,
  plugin_version: text,
  root_credentials_rotate_statements: list(text),
})

const credentialFields = {
  credential_type: described(
    text,
    'password, or rsa_private_key or client_certificate if the plug-in supports them',
  ),
  credential_config: described(
    map(text),
    'Settings of the credential type, such as password_policy',
  ),
}

const roleFields = {
  db_name: described(text, 'Name of the connection, which need not exist; required for a new role'),
  creation_statements: unsplitTexts('Statements that create a user'),
  revocation_statements: unsplitTexts('Statements that drop a user'),
  rollback_statements: unsplitTexts('Statements for a failed creation; stored, but never run'),
  renew_statements: unsplitTexts('Statements that extend the lifetime of a user'),
  default_ttl: duration('Default lifetime of credentials'),
  max_ttl: duration('Maximum lifetime of credentials'),
  ...credentialFields,
}

const roleReply = struct({
  creation_statements: list(text),
  credential_config: optional(map(any)),
  credential_type: text,
  db_name: text,
  default_ttl: described(int, 'Seconds'),
  max_ttl: described(int, 'Seconds'),
  renew_statements: list(text),
  revocation_statements: list(text),
  rollback_statements: list(text),
})

const staticFields = {
  username: described(text, 'Existing user of the database; required for a new role'),
  db_name: described(text, 'Name of the connection; required for a new role'),
  rotation_period: duration(
    'Time between two rotations, at least 5 seconds; required for a new role',
  ),
  rotation_statements: unsplitTexts('Statements that change the password'),
  ...credentialFields,
}

const rotationMembers = {
  last_service_rotation: optional(described(text, 'Time of the last rotation')),
  last_vault_rotation: optional(
    described(text, 'Last rotation, under its name in the vendor dialect'),
  ),
  rotation_period: described(int, 'Seconds'),
  username: text,
}

const staticReply = struct({
  credential_config: optional(map(any)),
  credential_type: text,
  db_name: text,
  rotation_statements: list(text),
  ...rotationMembers,
})

/** The engine that creates users of databases and rotates their passwords. */
export const databaseEngine: Engine = {
  type: 'database',
  hasVendorFields: true,
  operations: [
    ...roleOperations({
      method: 'database',
      resource: 'Connection',
      path: 'config/:name',
      spec,
      fields: configFields,
      envelope: envelopeOf(configData),
      rows: databaseConfigs,
      view: configView,
    }),
    operation.write('databaseWriteConnection', 'config/:name', {
      summary: 'Configure a connection, and connect; omitted fields keep their values.',
      exists: ({ world, mount, params: { name } }) =>
        databaseConfigs.find(world, mount, name) !== undefined,
      secrets: { body: ['password', 'connection_url', 'private_key', 'tls_certificate_key'] },
      body: configFields,
      reply: { 200: warningEnvelope, 204: null },
      run: ({ world, mount, params: { name }, fields, input }) =>
        emptyWithWarnings(writeDatabaseConfig(world, mount, name, fields, input)),
    }),
    ...roleOperations({
      method: 'database',
      path: 'roles/:name',
      spec: 'behaviour/secrets#database-creds',
      fields: roleFields,
      envelope: envelopeOf(roleReply),
      rows: databaseRoles,
      view: roleView,
      apply: writeDatabaseRole,
      readOverrides: { secrets: { reply: ['data/credential_config/ca_private_key'] } },
      writeOverrides: {
        summary: 'Create or change a role; omitted fields keep their values.',
        secrets: { body: ['credential_config/ca_private_key'] },
        reply: { 204: null },
      },
    }),
    credentialsOperation.read('databaseCreateCredentials', 'creds/:name', {
      summary: 'Create a database user as a role describes, with a lease.',
      secrets: { reply: ['data/password', 'data/rsa_private_key', 'data/private_key'] },
      failures: [500, 502],
      reply: enveloped({
        username: text,
        password: optional(text),
        rsa_private_key: optional(text),
        client_certificate: optional(text),
        private_key: optional(text),
        private_key_type: optional(text),
      }),
      run: ({ world, mount, namespace, path, params, token }) => {
        if (token === undefined) throw refuse('token-refused')
        const caller = { mount, namespace, path, token }
        const created = createDatabaseCredentials(world, caller, params.name)
        const { data, warnings, lease } = created
        return {
          kind: 'envelope',
          lease: envelopeLease(lease),
          data,
          warnings,
        }
      },
    }),
    staticOperation.list('databaseListStaticRoles', 'static-roles', {
      summary: 'List the names of the static roles.',
      reply: { 200: keysEnvelope },
      run: ({ world, mount }) => keysOutcome(staticRoles.names(world, mount)),
    }),
    staticOperation.read('databaseReadStaticRole', 'static-roles/:name', {
      summary: 'Read a static role.',
      reply: { 200: envelopeOf(staticReply) },
      run({ world, mount, params: { name } }) {
        const role = staticRoles.read(world, mount, name)
        const { credential_type, db_name, rotation_statements } = role
        return dialectDataOutcome((dialect) =>
          dialect.fields({
            ...configOf(role),
            credential_type,
            db_name,
            rotation_statements,
            ...rotationView(role),
          }),
        )
      },
    }),
    staticOperation.write('databaseWriteStaticRole', 'static-roles/:name', {
      summary: "Create a static role, which rotates its user's password, or change one.",
      exists: ({ world, mount, params: { name } }) =>
        staticRoles.find(world, mount, name) !== undefined,
      body: staticFields,
      failures: [404, 500, 502],
      apply: ({ world, mount, namespace, params: { name }, fields }) =>
        writeStaticRole(world, { mount, namespace }, name, fields),
    }),
    staticOperation.delete('databaseDeleteStaticRole', 'static-roles/:name', {
      summary: 'Delete a static role; the user stays.',
      apply: ({ world, mount, params: { name } }) => deleteStaticRole(world, mount, name),
    }),
    staticOperation.read('databaseReadStaticCredentials', 'static-creds/:name', {
      summary: "Read the password of a static role's user.",
      secrets: { reply: ['data/password', 'data/rsa_private_key'] },
      reply: enveloped({
        password: optional(text),
        rsa_private_key: optional(text),
        ttl: described(int, 'Seconds'),
        ...rotationMembers,
      }),
      run({ world, mount, params: { name } }) {
        const role = staticCredentials(world, mount, name)
        const secondsLeft = Math.ceil((nextRotation(role) - world.clock.now()) / 1000)
        const view = {
          ...credentialView(role),
          ttl: Math.max(0, secondsLeft),
          ...rotationView(role),
        }
        return dialectDataOutcome((dialect) => dialect.fields(view))
      },
    }),
    staticOperation.write('databaseRotateStaticRole', 'rotate-role/:name', {
      summary: 'Rotate the password of a static role now.',
      failures: [404, 500, 502],
      apply: ({ world, mount, params: { name } }) => rotateStaticRole(world, mount, name),
    }),
    operation.write('databaseRotateRoot', 'rotate-root/:name', {
      summary: "Replace the administrator's password of a connection with a generated password.",
      failures: [404, 500, 502],
      apply: ({ world, mount, namespace, params: { name } }) =>
        rotateRoot(world, { mount, namespace }, name),
    }),
    operation.write('databaseResetConnection', 'reset/:name', {
      summary: 'Close a connection; the next use opens it again.',
      failures: [404, 500],
      apply: ({ world, mount, params: { name } }) => resetConnection(world, mount, name),
    }),
  ],
}

function configView(config: DatabaseConfig): object {
  const { connection_url, private_key: _, ...details } = config.details
  const supported_credential_types = namedCredentialTypes(config.plugin_name)
  return {
    allowed_roles: config.allowed_roles,
    connection_details: {
      ...details,
      ...(typeof connection_url === 'string'
        ? { connection_url: hidePassword(connection_url) }
        : {}),
      ...(supported_credential_types && { supported_credential_types }),
    },
    password_policy: config.password_policy,
    plugin_name: config.plugin_name,
    plugin_version: config.plugin_version,
    root_credentials_rotate_statements: config.root_rotation_statements,
  }
}

/**
 * Returns an object with a role's `credential_config`; an empty object if the settings are empty,
 * because replies omit empty settings.
 */
function configOf({ credential_config }: Pick<DatabaseRole, 'credential_config'>): object {
  return Object.keys(credential_config).length === 0 ? {} : { credential_config }
}

function roleView(role: DatabaseRole, _dialect: SecretsDialect): object {
  const { wal: _wal, credential_config: _config, ...view } = role
  return { ...view, ...configOf(role) }
}

/**
 * Returns an object with the credential of a static role. Returns an empty object for a role whose
 * credential is a client certificate.
 */
function credentialView({ credential_type, password, private_key }: StaticRole): object {
  if (credential_type === 'password') return { password }
  return private_key === undefined ? {} : { rsa_private_key: private_key }
}

function rotationView({ rotated, rotation_period, username }: StaticRole) {
  return { last_service_rotation: formatTimestamp(rotated), rotation_period, username }
}
