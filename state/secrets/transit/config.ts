import { bool, uint } from '../../kernel/shape/kinds.ts'
import { struct } from '../../kernel/shape/members.ts'
import type { StoredOf } from '../../kernel/shape/values.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { type Mount, nextWal, storagePrefix, walField } from '../mounts/mounts.ts'
import { secretsTable } from '../table.ts'
import { transitKeyTable } from './keys.ts'
import { refuse } from './messages.ts'

/** Settings of a transit engine (behaviour/secrets#transit-keys, config/keys and cache-config). */
const transitConfigShape = struct({
  /** True if encrypting under an unknown name must not create a key. */
  disable_upsert: bool,
  /** Number of keys in the cache; 0 for unlimited. Stored and returned only: there is no cache. */
  cache_size: uint,
  ...walField,
})
interface TransitConfig extends StoredOf<typeof transitConfigShape> {}

/** One row per configured mount, under the mount's prefix. */
const transitConfigs = secretsTable('transit-configs', transitConfigShape)

/** The tables of the transit engine. */
export const transitTables = [transitKeyTable, transitConfigs] as const

/** Returns the settings of a mount, with defaults for the unset ones. */
export function transitConfig(world: World, mount: Mount): TransitConfig {
  const stored = world.table(transitConfigs).get(storagePrefix(mount))
  return stored ?? { disable_upsert: false, cache_size: 0 }
}

/** Changes the given settings. Refuses with `invalid` a cache size that is too small. */
export function configureTransit(
  world: World,
  mount: Mount,
  change: Partial<Pick<TransitConfig, 'disable_upsert' | 'cache_size'>>,
): void {
  const config = { ...transitConfig(world, mount), ...change }
  if (config.cache_size !== 0 && config.cache_size < 10) throw refuse('cache-size-small')
  world.write(() => {
    world.table(transitConfigs).put(storagePrefix(mount), { ...config, wal: nextWal(world) })
  })
}
