import {
  any,
  bool,
  constant,
  int,
  intOf,
  list,
  map,
  nullable,
  type Shape,
  text,
  textOf,
} from '../../../state/kernel/shape/kinds.ts'
import { described, struct, withDefault } from '../../../state/kernel/shape/members.ts'
import { deletedEnvelope, envelopeOf, structEnvelope } from '../envelope/schemas.ts'
import { requiredField, seconds, signedSeconds } from '../fields/field-kinds.ts'
import type { FieldSchemas } from '../fields/fields.ts'

/** Pattern of RFC 3339 timestamps in UTC (behaviour/secrets#durations). */
const timestamp = '\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(\\.\\d{1,9})?Z'

const instant = textOf({ pattern: `^${timestamp}$` })

const instantOrNone = textOf({ pattern: `^(${timestamp})?$` })

const customMetadata = nullable(map(text))

/** Metadata of a version (behaviour/secrets#api-kv2). */
const versionMetadata = struct({
  created_time: instant,
  custom_metadata: customMetadata,
  deletion_time: instantOrNone,
  destroyed: bool,
  version: intOf({ minimum: 1 }),
})

function shapeWithMetadata(payload: string, shape: Shape): Shape {
  const members: Readonly<Record<string, Shape>> = { [payload]: shape, metadata: versionMetadata }
  return struct(members)
}

export const versionEnvelope = envelopeOf(versionMetadata)
/** Reply to patching a secret whose current version is deleted or destroyed. */
export const unpatchableEnvelope = deletedEnvelope(versionMetadata)

export const readingEnvelope = envelopeOf(shapeWithMetadata('data', map(any)))
/** Reply to reading a deleted or destroyed version: its metadata without data. */
export const deletedVersionEnvelope = deletedEnvelope(shapeWithMetadata('data', constant(null)))

export const subkeysEnvelope = envelopeOf(shapeWithMetadata('subkeys', map(any)))
/**
 * Reply to reading the structure of a deleted or destroyed version: its metadata without the
 * structure.
 */
export const subkeysGoneEnvelope = deletedEnvelope(shapeWithMetadata('subkeys', constant(null)))

export const configEnvelope = structEnvelope({
  cas_required: bool,
  delete_version_after: text,
  max_versions: int,
})

/** Reply to reading the metadata of a secret and of its versions. */
export const keyEnvelope = structEnvelope({
  cas_required: bool,
  created_time: instant,
  current_version: int,
  custom_metadata: customMetadata,
  delete_version_after: text,
  max_versions: int,
  oldest_version: int,
  updated_time: instant,
  versions: map(struct({ created_time: instant, deletion_time: instantOrNone, destroyed: bool })),
})

const maxVersions = described(int, 'Maximum number of versions of each key; 0 means the default')
const casRequired = described(bool, 'Whether every write requires cas')

export const configFields = {
  max_versions: maxVersions,
  cas_required: casRequired,
  delete_version_after: described(
    signedSeconds,
    'Time after which a version is deleted; negative: never, 0: removes the setting',
  ),
} satisfies FieldSchemas

/** Fields of a POST or PATCH of a secret's metadata. */
export const metadataFields = {
  max_versions: maxVersions,
  cas_required: casRequired,
  delete_version_after: described(
    seconds,
    "Time after which a version is deleted; the engine's time if it is shorter",
  ),
  custom_metadata: described(map(any), 'Custom metadata of the secret, which all versions share'),
} satisfies FieldSchemas

/** Fields of a POST or PATCH of a secret's data. */
export const writeFields = {
  options: described(map(any), 'Options; cas is the required current version'),
  data: requiredField(described(map(any), 'The secret, or a JSON merge patch of the secret')),
} satisfies FieldSchemas

export const versionFields = {
  version: withDefault(described(int, 'Version to read; 0 means the latest'), 0),
} satisfies FieldSchemas

export const subkeysFields = {
  ...versionFields,
  depth: withDefault(described(int, 'Maximum depth of the listed folders; 0 means unlimited'), 0),
} satisfies FieldSchemas

/** Field with the versions to delete, undelete or destroy. */
export const versionsFields = {
  versions: withDefault(requiredField(described(list(int), 'Numbers of the versions')), []),
} satisfies FieldSchemas
