import { Refusal } from '../kernel/refusal.ts'

/** Error for an invalid hexadecimal string, with Go's message. */
export class HexError extends Refusal {
  constructor(why: string) {
    super('invalid', `encoding/hex: ${why}`)
    this.name = 'HexError'
  }
}

/**
 * Decodes a hexadecimal text as Go's `hex.DecodeString` does.
 *
 * @throws HexError
 */
export function decodeHex(digits: string): Buffer {
  const invalidDigit = /[^0-9A-Fa-f]/u.exec(digits)?.[0]
  if (invalidDigit !== undefined) {
    const code = (invalidDigit.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')
    throw new HexError(`invalid byte: U+${code} '${invalidDigit}'`)
  }
  if (digits.length % 2 === 1) throw new HexError('odd length hex string')
  return Buffer.from(digits, 'hex')
}
