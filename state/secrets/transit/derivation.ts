import { hkdf } from './hkdf.ts'
import { type TransitKey, versionOf } from './keys.ts'
import { refuse } from './texts.ts'

/**
 * The bytes of a version of a key, of a derived one those that belong to a context. Refuses with
 * `invalid` a derived key without context; the context of another key counts for nothing.
 *
 * @param length how many bytes a derived key has
 */
export function keyBytes(
  key: TransitKey,
  version: number,
  context: Uint8Array,
  length: number,
): Uint8Array {
  if (key.derived && context.length === 0) throw refuse('context-missing')
  const own = Buffer.from(versionOf(key, version).key, 'base64')
  return key.derived ? hkdf(own, context, length) : own
}
