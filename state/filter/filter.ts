import { quoteGo } from '../go/text.ts'
import { memoize } from '../kernel/memoize.ts'
import { int, type StructShape } from '../kernel/shape/kinds.ts'
import { FilterError, message } from './errors.ts'
import { dereference, elementShape, elementsOf, keyShape, kindOf, membersOf } from './go-kinds.ts'
import { compileLookup, type Lookup, rootScope, type Scope, type StaticScope } from './lookup.ts'
import { compileTest } from './operators.ts'
import { parseFilter } from './parser.ts'
import type { Binding, CollectionExpression, Expression, MatchExpression } from './syntax.ts'

/** A filter expression, compiled for the values of one shape. */
interface Filter {
  /**
   * Returns true if a value passes.
   *
   * @throws FilterError if the filter does not apply to the value, for example because of an
   *   unknown member or because a string is not a number
   */
  matches(value: object): boolean
}

/**
 * Compiles a filter expression for values of a shape (behaviour/scheduler#filters). The expression
 * may name members in either dialect.
 *
 * @throws FilterError `failed to read filter expression: …`; `runPageStep` adds the prefix for lists
 */
export function compileFilter(text: string, shape: StructShape): Filter {
  const predicate = compile(parseFilter(text), rootScope(shape))
  return { matches: (value) => predicate({ value, key: undefined, outer: undefined }) }
}

type Predicate = (scope: Scope) => boolean

function compile(expression: Expression, staticScope: StaticScope): Predicate {
  switch (expression.kind) {
    case 'and': {
      const operands = expression.operands.map((operand) => compile(operand, staticScope))
      return (scope) => operands.every((predicate) => predicate(scope))
    }
    case 'or': {
      const operands = expression.operands.map((operand) => compile(operand, staticScope))
      return (scope) => operands.some((predicate) => predicate(scope))
    }
    case 'not': {
      const operand = compile(expression.operand, staticScope)
      return (scope) => !operand(scope)
    }
    case 'match':
      return compileMatch(expression, staticScope)
    default:
      return compileCollection(expression, staticScope)
  }
}

/**
 * Operators that are true if the key does not exist in its map: a missing value is both empty and
 * nil.
 */
const operatorsTrueIfMissing = new Set(['empty', 'nil'])

function compileMatch(expression: MatchExpression, staticScope: StaticScope): Predicate {
  const { operator, isNegated, selector } = expression
  const { shape, read } = compileLookup(selector, staticScope)
  const test = compileTest(expression)
  const resultForMissing = operatorsTrueIfMissing.has(operator)
  return (scope) => {
    const value = read(scope)
    return (value === undefined ? resultForMissing : test(value, shape)) !== isNegated
  }
}

function compileCollection(expression: CollectionExpression, staticScope: StaticScope): Predicate {
  const { kind, selector, binding, inner: elementExpression } = expression
  const lookup = compileLookup(selector, staticScope)
  // Each predicate is compiled at its first use. Arbitrary JSON may need both, but compiling both
  // in advance would double the work at each level of nested collections.
  const compileListPredicate = memoize(() =>
    compile(elementExpression, elementScope(lookup, staticScope, binding, int)),
  )
  const compileMapPredicate = memoize(() =>
    compile(elementExpression, elementScope(lookup, staticScope, binding, keyShape)),
  )
  const placeholderConflict = findPlaceholderConflict(binding)
  return (scope) => {
    const value = lookup.read(scope)
    if (value === undefined) return kind === 'all'
    const isMap = kindOf(lookup.shape, value) === 'map'
    const predicate = (isMap ? compileMapPredicate : compileListPredicate)()
    const check = ([key, element]: readonly [string | number, unknown]) => {
      if (placeholderConflict !== undefined) throw placeholderConflict
      return predicate({ value: element, key, outer: scope })
    }
    const entries = entriesOf(lookup, value, selector.text)
    return kind === 'all' ? entries.every(check) : entries.some(check)
  }
}

function entriesOf({ shape }: Lookup, value: unknown, selector: string) {
  const kind = kindOf(shape, value)
  if (kind === 'map') return Object.entries(membersOf(value))
  if (kind === 'slice') return [...elementsOf(dereference(shape), value).entries()]
  throw new FilterError(message('filter-no-collection', { selector }))
}

/** Returns the scope in which the inner expression of `any` or `all` tests one element. */
function elementScope(
  lookup: Lookup,
  outer: StaticScope,
  binding: Binding,
  key: StaticScope['keyShape'],
): StaticScope {
  return {
    shape: elementShape(dereference(lookup.shape)) ?? lookup.shape,
    keyShape: key,
    binding,
    outer,
    path: ({ key: name, outer: scope }) =>
      scope === undefined ? [] : [...lookup.path(scope), String(name)],
  }
}

function findPlaceholderConflict(binding: Binding): FilterError | undefined {
  if ('either' in binding || binding.index === undefined || binding.index !== binding.value) {
    return undefined
  }
  const name = quoteGo(binding.index)
  return new FilterError(message('filter-placeholder-again', { name }))
}
