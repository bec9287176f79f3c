import { convertValue } from '../language/convert.ts'
import { setOf, valueKey } from '../language/equality.ts'
import { FunctionError, type HclFunction, type HclFunctionContext } from '../language/function.ts'
import { unify, valueType } from '../language/types.ts'
import { type HclSequence, type HclType, type HclValue, isSequence } from '../language/values.ts'
import { asItems, collection, type FunctionTable, listOf, parameter, tupleOf } from './arguments.ts'

type Spend = HclFunctionContext['spend']

/** HCL functions for sets (behaviour/scheduler#functions). */
export const setFunctions: FunctionTable = {
  setintersection: setsFunction((one, other, spend) => {
    const keys = new Set(other.map((item) => valueKey(item, spend)))
    return one.filter((item) => keys.has(valueKey(item, spend)))
  }),
  setproduct: {
    parameters: [],
    variadic: parameter('sets', 'any'),
    run: (values, { spend }) => cartesianProduct(values, spend),
  },
  setunion: setsFunction((one, other) => [...one, ...other]),
}

/**
 * Returns a function that converts sets to one type and then combines them pairwise. The function
 * throws a FunctionError for sets without a common type.
 */
function setsFunction(
  combine: (
    one: readonly HclValue[],
    other: readonly HclValue[],
    spend: Spend,
  ) => readonly HclValue[],
): HclFunction {
  const anySet = collection('set', 'any')
  return {
    parameters: [parameter('first_set', anySet)],
    variadic: parameter('other_sets', anySet),
    run(sets, { spend }) {
      const types = sets.map((set) => valueType(set, spend))
      const type = unify(types, spend)
      if (type === undefined) {
        throw new FunctionError('given sets must all have compatible element types')
      }
      const [first = [], ...others] = sets.map((set) => asItems(convertValue(set, type, spend)))
      const combined = others.reduce((one, other) => {
        spend(one.length + other.length)
        return combine(one, other, spend)
      }, first)
      return setOf(combined, spend)
    },
  }
}

/**
 * Returns all combinations of one item from each value: a list if all values are ordered, otherwise
 * a set. Throws a FunctionError for fewer than two values, for values other than sequences, and for
 * tuples whose items have no common type.
 */
function cartesianProduct(values: readonly HclValue[], spend: Spend): HclSequence {
  if (values.length < 2) throw new FunctionError('at least two arguments are required')
  const factors = values.map((value, index) => unifyElementTypes(value, index, spend))
  const total = factors.reduce((size, items) => size * items.length, 1)
  spend(total * values.length)
  const allCombinations = factors.reduce<readonly (readonly HclValue[])[]>(
    (combinations, items) =>
      combinations.flatMap((before) => items.map((item) => [...before, item])),
    total === 0 ? [] : [[]],
  )
  const isSet = values.some((value) => isSequence(value) && value.kind === 'set')
  return isSet ? setOf(allCombinations.map(tupleOf), spend) : listOf(allCombinations.map(tupleOf))
}

function unifyElementTypes(value: HclValue, argument: number, spend: Spend): readonly HclValue[] {
  if (!isSequence(value)) throw new FunctionError('a set or a list is required', argument)
  if (value.kind !== 'tuple') return value.items
  const types: HclType[] = value.items.map((item) => valueType(item, spend))
  const type = unify(types, spend)
  if (type === undefined) throw new FunctionError('all elements must be of the same type', argument)
  return value.items.map((item) => convertValue(item, type, spend))
}
