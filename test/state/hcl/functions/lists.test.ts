import { describe, expect, test } from 'vitest'
import { call, fault } from './support.ts'

// Results and messages match the reference, except where it returns an infinity or crashes.
describe('behaviour/scheduler#functions: lists', () => {
  test.each<[string, unknown]>([
    ['chunklist(["a","b","c"], 2)', { '<list>': [{ '<list>': ['a', 'b'] }, { '<list>': ['c'] }] }],
    ['chunklist(["a","b","c"], 0)', { '<list>': [{ '<list>': ['a', 'b', 'c'] }] }],
    ['chunklist([], 2)', { '<list>': [] }],
    ['chunklist([1, "a"], 5)', { '<list>': [{ '<list>': ['1', 'a'] }] }],
    ['coalesce(null, "a", 1)', 'a'],
    ['coalescelist([], ["a"])', ['a']],
    ['compact(["a", "", null, "b"])', { '<list>': ['a', 'b'] }],
    ['compact([])', { '<list>': [] }],
    ['concat(["a"], [1])', ['a', 1]],
    ['concat(tolist(["a"]), tolist([1]))', { '<list>': ['a', '1'] }],
    ['concat(tolist(["a"]), [1])', ['a', 1]],
    ['contains(["a", 1], 1)', true],
    ['contains(["a"], "b")', false],
    ['contains([[1]], [1])', true],
    ['contains(tolist([[1]]), [1])', true],
    ['contains(toset(["a"]), "a")', true],
    ['contains([1], "1")', false],
    ['distinct(["a", "b", "a", 1, "1"])', { '<list>': ['a', 'b', '1'] }],
    ['distinct([])', { '<list>': [] }],
    ['distinct([[1],[1]])', { '<list>': [[1]] }],
    ['element(["a","b","c"], 4)', 'b'],
    ['flatten([1, [2, [3, []]], toset([4])])', [1, 2, 3, 4]],
    ['flatten([])', []],
    ['flatten([null, [null]])', [null, null]],
    ['flatten(toset([[1],[2]]))', [1, 2]],
    ['index(["a","b"], 1)', 'b'],
    ['index(tomap({a=1}), "a")', 1],
    ['length([1,2])', 2],
    ['length(tomap({a=1}))', 1],
    ['length(toset([1,1]))', 1],
    ['length(setproduct([1,2,3],[1,2,3],[1]))', 9],
    ['range(0, 1, 0.1)', { '<list>': [0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9] }],
    ['range(3)', { '<list>': [0, 1, 2] }],
    ['range(-3)', { '<list>': [0, -1, -2] }],
    ['range(1,1)', { '<list>': [] }],
    ['range(5, 1)', { '<list>': [5, 4, 3, 2] }],
    ['slice(["a","b","c"], 1, 2)', ['b']],
    ['slice(tolist(["a","b","c"]), 1, 3)', { '<list>': ['b', 'c'] }],
    ['slice(["a"],1,1)', []],
  ])('%s', (expression, result) => {
    expect(call(expression)).toEqual(result)
  })

  test.each<[string, string]>([
    [
      'chunklist([], -1)',
      'Error in function call; Call to function "chunklist" failed: the size argument must be positive.',
    ],
    [
      'chunklist(["a"], -1)',
      'Error in function call; Call to function "chunklist" failed: the size argument must be positive.',
    ],
    [
      'chunklist(["a"], 1.5)',
      'Error in function call; Call to function "chunklist" failed: invalid size: value must be a whole number, between -9223372036854775808 and 9223372036854775807.',
    ],
    [
      'coalesce(null)',
      'Error in function call; Call to function "coalesce" failed: no non-null arguments.',
    ],
    [
      'coalesce()',
      'Error in function call; Call to function "coalesce" failed: all arguments must have the same type.',
    ],
    [
      'coalesce(1, true)',
      'Error in function call; Call to function "coalesce" failed: all arguments must have the same type.',
    ],
    [
      'coalesce([1], "x")',
      'Error in function call; Call to function "coalesce" failed: all arguments must have the same type.',
    ],
    [
      'coalescelist([], [])',
      'Error in function call; Call to function "coalescelist" failed: no non-null arguments.',
    ],
    [
      'coalescelist()',
      'Error in function call; Call to function "coalescelist" failed: at least one argument is required.',
    ],
    [
      'coalescelist("a")',
      'Error in function call; Call to function "coalescelist" failed: coalescelist arguments must be lists or tuples.',
    ],
    [
      'coalescelist(null, [1])',
      'Error in function call; Call to function "coalescelist" failed: coalescelist arguments must be lists or tuples.',
    ],
    [
      'compact({})',
      'Invalid function argument; Invalid value for "list" parameter: list of string required.',
    ],
    [
      'compact("a")',
      'Invalid function argument; Invalid value for "list" parameter: list of string required.',
    ],
    [
      'concat()',
      'Error in function call; Call to function "concat" failed: at least one argument is required.',
    ],
    [
      'concat(["a"], "b")',
      'Invalid function argument; Invalid value for "seqs" parameter: all arguments must be lists or tuples; got string.',
    ],
    [
      'concat(toset(["a"]))',
      'Invalid function argument; Invalid value for "seqs" parameter: all arguments must be lists or tuples; got set of string.',
    ],
    [
      'concat({})',
      'Invalid function argument; Invalid value for "seqs" parameter: all arguments must be lists or tuples; got object.',
    ],
    [
      'contains("abc", "a")',
      'Error in function call; Call to function "contains" failed: argument must be list, tuple, or set.',
    ],
    [
      'contains({}, "a")',
      'Error in function call; Call to function "contains" failed: argument must be list, tuple, or set.',
    ],
    [
      'distinct([["a"],1])',
      'Invalid function argument; Invalid value for "list" parameter: all list elements must have the same type.',
    ],
    [
      'distinct("a")',
      'Invalid function argument; Invalid value for "list" parameter: list of any single type required.',
    ],
    [
      'element([], 0)',
      'Error in function call; Call to function "element" failed: cannot use element function with an empty list.',
    ],
    [
      'element(["a"], -1)',
      'Error in function call; Call to function "element" failed: cannot use element function with a negative index.',
    ],
    [
      'element(["a"], 0.5)',
      'Error in function call; Call to function "element" failed: invalid index: value must be a whole number, between -9223372036854775808 and 9223372036854775807.',
    ],
    [
      'element(toset(["a"]), 0)',
      'Error in function call; Call to function "element" failed: cannot read elements from set of string.',
    ],
    [
      'element("a", 0)',
      'Error in function call; Call to function "element" failed: cannot read elements from string.',
    ],
    [
      'element(tolist([]), 0)',
      'Error in function call; Call to function "element" failed: cannot use element function with an empty list.',
    ],
    [
      'flatten("a")',
      'Error in function call; Call to function "flatten" failed: can only flatten lists, sets and tuples.',
    ],
    [
      'flatten({})',
      'Error in function call; Call to function "flatten" failed: can only flatten lists, sets and tuples.',
    ],
    [
      'index(["a","b"], 2)',
      'Error in function call; Call to function "index" failed: key must be between 0 and 2 inclusive.',
    ],
    [
      'index(["a","b"], "0")',
      'Error in function call; Call to function "index" failed: key for tuple must be number.',
    ],
    [
      'index(tolist(["a","b"]), 5)',
      'Error in function call; Call to function "index" failed: invalid index.',
    ],
    [
      'index(tolist(["a"]), "0")',
      'Error in function call; Call to function "index" failed: key for list must be number.',
    ],
    [
      'index(tomap({a=1}), "b")',
      'Error in function call; Call to function "index" failed: invalid index.',
    ],
    [
      'index(tomap({a=1}), 1)',
      'Error in function call; Call to function "index" failed: key for map must be string.',
    ],
    [
      'index({a=1}, "a")',
      'Error in function call; Call to function "index" failed: collection must be a list, a map or a tuple.',
    ],
    [
      'index("a", 0)',
      'Error in function call; Call to function "index" failed: collection must be a list, a map or a tuple.',
    ],
    [
      'index(["a"], 0.5)',
      'Error in function call; Call to function "index" failed: invalid key for tuple: value must be a whole number, between -9223372036854775808 and 9223372036854775807.',
    ],
    [
      'index(["a"], -1)',
      'Error in function call; Call to function "index" failed: key must be between 0 and 1 inclusive.',
    ],
    [
      'index(tolist(["a"]), 0.5)',
      'Error in function call; Call to function "index" failed: invalid index.',
    ],
    [
      'length({a=1})',
      'Error in function call; Call to function "length" failed: collection must be a list, a map or a tuple.',
    ],
    [
      'length("abc")',
      'Error in function call; Call to function "length" failed: collection must be a list, a map or a tuple.',
    ],
    [
      'length(null)',
      'Invalid function argument; Invalid value for "collection" parameter: argument must not be null.',
    ],
    [
      'range(1, 5, -1)',
      'Invalid function argument; Invalid value for "params" parameter: end must be less than start when step is negative.',
    ],
    [
      'range(5, 1, 1)',
      'Invalid function argument; Invalid value for "params" parameter: end must be greater than start when step is positive.',
    ],
    [
      'range(0, 1, 0)',
      'Error in function call; Call to function "range" failed: more than 1024 values were generated; either decrease the difference between start and end or use a smaller step.',
    ],
    [
      'range()',
      'Error in function call; Call to function "range" failed: must have one, two, or three arguments.',
    ],
    [
      'range(2000)',
      'Error in function call; Call to function "range" failed: more than 1024 values were generated; either decrease the difference between start and end or use a smaller step.',
    ],
    [
      'range(1,2,3,4)',
      'Error in function call; Call to function "range" failed: must have one, two, or three arguments.',
    ],
    [
      'slice(["a"], 0, 2)',
      'Invalid function argument; Invalid value for "end_index" parameter: end index must not be greater than the length of the list.',
    ],
    [
      'slice(["a"], 2, 2)',
      'Invalid function argument; Invalid value for "start_index" parameter: start index must not be greater than the length of the list.',
    ],
    [
      'slice(["a"], -1, 1)',
      'Invalid function argument; Invalid value for "start_index" parameter: start index must not be less than zero.',
    ],
    [
      'slice(["a","b"], 1, 0)',
      'Invalid function argument; Invalid value for "start_index" parameter: start index must not be greater than end index.',
    ],
    [
      'slice(["a"], 0, -1)',
      'Invalid function argument; Invalid value for "end_index" parameter: end index must not be less than zero.',
    ],
    [
      'slice(["a"], 0.5, 1)',
      'Invalid function argument; Invalid value for "start_index" parameter: invalid start index: value must be a whole number, between -9223372036854775808 and 9223372036854775807.',
    ],
    [
      'slice(["a"], 0, 0.5)',
      'Invalid function argument; Invalid value for "end_index" parameter: invalid end index: value must be a whole number, between -9223372036854775808 and 9223372036854775807.',
    ],
    [
      'slice(toset(["a"]), 0, 1)',
      'Invalid function argument; Invalid value for "list" parameter: cannot slice a set, because its elements do not have indices; explicitly convert to a list if the ordering of the result is not important.',
    ],
    [
      'slice("abc", 0, 1)',
      'Invalid function argument; Invalid value for "list" parameter: must be a list or tuple value.',
    ],
  ])('%s is refused', (expression, why) => {
    expect(fault(expression)).toBe(why)
  })
})
