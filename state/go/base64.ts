import { Refusal } from '../kernel/refusal.ts'

/** Text that is no standard base64; the message is Go's. */
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
 * @throws Base64Error with the place of the first byte that does not fit, or of a group cut short.
 */
export function decodeBase64(text: string): Uint8Array {
  const joined = text.replace(/[\r\n]/g, '')
  const whole = groups.exec(joined)?.[0].length ?? 0
  const rest = joined.slice(whole)
  if (!padded.test(rest)) {
    const legal = /^[A-Za-z0-9+/]*/.exec(rest)?.[0].length ?? 0
    // A last group that is cut short is told by its first byte, missing padding by its end.
    const at = legal === rest.length ? 0 : /^..=$/.test(rest) ? rest.length : legal
    throw new Base64Error(`illegal base64 data at input byte ${whole + at}`)
  }
  return Uint8Array.from(Buffer.from(joined, 'base64'))
}

/**
 * Decodes standard base64 without padding, as Go's `RawStdEncoding` does.
 *
 * @throws Base64Error with the place of the first byte that does not fit.
 */
export function decodeUnpaddedBase64(text: string): Uint8Array {
  const joined = text.replace(/[\r\n]/g, '')
  const legal = /^[A-Za-z0-9+/]*/.exec(joined)?.[0].length ?? 0
  // A last group of one character holds less than a byte.
  if (legal < joined.length || legal % 4 === 1) {
    const at = legal < joined.length ? legal : legal - 1
    throw new Base64Error(`illegal base64 data at input byte ${at}`)
  }
  return Uint8Array.from(Buffer.from(joined, 'base64'))
}

/** Returns what a text decodes to if it is standard base64 as a whole, else the text itself. */
export function outOfBase64(text: string): string {
  try {
    return Buffer.from(decodeBase64(text)).toString()
  } catch (error) {
    if (error instanceof Base64Error) return text
    throw error
  }
}
