import { quoteGo } from '../../go/text.ts'
import { compareBytewise } from '../../json/json.ts'
import { ConversionError, convertValue, mapOf } from '../language/convert.ts'
import { FunctionError, type HclFunctionContext } from '../language/function.ts'
import { typeKey, typeName, valueType } from '../language/types.ts'
import { type HclMapping, type HclType, type HclValue, isMapping } from '../language/values.ts'
import {
  asItems,
  asText,
  collection,
  type FunctionTable,
  isOrdered,
  listOf,
  nullable,
  parameter,
  tupleOf,
} from './arguments.ts'

type Spend = HclFunctionContext['spend']

/** HCL functions for maps and objects (behaviour/scheduler#functions). */
export const mapFunctions: FunctionTable = {
  keys: {
    parameters: [parameter('inputMap', 'any')],
    run([value = null], { spend }) {
      if (!isMapping(value)) throw new FunctionError('must have map or object type', 0)
      return keepMapKind(
        value,
        sortedEntries(value, spend).map(([key]) => key),
      )
    },
  },
  lookup: {
    parameters: [
      parameter('inputMap', 'any'),
      parameter('key', 'string'),
      parameter('default', 'any'),
    ],
    run: ([value = null, key, fallback = null], { spend }) =>
      lookUp(value, asText(key), fallback, spend),
  },
  merge: {
    parameters: [],
    variadic: nullable('maps', 'any'),
    run: (values, { spend }) => merge(values, spend),
  },
  values: {
    parameters: [parameter('values', 'any')],
    run([value = null], { spend }) {
      if (!isMapping(value)) {
        throw new FunctionError('values() requires a map as the first argument')
      }
      return keepMapKind(
        value,
        sortedEntries(value, spend).map(([, item]) => item),
      )
    },
  },
  zipmap: {
    parameters: [parameter('keys', collection('list', 'string')), parameter('values', 'any')],
    run: ([keys, values = null], { spend }) => zip(asItems(keys), values, spend),
  },
}

function sortedEntries({ entries }: HclMapping, spend: Spend): [string, HclValue][] {
  spend(entries.size)
  return [...entries].sort(([a], [b]) => compareBytewise(a, b))
}

/**
 * Returns the keys or the values of a mapping: as a list for a map, and as a tuple for an object.
 */
function keepMapKind({ kind }: HclMapping, items: readonly HclValue[]): HclValue {
  return kind === 'map' ? listOf(items) : tupleOf(items)
}

function lookUp(value: HclValue, key: string, fallback: HclValue, spend: Spend): HclValue {
  if (!isMapping(value)) {
    throw new FunctionError('lookup() requires a map as the first argument', 0)
  }
  const found = value.entries.get(key)
  if (value.kind === 'object') return found === undefined ? fallback : found
  const converted = convertDefault(fallback, elementType(value, spend), spend)
  return found === undefined ? converted : found
}

function convertDefault(fallback: HclValue, type: HclType, spend: Spend): HclValue {
  try {
    return convertValue(fallback, type, spend)
  } catch (error) {
    if (!(error instanceof ConversionError)) throw error
    throw new FunctionError('the default value must have the same type as the map elements', 2)
  }
}

function elementType(map: HclMapping, spend: Spend): HclType {
  const type = valueType(map, spend)
  return typeof type !== 'string' && 'of' in type ? type.of : 'any'
}

/**
 * Merges maps and objects, and skips null arguments. Later entries override earlier ones. Returns a
 * map if all arguments are maps of one type, otherwise an object. Throws a `FunctionError` for any
 * other argument.
 */
function merge(values: readonly HclValue[], spend: Spend): HclValue {
  const mappings = values.flatMap((value) => {
    if (value === null) return []
    if (isMapping(value)) return [value]
    const got = quoteGo(typeName(value))
    throw new FunctionError(`arguments must be maps or objects, got ${got}`)
  })
  const merged = new Map<string, HclValue>()
  for (const { entries } of mappings) {
    spend(entries.size)
    for (const [key, item] of entries) merged.set(key, item)
  }
  const areMaps = mappings.length === values.length && mappings.every(({ kind }) => kind === 'map')
  const types = areMaps ? mappings.map((map) => typeKey(valueType(map, spend), spend)) : []
  return new Set(types).size === 1 ? mapOf(merged) : { kind: 'object', entries: merged }
}

function zip(keys: readonly HclValue[], values: HclValue, spend: Spend): HclValue {
  if (!isOrdered(values)) throw new FunctionError('values argument must be a list or tuple value')
  const { kind, items } = values
  if (keys.length !== items.length) {
    throw new FunctionError(
      `number of keys (${keys.length}) does not match number of values (${items.length})`,
    )
  }
  spend(keys.length)
  const entries = new Map<string, HclValue>()
  for (const [index, key] of keys.entries()) {
    if (key === null) throw new FunctionError(`keys list has null value at index ${index}`)
    entries.set(asText(key), items[index] ?? null)
  }
  return kind === 'list' ? mapOf(entries) : { kind: 'object', entries }
}
