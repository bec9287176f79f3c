import { createHmac } from 'node:crypto'
import { Base64Error, decodeBase64 } from '../../go/base64.ts'
import { type TransitKey, versionOf } from './keys.ts'
import { refuse } from './messages.ts'

/**
 * Returns the key bytes of a version. For a derived key, returns bytes that are derived from the
 * key bytes for the context. Throws an `invalid` refusal for a derived key without a context, and
 * for a version that is missing or below `min_decryption_version`.
 *
 * @param context only used for a derived key
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
 * Derives key bytes by HKDF with SHA-256 and no salt (RFC 5869). Does not use Node's `hkdf`,
 * because that function limits the context to 1024 bytes.
 *
 * @param length number of bytes to derive
 */
export function hkdf(key: Uint8Array, context: Uint8Array, length: number): Buffer {
  const extractedKey = createHmac('sha256', Buffer.alloc(digestBytes)).update(key).digest()
  const blocks: Buffer[] = []
  let last: Uint8Array = new Uint8Array()
  for (let count = 1; (count - 1) * digestBytes < length; count++) {
    const block = createHmac('sha256', extractedKey)
      .update(last)
      .update(context)
      .update(Uint8Array.of(count))
      .digest()
    blocks.push(block)
    last = block
  }
  return Buffer.concat(blocks).subarray(0, length)
}

/**
 * Ciphertext or signature without its prefix: the key version and the base64 text. The dialect
 * determines the prefix.
 */
export interface Versioned {
  readonly version: number
  readonly text: string
}

/**
 * Pattern of the prefix of a ciphertext or signature. Each dialect accepts both the neutral and the
 * vendor's prefix.
 */
const prefix = /^(?:service|vault):v/

/**
 * Removes the prefix of a ciphertext or signature. Returns undefined if the text does not begin
 * with an accepted prefix.
 */
export function withoutPrefix(text: string): string | undefined {
  const found = prefix.exec(text)
  return found === null ? undefined : text.slice(found[0].length)
}

/** Splits `<version>:<base64>`, the text after the prefix; returns undefined without a colon. */
export function splitVersion(
  text: string,
): { readonly number: string; readonly rest: string } | undefined {
  const colon = text.indexOf(':')
  return colon < 0 ? undefined : { number: text.slice(0, colon), rest: text.slice(colon + 1) }
}

/**
 * Parses a decimal number with an optional sign, as Go's `strconv.Atoi` does; returns undefined for
 * other strings.
 */
export function readVersion(number: string): number | undefined {
  return /^[+-]?\d+$/.test(number) ? Number(number) : undefined
}

/**
 * Parses a ciphertext, `<prefix>:v<version>:<base64>`. Throws an `invalid` refusal for any other
 * form, for versions that do not exist, and for versions below the minimum for decryption.
 */
export function readCiphertext(
  key: TransitKey,
  text: string,
): { readonly version: number; readonly bytes: Uint8Array } {
  const unprefixedText = withoutPrefix(text)
  if (unprefixedText === undefined) throw refuse('ciphertext-without-prefix')
  const split = splitVersion(unprefixedText)
  if (split === undefined) throw refuse('ciphertext-fields')
  const number = readVersion(split.number)
  if (number === undefined) throw refuse('ciphertext-version-unreadable')
  // Ciphertexts of early releases of the reference have version 0, which stands for version 1.
  const version = number || 1
  if (version > key.latest_version) throw refuse('ciphertext-too-new').withDetails({ version })
  if (version < key.min_decryption_version) {
    throw refuse('version-too-old').withDetails({ version })
  }
  return { version, bytes: decodeInput(split.rest, () => refuse('ciphertext-no-base64')) }
}

/**
 * Decodes base64. For an invalid text, throws the error that `toRefusal` builds from Go's message.
 */
export function decodeInput(text: string, toRefusal: (why: string) => Error): Uint8Array {
  try {
    return decodeBase64(text)
  } catch (error) {
    throw error instanceof Base64Error ? toRefusal(error.message) : error
  }
}
