import type { JobHandler } from '../../kernel/worlds/service.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { type Mount, nextWal, storagePrefix } from '../mounts/mounts.ts'
import { kv1Secrets } from './v1.ts'
import { dataKey, kv2Data, kv2Keys, newKey, setUpgrading } from './v2-store.ts'

const finishJob = 'secrets.kv2.finish-upgrade'

/**
 * Converts the secrets of an unversioned mount to version 1 of each key (behaviour/secrets#mounts).
 * The data do not change.
 *
 * @param duration milliseconds until the end of the conversion, during which the mount refuses
 * every operation; by default the conversion is immediate
 */
export function upgradeToVersion2(world: World, mount: Mount, duration = 0): void {
  const prefix = storagePrefix(mount)
  world.write(() => {
    if (duration <= 0) return moveSecrets(world, prefix)
    setUpgrading(world, prefix, true)
    world.agenda.schedule({ at: world.clock.now() + duration, job: finishJob, id: prefix })
  })
}

function moveSecrets(world: World, prefix: string): void {
  const now = world.clock.now()
  const version = { created_time: now, deletion_time: null, destroyed: false }
  // The reference upgrades as if each key retained a single version. Therefore `oldest_version` of
  // a converted key is 1, not 0 as for a new key.
  const key = { ...newKey(now), current_version: 1, oldest_version: 1, versions: [version] }
  const wal = nextWal(world)
  for (const [storage, { data }] of [...world.table(kv1Secrets).entries(prefix)]) {
    world.table(kv2Data).put(dataKey(storage, 1), { data, wal })
    world.table(kv2Keys).put(storage, { ...key, wal })
    world.table(kv1Secrets).delete(storage)
  }
}

/** Cancels the end of an upgrade in progress. Called when the mount is removed. */
export function cancelUpgrade(world: World, mount: Mount): void {
  world.agenda.cancel(finishJob, storagePrefix(mount))
}

export const upgradeJobs: Readonly<Record<string, JobHandler>> = {
  [finishJob]: (world, { id: prefix }) => {
    moveSecrets(world, prefix)
    setUpgrading(world, prefix, false)
  },
}
