import { compareBytewise } from '../../../state/json/json.ts'
import type { Json, JsonObject } from '../../../state/kernel/json.ts'
import { setMember } from '../../../state/kernel/json.ts'
import type { CustomMetadata } from '../../../state/secrets/kv/v2-metadata.ts'
import { refuse } from '../messages.ts'
import { jsonKind } from './strict-body.ts'
import { WeakTypeError, weakString } from './weak-types.ts'

/**
 * Returns a copy of custom metadata in which every value is a string. Null becomes an empty string.
 * Throws `custom-metadata-unconvertible` for a value that cannot become a string.
 */
export function customTexts(raw: Readonly<JsonObject>): CustomMetadata {
  return mapTexts(raw, customText)
}

/**
 * Returns a copy of a patch of custom metadata in which every value is a string or null. Null is
 * kept, because it removes a member. Throws `custom-metadata-unconvertible` for a value that cannot
 * become a string.
 */
export function customPatch(raw: Readonly<JsonObject>): Readonly<Record<string, string | null>> {
  return mapTexts(raw, (value) => (value === null ? null : customText(value)))
}

/**
 * Returns a patch of the custom metadata of a key. Null is kept, because it removes a member.
 * Throws `custom-metadata-no-text` for a number or a boolean, and `custom-metadata-unconvertible`
 * for a list or an object.
 */
export function textPatch(raw: Readonly<JsonObject>): Readonly<Record<string, string | null>> {
  const texts = customPatch(raw)
  const invalidValue = Object.keys(raw)
    .sort(compareBytewise)
    .map((key) => raw[key] ?? null)
    .find((value) => value !== null && typeof value !== 'string')
  if (invalidValue !== undefined)
    throw refuse('custom-metadata-no-text', { kind: jsonKind(invalidValue) })
  return texts
}

function mapTexts<T>(raw: Readonly<JsonObject>, convert: (value: Json) => T): Record<string, T> {
  const texts: Record<string, T> = {}
  for (const [key, value] of Object.entries(raw)) setMember(texts, key, convert(value))
  return texts
}

function customText(value: Json): string {
  try {
    return weakString(value)
  } catch (error) {
    if (!(error instanceof WeakTypeError)) throw error
    throw refuse('custom-metadata-unconvertible', { why: error.message })
  }
}
