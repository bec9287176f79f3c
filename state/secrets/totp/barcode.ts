import { deflateSync } from 'node:zlib'
import { refuse } from './messages.ts'
import { type Modules, qrCode } from './qr-code.ts'

/** Maximum width of an image in pixels, so that drawing takes little time. */
const maxSize = 2000

/**
 * Returns a QR code of the URL as base64 of a PNG image, or an empty object for size 0. Sizes above
 * 2,000 pixels become 2,000.
 *
 * @throws Refusal `invalid` if the URL is too long for a QR code, and if the size is too small for
 *   the code
 */
export function barcodeOf(url: string, size: number): { readonly barcode?: string } {
  if (size === 0) return {}
  const modules = qrCode(url)
  if (modules === undefined) throw refuse('totp-url-long')
  if (size < modules.length) throw refuse('totp-image-small', { modules: modules.length })
  return { barcode: drawPng(modules, Math.min(size, maxSize)).toString('base64') }
}

/** Computes CRC-32, the checksum of PNG chunks. */
function crc32(bytes: Uint8Array): number {
  let checksum = 0xffffffff
  for (const byte of bytes) {
    checksum ^= byte
    for (let bit = 0; bit < 8; bit++) checksum = (checksum >>> 1) ^ ((checksum & 1) * 0xedb88320)
  }
  return (checksum ^ 0xffffffff) >>> 0
}

function pngChunk(type: string, content: Buffer): Buffer {
  const length = Buffer.alloc(4)
  length.writeUInt32BE(content.length)
  const body = Buffer.concat([Buffer.from(type), content])
  const end = Buffer.alloc(4)
  end.writeUInt32BE(crc32(body))
  return Buffer.concat([length, body, end])
}

/**
 * Encodes modules as a square PNG image in shades of grey. Each module is a whole number of pixels
 * wide; a white margin fills the rest.
 *
 * @param size width of the image in pixels, at least one per module
 */
function drawPng(modules: Modules, size: number): Buffer {
  const scale = Math.floor(size / modules.length)
  const margin = Math.floor((size - scale * modules.length) / 2)
  const isDark = (x: number, y: number) =>
    modules[Math.floor((y - margin) / scale)]?.[Math.floor((x - margin) / scale)] === true
  const rows = Buffer.alloc(size * (size + 1), 0xff)
  for (let y = 0; y < size; y++) {
    const start = y * (size + 1)
    rows[start] = 0
    for (let x = 0; x < size; x++) if (isDark(x, y)) rows[start + 1 + x] = 0
  }
  const header = Buffer.alloc(13)
  header.writeUInt32BE(size, 0)
  header.writeUInt32BE(size, 4)
  header[8] = 8
  return Buffer.concat([
    Buffer.from('89504e470d0a1a0a', 'hex'),
    pngChunk('IHDR', header),
    pngChunk('IDAT', deflateSync(rows)),
    pngChunk('IEND', Buffer.alloc(0)),
  ])
}
