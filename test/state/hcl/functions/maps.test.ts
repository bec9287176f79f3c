import { describe, expect, test } from 'vitest'
import { call, fault } from './support.ts'

// Results and messages match the reference, except where it returns an infinity or crashes.
describe('behaviour/scheduler#functions: maps and objects', () => {
  test.each<[string, unknown]>([
    ['keys({b=1, a=2})', ['a', 'b']],
    ['keys(tomap({b=1, a=2}))', { '<list>': ['a', 'b'] }],
    ['keys({})', []],
    ['lookup({a=1}, "a", 2)', 1],
    ['lookup({a=1}, "b", "x")', 'x'],
    ['lookup(tomap({a=1}), "b", "3")', 3],
    ['lookup(tomap({a=1}), "a", "2")', 1],
    ['lookup({a=null}, "a", 1)', null],
    ['merge({a=1}, {b="x"}, {a=3})', { a: 3, b: 'x' }],
    ['merge(tomap({a="1"}), tomap({b="2"}))', { '<map>': { a: '1', b: '2' } }],
    ['merge(tomap({a="1"}), tomap({b=2}))', { a: '1', b: 2 }],
    ['merge(tomap({a="1"}), {b=2})', { a: '1', b: 2 }],
    ['merge()', {}],
    ['merge(null)', {}],
    ['merge(null, {a=1})', { a: 1 }],
    ['merge(null, tomap({a=1}))', { a: 1 }],
    ['merge({}, {})', {}],
    ['values({b=1, a="x"})', ['x', 1]],
    ['values(tomap({b=1, a=2}))', { '<list>': [2, 1] }],
    ['values({})', []],
    ['zipmap(["b","a"], [1, "x"])', { b: 1, a: 'x' }],
    ['zipmap(["b","a"], tolist([1, 2]))', { '<map>': { a: 2, b: 1 } }],
    ['zipmap([], [])', {}],
    ['zipmap(["a","a"], [1,2])', { a: 2 }],
  ])('%s', (expression, result) => {
    expect(call(expression)).toEqual(result)
  })

  test.each<[string, string]>([
    [
      'keys(["a"])',
      'Invalid function argument; Invalid value for "inputMap" parameter: must have map or object type.',
    ],
    [
      'keys("x")',
      'Invalid function argument; Invalid value for "inputMap" parameter: must have map or object type.',
    ],
    [
      'lookup(tomap({a=1}), "b", "x")',
      'Invalid function argument; Invalid value for "default" parameter: the default value must have the same type as the map elements.',
    ],
    [
      'lookup(["a"], "b", "c")',
      'Invalid function argument; Invalid value for "inputMap" parameter: lookup() requires a map as the first argument.',
    ],
    [
      'lookup({a=1}, "b")',
      'Not enough function arguments; Function "lookup" expects 3 argument(s). Missing value for "default".',
    ],
    [
      'lookup({a=1}, "b", null)',
      'Invalid function argument; Invalid value for "default" parameter: argument must not be null.',
    ],
    [
      'merge({a=1}, "x")',
      'Error in function call; Call to function "merge" failed: arguments must be maps or objects, got "string".',
    ],
    [
      'merge({a=1}, null, "x")',
      'Error in function call; Call to function "merge" failed: arguments must be maps or objects, got "string".',
    ],
    [
      'merge({a=1}, [1])',
      'Error in function call; Call to function "merge" failed: arguments must be maps or objects, got "tuple".',
    ],
    [
      'values([1])',
      'Error in function call; Call to function "values" failed: values() requires a map as the first argument.',
    ],
    [
      'values("x")',
      'Error in function call; Call to function "values" failed: values() requires a map as the first argument.',
    ],
    [
      'zipmap(["b"], [1, 2])',
      'Error in function call; Call to function "zipmap" failed: number of keys (1) does not match number of values (2).',
    ],
    [
      'zipmap(["b"], tolist([1, 2]))',
      'Error in function call; Call to function "zipmap" failed: number of keys (1) does not match number of values (2).',
    ],
    [
      'zipmap(["b"], "x")',
      'Error in function call; Call to function "zipmap" failed: values argument must be a list or tuple value.',
    ],
    [
      'zipmap(["b"], toset([1]))',
      'Error in function call; Call to function "zipmap" failed: values argument must be a list or tuple value.',
    ],
    [
      'zipmap([null], [1])',
      'Error in function call; Call to function "zipmap" failed: keys list has null value at index 0.',
    ],
    [
      'zipmap([null], tolist([1]))',
      'Error in function call; Call to function "zipmap" failed: keys list has null value at index 0.',
    ],
  ])('%s is refused', (expression, why) => {
    expect(fault(expression)).toBe(why)
  })
})
