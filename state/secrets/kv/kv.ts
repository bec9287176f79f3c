import type { JsonObject } from '../../kernel/json.ts'
import type { Job } from '../../kernel/service.ts'
import type { World } from '../../kernel/world.ts'
import { isVersioned, type Mount, storagePrefix } from '../mounts/mounts.ts'
import { kv1Secrets, writePlainSecret } from './v1.ts'
import { readMetadata } from './v2-metadata.ts'
import { hasKey, kv2Configs, kv2Data, kv2Keys, removeKey, versionJobs } from './v2-store.ts'
import { cancelUpgrade, upgradeJobs } from './v2-upgrade.ts'
import { writeVersion } from './v2-versions.ts'

/** The tables of both versions of the key-value engine. */
export const kvTables = [kv1Secrets, kv2Configs, kv2Keys, kv2Data] as const

/** Their jobs on the agenda. */
export const kvJobs: Readonly<Record<string, Job>> = { ...versionJobs, ...upgradeJobs }

/**
 * Writes a secret to a key-value mount of either version, as fixtures do: in the second a new
 * version, whether the engine asks for `cas` or not.
 */
export function putSecret(
  world: World,
  mount: Mount,
  path: string,
  data: Readonly<JsonObject>,
): void {
  if (!isVersioned(mount)) {
    writePlainSecret(world, mount, path, data)
    return
  }
  const cas = hasKey(world, mount, path) ? readMetadata(world, mount, path).current_version : 0
  writeVersion(world, mount, path, data, cas)
}

/** Deletes everything that a key-value mount of either version holds. */
export function deleteKvData(world: World, mount: Mount): void {
  const prefix = storagePrefix(mount)
  world.write(() => {
    cancelUpgrade(world, mount)
    for (const [storage, key] of [...world.table(kv2Keys).entries(prefix)]) {
      removeKey(world, storage, key)
    }
    world.table(kv2Configs).delete(prefix)
    world.table(kv1Secrets).deleteAll(prefix)
  })
}
