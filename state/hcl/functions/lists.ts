import { convertValue } from '../language/convert.ts'
import { equalValues, valueKey } from '../language/equality.ts'
import { FunctionError, type HclFunctionContext } from '../language/function.ts'
import { friendlyName, typeName, unify, valueType } from '../language/types.ts'
import {
  type HclSequence,
  type HclValue,
  isMapping,
  isSequence,
  normalizeNumber,
} from '../language/values.ts'
import {
  asInteger,
  asItems,
  asNumber,
  collection,
  type FunctionTable,
  isOrdered,
  listOf,
  nullable,
  parameter,
  tupleOf,
} from './arguments.ts'

type Spend = HclFunctionContext['spend']

/** HCL functions for lists, tuples and sets (behaviour/scheduler#functions). */
export const listFunctions: FunctionTable = {
  chunklist: {
    parameters: [parameter('list', collection('list', 'any')), parameter('size', 'number')],
    run: ([list, size], { spend }) => splitIntoChunks(asItems(list), size, spend),
  },
  coalesce: {
    parameters: [],
    variadic: nullable('vals', 'any'),
    run: (values, { spend }) => coalesce(values, spend),
  },
  coalescelist: {
    parameters: [],
    variadic: nullable('vals', 'any'),
    run: coalesceLists,
  },
  compact: {
    parameters: [parameter('list', collection('list', 'string'))],
    run: ([list]) => listOf(asItems(list).filter((item) => item !== null && item !== '')),
  },
  concat: {
    parameters: [],
    variadic: parameter('seqs', 'any'),
    run: (values, { spend }) => concatenate(values, spend),
  },
  contains: {
    parameters: [parameter('list', 'any'), parameter('value', 'any')],
    run([list = null, value = null], { spend }) {
      if (!isSequence(list)) throw new FunctionError('argument must be list, tuple, or set')
      return list.items.some((item) => equalValues(item, value, spend))
    },
  },
  distinct: {
    parameters: [parameter('list', collection('list', 'any'))],
    run: ([list], { spend }) => listOf(distinct(asItems(list), spend)),
  },
  element: {
    parameters: [parameter('list', 'any'), parameter('index', 'number')],
    run: ([list = null, index]) => element(list, index),
  },
  flatten: {
    parameters: [parameter('list', 'any')],
    run([list = null], { spend }) {
      if (!isSequence(list)) throw new FunctionError('can only flatten lists, sets and tuples')
      return tupleOf(flattenItems(list, spend))
    },
  },
  index: {
    parameters: [parameter('collection', 'any'), parameter('key', 'any')],
    run: ([values = null, key = null]) => indexedItem(values, key),
  },
  length: {
    parameters: [parameter('collection', 'any')],
    run([values = null]) {
      if (isSequence(values)) return values.items.length
      if (isMapping(values) && values.kind === 'map') return values.entries.size
      throw new FunctionError(notACollectionMessage)
    },
  },
  range: {
    parameters: [],
    variadic: parameter('params', 'number'),
    run: (numbers, { spend }) => range(numbers.map(asNumber), spend),
  },
  slice: {
    parameters: [
      parameter('list', 'any'),
      parameter('start_index', 'number'),
      parameter('end_index', 'number'),
    ],
    run: ([list = null, start, end]) => slice(list, start, end),
  },
}

const notACollectionMessage = 'collection must be a list, a map or a tuple'

function splitIntoChunks(
  items: readonly HclValue[],
  sizeArgument: HclValue | undefined,
  spend: Spend,
) {
  const size = asInteger(sizeArgument, (reason) => new FunctionError(`invalid size: ${reason}`))
  if (size < 0) throw new FunctionError('the size argument must be positive')
  if (items.length === 0) return listOf([])
  spend(items.length)
  if (size === 0) return listOf([listOf(items)])
  const count = Math.ceil(items.length / size)
  return listOf(
    Array.from({ length: count }, (_, at) => listOf(items.slice(at * size, (at + 1) * size))),
  )
}

function coalesce(values: readonly HclValue[], spend: Spend): HclValue {
  const types = values.map((value) => valueType(value, spend))
  const type = values.length === 0 ? undefined : unify(types, spend)
  if (type === undefined) throw new FunctionError('all arguments must have the same type')
  const first = values.find((value) => value !== null)
  if (first === undefined) throw new FunctionError('no non-null arguments')
  return convertValue(first, type, spend)
}

function coalesceLists(values: readonly HclValue[]): HclValue {
  if (values.length === 0) throw new FunctionError('at least one argument is required')
  const lists = values.filter(isOrdered)
  if (lists.length < values.length) {
    throw new FunctionError('coalescelist arguments must be lists or tuples')
  }
  const first = lists.find(({ items }) => items.length > 0)
  if (first === undefined) throw new FunctionError('no non-null arguments')
  return first
}

/**
 * Joins lists and tuples. If all arguments are lists and have a common type, the result is a list,
 * otherwise a tuple. Throws a FunctionError for other values, and if there are no arguments.
 */
