import type { MessageParam } from '../../kernel/message.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { optionsOf } from '../options.ts'
import { registeredPlugins } from '../plugins.ts'
import { message } from './messages.ts'

/** Secrets engines that can be mounted. */
const secretsEngineTypes: readonly string[] = [
  'kv',
  'generic',
  'database',
  'orch',
  'pki',
  'ssh',
  'totp',
  'transit',
]

/** Authentication methods that can be enabled. */
const authMethodTypes: readonly string[] = [
  'approle',
  'cert',
  'cloud',
  'github',
  'jwt',
  'ldap',
  'oidc',
  'okta',
  'orch',
  'userpass',
]

/**
 * Types that can be mounted, tuned and moved, but have no operations inside the mount. Some
 * programs only set up mounts of these types (behaviour/secrets#mount-only).
 */
const mountOnlyTypes = {
  secret: ['ad', 'aws', 'azure', 'gcp', 'mesh', 'rabbitmq', 'scheduler'],
  auth: ['aws', 'azure', 'cf', 'gcp', 'kerberos', 'radius'],
} as const

/** The kind of mount: secrets engine or authentication method. */
export type MountTable = 'secret' | 'auth'

/** Returns the types that can be mounted in a world. */
export function mountableTypes(world: World, table: MountTable): readonly string[] {
  const known = table === 'auth' ? authMethodTypes : secretsEngineTypes
  const registered = registeredPlugins(world, table).map(({ name }) => name)
  const simulated = optionsOf(world).mountOnly ? mountOnlyTypes[table] : []
  return [...new Set([...known, ...simulated, ...registered])]
}

/** The vendor's names of types, which callers may also use (behaviour/secrets#vendor-names). */
export const typeAliases: Readonly<Record<string, string>> = {
  kubernetes: 'orch',
  oci: 'cloud',
  consul: 'mesh',
  nomad: 'scheduler',
}

/** Returns the specification's name of a type that is given by any of its names. */
export function mountType(text: string): string {
  return Object.hasOwn(typeAliases, text) ? (typeAliases[text] ?? text) : text
}

/** Returns the stored form of an accessor that contains any of its type's names. */
export function neutralAccessor(text: string): string {
  const [, kind = '', type = '', rest = ''] = /^(auth_)?([a-z]+)(_.*)$/s.exec(text) ?? []
  return rest === '' ? text : kind + mountType(type) + rest
}

/**
 * Returns the name of a type for messages: a message where dialects use different names, otherwise
 * the type itself.
 */
export function typeName(type: string): MessageParam {
  switch (type) {
    case 'orch':
    case 'cloud':
    case 'mesh':
    case 'scheduler':
      return message(`type-${type}`)
  }
  return type
}

const systemTypes: readonly string[] = ['cubbyhole', 'system', 'token', 'identity']

/** Prefix of the types of system mounts in child namespaces: `ns_token`. */
export const namespacePrefix = 'ns_'

/** Types of which each namespace has exactly one mount, which exists from the beginning. */
export const singletonTypes: readonly string[] = [
  ...systemTypes,
  ...systemTypes.map((type) => namespacePrefix + type),
]

/** Returns a type without `namespacePrefix`. */
export function plainType(type: string): string {
  return singletonTypes.includes(type) && type.startsWith(namespacePrefix)
    ? type.slice(namespacePrefix.length)
    : type
}

/** Paths where no secrets engine can be mounted, moved or removed. */
export const protectedPaths: readonly string[] = [
  'audit/',
  'auth/',
  'sys/',
  'cubbyhole/',
  'identity/',
]

/** Paths of mounts that cannot be tuned. */
export const untunablePaths: readonly string[] = ['cubbyhole/', 'sys/', 'audit/', 'identity/']

/** The authentication method that cannot be moved or removed. */
export const tokenMountPath = 'auth/token/'

/** Returns whether a path equals one of the paths or lies below one. */
export function isWithin(path: string, paths: readonly string[]): boolean {
  return paths.some((prefix) => path.startsWith(prefix))
}
