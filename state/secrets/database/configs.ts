import { quoteGo } from '../../go/text.ts'
import type { Json, JsonObject } from '../../kernel/json.ts'
import type { Message } from '../../kernel/message.ts'
import { any, list, map, text } from '../../kernel/shape/kinds.ts'
import { struct } from '../../kernel/shape/members.ts'
import type { StoredOf } from '../../kernel/shape/values.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { type Mount, NamedRows, storagePrefix, walField } from '../mounts/mounts.ts'
import { checkTemplateSyntax } from '../orch/name-template.ts'
import { TemplateError } from '../orch/template-parser.ts'
import { findPlugin } from '../plugins.ts'
import { secretsTable } from '../table.ts'
import { message, refuse } from './messages.ts'
import { findDatabasePlugin } from './plugins.ts'
import { connectDatabase, DatabaseError } from './simulated.ts'
import { addressOf, passwordInAddress, targetOf, textAt } from './target.ts'

/** Settings of a connection to a database (behaviour/secrets#database). */
const databaseConfigShape = struct({
  plugin_name: text,
  plugin_version: text,
  /** Names of roles, or globs such as `app-*`. */
  allowed_roles: list(text),
  root_rotation_statements: list(text),
  password_policy: text,
  /**
   * Members of the request that the plugin reads, such as `connection_url`, without the password.
   */
  details: map(any),
  /** Password of the administrator; empty if no password is set. */
  password: text,
  ...walField,
})
export interface DatabaseConfig extends StoredOf<typeof databaseConfigShape> {}

export const databaseConfigTable = secretsTable('database-configs', databaseConfigShape, {
  secrets: { members: ['details', 'password'] },
})

/** Returns the name unchanged, because names in this engine are case-sensitive. */
export const exactName = (name: string): string => name

export const databaseConfigs = new NamedRows(
  databaseConfigTable,
  () => refuse('database-config-absent'),
  exactName,
)

/** Returns the settings of a connection. Throws an `absent` refusal for an unknown connection. */
export function requireConnection(
  world: World,
  mount: Pick<Mount, 'uuid'>,
  name: string,
): DatabaseConfig {
  const found = world.table(databaseConfigTable).get(`${mount.uuid}/${name}`)
  if (found === undefined) throw refuse('database-connection-absent', { name: quoteGo(name) })
  return found
}

/** Settings that a request changes; all other settings keep their values. */
type DatabaseConfigChange = Partial<Omit<DatabaseConfig, 'details' | 'password' | 'wal'>> & {
  /** Whether to test the connection before the settings are stored. */
  readonly verify_connection: boolean
}

const defaults: DatabaseConfig = {
  plugin_name: '',
  plugin_version: '',
  allowed_roles: [],
  root_rotation_statements: [],
  password_policy: '',
  details: {},
  password: '',
}

const declaredFields: ReadonlySet<string> = new Set([
  'name',
  'plugin_name',
  'plugin_version',
  'allowed_roles',
  'verify_connection',
  'root_rotation_statements',
  'password_policy',
])

/**
 * Creates a connection or changes the given settings of an existing connection. Returns a warning
 * if the address contains a password (behaviour/secrets#database).
 *
 * @param input all members of the request; undeclared members are details for the plugin
 * @throws Refusal `invalid`; nothing is stored in this case
 */
export function writeDatabaseConfig(
  world: World,
  mount: Mount,
  name: string,
  change: DatabaseConfigChange,
  input: Readonly<Record<string, Json>>,
): readonly Message[] {
  const { verify_connection, ...fields } = change
  const before = databaseConfigs.find(world, mount, name) ?? defaults
  const { password, ...others }: JsonObject = {
    ...before.details,
    ...Object.fromEntries(Object.entries(input).filter(([key]) => !declaredFields.has(key))),
  }
  const config: DatabaseConfig = {
    ...before,
    ...fields,
    details: others,
    password: password === undefined || password === null ? before.password : String(password),
  }
  if (config.plugin_name === '') throw refuse('database-plugin-missing')
  checkVersion(config.plugin_version)
  world.write(() => {
    checkConnection(world, config, verify_connection)
    databaseConfigs.put(world, mount, name, config)
  })
  const hasPassword = passwordInAddress(addressOf(config.details)) !== undefined
  return hasPassword ? [message('password-in-connection-url')] : []
}

function checkVersion(version: string): void {
  if (version === '' || /^v?\d[\d.]*(?:[-+][\w.+-]+)?$/.test(version)) return
  throw refuse('database-plugin-version-malformed', { version: quoteGo(version), shown: version })
}

/**
 * Reason why the settings of a connection are refused. The refusal stores the reason as the detail
 * `cause`, for explanations.
 */
export type ConnectionProblem = 'plugin' | 'address' | 'template' | 'connection'

/**
 * Throws an `invalid` refusal for settings with which the plugin of the reference would not start.
 * If `shouldConnect` is true, also tests the connection; the test creates the simulated database if
 * it does not exist.
 */
function checkConnection(world: World, config: DatabaseConfig, shouldConnect: boolean): void {
  const { plugin_name, plugin_version, details } = config
  const fail = (cause: ConnectionProblem, why: string) =>
    refuse('database-object-failed', { why }).withDetails({ cause })
  const plugin = findDatabasePlugin(world, plugin_name)
  const hasVersion =
    plugin_version === '' ||
    plugin_version.includes('+builtin') ||
    findPlugin(world, 'database', plugin_name, plugin_version) !== undefined
  if (plugin === undefined || !hasVersion) {
    const version = plugin_version === '' ? '' : `, version=${plugin_version}`
    const line = `\t* plugin not found in the catalog: ${plugin_name}${version}\n`
    throw fail('plugin', `invalid database version: 2 errors occurred:\n${line}${line}\n`)
  }
  const missing = plugin.keys.find(([name]) => textAt(details, name) === '')
  if (missing !== undefined) {
    throw fail('address', `failed to initialize: ${missing[1]} is not set`)
  }
  if (plugin.keys.length === 0 && addressOf(details) === '') {
    throw fail('address', 'connection_url cannot be empty')
  }
  try {
    checkTemplateSyntax(String(details['username_template'] ?? ''))
    if (shouldConnect) connectDatabase(world, targetOf(config))
  } catch (error) {
    if (error instanceof TemplateError) {
      const why = `unable to parse template: ${error.message}`
      throw fail('template', `unable to initialize username template: ${why}`)
    }
    if (error instanceof DatabaseError) {
      throw fail('connection', `${plugin.verification}: ${error.message}`)
    }
    throw error
  }
}

/**
 * Stores a new password in the settings of a connection; the database is not changed. Throws an
 * `absent` refusal for an unknown connection.
 */
export function putAdministratorPassword(
  world: World,
  mount: Mount,
  name: string,
  password: string,
): void {
  const config = requireConnection(world, mount, name)
  databaseConfigs.put(world, mount, name, { ...config, password })
}

/** Returns the mount of a row by the row's key, which begins with the mount's UUID. */
export function mountOfKey(key: string): Pick<Mount, 'uuid'> {
  return { uuid: key.slice(0, key.indexOf('/')) }
}

export function rowKey(mount: Mount, name: string): string {
  return storagePrefix(mount) + name
}
