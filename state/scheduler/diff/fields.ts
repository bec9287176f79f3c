import type { FlatFields } from './flatten.ts'
import { compareFields } from './order.ts'
import type { ChangeType, FieldDiff } from './shapes.ts'

/**
 * Returns the change of a scalar. Returns undefined for an unchanged scalar, unless `contextual` is
 * true (behaviour/scheduler#diff).
 */
export function fieldDiff(
  name: string,
  old: string,
  next: string,
  contextual: boolean,
): FieldDiff | undefined {
  const type = stringChange(old, next)
  if (type === 'None' && !contextual) return undefined
  return { Type: type, Name: name, Old: old, New: next, Annotations: null }
}

function stringChange(old: string, next: string): ChangeType {
  if (old === next) return 'None'
  if (old === '') return 'Added'
  return next === '' ? 'Deleted' : 'Edited'
}

/**
 * Returns the changes of all scalars, sorted. A missing scalar is compared as `""`. If `contextual`
 * is true, unchanged scalars are included.
 */
export function fieldDiffs(
  [old, next]: readonly [FlatFields, FlatFields],
  contextual: boolean,
): FieldDiff[] {
  const diffs: FieldDiff[] = []
  const compare = (name: string) => {
    const diff = fieldDiff(name, old.get(name) ?? '', next.get(name) ?? '', contextual)
    if (diff !== undefined) diffs.push(diff)
  }
  for (const name of old.keys()) compare(name)
  for (const name of next.keys()) if (!old.has(name)) compare(name)
  return diffs.sort(compareFields)
}

/**
 * Derives the change type of an object from the changes of its fields. The type is `Edited` if some
 * fields are added and others are deleted.
 */
export function fieldsChange(fields: readonly FieldDiff[]): ChangeType {
  const types = new Set(fields.map(({ Type }) => Type))
  const added = types.has('Added')
  const deleted = types.has('Deleted')
  if (types.has('Edited') || (added && deleted)) return 'Edited'
  if (added) return 'Added'
  return deleted ? 'Deleted' : 'None'
}
