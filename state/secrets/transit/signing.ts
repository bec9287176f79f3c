import { type KeyObject, sign as signBytes } from 'node:crypto'
import { quoteGo } from '../../go/text.ts'
import { Refusal } from '../../kernel/refusal.ts'
import type { World } from '../../kernel/worlds/world.ts'
import type { Versioned } from './ciphertext.ts'
import { keyBytes } from './ciphertext.ts'
import { type Curve, curveOf, scalarOf, signDigest, toFixedBytes } from './curves.ts'
import { encodePair } from './der.ts'
import { digestOf, type HashSpec, hashNamed } from './hashes.ts'
import { type TransitKey, type TransitVersion, versionOf } from './keys.ts'
import { ed25519Key, ed25519Public, privateKeyOf } from './material.ts'
import { maxSaltLength, modulusBytes, signPkcs1, signPss } from './rsa-signing.ts'
import { refuse } from './signing-messages.ts'
import { keyTypeSpec } from './types.ts'

/** Signing options in the spelling of the request. */
interface SigningRequest {
  readonly hash: string
  /** `asn1` or `jws`. */
  readonly marshaling: string
  /** `pss` or `pkcs1v15`; empty means `pss`. */
  readonly scheme: string
  /** `auto`, `hash` or a number of bytes. */
  readonly salt: string
  /** True if the input is already a digest. */
  readonly prehashed: boolean
}

export interface SigningOptions {
  /** Hash function of the input. Undefined for `none`: RSA then signs the input itself. */
  readonly hash: HashSpec | undefined
  readonly isJws: boolean
  readonly scheme: string
  /** Length in bytes. `auto` is the longest that fits, `hash` the length of the hash. */
  readonly salt: 'auto' | 'hash' | number
  readonly prehashed: boolean
}

/**
 * A signature. For a derived key, `publicKey` is the public key for the context; otherwise it is
 * undefined.
 */
export interface VersionedSignature extends Versioned {
  readonly publicKey: string | undefined
}

/**
 * Parses the signing options of a request. Throws `invalid` refusals, in the reference's order
 * (behaviour/secrets#transit-signing).
 */
export function resolveSigningOptions(request: SigningRequest): SigningOptions {
  const hash = hashNamed(request.hash)
  if (hash === undefined && request.hash !== 'none') {
    throw refuse('hash-name-invalid', { name: quoteGo(request.hash) })
  }
  if (!['asn1', 'jws'].includes(request.marshaling)) {
    throw refuse('marshaling-invalid', { name: quoteGo(request.marshaling) })
  }
  const { scheme, prehashed } = request
  return {
    hash,
    isJws: request.marshaling === 'jws',
    scheme: scheme === '' ? 'pss' : scheme,
    salt: saltOf(request.salt),
    prehashed,
  }
}

function saltOf(provided: string): SigningOptions['salt'] {
  const word = provided.toLowerCase()
  if (word === 'auto' || word === 'hash') return word
  if (!/^[+-]?\d+$/.test(word)) throw refuse('salt-no-number', { given: provided })
  const length = Number(word)
  if (length < -1) throw refuse('salt-below-hash', { length })
  // In the reference, 0 stands for `auto` and -1 for `hash`.
  if (length === 0) return 'auto'
  return length === -1 ? 'hash' : length
}

/**
 * Throws an `invalid` refusal for the hash `none`, unless the input is prehashed and the scheme is
 * `pkcs1v15`.
 */
export function checkHashNone({ hash, prehashed, scheme }: SigningOptions): void {
  if (hash !== undefined || (prehashed && scheme === 'pkcs1v15')) return
  throw refuse('hash-none-needs')
}

/**
 * Returns the digest of the input, or the input itself if it is already hashed or there is no hash
 * function.
 */
export function digestToSign(options: SigningOptions, input: Uint8Array): Uint8Array {
  const { hash, prehashed } = options
  return hash === undefined || prehashed ? input : digestOf(hash, input)
}

/**
 * Signs an input with a key version; 0 means the latest. Throws an `invalid` refusal for a version
 * that may not sign, a missing context, and options or inputs that the key does not support.
 *
 * @param context context of a derived key; empty for other keys
 */
export function signInput(
  world: World,
  key: TransitKey,
  requested: number,
  input: Uint8Array,
  context: Uint8Array,
  options: SigningOptions,
): VersionedSignature {
  const version = versionToSign(key, requested)
  const pair = versionOf(key, version)
  const curve = curveOf(key.type)
  const encodeSignature = (bytes: Uint8Array) =>
    Buffer.from(bytes).toString(options.isJws ? 'base64url' : 'base64')
  if (curve !== undefined) {
    const signature = signOnCurve(world, curve, pair, digestToSign(options, input), options)
    return { version, text: encodeSignature(signature), publicKey: undefined }
  }
  if (keyTypeSpec(key.type).family === 'ed25519') {
    const secret = edwardsKey(world, key, version, context)
    const publicKey = key.derived ? ed25519Public(secret).toString('base64') : undefined
    return { version, text: encodeSignature(signBytes(null, input, secret)), publicKey }
  }
  const secret = world.derived(pair, privateKeyOf)
  const signature = signWithRsa(world, secret, digestToSign(options, input), options)
  return { version, text: encodeSignature(signature), publicKey: undefined }
}

function versionToSign(key: TransitKey, requested: number): number {
  if (requested === 0) return key.latest_version
  if (requested < 0) throw refuse('signing-version-negative')
  if (requested > key.latest_version) throw refuse('signing-version-unknown')
  if (requested < key.min_encryption_version) throw refuse('signing-version-old')
  return requested
}

function signOnCurve(
  world: World,
  curve: Curve,
  pair: TransitVersion,
  digest: Uint8Array,
  { isJws }: SigningOptions,
): Buffer {
  const signature = signDigest(
    world.ids,
    curve,
    scalarOf(world.derived(pair, privateKeyOf)),
    digest,
  )
  if (!isJws) return encodePair(signature)
  return Buffer.concat(signature.map((number) => toFixedBytes(number, curve.bytes)))
}

/**
 * Returns the Ed25519 key of a version or, for a derived key, the key derived for the context.
 * Throws an `invalid` refusal for a missing context or version.
 */
export function edwardsKey(
  world: World,
  key: TransitKey,
  version: number,
  context: Uint8Array,
): KeyObject {
  if (!key.derived) return world.derived(versionOf(key, version), privateKeyOf)
  try {
    return ed25519Key(keyBytes(key, version, context, 32))
  } catch (error) {
    throw error instanceof Refusal ? refuse('key-not-derived', { why: error.reason }) : error
  }
}

function signWithRsa(
  world: World,
  key: KeyObject,
  digest: Uint8Array,
  { hash, scheme, salt }: SigningOptions,
): Buffer {
  if (scheme === 'pkcs1v15') {
    if (hash !== undefined && hash.bytes !== digest.length) throw refuse('rsa-input-not-hashed')
    if (digest.length > modulusBytes(key) - 11) throw refuse('rsa-input-long')
    return signPkcs1(key, hash, digest)
  }
  if (scheme !== 'pss' || hash === undefined) throw refuse('rsa-scheme-unknown', { name: scheme })
  const maxLength = maxSaltLength(key, hash)
  const saltLengths = { auto: maxLength, hash: hash.bytes }
  const length = typeof salt === 'number' ? salt : saltLengths[salt]
  if (length > maxLength) throw refuse('salt-unusable', { length })
  if (hash.bytes !== digest.length) throw refuse('rsa-input-not-hashed')
  return signPss(key, hash, digest, world.ids.bytes(length))
}
