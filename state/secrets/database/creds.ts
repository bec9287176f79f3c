import { quoteGo } from '../../go/text.ts'
import type { Message } from '../../kernel/message.ts'
import { Refusal } from '../../kernel/refusal.ts'
import { list, text } from '../../kernel/shape/kinds.ts'
import { optional, struct } from '../../kernel/shape/members.ts'
import type { StoredOf } from '../../kernel/shape/values.ts'
import type { JobHandler } from '../../kernel/worlds/service.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { type Lease, registerLease } from '../leases/leases.ts'
import type { Mount } from '../mounts/mounts.ts'
import type { Namespace } from '../namespaces/namespaces.ts'
import { renderNameTemplate } from '../orch/name-template.ts'
import { TemplateError } from '../orch/template-parser.ts'
import { checkLeaseCount } from '../quotas/lease-counts.ts'
import { secretsTable } from '../table.ts'
import { grantTtl, limitsAt } from '../tokens/lifetime.ts'
import type { Token } from '../tokens/rows.ts'
import { type DatabaseConfig, mountOfKey, requireConnection, rowKey } from './configs.ts'
import { makeCredentials } from './credentials.ts'
import { refuse } from './messages.ts'
import { findDatabasePlugin } from './plugins.ts'
import { connectionOfRole, databaseRoles, databaseRoleTable } from './roles.ts'
import {
  DatabaseError,
  findUser,
  newUser,
  putUser,
  removeUser,
  sendStatements,
} from './simulated.ts'
import { targetOf } from './target.ts'

/** Data for revoking and renewing a lease. */
const databaseCredentialShape = struct({
  connection: text,
  username: text,
  /**
   * Revocation statements of the role when the credentials were created. These statements apply
   * only if the role no longer exists or `role` is missing. Otherwise the current statements of the
   * role apply.
   */
  revocation_statements: list(text),
  renew_statements: list(text),
  /** Name of the role that has the current statements. Rows of earlier releases lack the member. */
  role: optional(text),
})
interface DatabaseCredential extends StoredOf<typeof databaseCredentialShape> {}

/** Rows by `<mount uuid>/<uuid>`. A row exists until its lease ends. */
export const databaseCredentials = secretsTable('database-credentials', databaseCredentialShape, {
  secrets: 'none',
})

const revokeJob = 'secrets.database.revoke'
const renewJob = 'secrets.database.renew'
const abandonJob = 'secrets.database.abandon'

/**
 * Handlers of the jobs of a lease. `revokeJob` drops the user of the lease, `renewJob` sends the
 * user's changed expiry to the database, and `abandonJob` forgets a user that could not be dropped.
 * The id of a job is the key of a credential.
 */
export const databaseLeaseJobs: Readonly<Record<string, JobHandler>> = {
  [revokeJob]: (world, { id }) => {
    const credential = world.table(databaseCredentials).get(id)
    if (credential !== undefined) revokeCredential(world, id, credential)
  },
  [renewJob]: (world, { id, at }) => {
    const credential = world.table(databaseCredentials).get(id)
    if (credential !== undefined) renewCredential(world, id, credential, at)
  },
  [abandonJob]: (world, { id }) => {
    world.table(databaseCredentials).delete(id)
  },
}

/**
 * Number of seconds by which the expiry of a database user is later than the end of the user's
 * lease.
 */
const graceSeconds = 5

/**
 * Returns the role's current connection and statements. If the role no longer exists or the
 * credential does not name the role, returns the values that are stored with the credential.
 */
function currentRole(world: World, key: string, credential: DatabaseCredential) {
  const { role: name, ...embedded } = credential
  const role =
    name === undefined ? undefined : world.table(databaseRoleTable).get(rowKeyOf(key, name))
  return role === undefined ? embedded : { ...role, connection: role.db_name }
}

const rowKeyOf = (key: string, name: string) => `${mountOfKey(key).uuid}/${name}`

function revokeCredential(world: World, key: string, credential: DatabaseCredential): void {
  const { username } = credential
  const { connection, revocation_statements: statements } = currentRole(world, key, credential)
  const effectiveStatements =
    statements.length > 0 ? statements : ['DROP ROLE IF EXISTS "{{name}}"']
  try {
    const target = targetOf(requireConnection(world, mountOfKey(key), connection))
    sendStatements(world, target, 'revoke', effectiveStatements, { username })
    removeUser(world, target.id, username)
  } catch (error) {
    throw refuse('database-revocation-failed', { why: reasonOf(error) })
  }
  world.table(databaseCredentials).delete(key)
}

