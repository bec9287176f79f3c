import { Refusal } from '../kernel/refusal.ts'

/** Error for an invalid base64 text, with Go's message. */
export class Base64Error extends Refusal {
  constructor(message: string) {
    super('invalid', message)
    this.name = 'Base64Error'
  }
}

const groups = /^(?:[A-Za-z0-9+/]{4})*/
const padded = /^(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/

/**
 * Decodes standard base64 with padding; line breaks are skipped, as Go's `StdEncoding` does.
 *
 * @throws Base64Error with the offset of the first invalid byte, or of an incomplete group
 */
export function decodeBase64(text: string): Uint8Array {
  const unwrapped = text.replace(/[\r\n]/g, '')
  const fullGroupsLength = groups.exec(unwrapped)?.[0].length ?? 0
  const rest = unwrapped.slice(fullGroupsLength)
  if (!padded.test(rest)) {
    const validLength = /^[A-Za-z0-9+/]*/.exec(rest)?.[0].length ?? 0
    // Go reports an incomplete last group at its first byte, and missing padding at the end of the
    // text.
    const at = validLength === rest.length ? 0 : /^..=$/.test(rest) ? rest.length : validLength
    throw new Base64Error(`illegal base64 data at input byte ${fullGroupsLength + at}`)
  }
  return Uint8Array.from(Buffer.from(unwrapped, 'base64'))
}

/**
 * Decodes standard base64 without padding, as Go's `RawStdEncoding` does.
 *
 * @throws Base64Error with the offset of the first invalid byte
 */
export function decodeUnpaddedBase64(text: string): Uint8Array {
  const unwrapped = text.replace(/[\r\n]/g, '')
  const validLength = /^[A-Za-z0-9+/]*/.exec(unwrapped)?.[0].length ?? 0
  // A last group of one character contains less than a byte.
  if (validLength < unwrapped.length || validLength % 4 === 1) {
    const at = validLength < unwrapped.length ? validLength : validLength - 1
    throw new Base64Error(`illegal base64 data at input byte ${at}`)
  }
  return Uint8Array.from(Buffer.from(unwrapped, 'base64'))
}

/** Decodes a text if all of it is standard base64; otherwise returns the text itself. */
export function decodeBase64OrKeep(text: string): string {
  try {
    return Buffer.from(decodeBase64(text)).toString()
  } catch (error) {
    if (error instanceof Base64Error) return text
    throw error
  }
}
