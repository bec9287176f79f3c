/** Element of DER (X.690). */
export interface DerElement {
  readonly tag: number
  readonly content: Uint8Array
}

/**
 * Decodes a sequence of DER elements.
 *
 * @throws Error if the bytes are not well-formed
 */
export function readElements(bytes: Uint8Array): readonly DerElement[] {
  const elements: DerElement[] = []
  for (let at = 0; at < bytes.length; ) {
    const [tag = 0, first = 0] = bytes.subarray(at)
    const lengthBytes = first < 0x80 ? 0 : first & 0x7f
    const start = at + 2 + lengthBytes
    const length = lengthBytes === 0 ? first : bigEndian(bytes.subarray(at + 2, start))
    if (lengthBytes > 4 || first === 0x80 || start + length > bytes.length) {
      throw new Error('The bytes are not well-formed DER')
    }
    elements.push({ tag, content: bytes.subarray(start, start + length) })
    at = start + length
  }
  return elements
}

/** Returns the members of a constructed element; none if the element is missing. */
export function membersOf(element: DerElement | undefined): readonly DerElement[] {
  return element === undefined ? [] : readElements(element.content)
}

/** Returns the number that some bytes encode, most significant byte first. */
export function bigEndian(bytes: Uint8Array): number {
  return bytes.reduce((value, byte) => value * 256 + byte, 0)
}

/** Formats bytes as pairs of hexadecimal digits, separated by colons. */
export function colonHex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join(':')
}

/** Formats an integer as a serial: like `colonHex`, but without a leading zero byte. */
export function serialText({ content }: DerElement): string {
  return colonHex(content.length > 1 && content[0] === 0 ? content.subarray(1) : content)
}

/** Decodes the content of an element as UTF-8. */
export function textOf({ content }: DerElement): string {
  return new TextDecoder().decode(content)
}

/** Formats an object identifier in dotted notation. */
export function objectIdentifier({ content }: DerElement): string {
  const arcs: bigint[] = []
  let arc = 0n
  for (const byte of content) {
    arc = (arc << 7n) | BigInt(byte & 0x7f)
    if (byte > 0x7f) continue
    arcs.push(arc)
    arc = 0n
  }
  const [joinedArcs = 0n, ...rest] = arcs
  // The first number is 40 times the first arc plus the second arc. The first arc is at most 2.
  const first = joinedArcs < 80n ? joinedArcs / 40n : 2n
  return [first, joinedArcs - first * 40n, ...rest].join('.')
}

/**
 * Returns the instant of a UTCTime or GeneralizedTime in milliseconds since 1970; NaN for any other
 * text.
 */
export function instantOf(element: DerElement): number {
  const digits = textOf(element)
  const century = Number(digits.slice(0, 2)) < 50 ? '20' : '19'
  const full = element.tag === 0x17 ? century + digits : digits
  return Date.parse(full.replace(/^(....)(..)(..)(..)(..)(..)Z$/, '$1-$2-$3T$4:$5:$6Z'))
}

/**
 * Returns the positions of the bits that are set in a bit string. The position of the first bit is
 * 0.
 */
export function bitsOf({ content }: DerElement): readonly number[] {
  const bits = Array.from({ length: (content.length - 1) * 8 }, (_, at) => at)
  return bits.filter((at) => ((content[1 + (at >> 3)] ?? 0) & (0x80 >> (at & 7))) !== 0)
}

/**
 * Returns the bytes of the first PEM block in a text; without a PEM block, decodes the whole text
 * as base64. Throws if the text is not base64.
 */
export function bytesOfPem(text: string): Uint8Array {
  const [, block = text] = /-----BEGIN [^-]*-----([^-]*)-----END/.exec(text) ?? []
  return Uint8Array.from(atob(block.replaceAll(/\s/g, '')), (each) => each.charCodeAt(0))
}
