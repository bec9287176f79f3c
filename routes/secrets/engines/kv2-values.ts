import { formatGoDuration, SECOND } from '../../../state/go/duration.ts'
import type { JsonObject } from '../../../state/kernel/json.ts'
import { formatTimestamp } from '../../../state/kernel/time.ts'
import type { World } from '../../../state/kernel/worlds/world.ts'
import type { EngineConfig } from '../../../state/secrets/kv/v2-store.ts'
import { firstVersion, type VersionedKey, versionOf } from '../../../state/secrets/kv/v2-store.ts'
import type { Cas, VersionOfKey } from '../../../state/secrets/kv/v2-versions.ts'
import { WeakTypeError, weakInteger } from '../fields/weak-types.ts'

/**
 * Returns the metadata of a version as JSON text. The text for the current version of a key is
 * cached.
 */
export function readMetadataText(world: World, reading: VersionOfKey): string {
  const { number, key } = reading
  return number === key.current_version
    ? world.derived(key, currentMetadataText)
    : versionMetadataText(reading)
}

function currentMetadataText(key: VersionedKey): string {
  const version = versionOf(key, key.current_version)
  if (version === undefined) throw new Error('a key that is read has a current version')
  return versionMetadataText({ number: key.current_version, version, key })
}

/**
 * Returns the metadata of a version as JSON text. The result is text because the reply inserts it
 * beside secrets that are stored as text.
 */
export function versionMetadataText({ number, version, key }: VersionOfKey): string {
  const custom = key.custom_metadata === null ? 'null' : JSON.stringify(key.custom_metadata)
  return `{"created_time":"${formatTimestamp(version.created_time)}","custom_metadata":${custom},"deletion_time":"${timestampOrNone(version.deletion_time)}","destroyed":${version.destroyed},"version":${number}}`
}

function timestampOrNone(instant: number | null): string {
  return instant === null ? '' : formatTimestamp(instant)
}

/** Returns the metadata of a key and of its versions in the form that replies have. */
export function keyMetadata(key: VersionedKey): object {
  const first = firstVersion(key)
  return {
    cas_required: key.cas_required,
    created_time: formatTimestamp(key.created_time),
    current_version: key.current_version,
    custom_metadata: key.custom_metadata,
    delete_version_after: formatGoDuration(key.delete_version_after * SECOND),
    max_versions: key.max_versions,
    oldest_version: key.oldest_version,
    updated_time: formatTimestamp(key.updated_time),
    versions: Object.fromEntries(
      key.versions.map(({ created_time, deletion_time, destroyed }, position) => [
        first + position,
        {
          created_time: formatTimestamp(created_time),
          deletion_time: timestampOrNone(deletion_time),
          destroyed,
        },
      ]),
    ),
  }
}

/** Returns the settings of an engine in the form that replies have. */
export function configValue(config: EngineConfig): object {
  return {
    cas_required: config.cas_required,
    delete_version_after: formatGoDuration(config.delete_version_after * SECOND),
    max_versions: config.max_versions,
  }
}

/**
 * Converts the check-and-set number `options.cas` as the reference converts integers. Returns
 * undefined if `cas` is missing, and `unreadable` if it cannot be converted. Other options are
 * ignored.
 */
export function casOf(options: Readonly<JsonObject> | undefined): Cas {
  if (options === undefined || !Object.hasOwn(options, 'cas')) return undefined
  try {
    return weakInteger(options['cas'] ?? null)
  } catch (error) {
    if (error instanceof WeakTypeError) return 'unreadable'
    throw error
  }
}
