import { createECDH, createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto'
import type { Ids } from '../../kernel/ids.ts'
import { makeRsaKey } from './rsa.ts'
import { factsOfType, type KeyType } from './types.ts'

/** An elliptic curve, as Node and key sets call it, and its order (SEC 2). */
interface Curve {
  readonly node: string
  readonly crv: string
  readonly order: bigint
}

const curves: Readonly<Record<string, Curve>> = {
  'ecdsa-p256': {
    node: 'prime256v1',
    crv: 'P-256',
    order: 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n,
  },
  'ecdsa-p384': {
    node: 'secp384r1',
    crv: 'P-384',
    order:
      0xffffffffffffffffffffffffffffffffffffffffffffffffc7634d81f4372ddf581a0db248b0a77aecec196accc52973n,
  },
  'ecdsa-p521': {
    node: 'secp521r1',
    crv: 'P-521',
    order:
      0x1fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffa51868783bf2f966b7fcc0148f709a5d03bb5c9b8899c47aebb6fb71e91386409n,
  },
}

/**
 * The text of a new key of a type, as versions keep it, made of a world's own randomness: equal seeds
 * give equal keys.
 *
 * @param size bytes of an HMAC key
 */
export function makeKey(ids: Ids, type: KeyType, size: number): string {
  const { family, size: usual } = factsOfType(type)
  if (family === 'ed25519') return ed25519Text(ids.bytes(32))
  if (family === 'rsa') return pemOf(makeRsaKey(ids, usual))
  const curve = curves[type]
  if (curve !== undefined) return pemOf(makeEcKey(ids, curve))
  return Buffer.from(ids.bytes(size || usual)).toString('base64')
}

function pemOf(key: KeyObject): string {
  return key.export({ type: 'pkcs8', format: 'pem' }).toString()
}

/** A key of a curve: as many bits as its order and 64 more, reduced (FIPS 186-5 A.2.1). */
function makeEcKey(ids: Ids, { node, crv, order }: Curve): KeyObject {
  const length = Math.ceil(order.toString(16).length / 2)
  const drawn = BigInt(`0x${Buffer.from(ids.bytes(length + 8)).toString('hex')}`)
  const secret = ((drawn % (order - 1n)) + 1n).toString(16).padStart(2 * length, '0')
  const pair = createECDH(node)
  pair.setPrivateKey(secret, 'hex')
  const point = pair.getPublicKey()
  const jwk = {
    kty: 'EC',
    crv,
    d: Buffer.from(secret, 'hex').toString('base64url'),
    x: point.subarray(1, 1 + length).toString('base64url'),
    y: point.subarray(1 + length).toString('base64url'),
  }
  return createPrivateKey({ key: jwk, format: 'jwk' })
}

/** The beginning of an Ed25519 key in PKCS#8 (RFC 8410): what follows is the seed. */
const ed25519Prefix = Buffer.from('302e020100300506032b657004220420', 'hex')

/** The private key of an Ed25519 seed of 32 bytes. */
export function ed25519Key(seed: Uint8Array): KeyObject {
  const key = Buffer.concat([ed25519Prefix, seed])
  return createPrivateKey({ key, format: 'der', type: 'pkcs8' })
}

/** The 32 bytes of an Ed25519 public key. */
export function ed25519Public(key: KeyObject): Buffer {
  const { x = '' } = createPublicKey(key).export({ format: 'jwk' })
  return Buffer.from(x, 'base64url')
}

/** Seed and public key of an Ed25519 key, as base64. */
function ed25519Text(seed: Uint8Array): string {
  return Buffer.concat([seed, ed25519Public(ed25519Key(seed))]).toString('base64')
}

/** The private key of a version that is one of a pair; module level, for `world.derived`. */
export function privateKeyOf({ key }: { readonly key: string }): KeyObject {
  if (key.startsWith('-')) return createPrivateKey(key)
  return ed25519Key(Buffer.from(key, 'base64').subarray(0, 32))
}
