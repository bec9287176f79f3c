import {
  constants,
  createCipheriv,
  createDecipheriv,
  createHmac,
  createPublicKey,
  privateDecrypt,
  publicEncrypt,
} from 'node:crypto'
import type { World } from '../../kernel/worlds/world.ts'
import { decodeInput, keyBytes, readCiphertext, type Versioned } from './ciphertext.ts'
import { type TransitKey, versionOf } from './keys.ts'
import { privateKeyOf } from './material.ts'
import { refuse } from './messages.ts'
import { encrypts, isAead, type KeyType, keyTypeSpec } from './types.ts'

/** Ciphers with 12-byte nonces and 16-byte tags, by their names in Node. */
type AeadName = 'aes-128-gcm' | 'aes-256-gcm' | 'chacha20-poly1305'

/** Length of a nonce in bytes, for every cipher in `AeadName`. */
const nonceBytes = 12
/** Length of an authentication tag in bytes, for every cipher in `AeadName`. */
const authTagLength = 16

/**
 * Encrypts bytes. Returns nonce, ciphertext and tag in one buffer, as the reference lays them out.
 */
export function encryptBytes(
  cipher: AeadName,
  key: Uint8Array,
  nonce: Uint8Array,
  plaintext: Uint8Array,
  additionalData: Uint8Array,
): Buffer {
  const plaintextLength = plaintext.length
  const cipherStream = createCipheriv(cipher as 'aes-256-gcm', key, nonce, { authTagLength })
  cipherStream.setAAD(additionalData, { plaintextLength })
  return Buffer.concat([
    nonce,
    cipherStream.update(plaintext),
    cipherStream.final(),
    cipherStream.getAuthTag(),
  ])
}

/**
 * Decrypts the output of `encryptBytes`. Throws an `invalid` refusal for bytes that are too short
 * or do not match the key and the associated data.
 */
export function decryptBytes(
  cipher: AeadName,
  key: Uint8Array,
  ciphertextBytes: Uint8Array,
  additionalData: Uint8Array,
): Buffer {
  if (ciphertextBytes.length < nonceBytes) throw refuse('ciphertext-too-short')
  const authenticationRefusal = () =>
    refuse(
      cipher === 'chacha20-poly1305' ? 'chacha-authentication-failed' : 'authentication-failed',
    )
  const end = ciphertextBytes.length - authTagLength
  if (end < nonceBytes) throw authenticationRefusal()
  const nonce = ciphertextBytes.subarray(0, nonceBytes)
  const decipherStream = createDecipheriv(cipher as 'aes-256-gcm', key, nonce, { authTagLength })
  decipherStream.setAuthTag(ciphertextBytes.subarray(end))
  decipherStream.setAAD(additionalData, { plaintextLength: end - nonceBytes })
  const plaintext = decipherStream.update(ciphertextBytes.subarray(nonceBytes, end))
  try {
    return Buffer.concat([plaintext, decipherStream.final()])
  } catch {
    throw authenticationRefusal()
  }
}

/** Parameters of one plaintext or ciphertext. */
interface CryptoContext {
  /** Context for a derived key; empty for other keys. */
  readonly context: Uint8Array
  /** Base64; empty if there are no associated data. */
  readonly associatedData: string
  /** Index in the batch, for error messages. */
  readonly at: number
}

/** Decodes base64 from a request. Throws an `invalid` refusal with Go's message. */
export function decodePlaintext(text: string): Uint8Array {
  return decodeInput(text, (why) => refuse('transit-base64-invalid', { why }))
}

/**
 * Encrypts under a key version; 0 means the latest. Throws `invalid` refusals, in the reference's
 * order (behaviour/secrets#transit-encryption).
 */
export function encrypt(
  world: World,
  key: TransitKey,
  requested: number,
  plaintext: Uint8Array,
  cryptoContext: CryptoContext,
): Versioned {
  const { type } = key
  const readAdditionalData = associatedBytes(type, cryptoContext)
  if (!encrypts(type)) throw refuse('encryption-unsupported', { type })
  const version = versionToEncrypt(key, requested)
  if (!isAead(type))
    return { version, text: encryptRsa(world, key, version, plaintext).toString('base64') }
  const cipher = cipherOf(type)
  const { size } = keyTypeSpec(type)
  const derivedBytes = keyBytes(key, version, cryptoContext.context, 2 * 32)
  const nonce = key.convergent_encryption
    ? createHmac('sha256', derivedBytes.subarray(size, size + 32))
        .update(plaintext)
        .digest()
    : world.ids.bytes(nonceBytes)
  const ciphertextBytes = encryptBytes(
    cipher,
    derivedBytes.subarray(0, size),
    nonce.subarray(0, nonceBytes),
    plaintext,
    readAdditionalData(),
  )
  return { version, text: ciphertextBytes.toString('base64') }
}

/**
 * Decrypts a ciphertext. Throws `invalid` refusals, in the reference's order
 * (behaviour/secrets#transit-encryption).
 */
export function decrypt(
  world: World,
  key: TransitKey,
  ciphertext: string,
  cryptoContext: CryptoContext,
): Uint8Array {
  const { type } = key
  const readAdditionalData = associatedBytes(type, cryptoContext)
  if (!encrypts(type)) throw refuse('decryption-unsupported', { type })
  const { version, bytes } = readCiphertext(key, ciphertext)
  if (!isAead(type)) return decryptRsa(world, key, version, bytes)
  const { size } = keyTypeSpec(type)
  const derivedBytes = keyBytes(key, version, cryptoContext.context, size)
  return decryptBytes(cipherOf(type), derivedBytes, bytes, readAdditionalData())
}

function cipherOf(type: KeyType): AeadName {
  const { family, size } = keyTypeSpec(type)
  if (family === 'chacha') return 'chacha20-poly1305'
  return size === 16 ? 'aes-128-gcm' : 'aes-256-gcm'
}

/**
 * Checks that the key type supports the associated data, and throws an `invalid` refusal otherwise.
 * Returns a function that decodes the data and refuses invalid base64. As in the reference, the
 * caller makes other checks before it calls this function.
 */
function associatedBytes(type: KeyType, { associatedData, at }: CryptoContext): () => Uint8Array {
  if (associatedData !== '' && !isAead(type)) {
    throw refuse('associated-data-unsupported', { at, type })
  }
  return () => decodeInput(associatedData, (why) => refuse('associated-data-invalid', { why }))
}

function versionToEncrypt(key: TransitKey, requested: number): number {
  if (requested === 0) return key.latest_version
  if (requested < 0) throw refuse('encryption-version-asked-negative')
  if (requested > key.latest_version) throw refuse('encryption-version-asked-unknown')
  if (requested < key.min_encryption_version) throw refuse('encryption-version-asked-old')
  return requested
}

const oaepOptions = { padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: 'sha256' } as const

function encryptRsa(world: World, key: TransitKey, version: number, plaintext: Uint8Array): Buffer {
  const pair = world.derived(versionOf(key, version), privateKeyOf)
  try {
    return publicEncrypt({ key: createPublicKey(pair), ...oaepOptions }, plaintext)
  } catch {
    throw refuse('rsa-encryption-failed')
  }
}

function decryptRsa(
  world: World,
  key: TransitKey,
  version: number,
  ciphertextBytes: Uint8Array,
): Buffer {
  const pair = world.derived(versionOf(key, version), privateKeyOf)
  try {
    return privateDecrypt({ key: pair, ...oaepOptions }, ciphertextBytes)
  } catch {
    throw refuse('rsa-decryption-failed')
  }
}
