import { Base64Error, decodeBase64 } from '../../go/base64.ts'
import type { TransitKey } from './keys.ts'
import { refuse } from './messages.ts'

/** What a key's version sealed or signed, in base64. What is written before it is the dialect's. */
export interface Versioned {
  readonly version: number
  readonly text: string
}

/** What stands before versions: of either dialect, whichever is spoken. */
const prefix = /^(?:service|vault):v/

/** The text without its prefix; undefined where it has none. */
export function withoutPrefix(text: string): string | undefined {
  const found = prefix.exec(text)
  return found === null ? undefined : text.slice(found[0].length)
}

/** Version number and rest of what stands behind the prefix, parted at the first colon. */
export function splitVersion(
  text: string,
): { readonly number: string; readonly rest: string } | undefined {
  const colon = text.indexOf(':')
  return colon < 0 ? undefined : { number: text.slice(0, colon), rest: text.slice(colon + 1) }
}

/** A version number as Go reads one; undefined for what is none. */
export function readVersion(number: string): number | undefined {
  return /^[+-]?\d+$/.test(number) ? Number(number) : undefined
}

/**
 * Takes a ciphertext apart, `<prefix>:v<version>:<base64>`. Refuses with `invalid` what has another
 * form, and versions that the key has not or that may not decrypt.
 */
export function readCiphertext(
  key: TransitKey,
  text: string,
): { readonly version: number; readonly bytes: Uint8Array } {
  const unprefixed = withoutPrefix(text)
  if (unprefixed === undefined) throw refuse('ciphertext-without-prefix')
  const split = splitVersion(unprefixed)
  if (split === undefined) throw refuse('ciphertext-fields')
  const number = readVersion(split.number)
  if (number === undefined) throw refuse('ciphertext-version-unreadable')
  // Once versions began at 0.
  const version = number || 1
  if (version > key.latest_version) throw refuse('ciphertext-too-new')
  if (version < key.min_decryption_version) throw refuse('version-too-old')
  return { version, bytes: decodeInput(split.rest, () => refuse('ciphertext-no-base64')) }
}

/** Decodes base64; what is none is refused as the caller says, who gets Go's reason. */
export function decodeInput(text: string, refused: (why: string) => Error): Uint8Array {
  try {
    return decodeBase64(text)
  } catch (error) {
    throw error instanceof Base64Error ? refused(error.message) : error
  }
}
