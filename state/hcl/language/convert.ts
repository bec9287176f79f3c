import { compareBytewise } from '../../json/json.ts'
import { setOf } from './equality.ts'
import {
  constraintName,
  containsAny,
  isConvertible,
  noCharge,
  type Spend,
  typeKey,
  unify,
  valueType,
} from './types.ts'
import {
  formatNumber,
  type HclMapping,
  type HclType,
  type HclValue,
  isMapping,
  isNumber,
  isSequence,
  parseNumber,
} from './values.ts'

/**
 * Error for a value that cannot be converted, with the reference's message, such as `a number is
 * required`.
 */
export class ConversionError extends Error {}

/**
 * Converts a value as assignments, parameters and operators do. Strings can be converted to numbers
 * and booleans; numbers and booleans can be converted to strings. Sequences can be converted to
 * lists and sets. Mappings can be converted to maps, and to objects with fewer attributes. Null
 * stays null. An open item type (`list(any)`) becomes the common type of all items.
 *
 * @throws ConversionError with the reference's message: `string required`, `element 0: number
 *   required`
 */
export function convertValue(value: HclValue, type: HclType, spend: Spend = noCharge): HclValue {
  try {
    return convertTo(value, type, spend)
  } catch (error) {
    if (!(error instanceof ConversionError)) throw error
    // A type that can never be converted is reported before problems of single values.
    const got = valueType(value, spend)
    throw isConvertible(got, type, spend)
      ? error
      : new ConversionError(mismatchMessage(got, type, spend))
  }
}

/**
 * Converts values to their common type. Returns undefined if there is no such type, and `items`
 * itself if no value had to be changed.
 */
export function unifyValues(
  items: readonly HclValue[],
  spend: Spend = noCharge,
): readonly HclValue[] | undefined {
  const types = items.map((item) => valueType(item, spend))
  const of = unify(types, spend)
  if (of === undefined) return undefined
  const key = typeKey(of, spend)
  const isUnified = (type: HclType | undefined): boolean =>
    type !== undefined && (type === of || typeKey(type, spend) === key)
  if (types.every(isUnified)) return items
  return items.map((item, index) => (isUnified(types[index]) ? item : convertTo(item, of, spend)))
}

function convertTo(value: HclValue, type: HclType, spend: Spend): HclValue {
  spend(1)
  if (value === null || type === 'any') return value
  if (typeof type === 'string') return convertToPrimitive(value, type)
  switch (type.kind) {
    case 'list':
    case 'set': {
      if (!isSequence(value)) break
      const items = convertItems(value.items, type.of, spend)
      if (type.kind === 'set') {
        return value.kind === 'set' && items === value.items ? value : setOf(items, spend)
      }
      return value.kind === 'list' && items === value.items ? value : { kind: 'list', items }
    }
    case 'map':
      if (isMapping(value)) return toMap(value, type.of, spend)
      break
    case 'object':
      if (isMapping(value)) return toObject(value, type.attributes, spend)
      break
    case 'tuple': {
      if (!isSequence(value) || value.kind !== 'tuple') break
      if (value.items.length !== type.items.length) break
      const items = value.items.map((item, index) =>
        convertTo(item, type.items[index] ?? 'any', spend),
      )
      return { kind: 'tuple', items }
    }
  }
  throw new ConversionError(mismatchMessage(valueType(value, spend), type, spend))
}

/**
 * Converts each item. Returns the same array if no item had to be changed, so that values still
 * share their parts. Throws a ConversionError for an item that cannot be converted, and for an open
 * type if the items have no common type.
 */
function convertItems(items: readonly HclValue[], of: HclType, spend: Spend): readonly HclValue[] {
  const applied = of === 'any' ? items : items.map((item) => convertTo(item, of, spend))
  const converted = containsAny(of) ? unifyValues(applied, spend) : applied
  if (converted === undefined) {
    throw new ConversionError('collection elements cannot be unified')
  }
  return converted.every((item, index) => item === items[index]) ? items : converted
}

function toMap(value: HclMapping, of: HclType, spend: Spend): HclMapping {
  const before = [...value.entries.values()]
  const items = convertItems(before, of, spend)
  if (value.kind === 'map' && items === before) return value
  const entries = [...value.entries.keys()].map(
    (key, index) => [key, items[index] ?? null] as const,
  )
  return mapOf(entries)
}

