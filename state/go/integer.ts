import { leadingLength } from './leading-length.ts'

const radixPrefixes: readonly (readonly [start: RegExp, radixPrefix: string, digits: RegExp])[] = [
  [/^0x/i, '0x', /^[\da-f_]*/i],
  [/^0b/i, '0b', /^[01_]*/],
  [/^0o/i, '0o', /^[0-7_]*/],
  [/^0/, '0o', /^[0-7_]*/],
  [/^(?=[1-9])/, '', /^[\d_]*/],
]

/**
 * Maximum number of digits that are converted. A number with more digits does not fit into 64 bits.
 */
const maxDigits = 68

/**
 * Parses an integer as Go's ParseInt does with base 0: `-12`, `0x1f`, `0b101`, `0o17`, `017`,
 * `1_000`. Returns undefined for invalid syntax. If the number does not fit into 64 bits, the
 * result is an arbitrary number that does not fit either, because strings may be many megabytes
 * long.
 */
export function parseGoInteger(text: string): bigint | undefined {
  const sign = /^[+-]/.exec(text)?.[0] ?? ''
  const unsigned = text.slice(sign.length)
  for (const [start, radixPrefix, digits] of radixPrefixes) {
    const prefix = start.exec(unsigned)?.[0]
    if (prefix === undefined) continue
    const rest = unsigned.slice(prefix.length)
    if (rest === '' && prefix !== '0') return undefined
    if (leadingLength(rest, digits) < rest.length) return undefined
    if (rest.includes('__') || rest.endsWith('_')) return undefined
    const digitText = rest.replaceAll('_', '')
    const leadingZeros = leadingLength(digitText, /^0*/)
    const size = BigInt(
      `${radixPrefix}${digitText.slice(leadingZeros, leadingZeros + maxDigits) || '0'}`,
    )
    return sign === '-' ? -size : size
  }
  return undefined
}
