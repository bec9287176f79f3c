import { canonicalJson } from '../../../state/json/json.ts'
import { subkeysOf } from '../../../state/secrets/kv/subkeys.ts'
import { changeEngineConfig, engineConfig } from '../../../state/secrets/kv/v2-config.ts'
import {
  deleteMetadata,
  hasKey,
  listKeys,
  type MetadataPatch,
  patchMetadata,
  readMetadata,
  writeMetadata,
} from '../../../state/secrets/kv/v2-metadata.ts'
import {
  deleteLatest,
  deleteVersions,
  destroyVersions,
  parseVersionData,
  patchVersion,
  readVersion,
  undeleteVersions,
  type VersionReading,
  writeVersion,
} from '../../../state/secrets/kv/v2-versions.ts'
import { unsupportedPath } from '../../../state/secrets/refusals.ts'
import { customPatch, customTexts } from '../custom-texts.ts'
import type { Call, Engine } from '../operation.ts'
import { data, done, empty, JsonText, keys, type Outcome } from '../outcome.ts'
import { endsInPeriod, pathsOf } from '../paths.ts'
import { keysEnvelope, warningEnvelope } from '../schemas.ts'
import {
  configEnvelope,
  configFields,
  goneEnvelope,
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
import { casOf, configValue, keyMetadata, versionMetadataText } from './kv2-values.ts'

const path = pathsOf('1-secrets.md › Endpoints › Key-value v2')

const config = path('config', {
  read: {
    summary: 'Reads the settings of the engine.',
    reply: { 200: configEnvelope },
    run: ({ world, mount }) => data(configValue(engineConfig(world, mount))),
  },
  write: {
    summary: 'Changes the settings of the engine that are given.',
    fields: configFields,
    reply: { 204: null },
    run: ({ world, mount, fields }) => {
      changeEngineConfig(world, mount, fields)
      return empty
    },
  },
})

const secret = path('data/*path', {
  exists: ({ world, mount, params }) => hasKey(world, mount, params.path),
  read: {
    summary: 'Reads one version of a secret.',
    fields: versionFields,
    reply: { 200: readingEnvelope, 404: goneEnvelope },
    run: ({ world, mount, params, fields }) => {
      const reading = readVersion(world, mount, params.path, fields.version)
      return withMetadata('data', reading, reading.data)
    },
  },
  write: {
    summary: 'Writes a new version of a secret.',
    fields: writeFields,
    reply: { 200: versionEnvelope },
    run: ({ world, mount, params, fields }) => {
      const written = writeVersion(world, mount, params.path, fields.data, casOf(fields.options))
      return data(new JsonText(versionMetadataText(written)))
    },
  },
  patch: {
    summary: 'Writes a new version made of the current one and a merge patch.',
    fields: writeFields,
    reply: { 200: versionEnvelope, 404: unpatchableEnvelope },
    run: ({ world, mount, params, fields }) => {
      const cas = casOf(fields.options)
      const { patched, current } = patchVersion(world, mount, params.path, fields.data, cas)
      const text = new JsonText(versionMetadataText(current))
      return patched ? data(text) : { kind: 'envelope', status: 404, data: text }
    },
  },
  delete: {
    summary: 'Deletes the latest version, which keeps its data.',
    reply: { 204: null },
    run: ({ world, mount, params }) => {
      deleteLatest(world, mount, params.path)
      return empty
    },
  },
})

const subkeys = path('subkeys/*path', {
  read: {
    summary: 'Reads the structure of a version with every value replaced by null.',
    fields: subkeysFields,
    reply: { 200: subkeysEnvelope, 404: subkeysGoneEnvelope },
    run: ({ world, mount, params, fields }) => {
      const reading = readVersion(world, mount, params.path, fields.version)
      if (reading.data === null) return withMetadata('subkeys', reading, null)
      const structure = subkeysOf(parseVersionData(reading.data), fields.depth)
      return withMetadata('subkeys', reading, canonicalJson(structure))
    },
  },
})

/** A payload that is text beside the version's metadata; without payload a 404 that says so. */
function withMetadata(name: string, reading: VersionReading, payload: string | null): Outcome {
  const text = `{"${name}":${payload},"metadata":${versionMetadataText(reading)}}`
  return payload === null
    ? { kind: 'envelope', status: 404, data: new JsonText(text) }
    : data(new JsonText(text))
}

const deletion = path('delete/*path', {
  write: {
    summary: 'Deletes versions, which keep their data.',
    fields: versionsFields,
    reply: { 204: null },
    run: ({ world, mount, params, fields }) => {
      deleteVersions(world, mount, params.path, fields.versions)
      return empty
    },
  },
})

const undeletion = path('undelete/*path', {
  write: {
    summary: 'Makes deleted versions readable again.',
    fields: versionsFields,
    reply: { 204: null },
    run: ({ world, mount, params, fields }) => {
      undeleteVersions(world, mount, params.path, fields.versions)
      return empty
    },
  },
})

const destruction = path('destroy/*path', {
  write: {
    summary: 'Removes the data of versions for good.',
    fields: versionsFields,
    reply: { 204: null },
    run: ({ world, mount, params, fields }) => {
      destroyVersions(world, mount, params.path, fields.versions)
      return empty
    },
  },
})

const metadata = path('metadata/*path', {
  exists: ({ world, mount, params }) => hasKey(world, mount, params.path),
  read: {
    summary: 'Reads the settings and versions of a key.',
    reply: { 200: keyEnvelope },
    run: ({ world, mount, params }) => data(keyMetadata(readMetadata(world, mount, params.path))),
  },
  list: {
    summary: 'Lists the names in a folder.',
    reply: { 200: keysEnvelope },
    run: ({ world, mount, params }) => keys(listKeys(world, mount, params.path)),
  },
  write: {
    summary: 'Changes the settings of a key that are given; makes no version.',
    fields: metadataFields,
    reply: { 200: warningEnvelope, 204: null },
    run: ({ world, mount, params, fields: { custom_metadata, ...settings } }) => {
      const change =
        custom_metadata === undefined
          ? settings
          : { ...settings, custom_metadata: customTexts(custom_metadata) }
      return done(writeMetadata(world, mount, params.path, change))
    },
  },
  patch: {
    summary: 'Applies a merge patch to the settings of a key; makes no version.',
    fields: metadataFields,
    reply: { 200: warningEnvelope, 204: null },
    run: ({ world, mount, params, fields: { custom_metadata, ...settings }, input }) => {
      const patch: MetadataPatch = {
        ...settings,
        // null, which conversion passes over here, puts a setting back to its default.
        ...(input['delete_version_after'] === null && { delete_version_after: 0 }),
        ...(custom_metadata !== undefined && { custom_metadata: customPatch(custom_metadata) }),
        ...(input['custom_metadata'] === null && { custom_metadata: null }),
      }
      return done(patchMetadata(world, mount, params.path, patch))
    },
  },
  delete: {
    summary: 'Removes a key with all its versions.',
    reply: { 204: null },
    run: ({ world, mount, params }) => {
      deleteMetadata(world, mount, params.path)
      return empty
    },
  },
})

const bareRoots = new Set(['data', 'metadata', 'delete', 'undelete', 'destroy'])

/** Command of the command-line client for each method, which the hint for a wrong path names. */
const commands: Readonly<Record<string, string>> = {
  POST: 'put',
  PUT: 'put',
  PATCH: 'patch',
  DELETE: 'delete',
}

/** A path that versioned engines do not have: 404 with a hint (1-secrets-decisions.md section 8). */
function wrongPath({ world, mount, path: whole, request: { method } }: Call): Outcome {
  if (endsInPeriod(whole)) throw unsupportedPath()
  engineConfig(world, mount)
  const command = commands[method] ?? (whole.endsWith('/') ? 'list' : 'get')
  const hint = bareRoots.has(whole.slice(mount.path.length))
    ? 'Non-listing operations on the root of a K/V v2 mount are not supported.'
    : `Invalid path for a versioned K/V secrets engine. See the API docs for the appropriate API endpoints to use. If using the Service CLI, use 'secrets kv ${command}' for this operation.`
  return { kind: 'envelope', status: 404, warnings: [hint] }
}

/** The key-value engine with versions (1-secrets.md, Key-value v2). */
export const kv2Engine: Engine = {
  type: 'kv-v2',
  paths: [config, secret, subkeys, deletion, undeletion, destruction, metadata],
  unmatched: wrongPath,
}
