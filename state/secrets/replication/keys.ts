import {
  createCipheriv,
  createDecipheriv,
  createPrivateKey,
  createPublicKey,
  diffieHellman,
  hkdfSync,
  type KeyObject,
} from 'node:crypto'
import { Base64Error, decodeBase64 } from '../../go/base64.ts'
import { textOf } from '../../kernel/shape/kinds.ts'
import { struct } from '../../kernel/shape/members.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { secretsTable } from '../table.ts'
import { refuse } from './messages.ts'

/**
 * Private keys by public key (base64), for activation tokens that are encrypted instead of wrapped
 * (behaviour/secrets#activation-tokens). The encryption is AES-256-GCM with a key from an ephemeral
 * X25519 exchange.
 */
export const replicationKeys = secretsTable(
  'replication-keys',
  struct({ private_key: textOf({ pattern: '^[0-9a-f]{64}$' }) }),
  { secrets: { members: ['private_key'] }, local: true },
)

const keyBytes = 32
const nonceBytes = 12
const tagBytes = 16
const purpose = 'dr replication activation'

/** DER that precedes the bytes of X25519 keys in PKCS #8 and SPKI (RFC 8410). */
const privateKeyPrefix = Buffer.from('302e020100300506032b656e04220420', 'hex')
const publicKeyPrefix = Buffer.from('302a300506032b656e032100', 'hex')

/** Generates and stores a key pair. Returns the public key: 32 bytes in base64. */
export function generateReplicationKey(world: World): string {
  const seed = world.ids.bytes(keyBytes)
  const text = Buffer.from(publicBytes(privateKey(seed))).toString('base64')
  const private_key = Buffer.from(seed).toString('hex')
  world.write(() => world.table(replicationKeys).put(text, { private_key }))
  return text
}

/**
 * Decodes a public key from base64. Throws an `invalid` refusal for other strings and for unusable
 * keys.
 */
export function readReplicationKey(text: string): Uint8Array {
  try {
    const bytes = decodeBase64(text)
    if (bytes.length === keyBytes && isUsable(bytes)) return bytes
  } catch (error) {
    if (!(error instanceof Base64Error)) throw error
  }
  throw refuse('public-key-unusable')
}

/**
 * Returns whether shared secrets can be derived with a public key. With a point of small order, the
 * derivation fails for every private key.
 */
function isUsable(key: Uint8Array): boolean {
  try {
    diffieHellman({ privateKey: privateKey(Buffer.alloc(keyBytes, 1)), publicKey: publicKey(key) })
    return true
  } catch {
    return false
  }
}

/**
 * Encrypts a string for the owner of a public key. Returns ephemeral key, nonce, tag and ciphertext
 * as unpadded base64url.
 */
export function encryptFor(world: World, key: Uint8Array, text: string): string {
  const ephemeralKey = privateKey(world.ids.bytes(keyBytes))
  const nonce = world.ids.bytes(nonceBytes)
  const cipher = createCipheriv('aes-256-gcm', sharedKey(ephemeralKey, publicKey(key)), nonce)
  const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
  return Buffer.concat([publicBytes(ephemeralKey), nonce, cipher.getAuthTag(), sealed]).toString(
    'base64url',
  )
}

/**
 * Decrypts the output of `encryptFor` with any key of this cluster. Returns undefined if no key can
 * decrypt the text.
 */
export function decryptSealed(world: World, text: string): string | undefined {
  const bytes = Buffer.from(text, 'base64url')
  const headerBytes = keyBytes + nonceBytes + tagBytes
  if (bytes.length <= headerBytes) return undefined
  const nonce = bytes.subarray(keyBytes, keyBytes + nonceBytes)
  const tag = bytes.subarray(keyBytes + nonceBytes, headerBytes)
  for (const { private_key } of world.table(replicationKeys).rows()) {
    try {
      const storedKey = privateKey(Buffer.from(private_key, 'hex'))
      const shared = sharedKey(storedKey, publicKey(bytes.subarray(0, keyBytes)))
      const decipher = createDecipheriv('aes-256-gcm', shared, nonce).setAuthTag(tag)
      return Buffer.concat([
        decipher.update(bytes.subarray(headerBytes)),
        decipher.final(),
      ]).toString()
    } catch {
      // The text was encrypted for another key, or it is not a ciphertext.
    }
  }
  return undefined
}

function privateKey(seed: Uint8Array): KeyObject {
  return createPrivateKey({
    key: Buffer.concat([privateKeyPrefix, seed]),
    format: 'der',
    type: 'pkcs8',
  })
}

function publicKey(bytes: Uint8Array): KeyObject {
  return createPublicKey({
    key: Buffer.concat([publicKeyPrefix, bytes]),
    format: 'der',
    type: 'spki',
  })
}

function publicBytes(key: KeyObject): Uint8Array {
  return createPublicKey(key)
    .export({ format: 'der', type: 'spki' })
    .subarray(publicKeyPrefix.length)
}

function sharedKey(localKey: KeyObject, peerKey: KeyObject): Uint8Array {
  const secret = diffieHellman({ privateKey: localKey, publicKey: peerKey })
  return Buffer.from(hkdfSync('sha256', secret, '', purpose, keyBytes))
}
