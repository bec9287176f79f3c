import { quoteGo } from '../../go/text.ts'
import type { JsonObject } from '../../kernel/json.ts'
import type { Message, MessageParam } from '../../kernel/message.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { removeAliasesAt } from '../identity/aliases.ts'
import { removeGroupAliasesAt } from '../identity/group-aliases.ts'
import { deleteKvData } from '../kv/kv.ts'
import { upgradeToVersion2 } from '../kv/v2-upgrade.ts'
import { revokeLeasesUnder } from '../leases/leases.ts'
import { childNamespaceOnPath, type Namespace } from '../namespaces/namespaces.ts'
import { checkVisibility, pluginNameIn, readConfig, type Tuning, tunedConfig } from './config.ts'
import { message, refuse } from './messages.ts'
import {
  authPrefix,
  isAuthMount,
  isKeyValue,
  type Mount,
  mountConflict,
  mountKey,
  mountOf,
  mounts,
  storagePrefix,
} from './mounts.ts'
import { newMount } from './start-mounts.ts'
import {
  isWithin,
  mountableTypes,
  mountType,
  plainType,
  protectedPaths,
  singletonTypes,
  tokenMountPath,
  typeName,
  untunablePaths,
} from './types.ts'

/** Members of a request to create a mount, with defaults filled in. */
export interface MountRequest {
  /**
   * Path within the namespace or, for authentication methods, below `auth/`. Leading slashes and
   * one trailing slash are ignored.
   */
  readonly path: string
  /** Name of the type in the neutral or the vendor dialect. */
  readonly type: string
  readonly description: string
  readonly config: JsonObject
  readonly options: Readonly<Record<string, string>>
  readonly local: boolean
  readonly seal_wrap: boolean
  readonly external_entropy_access: boolean
  /** Name of the plugin if the type is `plugin`. A name in `config` takes precedence. */
  readonly plugin_name?: string | undefined
}

/**
 * Removes leading slashes from a mount path, and adds the trailing slash if it is missing. An empty
 * path stays empty.
 */
export function mountPath(text: string): string {
  const path = text.replace(/^\/+/, '')
  return path === '' || path.endsWith('/') ? path : `${path}/`
}

/**
 * Mounts a secrets engine. The order of the checks is that of the reference: configuration, type,
 * visibility, path, path in use, unknown type, version (behaviour/secrets#mounts).
 *
 * @throws Refusal `invalid`
 */
export function enableMount(world: World, namespace: Namespace, request: MountRequest): Mount {
  const path = mountPath(request.path)
  const config = readConfig(request.config, 'secret')
  const { type, options } = resolveType(requestedType(request), request.options)
  checkVisibility(config)
  if (isWithin(path, protectedPaths)) throw refuse('mount-protected', { path: quoteGo(path) })
  if (singletonTypes.includes(type)) throw refuse('type-not-mountable', { type: quoteGo(type) })
  checkPathFree(world, namespace, path, '')
  if (!mountableTypes(world, 'secret').includes(type))
    throw refuse('type-unknown', { type: typeName(type) })
  checkKeyValueVersion(type, options)
  return putMount(
    world,
    newMount(world, namespace, { ...mountFields(request), path, type, options, config }),
  )
}

/**
 * Enables an authentication method. Unlike `enableMount`, refuses any version, and the type
 * `token`, whose only mount always exists.
 *
 * @throws Refusal `invalid`
 */
export function enableAuth(world: World, namespace: Namespace, request: MountRequest): Mount {
  const path = mountPath(request.path)
  const config = readConfig(request.config, 'auth')
  const type = requestedType(request)
  if ((request.options['version'] ?? '') !== '') {
    throw refuse('method-without-version', { type: quotedType(type) })
  }
  checkVisibility(config)
  checkPathFree(world, namespace, authPrefix + path, authPrefix)
  if (plainType(type) === 'token') throw refuse('token-method-exists')
  if (!mountableTypes(world, 'auth').includes(type))
    throw refuse('type-unknown', { type: typeName(type) })
  const { options } = request
  const form = { ...mountFields(request), path: authPrefix + path, type, options, config }
  return putMount(world, newMount(world, namespace, form))
}

