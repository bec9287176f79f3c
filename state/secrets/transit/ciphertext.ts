import { Base64Error, decodeBase64 } from '../../go/base64.ts'
import type { TransitKey } from './keys.ts'
import { refuse } from './messages.ts'

/**
 * A ciphertext or signature in base64, with the key version that made it. The dialect adds the
 * prefix.
 */
export interface Versioned {
  readonly version: number
  readonly text: string
}

/** The prefixes before a version number, accepted in both dialects. */
const prefix = /^(?:service|vault):v/

/** Returns the text without its prefix; undefined if it has no prefix. */
export function withoutPrefix(text: string): string | undefined {
  const found = prefix.exec(text)
  return found === null ? undefined : text.slice(found[0].length)
}

/** Splits the text after the prefix at its first colon into version number and remainder. */
export function splitVersion(
  text: string,
): { readonly number: string; readonly rest: string } | undefined {
  const colon = text.indexOf(':')
  return colon < 0 ? undefined : { number: text.slice(0, colon), rest: text.slice(colon + 1) }
}

/** Parses a version number as Go does; undefined if it is not a number. */
export function readVersion(number: string): number | undefined {
  return /^[+-]?\d+$/.test(number) ? Number(number) : undefined
}

/**
 * Parses a ciphertext, `<prefix>:v<version>:<base64>`. Refuses with `invalid` any other form,
 * versions that the key lacks, and versions that may not decrypt.
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
  // Versions used to start at 0.
  const version = number || 1
  if (version > key.latest_version) throw refuse('ciphertext-too-new')
  if (version < key.min_decryption_version) throw refuse('version-too-old')
  return { version, bytes: decodeInput(split.rest, () => refuse('ciphertext-no-base64')) }
}

/**
 * Decodes base64. For invalid base64 it throws the error that `refused` builds from Go's message.
 */
export function decodeInput(text: string, refused: (why: string) => Error): Uint8Array {
  try {
    return decodeBase64(text)
  } catch (error) {
    throw error instanceof Base64Error ? refused(error.message) : error
  }
}
