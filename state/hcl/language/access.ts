import type { Step } from '../syntax/ast.ts'
import type { Range } from '../syntax/source.ts'
import { ConversionError } from './convert.ts'
import { type Evaluation, tryConvert } from './evaluation.ts'
import { type Result, UNKNOWN } from './scope.ts'
import { typeName } from './types.ts'
import {
  type HclMapping,
  type HclSequence,
  type HclValue,
  isMapping,
  isNumber,
  isSequence,
} from './values.ts'

const INVALID_INDEX = 'Invalid index'
const NO_ELEMENT = 'The given key does not identify an element in this collection value'
const UNSUPPORTED_ATTRIBUTE = 'Unsupported attribute'

/**
 * Returns the attribute or element of a value that a step of a traversal selects. Reports a problem
 * and returns `UNKNOWN` if the value has no such attribute or element.
 */
export function takeStep(evaluation: Evaluation, value: Result, step: Step): Result {
  if (value === UNKNOWN) return UNKNOWN
  return step.kind === 'attribute'
    ? attributeOf(evaluation, value, step.name, step.range)
    : elementOf(evaluation, value, step.key, step.range)
}

/**
 * Returns the value of `value.name`. Reports a problem and returns `UNKNOWN` if there is no such
 * attribute.
 */
function attributeOf({ report }: Evaluation, value: HclValue, name: string, range: Range): Result {
  if (value === null) {
    return report(
      'Attempt to get attribute from null value',
      'This value is null, so it does not have any attributes.',
      range,
    )
  }
  if (isMapping(value)) {
    const found = value.entries.get(name)
    if (found !== undefined) return found
    const quoted = JSON.stringify(name)
    return value.kind === 'map'
      ? report(
          'Missing map element',
          `This map does not have an element with the key ${quoted}.`,
          range,
        )
      : report(
          UNSUPPORTED_ATTRIBUTE,
          `This object does not have an attribute named ${quoted}.`,
          range,
        )
  }
  if (isSequence(value)) return report(UNSUPPORTED_ATTRIBUTE, sequenceAdvice(value, name), range)
  const detail = `Can't access attributes on a primitive-typed value (${typeName(value)}).`
  return report(UNSUPPORTED_ATTRIBUTE, detail, range)
}

function sequenceAdvice({ kind, items }: HclSequence, name: string): string {
  const first = items[0]
  const holdsObjects = first !== undefined && isMapping(first) && first.kind === 'object'
  if (kind === 'tuple' || !holdsObjects) return 'This value does not have any attributes.'
  const acrossElements = `across all elements of the ${kind}?`
  const start = `Can't access attributes on a ${kind} of objects. Did you mean to access`
  if (kind === 'set') return `${start} an attribute ${acrossElements}`
  const attributePhrase = first.entries.has(name)
    ? `attribute ${JSON.stringify(name)}`
    : 'an attribute'
  return `${start} ${attributePhrase} for a specific element of the list, or ${acrossElements}`
}

/**
 * Returns the value of `collection[key]`. Reports a problem and returns `UNKNOWN` if the collection
 * has no such element.
 */
export function elementOf(
  evaluation: Evaluation,
  collection: Result,
  key: Result,
  range: Range,
): Result {
  const { report } = evaluation
  if (collection === null) {
    return report(
      'Attempt to index null value',
      'This value is null, so it does not have any indices.',
      range,
    )
  }
  if (key === null) {
    return report(INVALID_INDEX, "Can't use a null value as an indexing key.", range)
  }
  if (collection === UNKNOWN || key === UNKNOWN) return UNKNOWN
  if (isMapping(collection)) return memberOf(evaluation, collection, key, range)
  if (!isSequence(collection)) {
    return report(INVALID_INDEX, 'This value does not have any indices.', range)
  }
  if (collection.kind === 'set') {
    return report(
      INVALID_INDEX,
      "Elements of a set are identified only by their value and don't have any separate index or key to select with, so it's only possible to perform operations across all elements of the set.",
      range,
    )
  }
  const index = tryConvert(key, 'number', evaluation.budget)
  if (index instanceof ConversionError) {
    return report(INVALID_INDEX, `${NO_ELEMENT}: ${index.message}.`, range)
  }
  const found = typeof index === 'number' ? collection.items[index] : undefined
  if (found !== undefined) return found
  const why = invalidIndexReason(Number(index), collection.items.length)
  return report(INVALID_INDEX, `${NO_ELEMENT}${why}.`, range)
}

function invalidIndexReason(index: number, length: number): string {
  if (!Number.isInteger(index)) {
    return ': indexing a sequence requires a whole number, but the given index has a fractional part'
  }
  if (index < 0) return ': a negative number is not a valid index for a sequence'
  // The reference adds an explanation only if the index is out of range by one.
  if (index > length) return ''
  if (length === 0) return ': the collection has no elements'
  return ': the given index is greater than or equal to the length of the collection'
}

function memberOf(
  { report, budget }: Evaluation,
  { kind, entries }: HclMapping,
  key: HclValue,
  range: Range,
): Result {
  const name = tryConvert(key, 'string', budget)
  if (name instanceof ConversionError) {
    return report(INVALID_INDEX, `${NO_ELEMENT}: ${name.message}.`, range)
  }
  const found = typeof name === 'string' ? entries.get(name) : undefined
  if (found !== undefined) return found
  const advice =
    kind === 'object' && isNumber(key)
      ? ' An object only supports looking up attributes by name, not by numeric index.'
      : ''
  return report(INVALID_INDEX, `${NO_ELEMENT}.${advice}`, range)
}
