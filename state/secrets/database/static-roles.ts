import { Refusal } from '../../kernel/refusal.ts'
import { any, int, list, map, text, uint } from '../../kernel/shape/kinds.ts'
import { optional, struct } from '../../kernel/shape/members.ts'
import type { StoredOf } from '../../kernel/shape/values.ts'
import type { JobHandler } from '../../kernel/worlds/service.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { errorList } from '../common-messages.ts'
import { type Mount, NamedRows, nextWal, walField } from '../mounts/mounts.ts'
import { type Namespace, rootNamespace } from '../namespaces/namespaces.ts'
import { secretsTable } from '../table.ts'
import {
  type DatabaseConfig,
  exactName,
  mountOfKey,
  putAdministratorPassword,
  requireConnection,
  rowKey,
} from './configs.ts'
import { credentialConfig, type DatabaseCredentials, makeCredentials } from './credentials.ts'
import { callDatabase, failureText } from './creds.ts'
import { message, refuse } from './messages.ts'
import { databasePassword } from './passwords.ts'
import { checkRoleAllowed, connectionOfRole, databaseRoles } from './roles.ts'
import {
  DatabaseError,
  findUser,
  putUser,
  sendStatements,
  setAdministratorPassword,
} from './simulated.ts'
import { targetOf } from './target.ts'

/** A role that rotates the password of one database user. */
const staticRoleShape = struct({
  name: text,
  /** Id of the mount's namespace, whose password policies apply. */
  namespace: text,
  db_name: text,
  username: text,
  password: text,
  /** Private key as PEM; missing for other types of credentials. */
  private_key: optional(text),
  /** Seconds between rotations. */
  rotation_period: uint,
  rotation_statements: list(text),
  credential_type: text,
  credential_config: map(any),
  /** Time of the last rotation, in milliseconds since 1970. */
  rotated: int,
  ...walField,
})
export interface StaticRole extends StoredOf<typeof staticRoleShape> {}

export const staticRoleTable = secretsTable('database-static-roles', staticRoleShape, {
  secrets: { members: ['password', 'private_key', 'credential_config/ca_private_key'] },
})

export const staticRoles = new NamedRows(
  staticRoleTable,
  () => refuse('database-role-absent'),
  exactName,
)

/** Members that a request changes; members that are left out keep their values. */
type StaticRoleChange = Partial<
  Omit<StaticRole, 'name' | 'namespace' | 'password' | 'private_key' | 'rotated' | 'wal'>
>

interface MountContext {
  readonly mount: Mount
  readonly namespace: Namespace
}

const defaults = {
  db_name: '',
  username: '',
  password: '',
  rotation_period: 0,
  rotation_statements: [],
  credential_type: 'password',
  credential_config: {},
  rotated: 0,
}

const rotateJob = 'secrets.database.rotate'

/**
 * Minimum rotation period in seconds: the interval at which the reference looks for passwords to
 * rotate.
 */
const minPeriod = 5

/**
 * Creates a static role or changes the given members. A new role rotates the password immediately,
 * and is stored only if the rotation succeeds (behaviour/secrets#database-static).
 *
 * @throws Refusal `invalid`; `absent` for an unknown connection; `upstream` if the database is
 *   unreachable
 */
export function writeStaticRole(
  world: World,
  context: MountContext,
  name: string,
  change: StaticRoleChange,
): void {
  const { mount, namespace } = context
  if (databaseRoles.find(world, mount, name) !== undefined) throw refuse('database-role-name-taken')
  const key = rowKey(mount, name)
  const before = staticRoles.find(world, mount, name)
  const merged: StaticRole = { ...defaults, name, namespace: namespace.id, ...before, ...change }
  if (merged.db_name === '') throw refuse('static-role-without-connection')
  if (merged.username === '') throw refuse('static-role-without-user')
  // As in the reference, a change must repeat the name of the user.
  if (before !== undefined && before.username !== change.username) {
    throw refuse('static-role-user-changed')
  }
  if (before === undefined && change.rotation_period === undefined) {
    throw refuse('static-role-without-period')
  }
  if (merged.rotation_period < minPeriod) throw refuse('static-role-period-short')
  const config = credentialConfig(merged.credential_type, change.credential_config ?? {})
  const kept = before?.credential_config ?? {}
  const role = { ...merged, credential_config: Object.keys(config).length > 0 ? config : kept }
  world.write(() => {
    if (before === undefined) rotate(world, key, role)
    else storeAndScheduleRotation(world, key, role)
  })
}

/**
 * Rotates the password of a static role now. Throws a refusal for an unknown role, and if the
 * password cannot be rotated.
 */
export function rotateStaticRole(world: World, mount: Mount, name: string): void {
  const role = staticRoles.find(world, mount, name)
  if (role === undefined) throw refuse('static-role-unknown')
  world.write(() => rotate(world, rowKey(mount, name), role))
}

/**
 * Deletes a static role and cancels its next rotation; the user keeps its password. Does nothing
 * for an unknown role.
 */
export function deleteStaticRole(world: World, mount: Mount, name: string): void {
  world.write(() => {
    staticRoles.remove(world, mount, name)
    world.agenda.cancel(rotateJob, rowKey(mount, name))
  })
}

