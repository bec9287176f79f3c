import type { JsonObject } from '../../kernel/json.ts'
import type { JobHandler } from '../../kernel/worlds/service.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { isVersioned, type Mount, storagePrefix } from '../mounts/mounts.ts'
import { kv1Secrets, readPlainSecret, writePlainSecret } from './v1.ts'
import { readMetadata } from './v2-metadata.ts'
import { hasKey, kv2Configs, kv2Data, kv2Keys, removeKey, versionJobs } from './v2-store.ts'
import { cancelUpgrade, upgradeJobs } from './v2-upgrade.ts'
import { readVersion, writeVersion } from './v2-versions.ts'

export const kvTables = [kv1Secrets, kv2Configs, kv2Keys, kv2Data] as const

export const kvJobs: Readonly<Record<string, JobHandler>> = { ...versionJobs, ...upgradeJobs }

/**
 * Writes a secret of a fixtures document to a key-value mount of either version. In version 2, adds
 * a new version, even if the engine requires `cas`.
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

/**
 * Reads a secret of a key-value mount of either version. In version 2, reads the latest version.
 * @returns the data as JSON text; undefined for a deleted or destroyed version
 * @throws Refusal `absent` if the path has no secret
 */
export function readSecret(world: World, mount: Mount, path: string): string | undefined {
  if (!isVersioned(mount)) return readPlainSecret(world, mount, path).data
  return readVersion(world, mount, path).data ?? undefined
}

/**
 * Returns the paths of all secrets of a key-value mount of either version, relative to the mount.
 * Includes secrets whose versions are all deleted.
 */
export function secretPaths(world: World, mount: Mount): readonly string[] {
  const prefix = storagePrefix(mount)
  const rows: Iterable<readonly [string, object]> = isVersioned(mount)
    ? world.table(kv2Keys).entries(prefix)
    : world.table(kv1Secrets).entries(prefix)
  return Array.from(rows, ([key]) => key.slice(prefix.length))
}

/**
 * Deletes all secrets and settings of a key-value mount of either version, and cancels an upgrade
 * in progress. Called when the mount is removed.
 */
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
