import type {
  FieldDiff,
  JobDiff,
  ObjectDiff,
  TaskDiff,
  TaskGroupDiff,
} from '../../../../state/scheduler/diff/shapes.ts'

/** Short forms of expected diffs. An empty list stands for null. */

export function edited(name: string, old: string, next: string): FieldDiff {
  return { Type: 'Edited', Name: name, Old: old, New: next, Annotations: null }
}

export function added(name: string, next: string): FieldDiff {
  return { Type: 'Added', Name: name, Old: '', New: next, Annotations: null }
}

export function deleted(name: string, old: string): FieldDiff {
  return { Type: 'Deleted', Name: name, Old: old, New: '', Annotations: null }
}

export function none(name: string, value: string): FieldDiff {
  return { Type: 'None', Name: name, Old: value, New: value, Annotations: null }
}

export function object(
  type: string,
  name: string,
  fields: readonly FieldDiff[],
  objects: readonly ObjectDiff[] = [],
): ObjectDiff {
  return { Type: type, Name: name, Fields: orNull(fields), Objects: orNull(objects) }
}

export interface Level {
  readonly type?: string
  readonly fields?: readonly FieldDiff[]
  readonly objects?: readonly ObjectDiff[]
}

export function task(name: string, { type = 'Edited', fields, objects }: Level): TaskDiff {
  return {
    Type: type,
    Name: name,
    Fields: orNull(fields ?? []),
    Objects: orNull(objects ?? []),
    Annotations: null,
  }
}

/** Expected diff of the sample jobs' task without changes. */
export const sameTask: TaskDiff = task('redis', { type: 'None' })

export function group(
  name: string,
  { type = 'Edited', fields, objects }: Level,
  tasks: readonly TaskDiff[] = [sameTask],
): TaskGroupDiff {
  return {
    Type: type,
    Name: name,
    Fields: orNull(fields ?? []),
    Objects: orNull(objects ?? []),
    Tasks: orNull(tasks),
    Updates: null,
  }
}

/** Expected diff of the sample jobs' group without changes. */
export const sameGroup: TaskGroupDiff = group('cache', { type: 'None' })

export function job(
  { type = 'Edited', fields, objects }: Level,
  groups: readonly TaskGroupDiff[] = [sameGroup],
): JobDiff {
  return {
    Type: type,
    ID: 'example',
    Fields: orNull(fields ?? []),
    Objects: orNull(objects ?? []),
    TaskGroups: orNull(groups),
  }
}

function orNull<Item>(items: readonly Item[]): readonly Item[] | null {
  return items.length === 0 ? null : items
}
