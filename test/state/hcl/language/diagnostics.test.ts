import { describe, expect, test } from 'vitest'
import { Budget } from '../../../../state/hcl/language/budget.ts'
import { createScope } from '../../../../state/hcl/language/scope.ts'
import { refusal, scopeOf, value } from './support.ts'

const VARIABLES = {
  s: 'text',
  n: 1,
  no: null,
  t: [1, 2],
  list: { '<list>': [1] },
  empty: { '<list>': [] },
  objects: { '<list>': [{ name: 'ada' }] },
  set: { '<set>': ['p'] },
  setobjects: { '<set>': [{ name: 'ada' }] },
  map: { '<map>': { k: 'v' } },
  o: { a: 1 },
}

/** Returns the whole message of an expression's problem. */
function messageOf(text: string): string {
  return refusal(() => value(text, scopeOf(VARIABLES))).message
}

// behaviour/scheduler#job-file-errors; the wording is the reference's.
describe('diagnostics', () => {
  test.each<[string, string]>([
    // Names, attributes, indexes.
    ['other', 'x:1,1-6: Unknown variable; There is no variable named "other".'],
    [
      'lists[0]',
      'x:1,1-6: Unknown variable; There is no variable named "lists". Did you mean "list"?',
    ],
    ['o.b.c', 'x:1,2-4: Unsupported attribute; This object does not have an attribute named "b".'],
    ['map.x', 'x:1,4-6: Missing map element; This map does not have an element with the key "x".'],
    [
      'no.x',
      'x:1,3-5: Attempt to get attribute from null value; This value is null, so it does not have any attributes.',
    ],
    [
      's.x',
      `x:1,2-4: Unsupported attribute; Can't access attributes on a primitive-typed value (string).`,
    ],
    ['t.x', 'x:1,2-4: Unsupported attribute; This value does not have any attributes.'],
    ['list.x', 'x:1,5-7: Unsupported attribute; This value does not have any attributes.'],
    [
      'objects.name',
      `x:1,8-13: Unsupported attribute; Can't access attributes on a list of objects. Did you mean to access attribute "name" for a specific element of the list, or across all elements of the list?`,
    ],
    [
      'objects.age',
      `x:1,8-12: Unsupported attribute; Can't access attributes on a list of objects. Did you mean to access an attribute for a specific element of the list, or across all elements of the list?`,
    ],
    [
      'setobjects.name',
      `x:1,11-16: Unsupported attribute; Can't access attributes on a set of objects. Did you mean to access an attribute across all elements of the set?`,
    ],
    [
      'no[0]',
      'x:1,3-6: Attempt to index null value; This value is null, so it does not have any indices.',
    ],
    ['t[no]', "x:1,2-6: Invalid index; Can't use a null value as an indexing key."],
    ['s[0]', 'x:1,2-5: Invalid index; This value does not have any indices.'],
    [
      't["a"]',
      'x:1,2-7: Invalid index; The given key does not identify an element in this collection value: a number is required.',
    ],
    [
      't[2]',
      'x:1,2-5: Invalid index; The given key does not identify an element in this collection value: the given index is greater than or equal to the length of the collection.',
    ],
    [
      't[3]',
      'x:1,2-5: Invalid index; The given key does not identify an element in this collection value.',
    ],
    [
      't[n / 2]',
      'x:1,2-9: Invalid index; The given key does not identify an element in this collection value: indexing a sequence requires a whole number, but the given index has a fractional part.',
    ],
    [
      't[-1]',
      'x:1,2-6: Invalid index; The given key does not identify an element in this collection value: a negative number is not a valid index for a sequence.',
    ],
    [
      'empty[0]',
      'x:1,6-9: Invalid index; The given key does not identify an element in this collection value: the collection has no elements.',
    ],
    [
      'o["b"]',
      'x:1,2-7: Invalid index; The given key does not identify an element in this collection value.',
    ],
    [
      'o[1]',
      'x:1,2-5: Invalid index; The given key does not identify an element in this collection value. An object only supports looking up attributes by name, not by numeric index.',
    ],
    [
      'map[1]',
      'x:1,4-7: Invalid index; The given key does not identify an element in this collection value.',
    ],
    [
      'o[t]',
      'x:1,2-5: Invalid index; The given key does not identify an element in this collection value: string required.',
    ],
    [
      'set[0]',
      "x:1,4-7: Invalid index; Elements of a set are identified only by their value and don't have any separate index or key to select with, so it's only possible to perform operations across all elements of the set.",
    ],
    [
      '[o][*].b',
      'x:1,7-9: Unsupported attribute; This object does not have an attribute named "b".',
    ],
    // Operators.
    ['s + 1', 'x:1,1-2: Invalid operand; Unsuitable value for left operand: a number is required.'],
    ['1 * t', 'x:1,5-6: Invalid operand; Unsuitable value for right operand: number required.'],
    [
      '[] - {}',
      'x:1,1-3: Invalid operand; Unsuitable value for left operand: number required., and 1 other diagnostic(s)',
    ],
    ['-s', 'x:1,2-3: Invalid operand; Unsuitable value for unary operand: a number is required.'],
    ['!n', 'x:1,2-3: Invalid operand; Unsuitable value for unary operand: bool required.'],
    ['-no', 'x:1,1-4: Operation failed; Error during operation: argument must not be null.'],
    ['n && true', 'x:1,1-2: Invalid operand; Unsuitable value for left operand: bool required.'],
    ['true || n', 'x:1,9-10: Invalid operand; Unsuitable value for right operand: bool required.'],
    [
      'no || false',
      'x:1,1-12: Operation failed; Error during operation: argument must not be null.',
    ],
    ['true && x', 'x:1,9-10: Unknown variable; There is no variable named "x". Did you mean "s"?'],
    ['no < 1', 'x:1,1-7: Operation failed; Error during operation: argument must not be null.'],
    ['1 / 0', 'x:1,1-6: Operation failed; Error during operation: division by zero.'],
    [
      '0 / 0',
      "x:1,1-6: Operation failed; Error during operation: can't divide zero by zero or infinity by infinity.",
    ],
    [
      '1e300 * 1e300',
      'x:1,1-14: Operation failed; Error during operation: the result is too large.',
    ],
    // Templates.
    [
      '"a${no}"',
      'x:1,5-7: Invalid template interpolation value; The expression result is null. Cannot include a null value in a string template.',
    ],
    [
      '"a${t}"',
      'x:1,5-6: Invalid template interpolation value; Cannot include the given value in a string template: string required.',
    ],
    [
      '"%{ for v in [null] }${v}%{ endfor }"',
      'x:1,24-25: Invalid template interpolation value; The expression result is null. Cannot include a null value in a string template.',
    ],
    // Conditionals.
    [
      'no ? 1 : 2',
      'x:1,1-3: Null condition; The condition value is null. Conditions must either be true or false.',
    ],
    [
      'n ? 1 : 2',
      'x:1,1-2: Incorrect condition type; The condition expression must be of type bool.',
    ],
    [
      'true ? 1 : []',
      `x:1,8-14: Inconsistent conditional result types; The true and false result expressions must have consistent types. The 'true' value is number, but the 'false' value is tuple.`,
    ],
    [
      'true ? { a = 1 } : { a = [] }',
      `x:1,8-30: Inconsistent conditional result types; The true and false result expressions must have consistent types. Type mismatch for object attribute "a": The 'true' value is number, but the 'false' value is tuple.`,
    ],
    [
      'true ? { a = [] } : { b = 1 }',
      `x:1,8-30: Inconsistent conditional result types; The true and false result expressions must have consistent types. The 'true' value includes object attribute "a", which is absent in the 'false' value.`,
    ],
    [
      'true ? {} : { a = 1, b = [] }',
      `x:1,8-30: Inconsistent conditional result types; The true and false result expressions must have consistent types. The 'false' value includes object attribute "a", which is absent in the 'true' value.`,
    ],
    [
      'true ? [1, []] : [2]',
      `x:1,8-21: Inconsistent conditional result types; The true and false result expressions must have consistent types. The 'true' tuple has length 2, but the 'false' tuple has length 1.`,
    ],
    [
      'true ? [1, []] : [2, true]',
      `x:1,8-27: Inconsistent conditional result types; The true and false result expressions must have consistent types. Type mismatch for tuple element 1: The 'true' value is tuple, but the 'false' value is bool.`,
    ],
    [
      'true ? objects : tolist([{ name = [] }])',
      `x:1,8-41: Inconsistent conditional result types; The true and false result expressions must have consistent types. Mismatched list element types: Type mismatch for object attribute "name": The 'true' value is string, but the 'false' value is tuple.`,
    ],
    [
      'true ? [[objects]] : [[tolist([[]])]]',
      `x:1,8-38: Inconsistent conditional result types; The true and false result expressions must have consistent types. Type mismatch for tuple element 0: Type mismatch for tuple element 0: The 'true' value is list of object, but the 'false' value is list of tuple.`,
    ],
    [
      'true ? tolist([objects]) : tolist([tolist([{ name = [] }])])',
      `x:1,8-61: Inconsistent conditional result types; The true and false result expressions must have consistent types. At least one deeply-nested attribute or element is not compatible across both the 'true' and the 'false' value.`,
    ],
    [
      'true ? { a = "x" } : { a = t }.a[0] == 1 ? [1] : tolist(["a"])',
      `x:1,8-63: Inconsistent conditional result types; The true and false result expressions must have consistent types. The 'true' value is object, but the 'false' value is list of string.`,
    ],
    [
      'false ? 1 : o.b',
      'x:1,14-16: Unsupported attribute; This object does not have an attribute named "b".',
    ],
    // Objects.
    [
      '{ o.a = 1 }',
      "x:1,3-6: Ambiguous attribute key; If this expression is intended to be a reference, wrap it in parentheses. If it's instead intended as a literal name containing periods, wrap it in quotes to create a string literal.",
    ],
    ['{ (no) = 1 }', "x:1,10-11: Null value as key; Can't use a null value as a key."],
    ['{ (t) = 1 }', "x:1,3-6: Incorrect key type; Can't use this value as a key: string required."],
    // Loops.
    [
      '[for v in no : v]',
      "x:1,11-13: Iteration over null value; A null value cannot be used as the collection in a 'for' expression.",
    ],
    [
      '[for v in s : v]',
      "x:1,11-12: Iteration over non-iterable value; A value of type string cannot be used as the collection in a 'for' expression.",
    ],
    [
      '[for v in t : v if null]',
      "x:1,20-24: Condition is null; The value of the 'if' clause must not be null.",
    ],
    [
      '[for v in t : v if 5]',
      "x:1,20-21: Invalid 'for' condition; The 'if' clause value is invalid: bool required.",
    ],
    [
      '[for v in [1, null] : 1 if v]',
      "x:1,28-29: Invalid 'for' condition; The 'if' clause value is invalid: bool required.",
    ],
    [
      '[for v in [null, null] : 1 if v]',
      "x:1,31-32: Invalid 'for' condition; The value of the 'if' clause must not be null.",
    ],
    [
      '{ for v in [1, 1] : v => v }',
      `x:1,21-22: Duplicate object key; Two different items produced the key "1" in this 'for' expression. If duplicates are expected, use the ellipsis (...) after the value expression to enable grouping by key.`,
    ],
    [
      '{ for v in [null, null] : v => v }',
      "x:1,27-28: Invalid object key; Key expression in 'for' expression must not produce a null value.",
    ],
    [
      '{ for v in [[], {}] : v => v }',
      'x:1,23-24: Invalid object key; The key expression produced an invalid result: string required.',
    ],
    [
      '{ for v in [o, {}] : "k" => v.a... }',
      'x:1,30-32: Unsupported attribute; This object does not have an attribute named "a".',
    ],
    [
      '[for v in [o, {}] : v.a]',
      'x:1,22-24: Unsupported attribute; This object does not have an attribute named "a".',
    ],
    // Calls.
    ['nothing(1)', 'x:1,1-8: Call to unknown function; There is no function named "nothing".'],
    [
      'uper("x")',
      'x:1,1-5: Call to unknown function; There is no function named "uper". Did you mean "upper"?',
    ],
    [
      'upper()',
      'x:1,7-8: Not enough function arguments; Function "upper" expects 1 argument(s). Missing value for "str".',
    ],
    [
      'join()',
      'x:1,6-7: Not enough function arguments; Function "join" expects at least 1 argument(s). Missing value for "separator".',
    ],
    [
      'upper("a", -n)',
      'x:1,12-13: Too many function arguments; Function "upper" expects only 1 argument(s).',
    ],
    [
      'upper([1])',
      'x:1,7-8: Invalid function argument; Invalid value for "str" parameter: string required.',
    ],
    [
      'join("", [], ["a", {}])',
      'x:1,14-15: Invalid function argument; Invalid value for "lists" parameter: element 1: string required.',
    ],
    [
      'upper(no)',
      'x:1,7-9: Invalid function argument; Invalid value for "str" parameter: argument must not be null.',
    ],
    ['fail("call")', 'x:1,1-6: Error in function call; Call to function "fail" failed: no luck.'],
    [
      'fail("argument")',
      'x:1,7-15: Invalid function argument; Invalid value for "how" parameter: is no good.',
    ],
    [
      'upper(no...)',
      'x:1,7-9: Invalid expanding argument value; The expanding argument (indicated by ...) must not be null.',
    ],
    [
      'upper(s...)',
      'x:1,7-8: Invalid expanding argument value; The expanding argument (indicated by ...) must be of a tuple, list, or set type.',
    ],
    [
      'upper([[]]...)',
      'x:1,7-11: Invalid function argument; Invalid value for "str" parameter: string required.',
    ],
    [
      'try()',
      'x:1,1-5: Error in function call; Call to function "try" failed: at least one argument is required.',
    ],
    [
      'try(o.b, 1 + s)',
      'x:1,1-5: Error in function call; Call to function "try" failed: no expression succeeded:\n- Unsupported attribute (at x:1,6-8)\n  This object does not have an attribute named "b".\n- Invalid operand (at x:1,14-15)\n  Unsuitable value for right operand: a number is required.\n\nAt least one expression must produce a successful result.',
    ],
    [
      'can()',
      'x:1,5-6: Not enough function arguments; Function "can" expects 1 argument(s). Missing value for "expression".',
    ],
    [
      'convert("x", number)',
      'x:1,10-11: Invalid function argument; Invalid value for "value" parameter: a number is required.',
    ],
    [
      'convert("x", text)',
      'x:1,14-18: Invalid type specification; The keyword "text" is not a valid type specification.',
    ],
  ])('%s', (text, expected) => {
    expect(messageOf(text)).toBe(expected)
  })

  // Each kind of expression has its own start position in messages about arguments, as in the
  // reference.
  test.each<[string, string]>([
    ['[1]', '1,7-8'],
    ['{}', '1,7-8'],
    ['[for v in t : v]', '1,7-8'],
    ['(([1]))', '1,9-10'],
    ['t', '1,7-8'],
    ['(t)[*]', '1,10-13'],
    ['[o].*.a', '1,10-12'],
    ['[[o]][*][*].a', '1,12-15'],
    ['[{ x = t }][*]["x"]', '1,18-21'],
    ['[t][*][n]', '1,10-13'],
    ['"${t}"', '1,7-13'],
    ['[t][n - 1]', '1,10-11'],
    ['true ? t : t', '1,7-11'],
    ['tolist(t)', '1,7-14'],
    ['{ x = t }.x', '1,7-18'],
  ])('the problem of upper(%s) is reported at %s', (argument, place) => {
    expect(messageOf(`upper(${argument})`)).toMatch(`x:${place}: Invalid function argument;`)
  })

  test('all problems of an expression are reported', () => {
    const text = '["${o.b}${no}", { a = o.c, (t) = 1 }, [for v in t : v.x], upper(o.d, o.e)]'
    const found = refusal(() => value(text, scopeOf(VARIABLES)))
    expect(found.diagnostics.map(({ summary, range }) => [summary, range?.start.column])).toEqual([
      ['Unsupported attribute', 6],
      ['Invalid template interpolation value', 11],
      ['Unsupported attribute', 24],
      ['Incorrect key type', 28],
      ['Unsupported attribute', 54],
      ['Unsupported attribute', 54],
      ['Too many function arguments', 70],
    ])
  })

  test('variables and functions are not allowed here', () => {
    const scope = createScope({ budget: new Budget(), uuid: () => '' })
    const messages = ['a.b', 'upper("x")', '[for v in [1] : w]'].map(
      (text) => refusal(() => value(text, scope)).message,
    )
    expect(messages).toEqual([
      'x:1,1-2: Variables not allowed; Variables may not be used here.',
      'x:1,1-11: Function calls not allowed; Functions may not be called here.',
      'x:1,17-18: Unknown variable; There is no variable named "w". Did you mean "v"?',
    ])
  })

  test('a variable without a value', () => {
    const surroundings = { budget: new Budget(), uuid: () => '', unsetNames: new Set(['var.x']) }
    const scope = createScope(
      surroundings,
      new Map([['var', { kind: 'object', entries: new Map([['y', 1]]) }]]),
    )
    expect(value('var.y', scope)).toBe(1)
    expect(refusal(() => value('"a${var["x"]}"', scope)).message).toBe(
      'x:1,2-3: Unsuitable value type; Unsuitable value: value must be known',
    )
    expect(value('[for var in [{ x = 1 }] : var.x]', scope)).toEqual([1])
    expect(refusal(() => value('{ a = -var.x, (var.x) = [var.x.y[0]] }', scope)).summary).toBe(
      'Unsuitable value type',
    )
  })
})