function renewCredential(
  world: World,
  key: string,
  credential: DatabaseCredential,
  expires: number,
): void {
  const { username, role } = credential
  const { connection, renew_statements: statements } = currentRole(world, key, credential)
  const effectiveStatements =
    statements.length > 0 ? statements : [`ALTER ROLE "{{name}}" VALID UNTIL '{{expiration}}'`]
  try {
    if (role !== undefined && !world.table(databaseRoleTable).has(rowKeyOf(key, role))) {
      throw refuse('database-role-gone', { role: quoteGo(role) })
    }
    const target = targetOf(requireConnection(world, mountOfKey(key), connection))
    const expiration = expires + graceSeconds * 1000
    sendStatements(world, target, 'renew', effectiveStatements, { username, expiration })
    const user = findUser(world, target.id, username)
    if (user !== undefined) putUser(world, target.id, { ...user, expires })
  } catch (error) {
    throw refuse('database-renewal-failed', { why: reasonOf(error) })
  }
}

/** Returns the message of an error from the database or the engine; rethrows any other error. */
function reasonOf(error: unknown): string {
  if (error instanceof DatabaseError || error instanceof Refusal) return error.message
  throw error
}

interface CredentialsCaller {
  readonly mount: Mount
  readonly namespace: Namespace
  /** Request path within the namespace. */
  readonly path: string
  readonly token: Token
}

interface DatabaseLogin {
  /** User name and credentials. */
  readonly data: Readonly<Record<string, string>>
  readonly lease: Lease
  readonly warnings: readonly Message[]
}

/**
 * Creates a database user for a role, and a lease. The user is dropped when the lease ends
 * (behaviour/secrets#database-creds).
 *
 * @throws Refusal `absent` for an unknown connection, `upstream` if the database is unreachable,
 * and `invalid` if another check or a statement fails. Also throws the refusal of a lease count
 * quota that is used up. Nothing is stored in these cases.
 */
export function createDatabaseCredentials(
  world: World,
  caller: CredentialsCaller,
  name: string,
): DatabaseLogin {
  const { mount, namespace, path, token } = caller
  const role = databaseRoles.find(world, mount, name)
  if (role === undefined) throw refuse('database-role-unknown', { role: name })
  const unsupportedRule = 'database-credential-type-unsupported'
  const config = connectionOfRole(world, mount, name, role, unsupportedRule)
  const now = world.clock.now()
  const { ttl, warnings } = grantTtl(
    limitsAt(world, namespace.id, path),
    { ttl: role.default_ttl, maxTtl: role.max_ttl, issued: now },
    now,
  )
  const end = now + ttl * 1000
  const expiration = end + graceSeconds * 1000
  const names = { displayName: token.display_name, roleName: name }
  const credentials = makeCredentials(world, namespace, role, config, { ...names, expiration })
  if (role.creation_statements.length === 0) throw refuse('creation-statements-empty')
  const username = credentials.username ?? generateUsername(world, config, names)
  checkLeaseCount(world, { namespace, mount, path, role: '' })
  const target = targetOf(config)
  return world.write(() => {
    callDatabase(() =>
      sendStatements(world, target, 'create', role.creation_statements, {
        username,
        ...credentials.values,
        expiration,
      }),
    )
    const id = rowKey(mount, world.ids.uuid())
    const lease = registerLease(world, {
      namespace,
      path,
      token,
      renewable: true,
      ttl,
      maxTtl: role.max_ttl,
      defaultTtl: role.default_ttl,
      revoke: { job: revokeJob, id, abandonJob },
      renew: { job: renewJob, id },
    })
    world.table(databaseCredentials).put(id, {
      connection: role.db_name,
      username,
      revocation_statements: role.revocation_statements,
      renew_statements: role.renew_statements,
      role: name,
    })
    putUser(world, target.id, {
      ...newUser(username, credentials.values.password ?? ''),
      role: name,
      lease: lease.id,
      expires: end,
    })
    return { data: { ...credentials.data, username }, lease, warnings }
  })
}

/** Values for the template of a user's name. */
interface TemplateNames {
  readonly displayName: string
  readonly roleName: string
}

/**
 * Runs a call to a database. Converts a DatabaseError to a refusal: `upstream` if the database is
 * unreachable, otherwise `invalid`.
 */
export function callDatabase(call: () => void): void {
  try {
    call()
  } catch (error) {
    if (!(error instanceof DatabaseError)) throw error
    const why = failureText(error)
    throw error.isUnreachable
      ? refuse('database-unreachable', { why })
      : refuse('database-statement-failed', { why })
  }
}

/** Returns the message with which a plugin reports an error from its database. */
export function failureText(error: DatabaseError): string {
  return error.isConnection
    ? `unable to start transaction: ${error.message}`
    : `failed to execute query: ${error.message}`
}

function generateUsername(world: World, config: DatabaseConfig, names: TemplateNames): string {
  const customTemplate = String(config.details['username_template'] ?? '')
  const template =
    customTemplate || (findDatabasePlugin(world, config.plugin_name)?.usernameTemplate ?? '')
  try {
    return renderNameTemplate(world, template, names, 'dbplugin.UsernameMetadata')
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error
    throw refuse('username-template-failed', { why: error.message })
  }
}
