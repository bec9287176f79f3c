import { compareBytewise } from '../../json/json.ts'
import type { Expression, ForExpression, Splat } from '../syntax/ast.ts'
import { convertResult, type Evaluation } from './evaluation.ts'
import { childScope, elementScope, type Result, type Scope, UNKNOWN } from './scope.ts'
import { typeName } from './types.ts'
import { type HclValue, isMapping, isSequence } from './values.ts'

/** Cost of advancing to the next element, without the work for the element. */
const ELEMENT_COST = 5

/**
 * Returns the value of `[for k, v in c : value if condition]` or `{for k, v in c : key => value...
 * if condition}`.
 */
export function evaluateFor(
  evaluation: Evaluation,
  expression: ForExpression,
  scope: Scope,
): Result {
  const { keyName, valueName, condition, key } = expression
  const elements = elementsOf(evaluation, expression.collection, scope)
  if (elements === UNKNOWN) return UNKNOWN
  const createIterationScope = (name: Result, value: Result): Scope =>
    childScope(scope, [
      ...(keyName === undefined ? [] : [[keyName, name] as const]),
      [valueName, value],
    ])
  if (
    condition !== undefined &&
    !checkCondition(evaluation, condition, createIterationScope(UNKNOWN, UNKNOWN))
  ) {
    return UNKNOWN
  }
  const builder =
    key === undefined
      ? new TupleBuilder()
      : new ObjectBuilder(evaluation, key, expression.isGrouped)
  for (const [name, value] of elements) {
    evaluation.budget.spend(ELEMENT_COST)
    const iterationScope = createIterationScope(name, value)
    if (condition !== undefined) {
      const isIncluded = evaluateCondition(evaluation, condition, iterationScope, builder.isKnown)
      if (isIncluded === UNKNOWN) builder.isKnown = false
      if (isIncluded !== true) continue
    }
    builder.add(evaluation, iterationScope, expression.value)
  }
  return builder.isKnown ? evaluation.budget.chargeNew(builder.result()) : UNKNOWN
}

type Element = readonly [key: HclValue, value: HclValue]

/**
 * Returns the elements of a loop: sequences by position, mappings in the order of their keys, and
 * sets with each item as its own key. Reports a collection that is neither a sequence nor a
 * mapping. Returns `UNKNOWN` for a reported collection, and for one that is not known yet.
 */
function elementsOf(
  { evaluate, report }: Evaluation,
  collection: Expression,
  scope: Scope,
): Iterable<Element> | typeof UNKNOWN {
  const value = evaluate(collection, scope)
  if (value === UNKNOWN) return UNKNOWN
  if (value === null) {
    return report(
      'Iteration over null value',
      "A null value cannot be used as the collection in a 'for' expression.",
      collection.range,
    )
  }
  if (isSequence(value)) {
    return value.kind === 'set' ? value.items.map((item) => [item, item]) : value.items.entries()
  }
  if (isMapping(value)) return [...value.entries].sort(([a], [b]) => compareBytewise(a, b))
  return report(
    'Iteration over non-iterable value',
    `A value of type ${typeName(value)} cannot be used as the collection in a 'for' expression.`,
    collection.range,
  )
}

/**
 * Evaluates the condition of a loop once before the loop, so that a problem that concerns every
 * element is reported only once. Returns true if there were no problems.
 */
function checkCondition(evaluation: Evaluation, condition: Expression, scope: Scope): boolean {
  const before = evaluation.problemCount
  const value = evaluation.evaluate(condition, scope)
  if (value === null) {
    const detail = "The value of the 'if' clause must not be null."
    evaluation.report('Condition is null', detail, condition.range)
  } else {
    convertCondition(evaluation, value, condition)
  }
  return evaluation.problemCount === before
}

function evaluateCondition(
  evaluation: Evaluation,
  condition: Expression,
  scope: Scope,
  isKnown: boolean,
): Result {
  const value = evaluation.evaluate(condition, scope)
  if (!isKnown) return UNKNOWN
  if (value !== null) return convertCondition(evaluation, value, condition)
  return evaluation.report(
    "Invalid 'for' condition",
    "The value of the 'if' clause must not be null.",
    condition.range,
  )
}