/**
 * Removes a secrets engine with its data and leases. Does nothing if no engine is mounted at the
 * path. Throws an `invalid` refusal for the system's own mounts, and the engine's refusal if the
 * engine cannot revoke a lease.
 */
export function disableMount(world: World, namespace: Namespace, text: string): void {
  const path = mountPath(text)
  const mount = world.table(mounts).get(mountKey(namespace.id, path))
  if (mount === undefined) return
  if (isWithin(path, protectedPaths)) throw refuse('unmount-protected', { path: quoteGo(path) })
  removeMount(world, mount)
}

/**
 * Disables an authentication method, revokes the tokens that the method issued, and deletes its
 * data and identity aliases. Does nothing if no method is mounted at the path. Throws an `invalid`
 * refusal for the `token` method.
 */
export function disableAuth(world: World, namespace: Namespace, text: string): void {
  const path = authPrefix + mountPath(text)
  const mount = world.table(mounts).get(mountKey(namespace.id, path))
  if (mount === undefined) return
  if (path === tokenMountPath) throw refuse('token-method-stays')
  removeMount(world, mount)
}

/**
 * Returns the mount that contains a path: as in the reference, a path below a mount also selects
 * the mount. Throws an `invalid` refusal if no mount contains the path.
 */
export function tunableMount(world: World, namespace: Namespace, text: string): Mount {
  const path = mountPath(text)
  const mount = mountOf(world, namespace, path)
  if (mount === undefined) throw refuse('tuning-of-nothing', { path: quoteGo(path) })
  return mount
}

/**
 * Changes the given settings of a mount. Upgrades the data of a key-value engine whose version
 * rises to 2. Throws `invalid` refusals.
 *
 * @returns a warning if the version rises, otherwise an empty list
 */
export function tuneMount(
  world: World,
  namespace: Namespace,
  text: string,
  tuning: Tuning,
): Message[] {
  const path = mountPath(text)
  if (isWithin(path, untunablePaths)) throw refuse('tune-protected', { path: quoteGo(path) })
  const mount = mountOf(world, namespace, path)
  if (mount === undefined) throw refuse('tune-absent', { path: quoteGo(path) })
  const config = tunedConfig(mount, tuning)
  if (tuning.token_type !== undefined) checkTokenType(mount)
  const options = tunedOptions(mount, tuning.options ?? {})
  const [before, version] = [statedVersion(mount.options), statedVersion(options)]
  const description = tuning.description ?? mount.description
  const tunedMount = { ...mount, description, config, options }
  world.write(() => {
    putMount(world, tunedMount)
    if (mount.type === 'kv' && before < version && version === 2)
      upgradeToVersion2(world, tunedMount)
  })
  return before < version ? [message('mount-upgrading', { before, version })] : []
}

function checkTokenType(mount: Mount): void {
  if (!isAuthMount(mount)) throw refuse('token-type-not-auth')
  if (plainType(mount.type) === 'token') throw refuse('token-type-of-token-method')
}

/**
 * Returns the tuned options. An empty value removes an option, and the version can only increase.
 * As in the reference's `handleTuneWriteCommon`, mounts of every type accept a version, although
 * requests can create only key-value mounts with a version. Throws the refusals of `checkVersion`.
 */
function tunedOptions(mount: Mount, changes: Readonly<Record<string, string>>) {
  const remainingOptions = Object.entries({ ...mount.options, ...changes }).filter(
    ([, value]) => value !== '',
  )
  const options = Object.fromEntries(remainingOptions)
  const requested = changes['version']
  if (requested !== undefined) {
    options['version'] = checkVersion(requested, statedVersion(mount.options))
  }
  // Only mounts that the system created have null options.
  return Object.keys(options).length === 0 && mount.options === null ? null : options
}

/**
 * Normalizes a version, for example `02` to `2`. Throws an `invalid` refusal for versions other
 * than 1 and 2, and for a version below the current version.
 */
function checkVersion(requested: string, current: number): string {
  if (requested !== '' && !/^[+-]?\d+$/.test(requested)) {
    throw refuse('version-no-number', { asked: quoteGo(requested) })
  }
  const version = Number(requested)
  if (version !== 1 && version !== 2) throw refuse('version-unknown', { version })
  if (version < current) throw refuse('version-downgrade', { present: current })
  return String(version)
}

