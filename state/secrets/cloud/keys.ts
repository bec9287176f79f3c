import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
} from 'node:crypto'
import { refuse } from './messages.ts'

export interface IdentityKey {
  /** The MD5 hash of the public key's DER form, as hex pairs separated by colons. */
  readonly fingerprint: string
  /** The public key (SubjectPublicKeyInfo) in PEM format. */
  readonly publicKey: string
  /** The private key (PKCS#8) in PEM format; undefined if only the public key was given. */
  readonly privateKey: string | undefined
}

/** Length of generated keys in bits, which is the minimum length that the cloud accepts. */
const modulusLength = 2048

/**
 * Parses an RSA key from PEM: a public key, a certificate, or a private key, which contains both
 * halves.
 *
 * @throws Refusal `invalid` for other strings
 */
export function readKey(pem: string): IdentityKey {
  const isPrivate = pem.includes('PRIVATE KEY-----')
  const privateKey = isPrivate ? keyFrom(createPrivateKey, pem) : undefined
  const publicKey = isPrivate && privateKey === undefined ? undefined : publicKeyOf(pem)
  if (publicKey?.asymmetricKeyType !== 'rsa') throw refuse('key-not-rsa')
  return identityKey(publicKey, privateKey)
}

/**
 * Returns the public key in PEM data, which can contain a private key instead. Returns undefined if
 * OpenSSL cannot read the data.
 */
export function publicKeyOf(pem: string): KeyObject | undefined {
  return keyFrom(createPublicKey, pem)
}

function keyFrom(read: (pem: string) => KeyObject, pem: string): KeyObject | undefined {
  try {
    return read(pem)
  } catch {
    // The OpenSSL message, such as "DECODER routines::unsupported", would not help the caller.
    return undefined
  }
}

/** Returns the fingerprint of a key in PEM format; undefined for other strings. */
export function fingerprintOf(pem: string): string | undefined {
  const key = publicKeyOf(pem)
  return key === undefined ? undefined : nameOf(key)
}

/**
 * Generates a random RSA key. The key does not depend on the world's seed, so worlds with equal
 * seeds have different keys (behaviour/program#ids).
 */
export function makeKey(): IdentityKey {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength })
  return identityKey(publicKey, privateKey)
}

function identityKey(publicKey: KeyObject, privateKey: KeyObject | undefined): IdentityKey {
  return {
    fingerprint: nameOf(publicKey),
    publicKey: publicKey.export({ type: 'spki', format: 'pem' }).toString(),
    privateKey: privateKey?.export({ type: 'pkcs8', format: 'pem' }).toString(),
  }
}

function nameOf(publicKey: KeyObject): string {
  const der = publicKey.export({ type: 'spki', format: 'der' })
  const hex = createHash('md5').update(der).digest('hex')
  return hex.match(/../g)?.join(':') ?? ''
}
