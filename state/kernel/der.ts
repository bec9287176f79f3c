import { greatest } from './lists.ts'
import { formatTimestamp } from './time.ts'

/** Tags of DER (X.690) that certificates use. */
export const derTag = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  null: 0x05,
  oid: 0x06,
  enumerated: 0x0a,
  utf8: 0x0c,
  printable: 0x13,
  ia5: 0x16,
  utcTime: 0x17,
  generalizedTime: 0x18,
  sequence: 0x30,
  set: 0x31,
} as const

/**
 * Error for bytes that are not well-formed DER, and for an element whose tag is not the expected
 * one.
 */
export class DerSyntaxError extends Error {}

/** Encodes one element: tag, length and content. The content is the concatenation of `parts`. */
export function element(tag: number, ...parts: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(parts)
  const { length } = content
  if (length < 0x80) return Buffer.concat([Buffer.from([tag, length]), content])
  const digits = length.toString(16)
  const size = Buffer.from(digits.padStart(digits.length + (digits.length % 2), '0'), 'hex')
  return Buffer.concat([Buffer.from([tag, 0x80 | size.length]), size, content])
}

export const sequence = (...parts: readonly Uint8Array[]): Buffer =>
  element(derTag.sequence, ...parts)

/** Encodes a set. The caller passes the members in the ascending order that DER demands. */
export const set = (...parts: readonly Uint8Array[]): Buffer => element(derTag.set, ...parts)

/**
 * Wraps elements in a context-specific tag such as `[0]`. The elements keep their own tags, as with
 * EXPLICIT in ASN.1.
 */
export const explicit = (number: number, ...parts: readonly Uint8Array[]): Buffer =>
  element(0xa0 | number, ...parts)

/**
 * Encodes primitive content under a context-specific tag, which replaces the content's own tag
 * (IMPLICIT in ASN.1).
 */
export const implicit = (number: number, content: Uint8Array): Buffer =>
  element(0x80 | number, content)

/** Encodes a non-negative integer from its bytes, big-endian. */
export function unsigned(bytes: Uint8Array): Buffer {
  let start = 0
  while (start < bytes.length - 1 && bytes[start] === 0) start += 1
  const digits = bytes.subarray(start)
  const isHigh = (digits[0] ?? 0) > 0x7f
  if (digits.length === 0) return element(derTag.integer, Buffer.from([0]))
  return element(derTag.integer, Buffer.from(isHigh ? [0] : []), digits)
}

/** Encodes a non-negative safe integer. */
export function integer(value: number): Buffer {
  const digits = value.toString(16)
  return unsigned(Buffer.from(digits.padStart(digits.length + (digits.length % 2), '0'), 'hex'))
}

/** The encoded boolean `true`. DER leaves out a `false` that is a default. */
export const encodedTrue = element(derTag.boolean, Buffer.from([0xff]))

export const encodedNull = element(derTag.null)

export const octets = (bytes: Uint8Array): Buffer => element(derTag.octetString, bytes)

/** Encodes bytes as a bit string without unused bits. */
export const bits = (bytes: Uint8Array): Buffer =>
  element(derTag.bitString, Buffer.from([0]), bytes)

/**
 * Encodes a bit string in which the bits with the given numbers are set, without trailing zeros.
 * Bit 0 is the most significant bit of the first byte.
 */
export function namedBits(numbers: readonly number[]): Buffer {
  const last = greatest([-1, ...numbers])
  const bytes = Buffer.alloc(Math.floor(last / 8) + 1)
  for (const number of numbers) {
    const at = Math.floor(number / 8)
    bytes[at] = (bytes[at] ?? 0) | (0x80 >> (number % 8))
  }
  return element(derTag.bitString, Buffer.from([last < 0 ? 0 : 7 - (last % 8)]), bytes)
}

