import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
} from 'node:crypto'
import { refuse } from './messages.ts'

/** An RSA key of an identity, out of PEM. */
export interface IdentityKey {
  /** Names the public key: the MD5 of its DER form, as pairs of hex digits with colons. */
  readonly fingerprint: string
  /** SubjectPublicKeyInfo as PEM. */
  readonly publicKey: string
  /** PKCS#8 as PEM, if the private half was given too. */
  readonly privateKey: string | undefined
}

/** As the cloud asks for at least. */
const modulusLength = 2048

/**
 * Reads an RSA key from PEM: a public key, a certificate, or a private key, which has both halves.
 *
 * @throws invalid for everything else.
 */
export function readKey(pem: string): IdentityKey {
  const isPrivate = pem.includes('PRIVATE KEY-----')
  const privateKey = isPrivate ? keyFrom(createPrivateKey, pem) : undefined
  const publicKey = isPrivate && privateKey === undefined ? undefined : publicKeyOf(pem)
  if (publicKey?.asymmetricKeyType !== 'rsa') throw refuse('key-not-rsa')
  return identityKey(publicKey, privateKey)
}

/** A public key out of PEM; undefined when it is none. */
export function publicKeyOf(pem: string): KeyObject | undefined {
  return keyFrom(createPublicKey, pem)
}

function keyFrom(read: (pem: string) => KeyObject, pem: string): KeyObject | undefined {
  try {
    return read(pem)
  } catch {
    // OpenSSL's reasons help nobody: "DECODER routines::unsupported".
    return undefined
  }
}

/** The fingerprint of a public key; undefined for text that is no key. */
export function fingerprintOf(pem: string): string | undefined {
  const key = publicKeyOf(pem)
  return key === undefined ? undefined : nameOf(key)
}

/** A new RSA key. Real randomness: worlds of equal seeds have different ones (behaviour/program#ids). */
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
