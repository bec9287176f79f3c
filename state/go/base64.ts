import { Refusal } from '../kernel/refusal.ts'
import { leadingLength } from './leading-length.ts'

/** Error for an invalid base64 string, with Go's message. */
export class Base64Error extends Refusal {
  constructor(message: string) {
    super('invalid', message)
    this.name = 'Base64Error'
  }
}

const paddedGroup = /^(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)$/

/** Returns the number of leading characters of the base64 alphabet, without padding. */
function alphabetLength(text: string): number {
  return leadingLength(text, /^[A-Za-z0-9+/]*/)
}

/** Returns whether a string is standard base64 with padding and without line breaks. */
export function isBase64(text: string): boolean {
  return text.length % 4 === 0 && invalidByteOf(text) === undefined
}

/**
 * Returns the offset of the error in a base64 string with padding, as Go reports it; undefined for
 * a valid string. Strings may be many megabytes long, so the regular expressions contain no
 * repeated groups.
 */
function invalidByteOf(text: string): number | undefined {
  const digits = alphabetLength(text)
  const fullGroupsLength = digits - (digits % 4)
  const rest = text.slice(fullGroupsLength)
  if (rest === '' || paddedGroup.test(rest)) return undefined
  const validLength = digits - fullGroupsLength
  // Go reports an incomplete last group at its first byte, and missing padding at the end of the
  // text.
  const at = validLength === rest.length ? 0 : /^..=$/.test(rest) ? rest.length : validLength
  return fullGroupsLength + at
}

/**
 * Decodes standard base64 with padding; line breaks are skipped, as Go's `StdEncoding` does.
 *
 * @throws Base64Error with the offset of the first invalid byte, or of an incomplete group
 */
export function decodeBase64(text: string): Uint8Array {
  const unwrapped = text.replace(/[\r\n]/g, '')
  const invalidByte = invalidByteOf(unwrapped)
  if (invalidByte !== undefined) {
    throw new Base64Error(`illegal base64 data at input byte ${invalidByte}`)
  }
  return new Uint8Array(Buffer.from(unwrapped, 'base64'))
}

/**
 * Decodes standard base64 without padding; line breaks are skipped, as Go's `RawStdEncoding` does.
 *
 * @throws Base64Error with the offset of the first invalid byte
 */
export function decodeUnpaddedBase64(text: string): Uint8Array {
  const unwrapped = text.replace(/[\r\n]/g, '')
  const validLength = alphabetLength(unwrapped)
  // A last group of one character encodes less than a byte.
  if (validLength < unwrapped.length || validLength % 4 === 1) {
    const at = validLength < unwrapped.length ? validLength : validLength - 1
    throw new Base64Error(`illegal base64 data at input byte ${at}`)
  }
  return new Uint8Array(Buffer.from(unwrapped, 'base64'))
}

/**
 * Decodes a string to text if the whole string is standard base64 with padding; otherwise returns
 * the string unchanged.
 */
export function decodeBase64OrKeep(text: string): string {
  try {
    return Buffer.from(decodeBase64(text)).toString()
  } catch (error) {
    if (error instanceof Base64Error) return text
    throw error
  }
}