function convertCondition(evaluation: Evaluation, value: Result, { range }: Expression): Result {
  return convertResult(evaluation, value, 'bool', (why) =>
    evaluation.report(
      "Invalid 'for' condition",
      `The 'if' clause value is invalid: ${why}.`,
      range,
    ),
  )
}

class TupleBuilder {
  readonly #items: HclValue[] = []
  /** Whether all elements so far had a value. */
  isKnown = true

  add(evaluation: Evaluation, scope: Scope, expression: Expression): void {
    const value = evaluation.evaluate(expression, scope)
    if (value === UNKNOWN) this.isKnown = false
    else this.#items.push(value)
  }

  result(): HclValue {
    return { kind: 'tuple', items: this.#items }
  }
}

class ObjectBuilder {
  readonly #entries = new Map<string, HclValue>()
  readonly #groups = new Map<string, HclValue[]>()
  readonly #keyOf: (scope: Scope, isKnown: boolean) => string | undefined
  readonly #isGrouped: boolean
  readonly #key: Expression
  isKnown = true

  constructor(evaluation: Evaluation, key: Expression, isGrouped: boolean) {
    this.#keyOf = (scope, isKnown) => evaluateKey(evaluation, key, scope, isKnown)
    this.#isGrouped = isGrouped
    this.#key = key
  }

  add(evaluation: Evaluation, scope: Scope, expression: Expression): void {
    const key = this.#keyOf(scope, this.isKnown)
    if (key === undefined) {
      this.isKnown = false
      return
    }
    const value = evaluation.evaluate(expression, scope)
    if (value === UNKNOWN) {
      this.isKnown = false
    } else if (this.#isGrouped) {
      const group = this.#groups.get(key)
      if (group === undefined) this.#groups.set(key, [value])
      else group.push(value)
    } else if (this.#entries.has(key)) {
      this.isKnown = false
      evaluation.report(
        'Duplicate object key',
        `Two different items produced the key ${JSON.stringify(key)} in this 'for' expression. If duplicates are expected, use the ellipsis (...) after the value expression to enable grouping by key.`,
        this.#key.range,
      )
    } else {
      this.#entries.set(key, value)
    }
  }

  result(): HclValue {
    for (const [key, items] of this.#groups) this.#entries.set(key, { kind: 'tuple', items })
    return { kind: 'object', entries: this.#entries }
  }
}

function evaluateKey(
  evaluation: Evaluation,
  key: Expression,
  scope: Scope,
  isKnown: boolean,
): string | undefined {
  const value = evaluation.evaluate(key, scope)
  const invalid = (detail: string): typeof UNKNOWN => {
    if (isKnown) evaluation.report('Invalid object key', detail, key.range)
    return UNKNOWN
  }
  if (value === null) {
    invalid("Key expression in 'for' expression must not produce a null value.")
    return undefined
  }
  const converted = convertResult(evaluation, value, 'string', (why) =>
    invalid(`The key expression produced an invalid result: ${why}.`),
  )
  return typeof converted === 'string' ? converted : undefined
}

/**
 * Returns the value of `source.*.name` or `source[*].name`. Null has no elements. A value that is
 * not a sequence is its own only element.
 */
export function evaluateSplat(evaluation: Evaluation, expression: Splat, scope: Scope): Result {
  const source = evaluation.evaluate(expression.source, scope)
  if (source === UNKNOWN) return UNKNOWN
  if (source === null) return { kind: 'tuple', items: [] }
  const kind = isSequence(source) && source.kind !== 'tuple' ? 'list' : 'tuple'
  const items: HclValue[] = []
  let isKnown = true
  for (const item of isSequence(source) ? source.items : [source]) {
    evaluation.budget.spend(ELEMENT_COST)
    const value = evaluation.evaluate(expression.each, elementScope(scope, item))
    if (value === UNKNOWN) isKnown = false
    else items.push(value)
  }
  return isKnown ? evaluation.budget.chargeNew({ kind, items }) : UNKNOWN
}
