import { refuse } from './messages.ts'

/** Says what a type of key is good for (behaviour/secrets#transit-keys). */
export interface KeyTypeSpec {
  /** The kind of key that it is. */
  readonly family: 'aes' | 'chacha' | 'ed25519' | 'ecdsa' | 'rsa' | 'hmac'
  /** Bytes of a symmetric key, bits of an RSA modulus; 0 where the type says it otherwise. */
  readonly size: number
  /** The name of it in the list of a key's versions. */
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

/** A type of key by its name. */
export type KeyType = keyof typeof keyTypeSpecs

/** The names of all types. */
export const keyTypes = Object.keys(keyTypeSpecs) as readonly KeyType[]

/** The type that a caller names; refuses one that there is not. */
export function keyTypeOf(name: string): KeyType {
  const type = keyTypes.find((each) => each === name)
  if (type === undefined) throw refuse('key-type-unknown', { type: name })
  return type
}

/** The facts of a type. */
export function keyTypeSpec(type: KeyType): KeyTypeSpec {
  return keyTypeSpecs[type]
}

/** Tells whether keys of a type seal with authentication, and may seal associated data. */
export function isAead(type: KeyType): boolean {
  const { family } = keyTypeSpecs[type]
  return family === 'aes' || family === 'chacha'
}

/** Tells whether keys of a type encrypt and decrypt. */
export function encrypts(type: KeyType): boolean {
  return isAead(type) || keyTypeSpecs[type].family === 'rsa'
}

/** Tells whether keys of a type sign. */
export function signs(type: KeyType): boolean {
  return !(isAead(type) || type === 'hmac')
}

/** Tells whether keys of a type may be derived ones. */
export function derives(type: KeyType): boolean {
  return isAead(type) || type === 'ed25519'
}
