import type { World } from '../../kernel/worlds/world.ts'
import { type Namespace, rootNamespace } from '../namespaces/namespaces.ts'
import { optionsOf } from '../options.ts'
import { isInitialized } from '../seal/node-machine.ts'
import { defaultMountConfig } from './config.ts'
import { authPrefix, type Mount, mountKey, mounts } from './mounts.ts'
import { namespacePrefix } from './types.ts'

/** A new mount: path and type, and the members that differ from the defaults. */
type MountForm = Pick<Mount, 'path' | 'type'> & Partial<Mount>

/** Mounts that every namespace has in addition to `sys/`. */
const commonMounts: readonly MountForm[] = [
  {
    path: 'cubbyhole/',
    type: 'cubbyhole',
    description: 'per-token private secret storage',
    local: true,
    options: null,
  },
  {
    path: 'identity/',
    type: 'identity',
    description: 'identity store',
    config: { ...defaultMountConfig, passthrough_request_headers: ['Authorization'] },
    options: null,
  },
  {
    path: 'auth/token/',
    type: 'token',
    description: 'token based credentials',
    options: null,
  },
]

const systemMount: MountForm = {
  path: 'sys/',
  type: 'system',
  description: 'system endpoints used for control, policy and debugging',
  seal_wrap: true,
  config: { ...defaultMountConfig, passthrough_request_headers: ['Accept'] },
  options: null,
}

/**
 * Creates the mounts of the initial state, unless they exist (behaviour/secrets#start-state). The
 * option `start` determines the mounts: for `bare`, only those that every server has; for `dev`,
 * also `secret/`; otherwise also example mounts. In a world that is not initialized, creates only
 * `sys/`, for the endpoints that initialize the world.
 */
export function seedMounts(world: World): void {
  seedSystemMount(world)
  if (!isInitialized(world)) return
  const { kvVersion, orchPath, cloudPath, start } = optionsOf(world)
  for (const form of commonMounts) addMount(world, rootNamespace, form)
  if (start === 'bare') return
  addMount(world, rootNamespace, {
    path: 'secret/',
    type: 'kv',
    description: 'key/value secret storage',
    options: { version: String(kvVersion) },
  })
  if (start === 'dev') return
  const exampleMounts: readonly MountForm[] = [
    { path: 'kv/', type: 'kv', options: { version: '1' } },
    { path: orchPath, type: 'orch' },
    { path: cloudPath, type: 'cloud' },
  ]
  for (const form of exampleMounts) addMount(world, rootNamespace, form)
}

/**
 * Creates the system mounts of a new namespace, and no secrets engines. The types of the mounts
 * have the prefix of namespaces, as in `ns_system`.
 */
export function seedNamespaceMounts(world: World, namespace: Namespace): void {
  for (const form of [systemMount, ...commonMounts]) {
    addMount(world, namespace, { ...form, type: namespacePrefix + form.type })
  }
}

/** Creates `sys/` in the root namespace, unless it exists. */
export function seedSystemMount(world: World): void {
  addMount(world, rootNamespace, systemMount)
}

function addMount(world: World, namespace: Namespace, form: MountForm): void {
  const key = mountKey(namespace.id, form.path)
  if (world.table(mounts).has(key)) return
  world.write(() => world.table(mounts).put(key, newMount(world, namespace, form)))
}

/**
 * Builds a mount without storing it. The accessor and the UUID are new; other members that are not
 * given have defaults.
 */
export function newMount(world: World, namespace: Namespace, form: MountForm): Mount {
  const kind = form.path.startsWith(authPrefix) ? `auth_${form.type}` : form.type
  return {
    namespace: namespace.id,
    description: '',
    accessor: `${kind}_${world.ids.hex(8)}`,
    uuid: world.ids.uuid(),
    config: defaultMountConfig,
    options: {},
    local: false,
    seal_wrap: false,
    external_entropy_access: false,
    ...form,
  }
}