/** Returns the map with these entries, sorted by key. */
export function mapOf(entries: Iterable<readonly [string, HclValue]>): HclMapping {
  const ordered = [...entries].sort(([a], [b]) => compareBytewise(a, b))
  return { kind: 'map', entries: new Map(ordered) }
}

function toObject(
  value: HclMapping,
  attributes: Extract<HclType, { kind: 'object' }>['attributes'],
  spend: Spend,
): HclMapping {
  const entries = new Map<string, HclValue>()
  for (const [name, { type, optional }] of attributes) {
    const found = value.entries.get(name)
    if (found === undefined && !optional) {
      throw new ConversionError(`map has no element for required attribute ${JSON.stringify(name)}`)
    }
    entries.set(name, found === undefined ? null : convertTo(found, type, spend))
  }
  return { kind: 'object', entries }
}

function convertToPrimitive(value: Exclude<HclValue, null>, type: 'string' | 'number' | 'bool') {
  switch (type) {
    case 'string':
      if (typeof value === 'string') return value
      if (isNumber(value)) return formatNumber(value)
      if (typeof value === 'boolean') return String(value)
      break
    case 'number': {
      if (isNumber(value)) return value
      const parsed = typeof value === 'string' ? parseNumber(value) : undefined
      if (parsed !== undefined) return parsed
      if (typeof value === 'string') throw new ConversionError('a number is required')
      break
    }
    case 'bool':
      if (typeof value === 'boolean') return value
      if (typeof value === 'string') return parseBoolean(value)
  }
  throw new ConversionError(`${type} required`)
}

function parseBoolean(text: string): boolean {
  if (text === 'true' || text === '1') return true
  if (text === 'false' || text === '0') return false
  const lower = text.toLowerCase()
  const advice =
    lower === 'true' || lower === 'false'
      ? `; to convert from string, use lowercase ${JSON.stringify(lower)}`
      : ''
  throw new ConversionError(`a bool is required${advice}`)
}

type Attributes = Extract<HclType, { kind: 'object' }>['attributes']

/** Returns the reference's message about values of one type that cannot be converted to another. */
function mismatchMessage(got: HclType, want: HclType, spend: Spend = noCharge): string {
  if (typeof got === 'string' || typeof want === 'string') return requiredTypeMessage(want)
  if (got.kind === 'object' && want.kind === 'object') {
    return objectMismatchMessage(got.attributes, want.attributes, spend)
  }
  if (!('of' in want)) return requiredTypeMessage(want)
  const { kind, of } = want
  if ('of' in got) {
    if ((kind === 'map') !== (got.kind === 'map')) return requiredTypeMessage(want)
    return `incorrect ${kind} element type: ${mismatchMessage(got.of, of, spend)}`
  }
  if ((kind === 'map') !== (got.kind === 'object')) return requiredTypeMessage(want)
  if (of === 'any') return `all ${kind} elements must have the same type`
  const items: readonly (readonly [string, HclType])[] =
    got.kind === 'tuple'
      ? got.items.map((type, index) => [String(index), type])
      : sorted(got.attributes).map(([name, { type }]) => [JSON.stringify(name), type])
  const wrong = items.find(([, type]) => !isConvertible(type, of, spend))
  if (wrong === undefined) return `all elements must be ${constraintName(of)}`
  return `element ${wrong[0]}: ${mismatchMessage(wrong[1], of, spend)}`
}

function requiredTypeMessage(want: HclType): string {
  return `${constraintName(want)} required`
}

function objectMismatchMessage(got: Attributes, want: Attributes, spend: Spend): string {
  const missing: string[] = []
  let wrong: string | undefined
  for (const [name, { type, optional }] of sorted(want)) {
    const found = got.get(name)
    if (found !== undefined) {
      if (wrong === undefined && !isConvertible(found.type, type, spend)) {
        wrong = `attribute ${JSON.stringify(name)}: ${mismatchMessage(found.type, type, spend)}`
      }
    } else if (!optional) {
      missing.push(JSON.stringify(name))
    }
  }
  const last = missing.pop()
  if (last === undefined) return wrong ?? 'incorrect object attributes'
  if (missing.length === 0) return `attribute ${last} is required`
  const comma = missing.length > 1 ? ',' : ''
  return `attributes ${missing.join(', ')}${comma} and ${last} are required`
}

function sorted<V>(map: ReadonlyMap<string, V>): [string, V][] {
  return [...map].sort(([a], [b]) => compareBytewise(a, b))
}