/**
 * Returns a static role for a request that reads its credentials. Throws a refusal for an unknown
 * role, and if the connection does not allow the role.
 */
export function staticCredentials(world: World, mount: Mount, name: string): StaticRole {
  const role = staticRoles.find(world, mount, name)
  if (role === undefined) throw refuse('database-role-unknown', { role: name })
  checkRoleAllowed(requireConnection(world, mount, role.db_name), name)
  return role
}

/**
 * Returns the time at which the next rotation is due, in milliseconds since 1970; may be in the
 * past.
 */
export function nextRotation({ rotated, rotation_period }: StaticRole): number {
  return rotated + rotation_period * 1000
}

function rotate(world: World, key: string, role: StaticRole): void {
  const unsupported = 'static-credential-type-unsupported'
  const config = connectionOfRole(world, mountOfKey(key), role.name, role, unsupported)
  const target = targetOf(config)
  const { data, values } = staticCredential(world, role, config)
  const { password = '' } = values
  const { username, rotation_statements: customStatements } = role
  const defaultStatement = values.public_key === undefined ? passwordStatement : publicKeyStatement
  const statements = customStatements.length > 0 ? customStatements : [defaultStatement]
  try {
    sendStatements(world, target, 'rotate', statements, { username, ...values })
    const user = findUser(world, target.id, username)
    if (user === undefined) {
      const why = `ERROR: role "${username}" does not exist (SQLSTATE 42704)`
      throw new DatabaseError(why, 'statement')
    }
    putUser(world, target.id, { ...user, password, role: role.name, static: true })
  } catch (error) {
    if (!(error instanceof DatabaseError)) throw error
    const errors = errorList([message('database-failure', { why: failureText(error) })])
    throw error.isUnreachable
      ? refuse('static-role-unreachable', { errors })
      : refuse('static-role-not-set', { errors })
  }
  const { rsa_private_key: private_key } = data
  const changed = private_key === undefined ? {} : { private_key }
  storeAndScheduleRotation(world, key, {
    ...role,
    password,
    ...changed,
    rotated: world.clock.now(),
  })
}

/**
 * Generates new credentials for a static role. As in the reference, static roles never get client
 * certificates, so the result is empty for the type `client_certificate`.
 */
function staticCredential(
  world: World,
  role: StaticRole,
  config: DatabaseConfig,
): DatabaseCredentials {
  const namespace = { ...rootNamespace, id: role.namespace }
  const { name: roleName, credential_type } = role
  if (credential_type === 'client_certificate') return { data: {}, values: {} }
  const owner = { displayName: '', roleName, expiration: 0 }
  return makeCredentials(world, namespace, role, config, owner)
}

const publicKeyStatement = `ALTER USER "{{name}}" SET RSA_PUBLIC_KEY = '{{public_key}}'`

const passwordStatement = `ALTER ROLE "{{name}}" WITH PASSWORD '{{password}}'`

function storeAndScheduleRotation(world: World, key: string, role: StaticRole): void {
  world.table(staticRoleTable).put(key, { ...role, wal: nextWal(world) })
  const at = Math.max(nextRotation(role), world.clock.now())
  world.agenda.schedule({ at, job: rotateJob, id: key })
}

/**
 * Handler of the scheduled job that rotates a static role's password at the end of each rotation
 * period. The `id` of the job is the key of the role's row.
 */
export const staticRoleJobs: Readonly<Record<string, JobHandler>> = {
  [rotateJob]: (world, { id }) => {
    const role = world.table(staticRoleTable).get(id)
    if (role === undefined) return
    try {
      world.write(() => rotate(world, id, role))
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      // After a failed rotation, the user keeps the password, and the next attempt follows one
      // period later.
      const at = world.clock.now() + role.rotation_period * 1000
      world.write(() => world.agenda.schedule({ at, job: rotateJob, id }))
    }
  },
}

/**
 * Replaces the administrator's password, in the database and in the connection, with a generated
 * password that no reply shows. Throws a refusal for an unknown connection, a connection without a
 * user name, and an unknown password policy, and if the database is unreachable or does not accept
 * the statements.
 */
export function rotateRoot(world: World, { mount, namespace }: MountContext, name: string): void {
  const config = requireConnection(world, mount, name)
  const target = targetOf(config)
  const { username } = target
  if (username === '') throw refuse('root-user-missing')
  const password = databasePassword(world, namespace, config.password_policy)
  const customStatements = config.root_rotation_statements
  world.write(() => {
    callDatabase(() =>
      sendStatements(
        world,
        target,
        'rotate',
        customStatements.length > 0 ? customStatements : [passwordStatement],
        {
          username,
          password,
        },
      ),
    )
    setAdministratorPassword(world, target, password)
    putAdministratorPassword(world, mount, name, password)
  })
}

/**
 * Checks that the connection exists, and resets nothing, because the mock keeps no connections
 * open. Throws an `absent` refusal for an unknown connection.
 */
export function resetConnection(world: World, mount: Mount, name: string): void {
  requireConnection(world, mount, name)
}
