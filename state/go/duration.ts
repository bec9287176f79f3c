import type { Integer } from '../kernel/integers.ts'
import { Refusal } from '../kernel/refusal.ts'
import { trimEndOf } from '../kernel/trimming.ts'
import { quoteGo } from './text.ts'

/**
 * Smallest unit of Go's durations. Numbers in this file are nanoseconds unless a name says
 * otherwise.
 */
export const NANOSECOND = 1
export const MICROSECOND = 1_000 * NANOSECOND
export const MILLISECOND = 1_000 * MICROSECOND
export const SECOND = 1_000 * MILLISECOND
export const MINUTE = 60 * SECOND
export const HOUR = 60 * MINUTE
export const DAY = 24 * HOUR

/** Error for an invalid duration, with Go's message. */
export class DurationError extends Refusal {
  constructor(message: string) {
    super('invalid', message)
    this.name = 'DurationError'
  }
}

const units: ReadonlyMap<string, number> = new Map([
  ['ns', NANOSECOND],
  ['us', MICROSECOND],
  ['µs', MICROSECOND],
  ['μs', MICROSECOND],
  ['ms', MILLISECOND],
  ['s', SECOND],
  ['m', MINUTE],
  ['h', HOUR],
])

/** Go's largest duration, an int64; about 292 years. */
const maxDuration = 2n ** 63n - 1n

function isDigit(text: string, at: number): boolean {
  const code = text.charCodeAt(at)
  return code >= 48 && code <= 57
}

/**
 * Returns the length of the unit at a position. Returns 0 unless a unit is there, followed by a
 * number or the end of the text.
 */
function unitLengthAt(text: string, at: number): number {
  for (const length of [2, 1]) {
    const next = at + length
    const isEnd = next >= text.length || isDigit(text, next) || text[next] === '.'
    if (isEnd && units.has(text.slice(at, next))) return length
  }
  return 0
}

/**
 * Parses a Go duration such as `1h30m`, `1.5s`, `-300ms` or `0`.
 *
 * @returns nanoseconds, exact up to 2^53 (104 days), above that rounded to the nearest double
 * @throws DurationError with the message of Go's time.ParseDuration
 */
export function parseGoDuration(text: string): number {
  // Most durations are one number and one unit, small enough for a double.
  const [, count = '', name = ''] = /^(\d{1,6})([mnsuµμh]+)$/.exec(text) ?? []
  const singleUnit = units.get(name)
  if (singleUnit !== undefined) return Number(count) * singleUnit
  const durationError = (why: string) =>
    new DurationError(`time: ${why} ${quote(text)}`).withDetails({ duration: text })
  const invalidDuration = () => durationError('invalid duration')
  const isNegative = text.startsWith('-')
  const unsignedText = isNegative || text.startsWith('+') ? text.slice(1) : text
  if (unsignedText === '0') return 0
  if (unsignedText === '') throw invalidDuration()

  let total = 0n
  let pendingNanoseconds = 0
  for (let at = 0; at < unsignedText.length; ) {
    // Texts may have a million parts. Parts with one or two digits are summed in doubles, which is
    // exact for sums of this size. Such a part is read through substrings of at most two
    // characters, for which the engine allocates no memory.
    if (pendingNanoseconds < 2 ** 52 && total < maxDuration - 2n ** 53n) {
      const digits = isDigit(unsignedText, at) ? (isDigit(unsignedText, at + 1) ? 2 : 1) : 0
      const unitStart = at + digits
      const unitLength = digits === 0 ? 0 : unitLengthAt(unsignedText, unitStart)
      const unit = units.get(unsignedText.slice(unitStart, unitStart + unitLength))
      if (unit !== undefined) {
        pendingNanoseconds += Number(unsignedText.slice(at, unitStart)) * unit
        at = unitStart + unitLength
        continue
      }
    }
    total += BigInt(pendingNanoseconds)
    pendingNanoseconds = 0
    const [part = '', whole = '', fraction = '', name = ''] =
      /^(\d*)(?:\.(\d*))?([^.\d]*)/.exec(unsignedText.slice(at)) ?? []
    const count = parseDigits(whole)
    if ((whole === '' && fraction === '') || count > maxDuration + 1n) throw invalidDuration()
    if (name === '') throw durationError('missing unit in duration')
    const unit = units.get(name)
    if (unit === undefined) {
      throw durationError(`unknown unit ${quote(name)} in duration`)
    }
    total += count * BigInt(unit) + fractionNanoseconds(fraction, unit)
    if (total > maxDuration + 1n) throw invalidDuration()
    at += part.length
  }
  total += BigInt(pendingNanoseconds)
  if (total > maxDuration && !isNegative) throw invalidDuration()
  return total === 0n ? 0 : Number(isNegative ? -total : total)
}

