import { canonicalJson } from '../../../state/json/json.ts'
import type { World } from '../../../state/kernel/worlds/world.ts'
import {
  deleteMetadata,
  listKeys,
  type MetadataPatch,
  patchMetadata,
  readMetadata,
  writeMetadata,
} from '../../../state/secrets/kv/v2-metadata.ts'
import { changeEngineConfig, engineConfig, hasKey } from '../../../state/secrets/kv/v2-store.ts'
import {
  deleteLatest,
  deleteVersions,
  destroyVersions,
  parseVersionData,
  patchVersion,
  readVersion,
  subkeysOf,
  undeleteVersions,
  type VersionReading,
  writeVersion,
} from '../../../state/secrets/kv/v2-versions.ts'
import { JsonText } from '../../http/json-text.ts'
import { endsInPeriod } from '../../http/router/router-mounts.ts'
import {
  dataOutcome,
  emptyWithWarnings,
  keysOutcome,
  type SecretsOutcome,
} from '../envelope/outcome.ts'
import { keysEnvelope, warningEnvelope } from '../envelope/schemas.ts'
import { customPatch, customTexts, textPatch } from '../fields/custom-metadata.ts'
import { message, refuse } from '../messages.ts'
import { type Call, type Engine, operationsOf } from '../operation.ts'
import {
  configEnvelope,
  configFields,
  deletedVersionEnvelope,
  keyEnvelope,
  metadataFields,
  readingEnvelope,
  subkeysEnvelope,
  subkeysFields,
  subkeysGoneEnvelope,
  unpatchableEnvelope,
  versionEnvelope,
  versionFields,
  versionsFields,
  writeFields,
} from './kv2-schemas.ts'
import {
  casOf,
  configValue,
  keyMetadata,
  readMetadataText,
  versionMetadataText,
} from './kv2-values.ts'

const operation = operationsOf({ spec: 'behaviour/secrets#api-kv2' })

