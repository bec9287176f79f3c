import { createPublicKey, type KeyObject, verify } from 'node:crypto'
import { Base64Error, decodeBase64, decodeUnpaddedBase64 } from '../../go/base64.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { readVersion, splitVersion, withoutPrefix } from './ciphertext.ts'
import { type TransitKey, versionOf } from './keys.ts'
import { curveOf, scalarOf, verifyDigest } from './curves.ts'
import { DerError, decodePair, type Pair } from './der.ts'
import { privateKeyOf } from './material.ts'
import { maxSaltLength, verifyPkcs1, verifyPss } from './rsa-signing.ts'
import { digestToSign, edwardsKey, type SigningOptions } from './signing.ts'
import { refuse } from './signing-messages.ts'
import { keyTypeSpec } from './types.ts'

/**
 * Returns whether a signature matches an input. Refuses with `invalid` a malformed signature or a
 * version that the key lacks (behaviour/secrets#transit-signing).
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
    const pair = options.isJws ? splitInHalf(bytes) : derPair(bytes)
    const secret = scalarOf(world.derived(versionOf(key, version), privateKeyOf))
    return verifyDigest(curve, secret, digestToSign(options, input), pair)
  }
  if (keyTypeSpec(key.type).family === 'ed25519') {
    return verify(null, input, createPublicKey(edwardsKey(world, key, version, context)), bytes)
  }
  const secret = world.derived(versionOf(key, version), privateKeyOf)
  return verifyWithRsa(secret, digestToSign(options, input), bytes, options)
}

function readSignature(
  key: TransitKey,
  text: string,
): { readonly version: number; readonly rest: string } {
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

function derPair(bytes: Uint8Array): Pair {
  try {
    return decodePair(bytes)
  } catch (error) {
    if (!(error instanceof DerError)) throw error
    throw refuse(error.extra ? 'signature-extra' : 'signature-invalid')
  }
}

/** Splits bytes into two integers of equal length. */
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
