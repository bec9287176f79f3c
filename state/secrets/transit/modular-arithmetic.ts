/**
 * Returns the multiplicative inverse modulo `modulus` by the extended Euclidean algorithm. `value`
 * must be coprime to `modulus`.
 */
export function inverse(value: bigint, modulus: bigint): bigint {
  let [low, high] = [value, modulus]
  let [x, y] = [1n, 0n]
  while (low > 1n) {
    const quotient = high / low
    const [rest, next] = [high - quotient * low, y - quotient * x]
    high = low
    low = rest
    y = x
    x = next
  }
  return x < 0n ? x + modulus : x
}
