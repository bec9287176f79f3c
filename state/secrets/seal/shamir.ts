/**
 * Error for secrets that cannot be split and shares that cannot be combined, with the reference's
 * message.
 */
export class ShamirError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'ShamirError'
  }
}

/**
 * Splits a secret into shares, of which any `threshold` restore it: Shamir over GF(2^8), polynomial
 * 0x11b. A share consists of one y byte for each byte of the secret and then its x byte. A single
 * share is the secret itself (behaviour/secrets#shares).
 *
 * @param randomBytes draws x bytes and coefficients; equal draws give equal shares
 * @throws ShamirError for an empty secret and for invalid numbers of shares; callers check the
 *   numbers first, with their own messages
 */
export function splitSecret(
  secret: Uint8Array,
  shares: number,
  threshold: number,
  randomBytes: (length: number) => Uint8Array,
): Uint8Array[] {
  if (secret.length === 0) throw new ShamirError('cannot split an empty secret')
  if (shares === 1 && threshold === 1) return [Uint8Array.from(secret)]
  if (shares < threshold) throw new ShamirError('parts cannot be less than threshold')
  if (shares > 255) throw new ShamirError('parts cannot exceed 255')
  if (threshold < 2) throw new ShamirError('threshold must be at least 2')

  // polynomials[d] holds the coefficients of x^d, one for each byte of the secret.
  const polynomials = [secret]
  while (polynomials.length < threshold) polynomials.push(randomBytes(secret.length))

  return randomPositions(shares, randomBytes).map((x) => {
    const share = new Uint8Array(secret.length + 1)
    share[secret.length] = x
    for (let at = 0; at < secret.length; at++) {
      share[at] = polynomials.reduceRight((sum, terms) => multiply(sum, x) ^ (terms[at] ?? 0), 0)
    }
    return share
  })
}

/**
 * Combines shares into a secret. Returns a wrong secret, without an error, for too few shares and
 * for shares of different secrets; callers compare the result.
 *
 * @throws ShamirError for fewer than two shares, shares of less than two bytes or of unequal
 *   length, and repeated x bytes
 */
export function combineShares(shares: readonly Uint8Array[]): Uint8Array {
  const [first] = shares
  if (first === undefined || shares.length < 2) {
    throw new ShamirError('less than two parts cannot be used to reconstruct the secret')
  }
  if (first.length < 2) throw new ShamirError('parts must be at least two bytes')
  if (shares.some((share) => share.length !== first.length)) {
    throw new ShamirError('all parts must be the same length')
  }
  const positions = shares.map((share) => share.at(-1) ?? 0)
  if (new Set(positions).size < positions.length) throw new ShamirError('duplicate part detected')

  const secret = new Uint8Array(first.length - 1)
  for (const [index, share] of shares.entries()) {
    const weight = weightAtZero(positions, index)
    for (let at = 0; at < secret.length; at++) {
      secret[at] = (secret[at] ?? 0) ^ multiply(share[at] ?? 0, weight)
    }
  }
  return secret
}

/**
 * Draws distinct x bytes from 1 to 255. x = 0 is excluded, because the value at x = 0 is the
 * secret.
 */
function randomPositions(count: number, randomBytes: (length: number) => Uint8Array): number[] {
  const positions = new Set<number>()
  while (positions.size < count) {
    for (const byte of randomBytes(count - positions.size)) {
      if (byte !== 0) positions.add(byte)
    }
  }
  return [...positions]
}

/** Returns the Lagrange weight at x = 0 of the share with this index. */
function weightAtZero(positions: readonly number[], index: number): number {
  const position = positions[index] ?? 0
  let numerator = 1
  let denominator = 1
  for (const other of positions) {
    if (other === position) continue
    numerator = multiply(numerator, other)
    denominator = multiply(denominator, other ^ position)
  }
  return multiply(numerator, inverse(denominator))
}

/** Multiplies in GF(2^8) modulo x^8 + x^4 + x^3 + x + 1. */
function multiply(a: number, b: number): number {
  let product = 0
  let factor = a
  for (let rest = b; rest > 0; rest >>= 1) {
    if (rest & 1) product ^= factor
    factor = factor & 0x80 ? (factor << 1) ^ 0x11b : factor << 1
  }
  return product
}

/** Returns a^254, the multiplicative inverse, because a^255 = 1 for every nonzero a. */
function inverse(a: number): number {
  let power = a
  for (let exponent = 1; exponent < 254; exponent++) power = multiply(power, a)
  return power
}
