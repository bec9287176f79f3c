import { greatest } from '../../kernel/lists.ts'
import { bool, int, nullable, text, uint } from '../../kernel/shape/kinds.ts'
import { struct } from '../../kernel/shape/members.ts'
import type { StoredOf } from '../../kernel/shape/values.ts'
import { formatTimestamp } from '../../kernel/time.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { optionsOf } from '../options.ts'
import { secretsTable } from '../table.ts'
import { checkStatement, createdAccount, splitStatements } from './statements.ts'
import type { DatabaseTarget } from './target.ts'

/** A simulated database, which all connections to its address share. */
const databaseShape = struct({
  /** Host and port, or the whole address if it contains no host. */
  id: text,
  plugin: text,
  administrator: text,
  password: text,
  /** Number of statements received so far. */
  statements: uint,
  /**
   * Rank of the last use among all databases of the world. The database with the greatest rank was
   * used last.
   */
  used: uint,
})
export interface SimulatedDatabase extends StoredOf<typeof databaseShape> {}

/** Rows by the encoded id (`databaseKey`). */
export const simulatedDatabases = secretsTable('simulated-databases', databaseShape, {
  secrets: { members: ['password'] },
})

const userShape = struct({
  name: text,
  password: text,
  /** Role of the engine that created the user or rotates its password; empty for other users. */
  role: text,
  /** Lease whose end drops the user; empty for other users. */
  lease: text,
  /** Expiry of the user, in milliseconds since 1970; null if the user never expires. */
  expires: nullable(int),
  /** True if a static role rotates the password. */
  static: bool,
})
export interface DatabaseUser extends StoredOf<typeof userShape> {}

/** Rows by encoded database id and name of the user. */
export const databaseUsers = secretsTable('database-users', userShape, {
  secrets: { members: ['password'] },
})

const statementShape = struct({
  /** Milliseconds since 1970. */
  at: int,
  text,
  /** Purpose and user, as in `create v-root-app-…`. */
  for: text,
})

/** The latest statements of each database, by encoded database id and number. */
export const databaseStatements = secretsTable('database-statements', statementShape, {
  secrets: { members: ['text'] },
})

/** Number of statements stored per database; older statements are deleted. */
const maxStoredStatements = 1000

/** Thrown by simulated databases. The message is in the style of PostgreSQL for every plugin. */
export class DatabaseError extends Error {
  /** True if the connection failed; false if a statement failed. */
  readonly isConnection: boolean
  /** True if the database did not answer at all. */
  readonly isUnreachable: boolean

  constructor(message: string, kind: 'unreachable' | 'refused' | 'statement') {
    super(message)
    this.isConnection = kind !== 'statement'
    this.isUnreachable = kind === 'unreachable'
  }
}

/**
 * Returns the failure that the options define for this database. If the options have no failure for
 * this database, returns the failure that they define for all databases.
 */
export function databaseFaultOf(world: World, id: string) {
  const { databaseFault, databases } = optionsOf(world)
  return databases[id]?.fault ?? databaseFault
}

/**
 * Returns the key of a database. The key with a trailing slash is the prefix of the keys of the
 * database's users and statements.
 */
export const databaseKey = (id: string): string => encodeURIComponent(id)

const userKey = (id: string, name: string): string => `${databaseKey(id)}/${name}`

export function findUser(world: World, id: string, name: string): DatabaseUser | undefined {
  return world.table(databaseUsers).get(userKey(id, name))
}

/**
 * Returns the names of all users, including those that the options define and that are not stored
 * yet.
 */
export function userNamesOf(world: World, id: string): string[] {
  const stored = Array.from(
    world.table(databaseUsers).rows(`${databaseKey(id)}/`),
    ({ name }) => name,
  )
  return [...new Set([...stored, ...Object.keys(optionsOf(world).databases[id]?.users ?? {})])]
}

export function putUser(world: World, id: string, user: DatabaseUser): void {
  world.write(() => world.table(databaseUsers).put(userKey(id, user.name), user))
}

/**
 * Creates the database if it does not exist, and records that the database was used. Creates a user
 * without a password, unless the database already has a user or an administrator of this name.
 */
export function ensureUser(world: World, target: DatabaseTarget, name: string): void {
  const { id, administrator } = ensureDatabase(world, target)
  if (name === administrator || findUser(world, id, name) !== undefined) return
  putUser(world, id, newUser(name, ''))
}

/** Drops a user. Does nothing if there is no such user. */
export function removeUser(world: World, id: string, name: string): void {
  world.write(() => world.table(databaseUsers).delete(userKey(id, name)))
}

/** Builds a user that belongs to no lease and no role; stores nothing. */
export function newUser(name: string, password: string): DatabaseUser {
  return { name, password, role: '', lease: '', expires: null, static: false }
}

/**
 * Checks whether the user of a connection can connect, and records that the database was used. The
 * first connection creates the database. The user of this connection becomes the administrator,
 * unless the option `secrets.databases` names an administrator (behaviour/secrets#database).
 *
 * @throws DatabaseError if the database is unreachable or does not accept the user
 */