/**
 * Returns a fraction of a unit in whole nanoseconds. Digits beyond Go's int64 are ignored, and the
 * multiplication uses doubles as in Go, so that the result is rounded as in Go.
 */
function fractionNanoseconds(digits: string, unit: number): bigint {
  if (digits === '') return 0n
  const significantDigits = digits.slice(
    0,
    BigInt(digits.slice(0, 19)) > maxDuration + 1n ? 18 : 19,
  )
  return BigInt(
    Math.trunc(Number(significantDigits) * (unit / Number(`1e${significantDigits.length}`))),
  )
}

/**
 * Parses the first 24 significant digits of a string. A number with more digits exceeds the largest
 * duration in any case, and strings may be huge.
 */
function parseDigits(digits: string): bigint {
  return BigInt(digits.replace(/^0+/, '').slice(0, 24))
}

/** Quotes a string as Go's package time does. Bytes below 0x20 and above 0x7f become `\xNN`. */
function quote(text: string): string {
  const escapedText = text.replaceAll(/["\\]|[^\x20-\x7f]/gu, (character) =>
    character === '"' || character === '\\' ? '\\' + character : escapedBytes(character),
  )
  return `"${escapedText}"`
}

function escapedBytes(character: string): string {
  const bytes = [...Buffer.from(character)]
  return bytes.map((byte) => '\\x' + byte.toString(16).padStart(2, '0')).join('')
}

/** Formats nanoseconds as Go's Duration.String does: `1h0m0s`, `1.5s`, `300µs`, `0s`. */
export function formatGoDuration(duration: Integer): string {
  const nanoseconds = Number(duration)
  const length = Math.abs(Math.trunc(nanoseconds))
  const sign = nanoseconds <= -1 ? '-' : ''
  if (length === 0) return '0s'
  if (length < MICROSECOND) return `${sign}${length}ns`
  if (length < MILLISECOND) return `${sign}${formatDecimal(length, MICROSECOND)}µs`
  if (length < SECOND) return `${sign}${formatDecimal(length, MILLISECOND)}ms`
  const seconds = `${formatDecimal(length % MINUTE, SECOND)}s`
  if (length < MINUTE) return sign + seconds
  const minutes = Math.floor(length / MINUTE)
  if (minutes < 60) return `${sign}${minutes}m${seconds}`
  return `${sign}${Math.floor(minutes / 60)}h${minutes % 60}m${seconds}`
}

/** Formats nanoseconds as a decimal number of a unit, without trailing zeros. */
function formatDecimal(length: number, unit: number): string {
  const decimalPlaces = String(unit).length - 1
  const fraction = trimEndOf(String(length % unit).padStart(decimalPlaces, '0'), '0')
  const whole = String(Math.floor(length / unit))
  return fraction === '' ? whole : `${whole}.${fraction}`
}

/**
 * Parses a duration of the secrets service: a number of seconds (also as a string), a Go duration,
 * or whole days with the unit `d`. An empty string is zero (behaviour/secrets#durations).
 *
 * @returns nanoseconds, exact up to 2^53
 * @throws DurationError with the real server's message, and also if the duration overflows, in
 *   which case the real server wraps around
 */
export function parseDuration(value: number | string): number {
  const text = String(value)
  if (text === '') return 0
  const seconds = wholeNumber(text)
  if (seconds !== undefined && isInt64(seconds)) return requireInt64(seconds * BigInt(SECOND), text)
  if (!text.endsWith('d')) return parseGoDuration(text)
  const count = text.slice(0, -1)
  const days = wholeNumber(count)
  if (days !== undefined && isInt64(days)) return requireInt64(days * BigInt(DAY), text)
  const why = days === undefined ? 'invalid syntax' : 'value out of range'
  throw new DurationError(`strconv.ParseInt: parsing ${quoteGo(count)}: ${why}`)
}

function wholeNumber(text: string): bigint | undefined {
  if (!/^[+-]?\d+$/.test(text)) return undefined
  const size = parseDigits(text.replace(/^[+-]/, ''))
  return text.startsWith('-') ? -size : size
}

function isInt64(value: bigint): boolean {
  return BigInt.asIntN(64, value) === value
}

function requireInt64(nanoseconds: bigint, text: string): number {
  if (isInt64(nanoseconds)) return Number(nanoseconds)
  throw new DurationError(`time: invalid duration ${quote(text)}`)
}

/** Returns the whole seconds of a duration, rounded towards zero as the services do. */
export function toSeconds(nanoseconds: number): number {
  return Math.trunc(nanoseconds / SECOND) + 0
}
