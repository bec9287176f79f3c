import { refuse } from './messages.ts'
import { drawPng } from './png.ts'
import { qrCode } from './qr-code.ts'

/** Maximum width of an image in pixels, so that drawing takes little time. */
const maxSize = 2000

/**
 * Returns the image of a URL as base64; no member for size 0. Larger images than 2,000 pixels have
 * 2,000 pixels.
 * @throws Refusal `invalid` if the image is too small for the code
 */
export function barcodeOf(url: string, size: number): { readonly barcode?: string } {
  if (size === 0) return {}
  const modules = qrCode(url)
  if (modules === undefined) throw refuse('totp-url-long')
  if (size < modules.length) throw refuse('totp-image-small', { modules: modules.length })
  return { barcode: drawPng(modules, Math.min(size, maxSize)).toString('base64') }
}
