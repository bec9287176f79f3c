import { createHash } from 'node:crypto'

/** Tag of a public-key packet (RFC 4880, section 4.3). */
const publicKeyTag = 6

/**
 * Returns the id of the public key in an ASCII armor: the last 16 hexadecimal digits of the
 * fingerprint, in upper case. Returns undefined if the text is not an ASCII armor or its first
 * packet is not a public key of version 4.
 */
export function keyIdOf(armor: string): string | undefined {
  const block = /-----BEGIN PGP PUBLIC KEY BLOCK-----\r?\n([^-]*)-----END PGP/.exec(armor)?.[1]
  if (block === undefined) return undefined
  const lines = block.split('\n').map((line) => line.trim())
  // Headers end at the first blank line. A line that begins with `=` is a checksum.
  const body = lines.slice(lines.indexOf('') + 1).filter((line) => !line.startsWith('='))
  const packet = firstPacket(Buffer.from(body.join(''), 'base64'))
  if (packet?.tag !== publicKeyTag || packet.body[0] !== 4) return undefined
  const hashPrefix = Buffer.from([0x99, packet.body.length >> 8, packet.body.length & 0xff])
  const fingerprint = createHash('sha1').update(hashPrefix).update(packet.body).digest('hex')
  return fingerprint.slice(-16).toUpperCase()
}

/**
 * Returns the tag and the body of the first packet. Returns undefined if the bytes do not begin
 * with a packet, the length is indefinite or above 65,535 bytes, or the packet is cut off (RFC
 * 4880, section 4.2).
 */
function firstPacket(bytes: Buffer) {
  const [tagByte = 0] = bytes
  if ((tagByte & 0x80) === 0 || bytes.length < 6) return undefined
  const isNewFormat = (tagByte & 0x40) !== 0
  const { start, length } = isNewFormat
    ? newFormatLength(bytes)
    : oldFormatLength(bytes, tagByte & 0x03)
  if (length === undefined || length > 0xffff || start + length > bytes.length) return undefined
  const tag = isNewFormat ? tagByte & 0x3f : (tagByte >> 2) & 0x0f
  return { tag, body: bytes.subarray(start, start + length) }
}

interface PacketLength {
  /** Offset of the first byte of the body. */
  readonly start: number
  readonly length: number | undefined
}

function newFormatLength(bytes: Buffer): PacketLength {
  const first = bytes.readUInt8(1)
  if (first < 192) return { start: 2, length: first }
  if (first < 224) return { start: 3, length: ((first - 192) << 8) + bytes.readUInt8(2) + 192 }
  return { start: 6, length: first === 255 ? bytes.readUInt32BE(2) : undefined }
}

function oldFormatLength(bytes: Buffer, kind: number): PacketLength {
  if (kind === 0) return { start: 2, length: bytes.readUInt8(1) }
  if (kind === 1) return { start: 3, length: bytes.readUInt16BE(1) }
  return { start: 5, length: kind === 2 ? bytes.readUInt32BE(1) : undefined }
}
