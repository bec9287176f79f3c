import type { FlatFields } from './flatten.ts'
import { compareFields } from './order.ts'
import type { ChangeType, FieldDiff } from './shapes.ts'

/**
 * A scalar's change; undefined when there is none, unless all scalars are asked for
 * (behaviour/scheduler#diff, Flatten: Field rule).
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

/** Changes of all scalars, in order. What one side lacks is `""` there. */
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

/** Returns what its fields say of an object: added and deleted ones together are an edit. */
export function fieldsChange(fields: readonly FieldDiff[]): ChangeType {
  const types = new Set(fields.map(({ Type }) => Type))
  const added = types.has('Added')
  const deleted = types.has('Deleted')
  if (types.has('Edited') || (added && deleted)) return 'Edited'
  if (added) return 'Added'
  return deleted ? 'Deleted' : 'None'
}
