import { createHmac } from 'node:crypto'

/** Hash functions that keys can use. */
export const totpAlgorithms = ['SHA1', 'SHA256', 'SHA512'] as const
type TotpAlgorithm = (typeof totpAlgorithms)[number]

/** Members of a key that its codes depend on. */
interface CodeSettings {
  /** Base32. */
  readonly key: string
  readonly algorithm: TotpAlgorithm
  readonly digits: number
  /** Interval between two codes in seconds. */
  readonly period: number
}

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

/** Encodes bytes as base32 (RFC 4648) without padding. */
export function encodeBase32(bytes: Uint8Array): string {
  const bits = Array.from(bytes, (byte) => byte.toString(2).padStart(8, '0')).join('')
  return (bits.match(/.{1,5}/g) ?? [])
    .map((part) => alphabet[Number.parseInt(part.padEnd(5, '0'), 2)])
    .join('')
}

/**
 * Returns the index of the first character that is not a base32 digit in either case, or -1 if
 * there is no such character.
 */
export function invalidBase32At(text: string): number {
  return text.toUpperCase().search(/[^A-Z2-7]/)
}

function decodeBase32(text: string): Buffer {
  const bits = Array.from(text, (each) => alphabet.indexOf(each).toString(2).padStart(5, '0'))
  const bytes = bits.join('').match(/.{8}/g) ?? []
  return Buffer.from(bytes.map((byte) => Number.parseInt(byte, 2)))
}

/**
 * Returns the code at an instant (RFC 6238).
 *
 * @param instant milliseconds since 1970
 * @param offset number of periods after the instant; negative for periods before it
 */
export function codeAt(settings: CodeSettings, instant: number, offset = 0): string {
  const { key, algorithm, digits, period } = settings
  const counter = Buffer.alloc(8)
  counter.writeBigInt64BE(BigInt(Math.floor(instant / 1000 / period) + offset))
  const hash = createHmac(algorithm.toLowerCase(), decodeBase32(key)).update(counter).digest()
  const start = (hash.at(-1) ?? 0) & 0xf
  const number = hash.readUInt32BE(start) & 0x7fffffff
  return String(number % 10 ** digits).padStart(digits, '0')
}
