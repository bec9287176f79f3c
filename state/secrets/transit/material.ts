import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto'
import type { Ids } from '../../kernel/worlds/ids.ts'
import { curveOf, makeCurveKey } from './curves.ts'
import { makeRsaKey } from './rsa.ts'
import { type KeyType, keyTypeSpec } from './types.ts'

/**
 * The text of a new key of a type, as versions keep it, made of a world's own randomness: equal seeds
 * give equal keys.
 *
 * @param size bytes of an HMAC key
 */
export function makeKey(ids: Ids, type: KeyType, size: number): string {
  const { family, size: defaultSize } = keyTypeSpec(type)
  if (family === 'ed25519') return ed25519Text(ids.bytes(32))
  if (family === 'rsa') return pemOf(makeRsaKey(ids, defaultSize))
  const curve = curveOf(type)
  if (curve !== undefined) return pemOf(makeCurveKey(ids, curve))
  return Buffer.from(ids.bytes(size || defaultSize)).toString('base64')
}

function pemOf(key: KeyObject): string {
  return key.export({ type: 'pkcs8', format: 'pem' }).toString()
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
