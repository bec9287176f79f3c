import { describe, expect, test } from 'vitest'
import { call, fault } from './support.ts'

// Results and messages match the reference, except where it returns an infinity or crashes.
describe('behaviour/scheduler#functions: numbers', () => {
  test.each<[string, unknown]>([
    ['abs(-1.5)', 1.5],
    ['abs(-0)', 0],
    ['ceil(-0.5)', 0],
    ['ceil(1.2)', 2],
    ['floor(-1.2)', -2],
    ['log(8, 2)', 3],
    ['log(100, 10)', 2],
    ['max(1, "3", 2)', 3],
    ['max(-1,-2)', -1],
    ['min(3, 1, 2)', 1],
    ['parseint("-ff", 16)', -255],
    ['parseint("+Zz", 62)', 3817],
    ['pow(2, -1)', 0.5],
    ['pow(2, 10)', 1024],
    ['signum(-3)', -1],
    ['signum(0)', 0],
  ])('%s', (expression, result) => {
    expect(call(expression)).toEqual(result)
  })

  test.each<[string, string]>([
    [
      'abs("x")',
      'Invalid function argument; Invalid value for "num" parameter: a number is required.',
    ],
    [
      'ceil("x")',
      'Invalid function argument; Invalid value for "num" parameter: a number is required.',
    ],
    [
      'floor("x")',
      'Invalid function argument; Invalid value for "num" parameter: a number is required.',
    ],
    [
      'log(0, 10)',
      'Error in function call; Call to function "log" failed: the result is not a finite number.',
    ],
    [
      'log(-1, 10)',
      'Error in function call; Call to function "log" failed: the result is not a finite number.',
    ],
    [
      'log("x", 1)',
      'Invalid function argument; Invalid value for "num" parameter: a number is required.',
    ],
    [
      'max(null)',
      'Invalid function argument; Invalid value for "numbers" parameter: argument must not be null.',
    ],
    [
      'max()',
      'Error in function call; Call to function "max" failed: must pass at least one number.',
    ],
    [
      'min()',
      'Error in function call; Call to function "min" failed: must pass at least one number.',
    ],
    [
      'min("x")',
      'Invalid function argument; Invalid value for "numbers" parameter: a number is required.',
    ],
    [
      'parseint(2, 10)',
      'Invalid function argument; Invalid value for "number" parameter: first argument must be a string, not number.',
    ],
    [
      'parseint("a_b", 16)',
      'Invalid function argument; Invalid value for "number" parameter: cannot parse "a_b" as a base 16 integer.',
    ],
    [
      'parseint("", 10)',
      'Invalid function argument; Invalid value for "number" parameter: cannot parse "" as a base 10 integer.',
    ],
    [
      'parseint("1", 1.5)',
      'Invalid function argument; Invalid value for "base" parameter: value must be a whole number, between -9223372036854775808 and 9223372036854775807.',
    ],
    [
      'pow(10, 400)',
      'Error in function call; Call to function "pow" failed: the result is not a finite number.',
    ],
    [
      'pow(0, -1)',
      'Error in function call; Call to function "pow" failed: the result is not a finite number.',
    ],
    [
      'pow("x", 1)',
      'Invalid function argument; Invalid value for "num" parameter: a number is required.',
    ],
    [
      'signum(1.5)',
      'Error in function call; Call to function "signum" failed: value must be a whole number, between -9223372036854775808 and 9223372036854775807.',
    ],
  ])('%s is refused', (expression, why) => {
    expect(fault(expression)).toBe(why)
  })
})
