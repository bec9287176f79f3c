import {
  checkPrime,
  checkPrimeSync,
  createPrivateKey,
  createPublicKey,
  type KeyObject,
} from 'node:crypto'
import { promisify } from 'node:util'
import type { Ids } from '../../kernel/worlds/ids.ts'
import { curveOf, makeCurveKey } from './curves.ts'
import { inverse } from './modular-arithmetic.ts'
import { type KeyType, keyTypeSpec } from './types.ts'

const exponent = 65537n

/**
 * Runner of slow work: calls `later`, which works outside the main thread, if the request can be
 * interrupted; otherwise calls `now`. See `World.part`.
 */
type PartRunner = <T>(now: () => T, later?: () => Promise<T>) => T

const runNow: PartRunner = (now) => now()

/**
 * Generates an RSA key from the world's seeded randomness, which Node's key generation cannot use.
 * This takes long, mostly for primality tests.
 *
 * @param bits length of the modulus
 */
export function makeRsaKey(ids: Ids, bits: number, runPart: PartRunner = runNow): KeyObject {
  const p = makePrime(ids, bits / 2, runPart)
  const q = makePrime(ids, bits / 2, runPart)
  const d = inverse(exponent, (p - 1n) * (q - 1n))
  const parts = { n: p * q, e: exponent, d, p, q, dp: d % (p - 1n), dq: d % (q - 1n) }
  const numbers = { ...parts, qi: inverse(q, p) }
  const encoded = Object.entries(numbers).map(([name, value]) => [name, encodeBase64url(value)])
  return createPrivateKey({ key: { kty: 'RSA', ...Object.fromEntries(encoded) }, format: 'jwk' })
}

/**
 * Generates a prime with its two highest bits set, so that the product of two primes has full
 * length.
 */
function makePrime(ids: Ids, bits: number, runPart: PartRunner): bigint {
  const randomNumber = BigInt(`0x${Buffer.from(ids.bytes(bits / 8)).toString('hex')}`)
  const next = candidatesFrom(randomNumber | (3n << BigInt(bits - 2)) | 1n)
  return runPart(
    () => {
      let candidate = next()
      while (!checkPrimeSync(candidate)) candidate = next()
      return candidate
    },
    async () => {
      let candidate = next()
      while (!(await isPrime(candidate))) candidate = next()
      return candidate
    },
  )
}

const smallPrimes = Array.from({ length: 1999 }, (_, at) => 2 * at + 3).filter((odd) => {
  for (let divisor = 3; divisor * divisor <= odd; divisor += 2) {
    if (odd % divisor === 0) return false
  }
  return true
})

/**
 * Returns a function that returns another candidate for a prime on each call, counting upwards from
 * a large odd number. The function skips multiples of small primes, and numbers that are 1 modulo
 * the exponent and therefore unusable. Testing them would take two thirds of the time of a new key.
 */
function candidatesFrom(first: bigint): () => bigint {
  const remainders = smallPrimes.map((prime) => ({ prime, rest: Number(first % BigInt(prime)) }))
  let step = -2
  return () => {
    let candidate: bigint
    do {
      do step += 2
      while (remainders.some(({ prime, rest }) => (rest + step) % prime === 0))
      candidate = first + BigInt(step)
    } while (candidate % exponent === 1n)
    return candidate
  }
}

const isPrime = promisify<bigint, boolean>(checkPrime)

function encodeBase64url(value: bigint): string {
  const digits = value.toString(16)
  return Buffer.from(digits.padStart(digits.length + (digits.length % 2), '0'), 'hex').toString(
    'base64url',
  )
}

/**
 * Generates the `key` of a new version from the world's seeded randomness.
 *
 * @param size length of an HMAC key in bytes
 */
export function makeKey(
  ids: Ids,
  type: KeyType,
  size: number,
  runPart: PartRunner = runNow,
): string {
  const { family, size: defaultSize } = keyTypeSpec(type)
  if (family === 'ed25519') return ed25519Text(ids.bytes(32))
  if (family === 'rsa') return pemOf(makeRsaKey(ids, defaultSize, runPart))
  const curve = curveOf(type)
  if (curve !== undefined) return pemOf(makeCurveKey(ids, curve))
  return Buffer.from(ids.bytes(size || defaultSize)).toString('base64')
}

function pemOf(key: KeyObject): string {
  return key.export({ type: 'pkcs8', format: 'pem' }).toString()
}

/** DER that precedes the seed of an Ed25519 key in PKCS #8 (RFC 8410). */
const ed25519Prefix = Buffer.from('302e020100300506032b657004220420', 'hex')

/** Imports a 32-byte seed as a private key. */
export function ed25519Key(seed: Uint8Array): KeyObject {
  const key = Buffer.concat([ed25519Prefix, seed])
  return createPrivateKey({ key, format: 'der', type: 'pkcs8' })
}

/** Returns the 32 bytes of the public key. */
export function ed25519Public(key: KeyObject): Buffer {
  const { x = '' } = createPublicKey(key).export({ format: 'jwk' })
  return Buffer.from(x, 'base64url')
}

/** Encodes seed and public key as base64, the form in which versions store Ed25519 keys. */
function ed25519Text(seed: Uint8Array): string {
  return Buffer.concat([seed, ed25519Public(ed25519Key(seed))]).toString('base64')
}

/**
 * Parses the private key of a version. Declared at module level because `world.derived` caches by
 * function.
 */
export function privateKeyOf({ key }: { readonly key: string }): KeyObject {
  if (key.startsWith('-')) return createPrivateKey(key)
  return ed25519Key(Buffer.from(key, 'base64').subarray(0, 32))
}