/** Returns the version in the options of a mount; 0 if the options have no version. */
function statedVersion(options: Readonly<Record<string, string>> | null): number {
  return Number(options?.['version'] ?? '0')
}

/**
 * Returns the type in a request, or the named plugin if the type is `plugin`. Throws an `invalid`
 * refusal if the type or the plugin is missing.
 */
function requestedType({ type, config, plugin_name = '' }: MountRequest): string {
  if (type === '') throw refuse('type-missing')
  if (type !== 'plugin') return mountType(type)
  const name = pluginNameIn(config) || plugin_name
  if (name === '') throw refuse('plugin-name-missing')
  return mountType(name)
}

/**
 * Converts the short types `kv-v1` and `kv-v2` to `kv` with a version. Throws an `invalid` refusal
 * if a type other than `kv` has a version.
 */
function resolveType(
  type: string,
  options: MountRequest['options'],
): Pick<Mount, 'type' | 'options'> {
  const short = /^kv-v([12])$/.exec(type)?.[1]
  if (short !== undefined) return { type: 'kv', options: { ...options, version: short } }
  if (type !== 'kv' && (options['version'] ?? '') !== '') {
    throw refuse('engine-without-version', { type: quotedType(type) })
  }
  return { type, options }
}

/**
 * Throws an `invalid` refusal for versions of the key-value engine other than 1 and 2; no version
 * means 1.
 */
function checkKeyValueVersion(type: string, options: Mount['options']): void {
  const version = options?.['version'] ?? ''
  if (type === 'kv' && !['', '1', '2'].includes(version)) throw refuse('kv-version-unknown')
}

/**
 * Returns a type with its special characters escaped, for messages that contain the type in
 * quotation marks.
 */
function quotedType(type: string): MessageParam {
  return typeName(quoteGo(type).slice(1, -1))
}

function mountFields(request: MountRequest) {
  const { description, local, seal_wrap, external_entropy_access } = request
  return { description, local, seal_wrap, external_entropy_access }
}

/**
 * Throws an `invalid` refusal for an empty path, and for a path that another mount or a namespace
 * uses. As in the reference, the message leaves out the prefix `hiddenPrefix` of the path.
 */
function checkPathFree(
  world: World,
  namespace: Namespace,
  path: string,
  hiddenPrefix: string,
): void {
  if (path === hiddenPrefix) throw refuse('mount-path-missing')
  const conflicting = mountConflict(world, namespace, path)?.path
  // A mount inside the path of a namespace would be unreachable, because a request belongs to the
  // longest namespace that matches its path.
  const below = childNamespaceOnPath(world, namespace, path)?.path.slice(namespace.path.length)
  const by = conflicting ?? below
  if (by !== undefined) throw refuse('mount-in-use', { path: by.slice(hiddenPrefix.length) })
}

function putMount(world: World, mount: Mount): Mount {
  world.write(() => world.table(mounts).put(mountKey(mount.namespace, mount.path), mount))
  return mount
}

/**
 * Removes a mount with its data, leases and identity aliases. Deleting a namespace also calls this
 * function for its mounts. Throws the engine's refusal if the engine cannot revoke a lease.
 */
export function removeMount(world: World, mount: Mount): void {
  world.write(() => {
    revokeLeasesUnder(world, { id: mount.namespace }, mount.path)
    wipeMount(world, mount)
    removeAliasesAt(world, mount.accessor)
    removeGroupAliasesAt(world, mount.accessor)
    world.table(mounts).delete(mountKey(mount.namespace, mount.path))
  })
}

/**
 * Deletes the rows of a mount in every table. The keys of these rows begin with the UUID of the
 * mount, and no other keys begin with this UUID.
 */
function wipeMount(world: World, mount: Mount): void {
  world.write(() => {
    if (isKeyValue(mount)) deleteKvData(world, mount)
    for (const table of world.store.tables.values()) {
      if (table.definition.service === 'secrets') table.deleteAll(storagePrefix(mount))
    }
  })
}
