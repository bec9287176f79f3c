import { Base64Error, decodeBase64 } from '../../go/base64.ts'
import { refuse } from './messages.ts'

/**
 * Minimum and maximum length of a key share in bytes: an AES-128 key; an AES-256 key and its x
 * byte.
 */
const minShareLength = 16
const maxShareLength = 33

/**
 * Parses a key share as callers send it: hex if its length is that of a share, otherwise standard
 * base64 (behaviour/secrets#shares). Returns lower-case hex, the form in which shares are stored
 * and compared.
 */
export function readKeyShare(text: string): string {
  const { length } = text
  const fits = length >= 2 * minShareLength && length <= 2 * maxShareLength
  if (fits && /^(?:[0-9a-fA-F]{2})+$/.test(text)) return text.toLowerCase()
  try {
    return Buffer.from(decodeBase64(text)).toString('hex')
  } catch (error) {
    if (!(error instanceof Base64Error)) throw error
    throw refuse('share-unreadable')
  }
}

/**
 * Parses a required share and checks its length (behaviour/secrets#rekey update, and
 * behaviour/secrets#operation-tokens). `prefixed` puts `invalid key: ` before messages about the
 * length.
 */
export function readRequiredShare(text: string, prefixed = false): string {
  if (text === '') throw refuse('share-missing')
  const share = readKeyShare(text)
  checkShareLength(share, prefixed)
  return share
}

/**
 * Refuses a share of invalid length; `prefixed` puts `invalid key: ` before the message
 * (behaviour/secrets#system, behaviour/secrets#rekey and behaviour/secrets#operation-tokens).
 */
export function checkShareLength(share: string, prefixed = false): void {
  const length = share.length / 2
  if (length >= minShareLength && length <= maxShareLength) return
  const fault =
    length < minShareLength
      ? refuse('share-too-short', { shortestShare: minShareLength })
      : refuse('share-too-long', { longestShare: maxShareLength })
  throw prefixed ? refuse('invalid-key', { fault: fault.reason }) : fault
}
