import { compareBytewise } from '../../json/json.ts'
import { changeTypes, type FieldDiff, type ObjectDiff } from './shapes.ts'

/** Orders fields by name, old value and new value (behaviour/scheduler#diff). */
export function compareFields(a: FieldDiff, b: FieldDiff): number {
  return (
    compareBytewise(a.Name, b.Name) ||
    compareBytewise(a.Old, b.Old) ||
    compareBytewise(a.New, b.New)
  )
}

const ranks: ReadonlyMap<string, number> = new Map(changeTypes.map((type, rank) => [type, rank]))

/**
 * Orders objects by name, type, number of fields, number of objects, and then by their fields and
 * objects.
 */
export function compareObjects(a: ObjectDiff, b: ObjectDiff): number {
  return (
    compareBytewise(a.Name, b.Name) ||
    rankOf(a) - rankOf(b) ||
    (a.Fields?.length ?? 0) - (b.Fields?.length ?? 0) ||
    (a.Objects?.length ?? 0) - (b.Objects?.length ?? 0) ||
    compareLists(a.Fields, b.Fields, compareFields) ||
    compareLists(a.Objects, b.Objects, compareObjects)
  )
}

function rankOf({ Type }: ObjectDiff): number {
  return ranks.get(Type) ?? changeTypes.length
}

/** Orders lists of equal length by the first difference. */
function compareLists<Item>(
  a: readonly Item[] | null,
  b: readonly Item[] | null,
  compare: (a: Item, b: Item) => number,
): number {
  for (const [at, left] of (a ?? []).entries()) {
    const right = b?.[at]
    const order = right === undefined ? 0 : compare(left, right)
    if (order !== 0) return order
  }
  return 0
}
