import { createCipheriv, createDecipheriv } from 'node:crypto'
import { refuse } from './messages.ts'

/** An authenticated cipher with 12-byte nonces and 16-byte tags. */
export type AeadName = 'aes-128-gcm' | 'aes-256-gcm' | 'chacha20-poly1305'

/** Length of a nonce in bytes. */
export const nonceBytes = 12
const authTagLength = 16

/** Encrypts a plaintext; returns nonce, ciphertext and tag in that order. */
export function encryptBytes(
  cipher: AeadName,
  key: Uint8Array,
  nonce: Uint8Array,
  plaintext: Uint8Array,
  associated: Uint8Array,
): Buffer {
  const plaintextLength = plaintext.length
  const cipherStream = createCipheriv(cipher as 'aes-256-gcm', key, nonce, { authTagLength })
  cipherStream.setAAD(associated, { plaintextLength })
  return Buffer.concat([
    nonce,
    cipherStream.update(plaintext),
    cipherStream.final(),
    cipherStream.getAuthTag(),
  ])
}

/** Decrypts the output of `encryptBytes`. Refuses with `invalid` if the key does not match. */
export function decryptBytes(
  cipher: AeadName,
  key: Uint8Array,
  sealed: Uint8Array,
  associated: Uint8Array,
): Buffer {
  if (sealed.length < nonceBytes) throw refuse('ciphertext-too-short')
  const failed = () =>
    refuse(
      cipher === 'chacha20-poly1305' ? 'chacha-authentication-failed' : 'authentication-failed',
    )
  const end = sealed.length - authTagLength
  if (end < nonceBytes) throw failed()
  const nonce = sealed.subarray(0, nonceBytes)
  const decipherStream = createDecipheriv(cipher as 'aes-256-gcm', key, nonce, { authTagLength })
  decipherStream.setAuthTag(sealed.subarray(end))
  decipherStream.setAAD(associated, { plaintextLength: end - nonceBytes })
  const plaintext = decipherStream.update(sealed.subarray(nonceBytes, end))
  try {
    return Buffer.concat([plaintext, decipherStream.final()])
  } catch {
    throw failed()
  }
}
