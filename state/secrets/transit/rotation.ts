import type { JobHandler } from '../../kernel/worlds/service.ts'
import type { World } from '../../kernel/worlds/world.ts'
import type { Mount } from '../mounts/mounts.ts'
import {
  putTransitKey,
  type TransitKey,
  transitKeys,
  transitKeyTable,
  versionOf,
} from './keys.ts'
import { makeKey } from './material.ts'
import { refuse } from './messages.ts'

const rotateJob = 'secrets.transit.rotate'

/** The job that rotates keys automatically. */
export const transitJobs: Readonly<Record<string, JobHandler>> = {
  [rotateJob]: (world, { id }) => {
    const key = world.table(transitKeyTable).get(id)
    if (key !== undefined) storeRotatedKey(world, id, withNewVersion(world, key))
  },
}

/** Adds a version to a key; refuses an unknown key. */
export function rotateTransitKey(world: World, mount: Mount, name: string): TransitKey {
  const key = transitKeys.find(world, mount, name)
  if (key === undefined) throw refuse('key-to-rotate-unknown')
  const rotated = withNewVersion(world, key)
  storeRotatedKey(world, transitKeys.keyOf(mount, name), rotated)
  return rotated
}

/** Returns the key with a new latest version. */
export function withNewVersion(world: World, key: TransitKey): TransitKey {
  const text = makeKey(world.ids, key.type, key.key_size)
  const hmac = key.type === 'hmac' ? text : Buffer.from(world.ids.bytes(32)).toString('base64')
  const version = { created_time: world.clock.now(), key: text, hmac_key: hmac }
  const latest_version = key.latest_version + 1
  return { ...key, latest_version, versions: { ...key.versions, [latest_version]: version } }
}

/**
 * Stores a key and schedules its automatic rotation one period after its latest version was
 * created.
 */
export function storeRotatedKey(world: World, id: string, key: TransitKey): void {
  world.write(() => {
    putTransitKey(world, id, key)
    stopRotation(world, id)
    if (key.auto_rotate_period === 0) return
    const last = versionOf(key, key.latest_version).created_time
    world.agenda.schedule({ at: last + key.auto_rotate_period * 1000, job: rotateJob, id })
  })
}

/** Cancels the automatic rotation of a key. */
export function stopRotation(world: World, id: string): void {
  world.agenda.cancel(rotateJob, id)
}
