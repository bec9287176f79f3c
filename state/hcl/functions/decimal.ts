import { trimEndOf } from '../../kernel/trimming.ts'
import { formatNumber } from '../language/values.ts'

/**
 * A decimal number, `0.<digits>` times ten to the power of `point`. The digits have no zeros at
 * either end.
 */
interface Decimal {
  readonly digits: string
  /** Position of the decimal point, counted from the first digit. */
  readonly point: number
}

/** Forms of floating-point text: with an exponent, without one, or the shorter of the two. */
export type DecimalForm = 'e' | 'f' | 'g'

/**
 * Formats the absolute value of a number as Go's big.Float does.
 *
 * @param magnitude absolute value of the number
 * @param precision number of decimal places, for `g` the number of digits; undefined means as many
 *   as needed
 */
export function formatDecimal(magnitude: number, form: DecimalForm, precision?: number): string {
  const exact = decimalOf(magnitude)
  if (form === 'f') {
    const places = precision ?? Math.max(exact.digits.length - exact.point, 0)
    return formatFixed(roundDecimal(exact, exact.point + places), places)
  }
  if (form === 'e') {
    const places = precision ?? Math.max(exact.digits.length - 1, 0)
    return formatScientific(roundDecimal(exact, places + 1), places)
  }
  const decimal = precision === undefined ? exact : roundDecimal(exact, precision || 1)
  const { digits, point } = decimal
  const exponent = point - 1
  if (exponent < -4 || exponent >= exponentThreshold(decimal, precision)) {
    return formatScientific(decimal, Math.max(digits.length - 1, 0))
  }
  return formatFixed(decimal, Math.max(digits.length - point, 0))
}

/**
 * Returns the smallest exponent for which `%g` uses scientific notation. Without a precision, this
 * is 6. With a precision, this is the precision or, if there are fewer digits and the digits reach
 * the decimal point, the number of digits.
 */
function exponentThreshold({ digits, point }: Decimal, precision: number | undefined): number {
  if (precision === undefined) return 6
  const requestedDigits = precision || 1
  return requestedDigits > digits.length && digits.length >= point ? digits.length : requestedDigits
}

function decimalOf(magnitude: number): Decimal {
  const [whole = '', fraction = ''] = formatNumber(magnitude).split('.')
  const allDigits = whole + fraction
  const significant = allDigits.replace(/^0+/, '')
  const digits = trimEndOf(significant, '0')
  const leadingZeros = allDigits.length - significant.length
  return { digits, point: digits === '' ? 0 : whole.length - leadingZeros }
}

/** Rounds a number to `count` digits; `count` may be 0 or negative. */
function roundDecimal(decimal: Decimal, count: number): Decimal {
  const { digits, point } = decimal
  if (count < 0) return { digits: '', point: 0 }
  if (count >= digits.length) return decimal
  const keptDigits = digits.slice(0, count)
  if (!shouldRoundUp(decimal, count)) {
    const trimmedDigits = trimEndOf(keptDigits, '0')
    return trimmedDigits === '' ? { digits: '', point: 0 } : { digits: trimmedDigits, point }
  }
  const next = String(BigInt(keptDigits || '0') + 1n).padStart(count, '0')
  return { digits: trimEndOf(next, '0'), point: point + next.length - count }
}

function shouldRoundUp(decimal: Decimal, count: number): boolean {
  const { digits } = decimal
  if (digits[count] !== '5' || count + 1 < digits.length) return (digits[count] ?? '0') >= '5'
  const tieBreak = binaryTieBreak(decimal)
  if (tieBreak !== 0) return tieBreak > 0
  return count > 0 && Number(digits[count - 1]) % 2 === 1
}

/** Precision of the product's binary numbers, in bits. */
const precisionBits = 512n

/**
 * Compares a decimal number with the product's nearest binary number. Returns 1 if the binary
 * number is greater, -1 if it is smaller and 0 if both are equal. The result decides how halves are
 * rounded: 2.675 becomes 2.67.
 */
function binaryTieBreak({ digits, point }: Decimal): number {
  const places = digits.length - point
  if (places <= 0) return 0
  const scale = 10n ** BigInt(places)
  const value = BigInt(digits)
  let shift =
    precisionBits - BigInt(value.toString(2).length) + BigInt(scale.toString(2).length) - 1n
  let quotient = (value << shift) / scale
  if (BigInt(quotient.toString(2).length) < precisionBits) {
    shift += 1n
    quotient = (value << shift) / scale
  }
  const remainder = (value << shift) - quotient * scale
  if (remainder === 0n) return 0
  const doubledRemainder = remainder * 2n
  return doubledRemainder > scale || (doubledRemainder === scale && quotient % 2n === 1n) ? 1 : -1
}

function formatFixed({ digits, point }: Decimal, places: number): string {
  const whole = point > 0 ? digits.slice(0, point).padEnd(point, '0') : '0'
  if (places === 0) return whole
  const fraction = point > 0 ? digits.slice(point) : '0'.repeat(-point) + digits
  return `${whole}.${fraction.slice(0, places).padEnd(places, '0')}`
}

function formatScientific({ digits, point }: Decimal, places: number): string {
  const exponent = digits === '' ? 0 : point - 1
  const fraction = places === 0 ? '' : `.${digits.slice(1).padEnd(places, '0')}`
  const sign = exponent < 0 ? '-' : '+'
  return `${digits[0] ?? '0'}${fraction}e${sign}${String(Math.abs(exponent)).padStart(2, '0')}`
}
