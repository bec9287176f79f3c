import { createECDH, createPrivateKey, type KeyObject } from 'node:crypto'
import type { Ids } from '../../kernel/worlds/ids.ts'
import { inverse } from './modular-arithmetic.ts'
import type { KeyType } from './types.ts'

export interface Curve {
  /** Name of the curve in Node. */
  readonly node: string
  /** Name of the curve in JSON Web Keys (RFC 7518). */
  readonly crv: string
  /** Order of the base point (SEC 2). */
  readonly order: bigint
  /** Length of the order in bits. */
  readonly bits: number
  /** Length in bytes of a coordinate, and of a number below the order. */
  readonly bytes: number
}

const curves: Readonly<Partial<Record<KeyType, Curve>>> = {
  'ecdsa-p256': {
    node: 'prime256v1',
    crv: 'P-256',
    order: 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n,
    bits: 256,
    bytes: 32,
  },
  'ecdsa-p384': {
    node: 'secp384r1',
    crv: 'P-384',
    order:
      0xffffffffffffffffffffffffffffffffffffffffffffffffc7634d81f4372ddf581a0db248b0a77aecec196accc52973n,
    bits: 384,
    bytes: 48,
  },
  'ecdsa-p521': {
    node: 'secp521r1',
    crv: 'P-521',
    order:
      0x1fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffa51868783bf2f966b7fcc0148f709a5d03bb5c9b8899c47aebb6fb71e91386409n,
    bits: 521,
    bytes: 66,
  },
}

/** Returns the curve of a key type. Returns undefined for key types that are not ECDSA. */
export function curveOf(type: KeyType): Curve | undefined {
  return curves[type]
}

/**
 * Returns a random number from 1 to one below the order, by reducing a longer random number (FIPS
 * 186-5, A.2.1).
 */
export function randomScalar(ids: Ids, { order, bytes }: Curve): bigint {
  const candidate = BigInt(`0x${Buffer.from(ids.bytes(bytes + 8)).toString('hex')}`)
  return (candidate % (order - 1n)) + 1n
}

/**
 * Multiplies the base point by a scalar other than 0. Returns the coordinates as `bytes` bytes
 * each.
 */
function multiplyBasePoint({ node, bytes }: Curve, scalar: bigint): { x: Buffer; y: Buffer } {
  const pair = createECDH(node)
  pair.setPrivateKey(toFixedBytes(scalar, bytes))
  const point = pair.getPublicKey()
  return { x: point.subarray(1, 1 + bytes), y: point.subarray(1 + bytes) }
}

/** Encodes a non-negative number as big-endian bytes. Shorter numbers get leading zeros. */
export function toFixedBytes(number: bigint, bytes: number): Buffer {
  return Buffer.from(number.toString(16).padStart(2 * bytes, '0'), 'hex')
}

/** Generates a key from the world's seeded randomness, which Node's key generation cannot use. */
export function makeCurveKey(ids: Ids, curve: Curve): KeyObject {
  const { crv, bytes } = curve
  const secret = randomScalar(ids, curve)
  const { x, y } = multiplyBasePoint(curve, secret)
  const text = (part: Buffer) => part.toString('base64url')
  const jwk = { kty: 'EC', crv, d: text(toFixedBytes(secret, bytes)), x: text(x), y: text(y) }
  return createPrivateKey({ key: jwk, format: 'jwk' })
}

export function scalarOf(key: KeyObject): bigint {
  const { d = '' } = key.export({ format: 'jwk' })
  return BigInt(`0x${Buffer.from(d, 'base64url').toString('hex')}`)
}

/**
 * Signs a digest by ECDSA (FIPS 186-5, 6.4). Node's own signing hashes its input again, and its
 * randomness cannot be seeded.
 */
export function signDigest(
  ids: Ids,
  curve: Curve,
  secret: bigint,
  digest: Uint8Array,
): [bigint, bigint] {
  const { order } = curve
  const hashed = digestNumber(curve, digest)
  const nonce = randomScalar(ids, curve)
  const r = BigInt(`0x${multiplyBasePoint(curve, nonce).x.toString('hex')}`) % order
  return [r, (inverse(nonce, order) * (hashed + r * secret)) % order]
}

/**
 * Verifies a signature with the private scalar, which the server has: one multiplication of the
 * base point, by `(z + r·d) / s`, is then enough.
 */
export function verifyDigest(
  curve: Curve,
  secret: bigint,
  digest: Uint8Array,
  [r, s]: readonly [bigint, bigint],
): boolean {
  const { order } = curve
  if (r < 1n || r >= order || s < 1n || s >= order) return false
  const scalar = (inverse(s, order) * (digestNumber(curve, digest) + r * secret)) % order
  return (
    scalar !== 0n && BigInt(`0x${multiplyBasePoint(curve, scalar).x.toString('hex')}`) % order === r
  )
}

/**
 * Returns the leading bits of a digest as a number with at most as many bits as the curve's order.
 */
function digestNumber({ bits }: Curve, digest: Uint8Array): bigint {
  const whole = BigInt(`0x0${Buffer.from(digest).toString('hex')}`)
  const excessBits = Math.max(0, 8 * digest.length - bits)
  return whole >> BigInt(excessBits)
}
