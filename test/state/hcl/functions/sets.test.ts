import { describe, expect, test } from 'vitest'
import { call, fault } from './support.ts'

// Results and messages match the reference, except where it returns an infinity or crashes.
describe('behaviour/scheduler#functions: sets', () => {
  test.each<[string, unknown]>([
    ['setintersection(["b","a"], ["c","a"])', { '<set>': ['a'] }],
    ['setintersection(["1","2"], [1, 3])', { '<set>': ['1'] }],
    ['setintersection(["a"], [])', { '<set>': [] }],
    [
      'setproduct(["a","b"], [1,2])',
      {
        '<list>': [
          ['a', 1],
          ['a', 2],
          ['b', 1],
          ['b', 2],
        ],
      },
    ],
    [
      'setproduct(toset(["a","b"]), [1,2])',
      {
        '<set>': [
          ['a', 1],
          ['a', 2],
          ['b', 1],
          ['b', 2],
        ],
      },
    ],
    ['setproduct(["a"], [])', { '<list>': [] }],
    ['setproduct(toset(["a"]), [])', { '<set>': [] }],
    [
      'setproduct([1,"a"], [true])',
      {
        '<list>': [
          ['1', true],
          ['a', true],
        ],
      },
    ],
    ['setunion(["b","a"], ["c","a"])', { '<set>': ['a', 'b', 'c'] }],
    ['setunion(["b"], [1])', { '<set>': ['1', 'b'] }],
    ['setunion([], ["a"])', { '<set>': ['a'] }],
    ['setunion([], [])', { '<set>': [] }],
  ])('%s', (expression, result) => {
    expect(call(expression)).toEqual(result)
  })

  test.each<[string, string]>([
    [
      'setintersection([[1]], ["b"])',
      'Error in function call; Call to function "setintersection" failed: given sets must all have compatible element types.',
    ],
    [
      'setproduct(["a"])',
      'Error in function call; Call to function "setproduct" failed: at least two arguments are required.',
    ],
    [
      'setproduct()',
      'Error in function call; Call to function "setproduct" failed: at least two arguments are required.',
    ],
    [
      'setproduct(["a"], "b")',
      'Invalid function argument; Invalid value for "sets" parameter: a set or a list is required.',
    ],
    [
      'setproduct([[1],"a"], [true])',
      'Invalid function argument; Invalid value for "sets" parameter: all elements must be of the same type.',
    ],
    [
      'setunion()',
      'Not enough function arguments; Function "setunion" expects at least 1 argument(s). Missing value for "first_set".',
    ],
    [
      'setunion(["a"], [["b"]])',
      'Error in function call; Call to function "setunion" failed: given sets must all have compatible element types.',
    ],
    [
      'setunion(["a"], "b")',
      'Invalid function argument; Invalid value for "other_sets" parameter: set of any single type required.',
    ],
  ])('%s is refused', (expression, why) => {
    expect(fault(expression)).toBe(why)
  })
})
