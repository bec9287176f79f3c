import type { JsonObject } from '../../../state/kernel/json.ts'
import {
  type DecodedEntry,
  decodeEntry,
  objectOfBody,
} from '../../../state/mesh/config/decode-entry.ts'
import { refuse } from '../../../state/mesh/messages.ts'
import { parseBody, withRefusal } from '../decode.ts'
import type { MeshContext } from '../operation.ts'

/**
 * Parses a body that must be an object. Null counts as an empty object. Throws a refusal for other
 * values.
 */
export function parseObject({ body }: Pick<MeshContext, 'body'>): JsonObject {
  const json = withRefusal(
    () => parseBody(body),
    (problem) => refuse('entry-body-unreadable', { problem }),
  )
  return objectOfBody(json)
}

/**
 * Parses a configuration entry (behaviour/mesh#config). Throws a refusal if the entry cannot be
 * decoded.
 */
export function parseEntry(context: MeshContext): DecodedEntry {
  return decodeEntry(context.world, parseObject(context))
}