const operations = [
  operation.read('kv2ReadConfig', 'config', {
    summary: 'Read the settings of the engine.',
    reply: { 200: configEnvelope },
    run: ({ world, mount }) => dataOutcome(configValue(engineConfig(world, mount))),
  }),
  operation.write('kv2WriteConfig', 'config', {
    summary: 'Change the given settings of the engine.',
    body: configFields,
    apply: ({ world, mount, fields }) => changeEngineConfig(world, mount, fields),
  }),
  operation.read('kv2ReadData', 'data/*path', {
    secrets: { reply: ['data/data/**'] },
    summary: 'Read one version of a secret.',
    query: versionFields,
    reply: { 200: readingEnvelope, 404: deletedVersionEnvelope },
    run: ({ world, mount, params, fields }) => {
      const reading = readVersion(world, mount, params.path, fields.version)
      return outcomeWithMetadata(world, 'data', reading, reading.data)
    },
  }),
  operation.write('kv2WriteData', 'data/*path', {
    secrets: { body: ['data/**'] },
    summary: 'Write a new version of a secret.',
    exists: ({ world, mount, params }) => hasKey(world, mount, params.path),
    body: writeFields,
    reply: { 200: versionEnvelope },
    run: ({ world, mount, params, fields }) => {
      const version = writeVersion(world, mount, params.path, fields.data, casOf(fields.options))
      return dataOutcome(new JsonText(versionMetadataText(version)))
    },
  }),
  operation.patch('kv2PatchData', 'data/*path', {
    secrets: { body: ['data/**'] },
    summary: 'Write a new version made of the current one and a merge patch.',
    body: writeFields,
    reply: { 200: versionEnvelope, 404: unpatchableEnvelope },
    run: ({ world, mount, params, fields }) => {
      const cas = casOf(fields.options)
      const { patched, current } = patchVersion(world, mount, params.path, fields.data, cas)
      const text = new JsonText(versionMetadataText(current))
      return patched ? dataOutcome(text) : { kind: 'envelope', status: 404, data: text }
    },
  }),
  operation.delete('kv2DeleteData', 'data/*path', {
    summary: 'Delete the latest version; its data can be restored.',
    apply: ({ world, mount, params }) => deleteLatest(world, mount, params.path),
  }),
  operation.read('kv2ReadSubkeys', 'subkeys/*path', {
    summary: 'Read the structure of a version with every value replaced by null.',
    query: subkeysFields,
    reply: { 200: subkeysEnvelope, 404: subkeysGoneEnvelope },
    run: ({ world, mount, params, fields }) => {
      const reading = readVersion(world, mount, params.path, fields.version)
      if (reading.data === null) return outcomeWithMetadata(world, 'subkeys', reading, null)
      const subkeyTree = subkeysOf(parseVersionData(reading.data), fields.depth)
      return outcomeWithMetadata(world, 'subkeys', reading, canonicalJson(subkeyTree))
    },
  }),
  operation.write('kv2DeleteVersions', 'delete/*path', {
    summary: 'Delete versions; their data can be restored.',
    body: versionsFields,
    apply: ({ world, mount, params, fields }) =>
      deleteVersions(world, mount, params.path, fields.versions),
  }),
  operation.write('kv2UndeleteVersions', 'undelete/*path', {
    summary: 'Restore deleted versions.',
    body: versionsFields,
    apply: ({ world, mount, params, fields }) =>
      undeleteVersions(world, mount, params.path, fields.versions),
  }),
  operation.write('kv2DestroyVersions', 'destroy/*path', {
    summary: 'Destroy the data of versions permanently.',
    body: versionsFields,
    apply: ({ world, mount, params, fields }) =>
      destroyVersions(world, mount, params.path, fields.versions),
  }),
  operation.read('kv2ReadMetadata', 'metadata/*path', {
    summary: 'Read the settings and versions of a key.',
    reply: { 200: keyEnvelope },
    run: ({ world, mount, params }) =>
      dataOutcome(keyMetadata(readMetadata(world, mount, params.path))),
  }),
  operation.list('kv2ListMetadata', 'metadata/*path', {
    summary: 'List the names in a folder.',
    reply: { 200: keysEnvelope },
    run: ({ world, mount, params }) => keysOutcome(listKeys(world, mount, params.path)),
  }),
  operation.write('kv2WriteMetadata', 'metadata/*path', {
    summary: 'Change the given settings of a key; no version is created.',
    exists: ({ world, mount, params }) => hasKey(world, mount, params.path),
    body: metadataFields,
    reply: { 200: warningEnvelope, 204: null },
    run: ({ world, mount, params, fields: { custom_metadata, ...settings } }) => {
      const change =
        custom_metadata === undefined
          ? settings
          : { ...settings, custom_metadata: customTexts(custom_metadata) }
      return emptyWithWarnings(writeMetadata(world, mount, params.path, change))
    },
  }),
  operation.patch('kv2PatchMetadata', 'metadata/*path', {
    summary: 'Apply a merge patch to the settings of a key; no version is created.',
    body: metadataFields,
    failures: [500],
    reply: { 200: warningEnvelope, 204: null },
    run: ({ world, mount, params, fields: { custom_metadata, ...settings }, input }) => {
      const patch: MetadataPatch = {
        ...settings,
        // The conversion of fields ignores null, but null resets this setting to its default.
        ...(input['delete_version_after'] === null && { delete_version_after: 0 }),
        ...(custom_metadata !== undefined && {
          // If the key is missing, numbers and booleans become strings instead of being refused.
          // The missing key is then reported before invalid values.
          custom_metadata: hasKey(world, mount, params.path)
            ? textPatch(custom_metadata)
            : customPatch(custom_metadata),
        }),
        ...(input['custom_metadata'] === null && { custom_metadata: null }),
      }
      return emptyWithWarnings(patchMetadata(world, mount, params.path, patch))
    },
  }),
  operation.delete('kv2DeleteMetadata', 'metadata/*path', {
    summary: 'Remove a key with all its versions.',
    apply: ({ world, mount, params }) => deleteMetadata(world, mount, params.path),
  }),
]

/**
 * Returns 200 with the payload as the member `name`, together with the metadata of the version. If
 * there is no payload, that member is null and the status is 404.
 */
function outcomeWithMetadata(
  world: World,
  name: string,
  reading: VersionReading,
  payload: string | null,
): SecretsOutcome {
  const text = `{"${name}":${payload},"metadata":${readMetadataText(world, reading)}}`
  return payload === null
    ? { kind: 'envelope', status: 404, data: new JsonText(text) }
    : dataOutcome(new JsonText(text))
}

const rootSegments = new Set(['data', 'metadata', 'delete', 'undelete', 'destroy'])

/** Subcommand of the command-line client for each verb, for the hint about a wrong path. */
const commandByVerb = {
  read: 'get',
  list: 'list',
  write: 'put',
  patch: 'patch',
  delete: 'delete',
} as const

/**
 * Returns a 404 with a hint for a path that versioned engines do not have (behaviour/secrets#kv2).
 * Throws `unsupported-path` for a path that ends in a period. Throws `engine-upgrading` while the
 * engine is being upgraded from version 1.
 */
function wrongPathOutcome({ world, mount, path: fullPath, verb }: Call): SecretsOutcome {
  if (endsInPeriod(fullPath)) throw refuse('unsupported-path')
  engineConfig(world, mount)
  const hint = rootSegments.has(fullPath.slice(mount.path.length))
    ? message('kv2-root-operation')
    : message('kv2-path-invalid', { command: commandByVerb[verb] })
  return { kind: 'envelope', status: 404, warnings: [hint] }
}

/** The key-value engine with versions (behaviour/secrets#api-kv2). */
export const kv2Engine: Engine = { type: 'kv-v2', operations, handleUnmatched: wrongPathOutcome }