/** Encodes an object identifier in dotted notation, such as `2.5.29.17`. */
export function oid(dotted: string): Buffer {
  const [first = 0n, second = 0n, ...rest] = dotted.split('.').map(BigInt)
  return element(derTag.oid, ...[first * 40n + second, ...rest].map(base128))
}

function base128(arc: bigint): Buffer {
  const bytes = [Number(arc & 0x7fn)]
  for (let left = arc >> 7n; left > 0n; left >>= 7n) bytes.unshift(Number(left & 0x7fn) | 0x80)
  return Buffer.from(bytes)
}

/** Encodes a text as a printable string if its characters allow this; otherwise as UTF-8. */
export function directoryText(text: string): Buffer {
  const tag = /^[A-Za-z0-9 '()+,\-./:=?]*$/.test(text) ? derTag.printable : derTag.utf8
  return element(tag, Buffer.from(text))
}

/**
 * Encodes an instant in milliseconds: as UTC time for the years 1950 to 2049, otherwise as
 * generalized time.
 */
export function time(instant: number): Buffer {
  const digits = `${formatTimestamp(instant).slice(0, 19).replace(/[-T:]/g, '')}Z`
  if (digits >= '1950' && digits < '2050') {
    return element(derTag.utcTime, Buffer.from(digits.slice(2)))
  }
  return element(derTag.generalizedTime, Buffer.from(digits))
}

/**
 * Encodes an instant in milliseconds as generalized time, for any year. `time` uses UTC time for
 * the years 1950 to 2049.
 */
export function generalizedTime(instant: number): Buffer {
  const digits = formatTimestamp(instant).slice(0, 19).replace(/[-T:]/g, '')
  return element(derTag.generalizedTime, Buffer.from(`${digits}Z`))
}

/** An element with undecoded content, as `readElement` returns it. */
export interface DerElement {
  readonly tag: number
  readonly content: Buffer
  /** The whole element with its tag and its length. */
  readonly raw: Buffer
}

/**
 * Reads elements up to the end of the bytes, such as the content of a sequence or set.
 *
 * @throws {DerSyntaxError} if the bytes are not well-formed elements
 */
export function readElements(bytes: Buffer): DerElement[] {
  const elements: DerElement[] = []
  for (let rest = bytes; rest.length > 0; ) {
    const next = readElement(rest)
    elements.push(next)
    rest = rest.subarray(next.raw.length)
  }
  return elements
}

/**
 * Reads the first element and ignores the bytes after it.
 *
 * @throws {DerSyntaxError} if the bytes do not begin with a well-formed element
 */
export function readElement(bytes: Buffer): DerElement {
  const [tag, first] = bytes
  if (tag === undefined || first === undefined) throw new DerSyntaxError('no element')
  const count = first < 0x80 ? 0 : first & 0x7f
  if (count > 4 || first === 0x80 || bytes.length < 2 + count) throw new DerSyntaxError('length')
  const length = count === 0 ? first : bytes.readUIntBE(2, count)
  const end = 2 + count + length
  if (end > bytes.length) throw new DerSyntaxError('too short')
  return { tag, content: bytes.subarray(2 + count, end), raw: bytes.subarray(0, end) }
}

/**
 * Reads the elements inside a constructed element, which must exist and have the given tag.
 *
 * @throws {DerSyntaxError} if the parent is missing or has another tag, or its content is malformed
 */
export function childrenOf(parent: DerElement | undefined, tag: number): DerElement[] {
  if (parent?.tag !== tag) throw new DerSyntaxError('another tag')
  return readElements(parent.content)
}

/** Decodes the content of an object identifier to dotted notation. */
export function readOid(content: Uint8Array): string {
  const arcs: bigint[] = []
  let arc = 0n
  for (const byte of content) {
    arc = (arc << 7n) | BigInt(byte & 0x7f)
    if (byte < 0x80) {
      arcs.push(arc)
      arc = 0n
    }
  }
  const [first = 0n, ...rest] = arcs
  const root = first >= 80n ? 2n : first / 40n
  return [root, first - root * 40n, ...rest].join('.')
}
