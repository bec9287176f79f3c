import { type InParts, mapInParts } from '../../kernel/parts.ts'
import type { DesiredUpdates } from '../cluster/model/placement-shapes.ts'
import type { FieldDiff, JobDiff, ObjectDiff, TaskDiff, TaskGroupDiff } from './shapes.ts'

const annotations = {
  create: 'forces create',
  destroy: 'forces destroy',
  update: 'forces in-place update',
  replacement: 'forces create/destroy update',
}

/** Labels for kinds of updates in the replies to plan requests. */
const updateLabels = {
  Ignore: 'ignore',
  Place: 'create',
  Migrate: 'migrate',
  Stop: 'destroy',
  Canary: 'canary',
  InPlaceUpdate: 'in-place update',
  DestructiveUpdate: 'create/destroy update',
} as const satisfies Partial<Record<keyof DesiredUpdates, string>>

/**
 * Returns a diff with the effects of a plan (behaviour/scheduler#plan-annotations). Each group gets
 * the number of affected allocations by kind of update, and the changes that cause the effects get
 * annotations. Pauses after each group.
 */
export function* annotateDiff(
  diff: JobDiff,
  desiredUpdates: Readonly<Record<string, DesiredUpdates>>,
): InParts<JobDiff> {
  if (diff.TaskGroups === null) return diff
  const annotate = (group: TaskGroupDiff) => annotateGroup(group, desiredUpdates)
  return { ...diff, TaskGroups: yield* mapInParts(diff.TaskGroups, annotate) }
}

function annotateGroup(
  group: TaskGroupDiff,
  desiredUpdates: Readonly<Record<string, DesiredUpdates>>,
): TaskGroupDiff {
  const desired = Object.hasOwn(desiredUpdates, group.Name) ? desiredUpdates[group.Name] : undefined
  return {
    ...group,
    Fields: group.Fields?.map(annotateCount) ?? null,
    Tasks: group.Tasks?.map((task) => annotateTask(task, group)) ?? null,
    Updates: desired === undefined ? group.Updates : updateCounts(desired),
  }
}

function updateCounts(desired: DesiredUpdates): Readonly<Record<string, number>> {
  const counts: Readonly<Record<string, number>> = desired
  const labelled = Object.entries(updateLabels).map(([member, name]) => [name, counts[member] ?? 0])
  return Object.fromEntries(labelled.filter(([, count]) => count !== 0))
}

function annotateCount(field: FieldDiff): FieldDiff {
  const countChange = Number(field.New) - Number(field.Old)
  if (field.Name !== 'Count' || countChange === 0) return field
  return { ...field, Annotations: [countChange > 0 ? annotations.create : annotations.destroy] }
}

function annotateTask(task: TaskDiff, group: TaskGroupDiff): TaskDiff {
  return task.Type === 'None' ? task : { ...task, Annotations: [taskAnnotation(task, group)] }
}

function taskAnnotation(task: TaskDiff, group: TaskGroupDiff): string {
  if (group.Type === 'Added' && task.Type === 'Added') return annotations.create
  if (group.Type === 'Deleted' && task.Type === 'Deleted') return annotations.destroy
  const isReplaced =
    task.Fields?.some(({ Name }) => Name !== 'KillTimeout') || task.Objects?.some(forcesReplacement)
  return isReplaced === true ? annotations.replacement : annotations.update
}

const inPlaceObjects: ReadonlySet<string> = new Set(['Service', 'Constraint', 'Affinity', 'Spread'])

function forcesReplacement({ Name, Fields }: ObjectDiff): boolean {
  if (Name === 'LogConfig') {
    return Fields?.some((field) => field.Name === 'Disabled' && field.Type !== 'None') === true
  }
  return !inPlaceObjects.has(Name)
}
