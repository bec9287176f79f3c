/** A whole number: a bigint if a JavaScript number would round it, otherwise a number. */
export type Integer = number | bigint

/**
 * Returns the integer with these decimal digits. The result is a number if the number prints the
 * same digits, otherwise a bigint, so that equal digits always have one form.
 */
export function integerOf(digits: string): Integer {
  const number = Number(digits)
  return String(number) === digits ? number : BigInt(digits)
}

/**
 * Returns the value of a number literal: a bigint for an integer that a double would round,
 * otherwise a number, which may have a fraction. A number beyond the range of a double is infinite.
 * The literal must be valid.
 */
export function numberOf(literal: string): Integer {
  const value = Number(literal)
  const isExact = Number.isSafeInteger(value) || !/^[+-]?\d+$/.test(literal)
  if (isExact || !Number.isFinite(value)) return value + 0
  return integerOf(String(BigInt(literal.replace('+', ''))))
}

/** Returns an integer as a bigint, without losing digits. */
function exactValue(integer: Integer): bigint {
  return typeof integer === 'bigint' ? integer : BigInt(String(integer))
}

/** Returns the sum of two whole numbers. The sum wraps around at 64 bits, as Go's int64 does. */
export function addIntegers(a: Integer, b: Integer): Integer {
  if (typeof a === 'number' && typeof b === 'number') {
    const sum = a + b
    if (Number.isSafeInteger(sum)) return sum
  }
  return int64Of(exactValue(a) + exactValue(b))
}

/**
 * Returns the product of two whole numbers. The product wraps around at 64 bits, as Go's int64
 * does.
 */
export function multiplyIntegers(a: Integer, b: Integer): Integer {
  const product = Number(a) * Number(b)
  if (Number.isSafeInteger(product)) return product
  return int64Of(exactValue(a) * exactValue(b))
}

function int64Of(exact: bigint): Integer {
  return integerOf(String(BigInt.asIntN(64, exact)))
}

export function largerInteger(a: Integer, b: Integer): Integer {
  return a < b ? b : a
}
