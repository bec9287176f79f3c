import { createHmac, createPublicKey, type KeyObject, timingSafeEqual, verify } from 'node:crypto'
import { Base64Error, decodeBase64, decodeUnpaddedBase64 } from '../../go/base64.ts'
import type { World } from '../../kernel/worlds/world.ts'
import {
  decodeInput,
  readVersion,
  splitVersion,
  type Versioned,
  withoutPrefix,
} from './ciphertext.ts'
import { curveOf, scalarOf, verifyDigest } from './curves.ts'
import { DerError, decodePair, type Pair } from './der.ts'
import { type HashSpec, hashNamed } from './hashes.ts'
import { type TransitKey, versionOf } from './keys.ts'
import { privateKeyOf } from './material.ts'
import { maxSaltLength, verifyPkcs1, verifyPss } from './rsa-signing.ts'
import { digestToSign, edwardsKey, type SigningOptions } from './signing.ts'
import { refuse } from './signing-messages.ts'
import { keyTypeSpec } from './types.ts'

interface HmacKey {
  readonly version: number
  readonly bytes: Uint8Array
}

/**
 * Returns the HMAC key of a version; 0 means the latest. Keys of all types have an HMAC key. Throws
 * `invalid` refusals, in the reference's order (behaviour/secrets#transit-signing).
 */
export function hmacKey(key: TransitKey, requested: number): HmacKey {
  const latest = key.latest_version
  const version = requested === 0 ? latest : requested
  const oldest = key.min_encryption_version
  if (oldest > 0 && version < oldest) throw refuse('hmac-version-old')
  if (version < 0) throw refuse('hmac-version-negative')
  if (version > latest) throw refuse('hmac-version-unknown', { latest })
  return { version, bytes: Buffer.from(versionOf(key, version).hmac_key, 'base64') }
}

/** Returns the hash function with a name. Throws an `invalid` refusal for an unknown name. */
export function hmacHash(name: string): HashSpec {
  const hash = hashNamed(name)
  if (hash === undefined) throw refuse('hmac-hash-unknown')
  return hash
}

export function makeHmac(
  { version, bytes }: HmacKey,
  hash: HashSpec,
  input: Uint8Array,
): Versioned {
  const text = createHmac(hash.node, bytes).update(input).digest('base64')
  return { version, text }
}

/**
 * Returns whether an HMAC matches an input. Throws an `invalid` refusal for a malformed HMAC and
 * for a version that does not exist or is too old.
 */
export function verifyHmac(
  key: TransitKey,
  hash: HashSpec,
  input: Uint8Array,
  text: string,
): boolean {
  const unprefixed = withoutPrefix(text)
  if (unprefixed === undefined) throw refuse('hmac-without-prefix')
  const split = splitVersion(unprefixed)
  if (split === undefined) throw refuse('hmac-fields')
  const version = readVersion(split.number)
  if (version === undefined) throw refuse('hmac-version-unreadable')
  const providedHmac = decodeInput(split.rest, (why) => refuse('hmac-no-base64', { why }))
  if (version > key.latest_version) throw refuse('hmac-too-new')
  if (version < key.min_decryption_version) throw refuse('hmac-too-old')
  const bytes = Buffer.from(versionOf(key, version).hmac_key, 'base64')
  const expected = createHmac(hash.node, bytes).update(input).digest()
  return providedHmac.length === expected.length && timingSafeEqual(providedHmac, expected)
}

/**
 * Returns whether a signature matches an input. Throws an `invalid` refusal for a malformed
 * signature, for a version that does not exist or is too old, and for a missing context. Also
 * refuses options that an RSA key does not support (behaviour/secrets#transit-signing).
 */
export function verifyInput(
  world: World,
  key: TransitKey,
  input: Uint8Array,
  text: string,
  context: Uint8Array,
  options: SigningOptions,
): boolean {
  const { version, rest } = readSignature(key, text)
  const bytes = decodeSignature(rest, options)
  const curve = curveOf(key.type)
  if (curve !== undefined) {
    const pair = options.isJws ? splitInHalf(bytes) : decodeDerPair(bytes)
    const secret = scalarOf(world.derived(versionOf(key, version), privateKeyOf))
    return verifyDigest(curve, secret, digestToSign(options, input), pair)
  }
  if (keyTypeSpec(key.type).family === 'ed25519') {
    return verify(null, input, createPublicKey(edwardsKey(world, key, version, context)), bytes)
  }
  const secret = world.derived(versionOf(key, version), privateKeyOf)
  return verifyWithRsa(secret, digestToSign(options, input), bytes, options)
}

function readSignature(key: TransitKey, text: string) {
  const unprefixed = withoutPrefix(text)
  if (unprefixed === undefined) throw refuse('signature-without-prefix')
  const split = splitVersion(unprefixed)
  if (split === undefined) throw refuse('signature-fields')
  const version = readVersion(split.number)
  if (version === undefined) throw refuse('signature-version-unreadable')
  if (version > key.latest_version) throw refuse('signature-too-new')
  if (version < key.min_decryption_version) throw refuse('signature-too-old')
  return { version, rest: split.rest }
}

function decodeSignature(text: string, { isJws }: SigningOptions): Uint8Array {
  try {
    if (!isJws) return decodeBase64(text)
    if (/[+/]/.test(text)) throw refuse('signature-no-base64')
    return decodeUnpaddedBase64(text.replaceAll('-', '+').replaceAll('_', '/'))
  } catch (error) {
    throw error instanceof Base64Error ? refuse('signature-no-base64') : error
  }
}

function decodeDerPair(bytes: Uint8Array): Pair {
  try {
    return decodePair(bytes)
  } catch (error) {
    if (!(error instanceof DerError)) throw error
    throw refuse(error.hasTrailingBytes ? 'signature-extra' : 'signature-invalid')
  }
}

/** Splits a JWS signature into `r` and `s`, which have equal lengths. */
function splitInHalf(bytes: Uint8Array): Pair {
  const middle = Math.floor(bytes.length / 2)
  const number = (part: Uint8Array) => BigInt(`0x0${Buffer.from(part).toString('hex')}`)
  return [number(bytes.subarray(0, middle)), number(bytes.subarray(middle))]
}

function verifyWithRsa(
  key: KeyObject,
  digest: Uint8Array,
  signature: Uint8Array,
  { hash, scheme, salt }: SigningOptions,
): boolean {
  if (scheme === 'pkcs1v15') {
    const isDigest = hash === undefined || hash.bytes === digest.length
    return isDigest && verifyPkcs1(key, hash, digest, signature)
  }
  if (scheme !== 'pss' || hash === undefined) throw refuse('rsa-scheme-unknown', { name: scheme })
  if (typeof salt === 'number' && salt > maxSaltLength(key, hash)) {
    throw refuse('salt-invalid', { length: salt })
  }
  const length = salt === 'hash' ? hash.bytes : salt
  return verifyPss(key, hash, digest, signature, length === 'auto' ? undefined : length)
}
