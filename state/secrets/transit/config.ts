import { bool, uint } from '../../kernel/shape/kinds.ts'
import { struct } from '../../kernel/shape/members.ts'
import type { StoredOf } from '../../kernel/shape/values.ts'
import { defineTable } from '../../kernel/store/table.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { type Mount, nextWal, storagePrefix, walField } from '../mounts/mounts.ts'
import { transitKeyTable } from './keys.ts'
import { refuse } from './messages.ts'

/** The settings of an engine (behaviour/secrets#transit-keys, config/keys and cache-config). */
const transitConfigShape = struct({
  /** Encrypting makes no keys. */
  disable_upsert: bool,
  /** Keys in the cache, which is none here; 0 for any number. */
  cache_size: uint,
  ...walField,
})
interface TransitConfig extends StoredOf<typeof transitConfigShape> {}

/** One for each mount that has been configured, under its prefix. */
const transitConfigs = defineTable({
  service: 'secrets',
  name: 'transit-configs',
  shape: transitConfigShape,
})

/** The tables of the engine. */
export const transitTables = [transitKeyTable, transitConfigs] as const

/** The settings of a mount, usual ones filled in. */
export function transitConfig(world: World, mount: Mount): TransitConfig {
  const stored = world.table(transitConfigs).get(storagePrefix(mount))
  return stored ?? { disable_upsert: false, cache_size: 0 }
}

/** Changes what is given. Refuses with `invalid` a cache that is too small. */
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
