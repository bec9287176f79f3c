import { createHmac } from 'node:crypto'
import { type TransitKey, versionOf } from './keys.ts'
import { refuse } from './messages.ts'

/**
 * Returns the key bytes of a version; for a derived key, those derived for the context. Refuses
 * with `invalid` a derived key without a context; other keys ignore the context.
 *
 * @param length length of a derived key in bytes
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
 * Derives key bytes by HKDF with SHA-256 and no salt (RFC 5869). Node's implementation limits the
 * context to 1024 bytes.
 *
 * @param length number of bytes to derive
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
