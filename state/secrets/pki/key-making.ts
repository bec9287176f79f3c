import { createECDH, createPrivateKey, type KeyObject } from 'node:crypto'
import { bits as bitString, explicit, integer, octets, oid, sequence } from '../../kernel/der.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { type Curve, curveOf, makeCurveKey, randomScalar, toFixedBytes } from '../transit/curves.ts'
import { ed25519Key, makeRsaKey } from '../transit/material.ts'
import type { KeyType } from '../transit/types.ts'
import { refuse } from './messages.ts'
import { toPem } from './signing.ts'
import { type PkiKeyType, pkiKeyTypes } from './tables.ts'

/**
 * The curve P-224. The transit engine does not define this curve, because JSON Web Keys do not
 * support it.
 */
const p224: Curve = {
  node: 'secp224r1',
  crv: '',
  order: 0xffffffffffffffffffffffffffff16a2e0b8f03e13dd29455c5c2a3dn,
  bits: 224,
  bytes: 28,
}

export interface KeySpec {
  readonly type: PkiKeyType
  readonly bits: number
}

const allowedBits = {
  rsa: [2048, 3072, 4096, 8192],
  ec: [256, 224, 384, 521],
  ed25519: [0],
} as const

/**
 * Checks a type and a length in bits and returns both. A length of 0, and any length for Ed25519,
 * becomes the default of the type. Throws an `invalid` refusal for an unknown type or a length that
 * the type does not support.
 */
export function keySpec(type: string, bits: number): KeySpec {
  const known = pkiKeyTypes.find((each) => each === type)
  if (known === undefined) throw refuse('pki-key-type-unknown', { type })
  const [defaultBits] = allowedBits[known]
  if (known === 'ed25519' || bits === 0) return { type: known, bits: defaultBits }
  if (known === 'rsa' && bits < defaultBits) throw refuse('pki-rsa-short', { bits })
  const lengths: readonly number[] = allowedBits[known]
  if (!lengths.includes(bits)) throw refuse('pki-key-bits', { kind: known.toUpperCase(), bits })
  return { type: known, bits }
}

/**
 * Throws an `invalid` refusal if RSA signatures do not support the hash length. Other types accept
 * any length.
 */
export function checkSignatureBits(type: string, bits: number): void {
  if (type === 'rsa' && ![0, 256, 384, 512].includes(bits)) {
    throw refuse('pki-signature-bits', { bits })
  }
}

/**
 * Generates a key from the world's seeded randomness. An RSA key is slow to generate, so
 * `World.part` may move that work to another thread.
 */
export function makePkiKey(world: World, { type, bits }: KeySpec): KeyObject {
  if (type === 'ed25519') return ed25519Key(world.ids.bytes(32))
  if (type === 'rsa') return makeRsaKey(world.ids, bits, (now, later) => world.part(now, later))
  const curve = curveOf(`ecdsa-p${bits}` as KeyType)
  return curve === undefined ? makeP224Key(world) : makeCurveKey(world.ids, curve)
}

/** Generates a P-224 key as SEC 1, because Node cannot import this curve as a JSON Web Key. */
function makeP224Key(world: World): KeyObject {
  const secret = toFixedBytes(randomScalar(world.ids, p224), p224.bytes)
  const pair = createECDH(p224.node)
  pair.setPrivateKey(secret)
  const key = sequence(
    integer(1),
    octets(secret),
    explicit(0, oid('1.3.132.0.33')),
    explicit(1, bitString(pair.getPublicKey())),
  )
  return createPrivateKey({ key, format: 'der', type: 'sec1' })
}

/**
 * Returns the type of a key. Throws an `invalid` refusal for keys that are not RSA, EC or Ed25519.
 */
export function pkiKeyTypeOf(key: KeyObject): PkiKeyType {
  const { asymmetricKeyType: type } = key
  if (type === 'rsa' || type === 'ec' || type === 'ed25519') return type
  throw refuse('pki-key-type-unknown', { type: `${type}` })
}

/**
 * Returns a private key as base64 for the format `der`, otherwise as PEM. Uses PKCS #8 if
 * `keyFormat` is `pkcs8` or the key is Ed25519, otherwise PKCS #1 for RSA and SEC 1 for EC.
 */
export function formatPrivateKey(key: KeyObject, format: string, keyFormat: string): string {
  const isPkcs8 = keyFormat === 'pkcs8' || key.asymmetricKeyType === 'ed25519'
  const traditionalType = key.asymmetricKeyType === 'rsa' ? 'pkcs1' : 'sec1'
  const der = key.export({ type: isPkcs8 ? 'pkcs8' : traditionalType, format: 'der' })
  if (format === 'der') return der.toString('base64')
  if (isPkcs8) return toPem('PRIVATE KEY', der)
  return toPem(traditionalType === 'pkcs1' ? 'RSA PRIVATE KEY' : 'EC PRIVATE KEY', der)
}
