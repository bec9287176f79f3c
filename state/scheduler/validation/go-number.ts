import { quoteGo } from '../../go/text.ts'

/** Returns the error that Go's `strconv.ParseUint` reports, or undefined for a valid number. */
export function parseUintError(text: string, base: 8 | 10, bits: 12 | 64): string | undefined {
  const digits = base === 8 ? /^[0-7]+$/ : /^\d+$/
  const failure = (why: string) => `strconv.ParseUint: parsing ${quoteGo(text)}: ${why}`
  if (!digits.test(text)) return failure('invalid syntax')
  const value = BigInt(base === 8 ? `0o${text}` : text)
  return value < 2n ** BigInt(bits) ? undefined : failure('value out of range')
}
