import { checkPrimeSync, createPrivateKey, type KeyObject } from 'node:crypto'
import type { Ids } from '../../kernel/worlds/ids.ts'
import { inverse } from './modular-arithmetic.ts'

const exponent = 65537n

/**
 * An RSA key made of a world's own randomness, so that equal seeds give equal keys; it takes a moment.
 *
 * @param bits of the modulus
 */
export function makeRsaKey(ids: Ids, bits: number): KeyObject {
  const p = makePrime(ids, bits / 2)
  const q = makePrime(ids, bits / 2)
  const d = inverse(exponent, (p - 1n) * (q - 1n))
  const parts = { n: p * q, e: exponent, d, p, q, dp: d % (p - 1n), dq: d % (q - 1n) }
  const numbers = { ...parts, qi: inverse(q, p) }
  const encoded = Object.entries(numbers).map(([name, value]) => [name, encode(value)])
  return createPrivateKey({ key: { kty: 'RSA', ...Object.fromEntries(encoded) }, format: 'jwk' })
}

/** A prime with its two highest bits set, so that a product of two has all its bits. */
function makePrime(ids: Ids, bits: number): bigint {
  const randomNumber = BigInt(`0x${Buffer.from(ids.bytes(bits / 8)).toString('hex')}`)
  let candidate = randomNumber | (3n << BigInt(bits - 2)) | 1n
  while (candidate % exponent === 1n || !checkPrimeSync(candidate)) candidate += 2n
  return candidate
}

function encode(value: bigint): string {
  const digits = value.toString(16)
  return Buffer.from(digits.padStart(digits.length + (digits.length % 2), '0'), 'hex').toString(
    'base64url',
  )
}
