import {
  constants,
  createHash,
  createPublicKey,
  type KeyObject,
  privateEncrypt,
  publicDecrypt,
  timingSafeEqual,
} from 'node:crypto'
import { digestOf, type HashSpec } from './hashes.ts'

const noPadding = constants.RSA_NO_PADDING
const pkcs1Padding = constants.RSA_PKCS1_PADDING

export function modulusBytes(key: KeyObject): number {
  return (key.asymmetricKeyDetails?.modulusLength ?? 0) / 8
}

/**
 * Signs a digest by PKCS #1 v1.5 (RFC 8017, section 8.2). If `hash` is undefined, signs the bytes
 * alone, without a prefix that names the hash.
 */
export function signPkcs1(key: KeyObject, hash: HashSpec | undefined, digest: Uint8Array): Buffer {
  const prefix = hash?.digestInfo ?? Buffer.alloc(0)
  return privateEncrypt({ key, padding: pkcs1Padding }, Buffer.concat([prefix, digest]))
}

export function verifyPkcs1(
  key: KeyObject,
  hash: HashSpec | undefined,
  digest: Uint8Array,
  signature: Uint8Array,
): boolean {
  const prefix = hash?.digestInfo ?? Buffer.alloc(0)
  const expected = Buffer.concat([prefix, digest])
  const recoveredBlock = recoverBlock(key, pkcs1Padding, signature)
  return recoveredBlock?.length === expected.length && timingSafeEqual(recoveredBlock, expected)
}

/**
 * Returns the length in bytes of the longest salt that fits into a PSS signature (RFC 8017, section
 * 9.1.1).
 */
export function maxSaltLength(key: KeyObject, { bytes }: HashSpec): number {
  return modulusBytes(key) - bytes - 2
}

/**
 * Signs a digest by PSS (RFC 8017, section 8.1). The mask uses the same hash function as the
 * digest. Node's own signing would hash its input again.
 */
export function signPss(
  key: KeyObject,
  hash: HashSpec,
  digest: Uint8Array,
  salt: Uint8Array,
): Buffer {
  const length = modulusBytes(key)
  const pssHash = digestOf(hash, Buffer.alloc(8), digest, salt)
  const block = Buffer.alloc(length - pssHash.length - 1)
  block[block.length - salt.length - 1] = 1
  block.set(salt, block.length - salt.length)
  const masked = maskedBlock(hash, block, pssHash)
  return privateEncrypt(
    { key, padding: noPadding },
    Buffer.concat([masked, pssHash, Buffer.of(0xbc)]),
  )
}

/**
 * Verifies a PSS signature of a digest.
 *
 * @param saltLength required length in bytes; undefined accepts any length
 */
export function verifyPss(
  key: KeyObject,
  hash: HashSpec,
  digest: Uint8Array,
  signature: Uint8Array,
  saltLength: number | undefined,
): boolean {
  const recoveredBlock = recoverBlock(key, noPadding, signature)
  if (recoveredBlock === undefined || recoveredBlock.at(-1) !== 0xbc) return false
  const pssHash = recoveredBlock.subarray(-1 - hash.bytes, -1)
  const block = maskedBlock(hash, recoveredBlock.subarray(0, -1 - hash.bytes), pssHash)
  const separator = block.findIndex((byte) => byte !== 0)
  const salt = block.subarray(separator + 1)
  if (block[separator] !== 1 || (saltLength ?? salt.length) !== salt.length) return false
  return timingSafeEqual(digestOf(hash, Buffer.alloc(8), digest, salt), pssHash)
}

/**
 * Masks or unmasks a block (MGF1, RFC 8017, section B.2.1). Clears the first bit, because the block
 * must be one bit shorter than the modulus.
 */
function maskedBlock({ node }: HashSpec, block: Uint8Array, seed: Uint8Array): Buffer {
  const masked = Buffer.from(block)
  for (let at = 0, count = 0; at < masked.length; count++) {
    const counter = Buffer.alloc(4)
    counter.writeUInt32BE(count)
    for (const byte of createHash(node).update(seed).update(counter).digest()) {
      if (at < masked.length) masked[at] = (masked[at] ?? 0) ^ byte
      at++
    }
  }
  masked[0] = (masked[0] ?? 0) & 0x7f
  return masked
}

function recoverBlock(key: KeyObject, padding: number, signature: Uint8Array): Buffer | undefined {
  try {
    return publicDecrypt({ key: createPublicKey(key), padding }, signature)
  } catch {
    return undefined
  }
}