function concatenate(values: readonly HclValue[], spend: Spend): HclValue {
  if (values.length === 0) throw new FunctionError('at least one argument is required')
  const sequences = values.map((value, index) => {
    if (isOrdered(value)) return value
    const got = typeName(value)
    throw new FunctionError(`all arguments must be lists or tuples; got ${got}`, index)
  })
  spend(sequences.reduce((total, { items }) => total + items.length, 0))
  if (sequences.every(({ kind }) => kind === 'list')) {
    const types = sequences.map((list) => valueType(list, spend))
    const type = unify(types, spend)
    if (type !== undefined) {
      return listOf(sequences.flatMap((list) => asItems(convertValue(list, type, spend))))
    }
  }
  return tupleOf(sequences.flatMap(({ items }) => items))
}

function distinct(items: readonly HclValue[], spend: Spend): readonly HclValue[] {
  const found = new Map<string, HclValue>()
  for (const item of items) {
    const key = valueKey(item, spend)
    if (!found.has(key)) found.set(key, item)
  }
  return [...found.values()]
}

function element(list: HclValue, index: HclValue | undefined): HclValue {
  if (asNumber(index) < 0) {
    throw new FunctionError('cannot use element function with a negative index')
  }
  if (!isOrdered(list)) {
    throw new FunctionError(`cannot read elements from ${friendlyName(valueType(list))}`)
  }
  const at = asInteger(index, (reason) => new FunctionError(`invalid index: ${reason}`))
  const { items } = list
  if (items.length === 0) {
    throw new FunctionError('cannot use element function with an empty list')
  }
  return items[at % items.length] ?? null
}

function flattenItems({ items }: HclSequence, spend: Spend): HclValue[] {
  spend(items.length)
  return items.flatMap((item) => (isSequence(item) ? flattenItems(item, spend) : [item]))
}

/**
 * Returns the item at a key, by the rules of index expressions. Throws a FunctionError for an
 * invalid key.
 */
function indexedItem(values: HclValue, key: HclValue): HclValue {
  if (isMapping(values) && values.kind === 'map') {
    if (typeof key !== 'string') throw new FunctionError('key for map must be string')
    return values.entries.get(key) ?? nullOrThrow(values.entries.has(key))
  }
  if (!isOrdered(values)) throw new FunctionError(notACollectionMessage)
  const { kind, items } = values
  if (typeof key !== 'number') throw new FunctionError(`key for ${kind} must be number`)
  if (kind === 'tuple') {
    const at = asInteger(key, (reason) => new FunctionError(`invalid key for tuple: ${reason}`))
    if (at < 0 || at >= items.length) {
      throw new FunctionError(`key must be between 0 and ${items.length} inclusive`)
    }
  }
  return items[key] ?? nullOrThrow(key in items)
}

/** Returns null if the item exists but is null. Throws a FunctionError if there is no item. */
function nullOrThrow(exists: boolean): null {
  if (exists) return null
  throw new FunctionError('invalid index')
}

/** Maximum length of the product's `range`. */
const maxRangeLength = 1024

function range(numbers: readonly number[], spend: Spend): HclSequence {
  const [first, second, third] = numbers
  if (first === undefined || numbers.length > 3) {
    throw new FunctionError('must have one, two, or three arguments')
  }
  const [start, end] = second === undefined ? [0, first] : [first, second]
  const step = third ?? (end < start ? -1 : 1)
  if (step < 0 && end > start) {
    throw new FunctionError('end must be less than start when step is negative', 1)
  }
  if (step >= 0 && end < start) {
    throw new FunctionError('end must be greater than start when step is positive', 1)
  }
  const items: number[] = []
  for (let next = start; step < 0 ? next > end : next < end; next = normalizeNumber(next + step)) {
    if (items.length === maxRangeLength) {
      throw new FunctionError(
        'more than 1024 values were generated; either decrease the difference between start and end or use a smaller step',
      )
    }
    spend(1)
    items.push(next)
  }
  return listOf(items)
}

function slice(
  list: HclValue,
  startArgument: HclValue | undefined,
  endArgument: HclValue | undefined,
): HclValue {
  if (!isOrdered(list)) {
    const why = isSequence(list)
      ? 'cannot slice a set, because its elements do not have indices; explicitly convert to a list if the ordering of the result is not important'
      : 'must be a list or tuple value'
    throw new FunctionError(why, 0)
  }
  const { kind, items } = list
  const start = sliceBound('start', startArgument, 1, items.length)
  const end = sliceBound('end', endArgument, 2, items.length)
  if (start > end) throw new FunctionError('start index must not be greater than end index', 1)
  return { kind, items: items.slice(start, end) }
}

function sliceBound(name: string, value: HclValue | undefined, argument: number, length: number) {
  const functionError = (why: string): FunctionError => new FunctionError(why, argument)
  const bound = asInteger(value, (reason) => functionError(`invalid ${name} index: ${reason}`))
  if (bound < 0) throw functionError(`${name} index must not be less than zero`)
  if (bound <= length) return bound
  throw functionError(`${name} index must not be greater than the length of the list`)
}
