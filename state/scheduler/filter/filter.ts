import { quoteGo } from '../../go/text.ts'
import { int, type StructShape } from '../../kernel/shape/kinds.ts'
import { FilterError, message } from './errors.ts'
import { elementShape, elementsOf, keyShape, kindOf, membersOf, pointedTo } from './go-kinds.ts'
import { compileLookup, type Lookup, rootSite, type Scope, type Site } from './lookup.ts'
import { compileTest } from './operators.ts'
import { parseFilter } from './parser.ts'
import type { Binding, CollectionExpression, Expression, MatchExpression } from './syntax.ts'

/** A filter, ready to be tested on many values. */
interface Filter {
  /**
   * Tells whether a value passes.
   *
   * @throws FilterError for what makes no sense on this value: a member that there is not, a text that
   * is no number
   */
  matches(value: object): boolean
}

/**
 * Compiles a filter expression for values of a shape (behaviour/scheduler#filters). Members may
 * be called as in either dialect.
 *
 * @throws FilterError `failed to read filter expression: …`; see `inPageStep` for what lists add
 */
export function compileFilter(text: string, shape: StructShape): Filter {
  const passes = compile(parseFilter(text), rootSite(shape))
  return { matches: (value) => passes({ value, key: undefined, outer: undefined }) }
}

type Passes = (scope: Scope) => boolean

function compile(expression: Expression, site: Site): Passes {
  switch (expression.kind) {
    case 'and': {
      const operands = expression.operands.map((operand) => compile(operand, site))
      return (scope) => operands.every((passes) => passes(scope))
    }
    case 'or': {
      const operands = expression.operands.map((operand) => compile(operand, site))
      return (scope) => operands.some((passes) => passes(scope))
    }
    case 'not': {
      const operand = compile(expression.operand, site)
      return (scope) => !operand(scope)
    }
    case 'match':
      return compileMatch(expression, site)
    default:
      return compileCollection(expression, site)
  }
}

/**
 * The tests that hold for a key that a map does not have: it is empty and nil, and nothing else.
 */
const holdOfNothing = new Set(['empty', 'nil'])

function compileMatch(expression: MatchExpression, site: Site): Passes {
  const { operator, negated, selector } = expression
  const { shape, read } = compileLookup(selector, site)
  const test = compileTest(expression)
  const nothing = holdOfNothing.has(operator)
  return (scope) => {
    const value = read(scope)
    return (value === undefined ? nothing : test(value, shape)) !== negated
  }
}

function compileCollection(expression: CollectionExpression, site: Site): Passes {
  const { kind, selector, binding, inner } = expression
  const lookup = compileLookup(selector, site)
  // Each only when it is needed: in any JSON both may be, and collections can be nested.
  const ofList = later(() => compile(inner, elementSite(lookup, site, binding, int)))
  const ofMap = later(() => compile(inner, elementSite(lookup, site, binding, keyShape)))
  const clash = clashOf(binding)
  return (scope) => {
    const value = lookup.read(scope)
    if (value === undefined) return kind === 'all'
    const isMap = kindOf(lookup.shape, value) === 'map'
    const passes = (isMap ? ofMap : ofList)()
    const check = ([key, element]: readonly [string | number, unknown]) => {
      if (clash !== undefined) throw clash
      return passes({ value: element, key, outer: scope })
    }
    const entries = entriesOf(lookup, value, selector.text)
    return kind === 'all' ? entries.every(check) : entries.some(check)
  }
}

/** Returns what `make` returns, made when it is first asked for. */
function later<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}

function entriesOf(
  { shape }: Lookup,
  value: unknown,
  selector: string,
): readonly (readonly [string | number, unknown])[] {
  const kind = kindOf(shape, value)
  if (kind === 'map') return Object.entries(membersOf(value))
  if (kind === 'slice') return [...elementsOf(pointedTo(shape), value).entries()]
  throw new FilterError(message('filter-no-collection', { selector }))
}

/** Where the elements of a collection are. */
function elementSite(lookup: Lookup, outer: Site, binding: Binding, key: Site['keyShape']): Site {
  return {
    shape: elementShape(pointedTo(lookup.shape)) ?? lookup.shape,
    keyShape: key,
    binding,
    outer,
    path: ({ key: name, outer: scope }) =>
      scope === undefined ? [] : [...lookup.path(scope), String(name)],
  }
}

function clashOf(binding: Binding): FilterError | undefined {
  if ('either' in binding || binding.index === undefined || binding.index !== binding.value) {
    return undefined
  }
  const name = quoteGo(binding.index)
  return new FilterError(message('filter-placeholder-again', { name }))
}
