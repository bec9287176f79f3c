import { refuse } from './messages.ts'

/** Properties of a key type (behaviour/secrets#transit-keys). */
interface KeyTypeSpec {
  readonly family: 'aes' | 'chacha' | 'ed25519' | 'ecdsa' | 'rsa' | 'hmac'
  /**
   * Length of a symmetric key in bytes, or of an RSA modulus in bits; 0 if a curve or the request
   * determines the length.
   */
  readonly size: number
  /** Name of the type in the list of a key's versions; empty for types without public keys. */
  readonly publicName: string
}

const keyTypeSpecs = {
  'aes256-gcm96': { family: 'aes', size: 32, publicName: '' },
  'aes128-gcm96': { family: 'aes', size: 16, publicName: '' },
  'chacha20-poly1305': { family: 'chacha', size: 32, publicName: '' },
  ed25519: { family: 'ed25519', size: 0, publicName: 'ed25519' },
  'ecdsa-p256': { family: 'ecdsa', size: 0, publicName: 'P-256' },
  'ecdsa-p384': { family: 'ecdsa', size: 0, publicName: 'P-384' },
  'ecdsa-p521': { family: 'ecdsa', size: 0, publicName: 'P-521' },
  'rsa-2048': { family: 'rsa', size: 2048, publicName: 'rsa-2048' },
  'rsa-3072': { family: 'rsa', size: 3072, publicName: 'rsa-3072' },
  'rsa-4096': { family: 'rsa', size: 4096, publicName: 'rsa-4096' },
  hmac: { family: 'hmac', size: 0, publicName: '' },
} as const satisfies Record<string, KeyTypeSpec>

export type KeyType = keyof typeof keyTypeSpecs

export const keyTypes = Object.keys(keyTypeSpecs) as readonly KeyType[]

/** Returns the key type with a name. Throws an `invalid` refusal for an unknown name. */
export function keyTypeOf(name: string): KeyType {
  const type = keyTypes.find((each) => each === name)
  if (type === undefined) throw refuse('key-type-unknown', { type: name })
  return type
}

export function keyTypeSpec(type: KeyType): KeyTypeSpec {
  return keyTypeSpecs[type]
}

/** Returns whether a type uses authenticated encryption, which supports associated data. */
export function isAead(type: KeyType): boolean {
  const { family } = keyTypeSpecs[type]
  return family === 'aes' || family === 'chacha'
}

/** Returns whether keys of a type can encrypt and decrypt: symmetric and RSA keys. */
export function encrypts(type: KeyType): boolean {
  return isAead(type) || keyTypeSpecs[type].family === 'rsa'
}

/** Returns whether keys of a type can sign and verify: all asymmetric keys. */
export function signs(type: KeyType): boolean {
  return !(isAead(type) || type === 'hmac')
}

/** Returns whether a type supports keys that are derived from a context. */
export function derives(type: KeyType): boolean {
  return isAead(type) || type === 'ed25519'
}
