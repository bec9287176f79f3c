import type { MessageParam } from '../../kernel/message.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { optionsOf } from '../options.ts'
import { registeredPlugins } from '../plugins.ts'
import { message } from './messages.ts'

/** Types of secrets engines that have operations. */
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

/** Types of authentication methods that have operations. */
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
 * Types without operations: their mounts can only be created, read, tuned, moved and removed, which
 * is enough for programs that set up mounts (behaviour/secrets#mount-only).
 */
const mountOnlyTypes = {
  secret: ['ad', 'aws', 'azure', 'gcp', 'mesh', 'rabbitmq', 'scheduler'],
  auth: ['aws', 'azure', 'cf', 'gcp', 'kerberos', 'radius'],
} as const

/** Kind of mount: secrets engine or authentication method. */
export type MountTable = 'secret' | 'auth'

/**
 * Returns the types that requests can mount: built-in types, types without operations if the option
 * `mountOnly` is set, and registered plugins.
 */
export function mountableTypes(world: World, table: MountTable): readonly string[] {
  const known = table === 'auth' ? authMethodTypes : secretsEngineTypes
  const registered = registeredPlugins(world, table).map(({ name }) => name)
  const typesWithoutOperations = optionsOf(world).mountOnly ? mountOnlyTypes[table] : []
  return [...new Set([...known, ...typesWithoutOperations, ...registered])]
}

/**
 * Neutral names of types by their vendor names, which callers can also use
 * (behaviour/secrets#vendor-names).
 */
export const typeAliases: Readonly<Record<string, string>> = {
  kubernetes: 'orch',
  oci: 'cloud',
  consul: 'mesh',
  nomad: 'scheduler',
}

/** Converts a type to its neutral name. */
export function mountType(text: string): string {
  return Object.hasOwn(typeAliases, text) ? (typeAliases[text] ?? text) : text
}

/**
 * Converts the type inside an accessor to its neutral name, because stored accessors contain
 * neutral names.
 */
export function neutralAccessor(text: string): string {
  const [, kind = '', type = '', rest = ''] = /^(auth_)?([a-z]+)(_.*)$/s.exec(text) ?? []
  return rest === '' ? text : kind + mountType(type) + rest
}

/**
 * Returns the name of a type for use in a message. If the dialects have different names for the
 * type, returns a nested message, so that each dialect shows its own name.
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

/** Prefix of the types of system mounts in child namespaces, as in `ns_token`. */
export const namespacePrefix = 'ns_'

/** Types with exactly one mount in each namespace, which requests can neither create nor delete. */
export const singletonTypes: readonly string[] = [
  ...systemTypes,
  ...systemTypes.map((type) => namespacePrefix + type),
]

/** Removes `namespacePrefix` from the type of a system mount. Returns other types unchanged. */
export function plainType(type: string): string {
  return singletonTypes.includes(type) && type.startsWith(namespacePrefix)
    ? type.slice(namespacePrefix.length)
    : type
}

/** Paths at which requests can neither mount, move nor remove secrets engines. */
export const protectedPaths: readonly string[] = [
  'audit/',
  'auth/',
  'sys/',
  'cubbyhole/',
  'identity/',
]

export const untunablePaths: readonly string[] = ['cubbyhole/', 'sys/', 'audit/', 'identity/']

/** Path of the authentication method that cannot be moved or removed. */
export const tokenMountPath = 'auth/token/'

/** Returns whether a path equals one of the paths or lies below one of them. */
export function isWithin(path: string, paths: readonly string[]): boolean {
  return paths.some((prefix) => path.startsWith(prefix))
}