// behaviour/scheduler#job-file-language: types of variables.
describe('types that are written wrongly', () => {
  test.each<[string, string]>([
    [
      'list',
      'x:1,12-16: Invalid type specification; The list type constructor requires one argument specifying the element type.',
    ],
    [
      'object',
      'x:1,12-18: Invalid type specification; The object type constructor requires one argument specifying the attribute types and values as a map.',
    ],
    [
      'tuple()',
      'x:1,17-19: Invalid type specification; The tuple type constructor requires one argument specifying the element types as a list.',
    ],
    [
      'map(string, number)',
      'x:1,24-30: Invalid type specification; The map type constructor requires one argument specifying the element type.',
    ],
    [
      'null',
      'x:1,12-16: Invalid type specification; The keyword "null" is not a valid type specification.',
    ],
    [
      '5',
      'x:1,12-13: Invalid type specification; A type specification is either a primitive type keyword (bool, number, string) or a complex type constructor call, like list(string).',
    ],
    [
      'string(1)',
      'x:1,18-21: Invalid type specification; Primitive type keyword "string" does not expect arguments.',
    ],
    [
      'any()',
      'x:1,15-17: Invalid type specification; Type constraint keyword "any" does not expect arguments.',
    ],
    [
      'vector(1)',
      'x:1,12-21: Invalid type specification; Keyword "vector" is not a valid type constructor.',
    ],
    [
      'optional(string)',
      'x:1,12-20: Invalid type specification; Keyword "optional" is valid only as a modifier for object type attributes.',
    ],
    [
      'object(string)',
      'x:1,19-25: Invalid type specification; Object type constructor requires a map whose keys are attribute names and whose values are the corresponding attribute types.',
    ],
    [
      'object({ "a" = string })',
      'x:1,21-24: Invalid type specification; Object constructor map keys must be attribute names.',
    ],
    [
      'object({ a = optional() })',
      'x:1,33-35: Invalid type specification; Optional attribute modifier requires the attribute type as its argument.',
    ],
    [
      'object({ a = optional(string, 1) })',
      'x:1,33-44: Invalid type specification; Optional attribute modifier expects only one argument: the attribute type.',
    ],
    [
      'tuple(string)',
      'x:1,18-24: Invalid type specification; Tuple type constructor requires a list of element types.',
    ],
    [
      'list(tuple([a]))',
      'x:1,24-25: Invalid type specification; The keyword "a" is not a valid type specification.',
    ],
  ])('%s', (type, expected) => {
    expect(messageOf(`convert(0, ${type})`)).toBe(expected)
  })
})