export function connectDatabase(world: World, target: DatabaseTarget): void {
  const { id, host, username, password, database } = target
  const fail = (why: string, kind: 'unreachable' | 'refused') =>
    new DatabaseError(
      `failed to connect to \`host=${host} user=${username} database=${database}\`: ${why}`,
      kind,
    )
  const fault = databaseFaultOf(world, id)
  if (fault === 'unreachable') {
    throw fail('dial error (dial tcp: connect: connection refused)', 'unreachable')
  }
  const found = ensureDatabase(world, target)
  const expected =
    username === found.administrator ? found.password : findUser(world, id, username)?.password
  if (expected === undefined) {
    throw fail(
      `server error (FATAL: role "${username}" does not exist (SQLSTATE 28000))`,
      'refused',
    )
  }
  if (fault === 'refused' || expected !== password) {
    const why = `password authentication failed for user "${username}" (SQLSTATE 28P01)`
    throw fail(`server error (FATAL: ${why})`, 'refused')
  }
}

function ensureDatabase(world: World, target: DatabaseTarget): SimulatedDatabase {
  const { id, plugin, username, password } = target
  const table = world.table(simulatedDatabases)
  const found = table.get(databaseKey(id))
  const nextUseNumber = 1 + greatest([0, ...Array.from(table.rows(), (each) => each.used)])
  if (found !== undefined) {
    const latest = { ...found, used: nextUseNumber }
    world.write(() => table.put(databaseKey(id), latest))
    return latest
  }
  const { users = {}, administrator = { username, password } } =
    optionsOf(world).databases[id] ?? {}
  const created = {
    id,
    plugin,
    administrator: administrator.username,
    password: administrator.password,
    statements: 0,
    used: nextUseNumber,
  }
  world.write(() => {
    table.put(databaseKey(id), created)
    for (const [name, each] of Object.entries(users)) putUser(world, id, newUser(name, each))
  })
  return created
}

/** Purpose of statements. The options can make any purpose except `renew` fail. */
type StatementPurpose = 'create' | 'renew' | 'revoke' | 'rotate'

const faultyPurposes: Readonly<Record<string, StatementPurpose>> = {
  'create-fails': 'create',
  'revoke-fails': 'revoke',
  'rotate-fails': 'rotate',
}

/** Values for the placeholders of statements. */
interface StatementValues {
  readonly username: string
  /** Set only for the purposes `create` and `rotate`, if the credentials are a password. */
  readonly password?: string | undefined
  /** Base64; set only for the purposes `create` and `rotate`, if the credentials are a key pair. */
  readonly public_key?: string | undefined
  /** Milliseconds since 1970; set only for the purposes `create` and `renew`. */
  readonly expiration?: number | undefined
}

/**
 * Sends statements to a database. The database records the statements, but does not execute them,
 * with one exception: a statement that creates an account adds the user.
 *
 * @throws DatabaseError if the connection or a statement fails
 */
export function sendStatements(
  world: World,
  target: DatabaseTarget,
  purpose: StatementPurpose,
  statements: readonly string[],
  values: StatementValues,
): void {
  connectDatabase(world, target)
  if (faultyPurposes[databaseFaultOf(world, target.id)] === purpose) {
    throw new DatabaseError('ERROR: permission denied (SQLSTATE 42501)', 'statement')
  }
  world.write(() => {
    for (const statement of splitStatements(statements).map((each) =>
      fillStatement(each, values),
    )) {
      const word = checkStatement(statement)
      if (word !== undefined) {
        const why = `ERROR: syntax error at or near "${word}" (SQLSTATE 42601)`
        throw new DatabaseError(why, 'statement')
      }
      recordStatement(world, target.id, statement, `${purpose} ${values.username}`)
      const name = createdAccount(statement)
      if (name === undefined || findUser(world, target.id, name) !== undefined) continue
      putUser(
        world,
        target.id,
        newUser(name, (name === values.username ? values.password : undefined) ?? ''),
      )
    }
  })
}

function fillStatement(statement: string, statementValues: StatementValues): string {
  const { username, expiration, ...credentials } = statementValues
  const values: Readonly<Record<string, string | undefined>> = {
    name: username,
    username,
    ...credentials,
    ...(expiration === undefined ? {} : { expiration: databaseTime(expiration) }),
  }
  return statement.replaceAll(/\{\{(\w+)\}\}/g, (whole, name: string) => values[name] ?? whole)
}

/** Formats an instant as the plugins do, for example `2026-01-01 00:00:00+0000`. */
function databaseTime(instant: number): string {
  return `${formatTimestamp(instant).slice(0, 19).replace('T', ' ')}+0000`
}

function recordStatement(world: World, id: string, statement: string, purpose: string): void {
  const database = world.table(simulatedDatabases).get(databaseKey(id))
  if (database === undefined) return
  const number = database.statements
  const key = (count: number) => `${databaseKey(id)}/${String(count).padStart(12, '0')}`
  const row = { at: world.clock.now(), text: statement, for: purpose }
  world.table(databaseStatements).put(key(number), row)
  world.table(databaseStatements).delete(key(number - maxStoredStatements))
  world.table(simulatedDatabases).put(databaseKey(id), { ...database, statements: number + 1 })
}

/**
 * Changes the password of the connecting user, usually the administrator, in the database. Does
 * nothing if the database does not exist.
 */
export function setAdministratorPassword(world: World, target: DatabaseTarget, password: string) {
  const { id, username } = target
  const database = world.table(simulatedDatabases).get(databaseKey(id))
  if (database === undefined) return
  world.write(() => {
    if (database.administrator === username) {
      world.table(simulatedDatabases).put(databaseKey(id), { ...database, password })
    } else putUser(world, id, newUser(username, password))
  })
}
