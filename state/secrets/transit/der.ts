/** The integers `r` and `s` of an ECDSA signature. */
export type Pair = readonly [bigint, bigint]

/**
 * Thrown for bytes that are not a DER signature. `hasTrailingBytes` is true if bytes follow a valid
 * signature, because the reference has a different message for this case.
 */
export class DerError extends Error {
  readonly hasTrailingBytes: boolean

  constructor(hasTrailingBytes: boolean) {
    super('no DER')
    this.hasTrailingBytes = hasTrailingBytes
  }
}

/** Encodes a signature as a DER sequence of two integers. */
export function encodePair(pair: Pair): Buffer {
  return element(0x30, Buffer.concat(pair.map((number) => element(0x02, encodeNumber(number)))))
}

/**
 * Decodes the output of `encodePair`.
 *
 * @throws DerError for other bytes
 */
export function decodePair(bytes: Uint8Array): Pair {
  const sequence = readElement(bytes, 0x30)
  const first = readElement(sequence.content, 0x02)
  const second = readElement(first.rest, 0x02)
  if (second.rest.length > 0) throw new DerError(false)
  if (sequence.rest.length > 0) throw new DerError(true)
  return [decodeNumber(first.content), decodeNumber(second.content)]
}

/** Encodes a non-negative integer, with a leading zero byte if its first bit is set. */
function encodeNumber(number: bigint): Buffer {
  const digits = number.toString(16)
  const paddedDigits = digits.padStart(digits.length + (digits.length % 2), '0')
  return Buffer.from(/^[89a-f]/.test(paddedDigits) ? `00${paddedDigits}` : paddedDigits, 'hex')
}

function decodeNumber(bytes: Uint8Array): bigint {
  const [first, second = 0] = bytes
  // DER integers here must be non-negative and without redundant leading zeros.
  if (first === undefined || first > 0x7f) throw new DerError(false)
  if (first === 0 && bytes.length > 1 && second < 0x80) throw new DerError(false)
  return BigInt(`0x${Buffer.from(bytes).toString('hex')}`)
}

function element(tag: number, content: Uint8Array): Buffer {
  const { length } = content
  const head = length < 0x80 ? [tag, length] : [tag, 0x81, length]
  return Buffer.concat([Buffer.from(head), content])
}

function readElement(bytes: Uint8Array, tag: number) {
  const isLong = bytes[1] === 0x81
  const length = bytes[isLong ? 2 : 1] ?? 0
  const start = isLong ? 3 : 2
  const end = start + length
  if (bytes[0] !== tag || end > bytes.length || isLong !== length > 0x7f) throw new DerError(false)
  return { content: bytes.subarray(start, end), rest: bytes.subarray(end) }
}
