import type { World } from '../../kernel/worlds/world.ts'
import { registeredPlugins } from '../plugins.ts'

/** Behaviour of the plugin for one kind of database. */
interface DatabasePlugin {
  /** Template for user names; a connection can define its own template instead. */
  readonly usernameTemplate: string
  /** Beginning of the message about a connection that cannot be verified. */
  readonly verification: string
  /**
   * Connection details that the plugin requires instead of an address. Each entry has the name of
   * the member, and the name that messages show.
   */
  readonly keys: readonly (readonly [name: string, shown: string])[]
}

/**
 * Builds the default template of a plugin.
 *
 * @param maxLengths maximum lengths of the display name, the role's name and the whole name
 * @param more template functions that are applied to the whole name last
 * @param separator separator of the parts
 */
function nameTemplate(
  maxLengths: readonly [number, number, number],
  more = '',
  separator = '-',
): string {
  const [displayLength, roleLength, totalLength] = maxLengths
  const form = `v${`${separator}%s`.repeat(4)}`
  return `{{ printf "${form}" (.DisplayName | truncate ${displayLength}) (.RoleName | truncate ${roleLength}) (random 20) (unix_time) | truncate ${totalLength}${more} }}`
}

const replaceDashes = ' | replace "-" "_"'
const postgresTemplate = nameTemplate([8, 8, 63])
const mysqlTemplate = nameTemplate([10, 10, 32])

/**
 * User name templates of the plugins that do not use PostgreSQL's template. Keys are plugin names
 * without `-database-plugin`.
 */
const templates: Readonly<Record<string, string>> = {
  mysql: mysqlTemplate,
  'mysql-aurora': mysqlTemplate,
  'mysql-rds': mysqlTemplate,
  'mysql-legacy': '{{ printf "v-%s-%s" (.RoleName | truncate 4) (random 20) | truncate 16 }}',
  mssql: nameTemplate([20, 20, 128]),
  mongodb: nameTemplate([15, 15, 100], ' | replace "." "-"'),
  cassandra: nameTemplate([15, 15, 100], `${replaceDashes} | lowercase`, '_'),
  influxdb: nameTemplate([15, 15, 100], `${replaceDashes} | lowercase`, '_'),
  snowflake: nameTemplate([32, 32, 255], replaceDashes, '_'),
  hana: nameTemplate([32, 20, 127], `${replaceDashes} | uppercase`, '_'),
  redshift: nameTemplate([8, 8, 63], ' | lowercase'),
}

const kinds = [
  'mysql',
  'mysql-aurora',
  'mysql-rds',
  'mysql-legacy',
  'cassandra',
  'couchbase',
  'elasticsearch',
  'hana',
  'influxdb',
  'mongodb',
  'mongodbatlas',
  'mssql',
  'postgresql',
  'redshift',
  'redis',
  'redis-elasticache',
  'snowflake',
] as const

const suffix = '-database-plugin'

const atlasKeys = [
  ['public_key', 'public Key'],
  ['private_key', 'private Key'],
] as const

const plugins: ReadonlyMap<string, DatabasePlugin> = new Map(
  kinds.map((kind) => [
    kind + suffix,
    {
      usernameTemplate: templates[kind] ?? postgresTemplate,
      verification: kind.startsWith('mysql')
        ? 'error verifying - ping'
        : 'error verifying connection',
      keys: kind === 'mongodbatlas' ? atlasKeys : [],
    },
  ]),
)

/** Names of the built-in plugins, sorted. */
export const databasePluginNames: readonly string[] = [...plugins.keys()].sort()

/** Types of credentials by plugin. Plugins that are missing here support only passwords. */
const credentialTypes: Readonly<Record<string, readonly string[]>> = {
  'snowflake-database-plugin': ['password', 'rsa_private_key'],
  'mongodbatlas-database-plugin': ['password', 'client_certificate'],
}

/**
 * Returns the types of credentials that a reply about a connection lists for its plugin. Returns
 * undefined for a plugin that supports only passwords, because the reply then contains no list.
 */
export function namedCredentialTypes(plugin: string): readonly string[] | undefined {
  return Object.hasOwn(credentialTypes, plugin) ? credentialTypes[plugin] : undefined
}

/** Returns whether a plugin supports a type of credentials. All plugins support passwords. */
export function supportsCredentials(plugin: string, type: string): boolean {
  return type === 'password' || namedCredentialTypes(plugin)?.includes(type) === true
}

/** Behaviour assumed for registered plugins, because their real behaviour is not known. */
const registeredPlugin: DatabasePlugin = {
  usernameTemplate: postgresTemplate,
  verification: 'error verifying connection',
  keys: [],
}

/** Returns the plugin with a name; undefined if the name is neither built in nor registered. */
export function findDatabasePlugin(world: World, name: string): DatabasePlugin | undefined {
  const isRegistered = () => registeredPlugins(world, 'database').some((each) => each.name === name)
  return plugins.get(name) ?? (isRegistered() ? registeredPlugin : undefined)
}
