import { Base64Error, decodeBase64 } from '../base64.ts'
import { invalid } from '../refusals.ts'

/** Lengths in bytes between which a key share must lie: an AES-128 key, an AES-256 key and its x. */
const shortestShare = 16
const longestShare = 33

/**
 * Reads a key share as callers send it: hex if it decodes, else standard base64
 * (1-secrets-decisions.md section 5, Shares). Gives it as lower-case hex, the form in which shares
 * are kept and compared.
 */
export function readKeyShare(text: string): string {
  if (/^(?:[0-9a-fA-F]{2})+$/.test(text)) return text.toLowerCase()
  try {
    return Buffer.from(decodeBase64(text)).toString('hex')
  } catch (error) {
    if (!(error instanceof Base64Error)) throw error
    throw invalid("'key' must be a valid hex or base64 string")
  }
}

/**
 * Reads a share that has to be there, of a length that can be (1-secrets-decisions.md section 5, POST
 * update, and section 6). `prefix` begins the texts about its length.
 */
export function readRequiredShare(text: string, prefix = ''): string {
  if (text === '') throw invalid("'key' must be specified in request body as JSON")
  const share = readKeyShare(text)
  checkShareLength(share, prefix)
  return share
}

/**
 * Refuses a share of impossible length. `prefix` begins the text where an endpoint words it with
 * `invalid key: ` (1-secrets-decisions.md sections 3, 5 and 6).
 */
export function checkShareLength(share: string, prefix = ''): void {
  const length = share.length / 2
  if (length < shortestShare) {
    throw invalid(`${prefix}key is shorter than minimum ${shortestShare} bytes`)
  }
  if (length > longestShare) {
    throw invalid(`${prefix}key is longer than maximum ${longestShare} bytes`)
  }
}
