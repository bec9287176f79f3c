import { createHmac } from 'node:crypto'
import { type TransitKey, versionOf } from './keys.ts'
import { refuse } from './messages.ts'

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
  const keyMaterial = Buffer.from(versionOf(key, version).key, 'base64')
  return key.derived ? hkdf(keyMaterial, context, length) : keyMaterial
}

const digestBytes = 32

/**
 * HKDF with SHA-256 and no salt (RFC 5869). Node's own takes no more than 1024 bytes of context.
 *
 * @param length bytes wanted
 */
export function hkdf(key: Uint8Array, context: Uint8Array, length: number): Buffer {
  const extracted = createHmac('sha256', Buffer.alloc(digestBytes)).update(key).digest()
  const blocks: Buffer[] = []
  let last: Uint8Array = new Uint8Array()
  for (let count = 1; (count - 1) * digestBytes < length; count++) {
    const block = createHmac('sha256', extracted)
      .update(last)
      .update(context)
      .update(Uint8Array.of(count))
      .digest()
    blocks.push(block)
    last = block
  }
  return Buffer.concat(blocks).subarray(0, length)
}
