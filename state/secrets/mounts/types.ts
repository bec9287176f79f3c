import type { MessageParam } from '../../kernel/message.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { optionsOf } from '../options.ts'
import { message } from './messages.ts'

/** Secrets engines that can be mounted. Later engines add themselves here. */
export const secretsEngineTypes: readonly string[] = ['kv', 'generic', 'orch', 'transit']

/** Authentication methods that can be enabled. */
export const authMethodTypes: readonly string[] = [
  'approle',
  'cloud',
  'jwt',
  'oidc',
  'orch',
  'userpass',
]

/**
 * Types that can be mounted, tuned and moved, and have nothing inside: what programs set up on the way
 * to something else (behaviour/secrets#mount-only).
 */
const mountOnlyTypes = {
  secret: [
    'ad',
    'aws',
    'azure',
    'database',
    'gcp',
    'mesh',
    'pki',
    'rabbitmq',
    'scheduler',
    'ssh',
    'totp',
  ],
  auth: ['aws', 'azure', 'cert', 'cf', 'gcp', 'github', 'kerberos', 'ldap', 'okta', 'radius'],
} as const

/** Where a type can be mounted. */
export type MountTable = 'secret' | 'auth'

/** The types that can be mounted in a world. */
export function mountableTypes(world: World, table: MountTable): readonly string[] {
  const known = table === 'auth' ? authMethodTypes : secretsEngineTypes
  return optionsOf(world).mountOnly ? [...known, ...mountOnlyTypes[table]] : known
}

/** Other names that callers may give to types: those of the vendor (behaviour/secrets#vendor-names). */
export const typeAliases: Readonly<Record<string, string>> = {
  kubernetes: 'orch',
  oci: 'cloud',
  consul: 'mesh',
  nomad: 'scheduler',
}

/** A type as the specification calls it, whichever name it was given. */
export function mountType(text: string): string {
  return Object.hasOwn(typeAliases, text) ? (typeAliases[text] ?? text) : text
}

/** An accessor as it is kept, whichever name of its type it was given with. */
export function neutralAccessor(text: string): string {
  const [, kind = '', type = '', rest = ''] = /^(auth_)?([a-z]+)(_.*)$/s.exec(text) ?? []
  return rest === '' ? text : kind + mountType(type) + rest
}

/** A type in texts: those that dialects call otherwise are texts themselves, others as they are. */
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

/** Says what types of the system's mounts begin with inside a child namespace: `ns_token`. */
export const namespacePrefix = 'ns_'

/** Types of which there is one in each namespace, mounted from the beginning. */
export const singletonTypes: readonly string[] = [
  ...systemTypes,
  ...systemTypes.map((type) => namespacePrefix + type),
]

/** A type without what child namespaces put before those of the system's mounts. */
export function plainType(type: string): string {
  return singletonTypes.includes(type) && type.startsWith(namespacePrefix)
    ? type.slice(namespacePrefix.length)
    : type
}

/** Where no secrets engine can be mounted, moved or removed. */
export const protectedPaths: readonly string[] = [
  'audit/',
  'auth/',
  'sys/',
  'cubbyhole/',
  'identity/',
]

/** Whose tuning is fixed. */
export const untunablePaths: readonly string[] = ['cubbyhole/', 'sys/', 'audit/', 'identity/']

/** The authentication method that cannot be moved or removed. */
export const tokenMountPath = 'auth/token/'

/** Tells whether a path is one of some paths or lies below one. */
export function isWithin(path: string, paths: readonly string[]): boolean {
  return paths.some((prefix) => path.startsWith(prefix))
}
