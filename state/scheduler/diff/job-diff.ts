import { compareBytewise } from '../../json/json.ts'
import { type InParts, mapInParts, runParts } from '../../kernel/parts.ts'
import type { Job, TaskGroup } from '../job/job-shape.ts'
import type { Task } from '../job/task-shape.ts'
import { compareMembers, listOrNull, objectChange } from './compare.ts'
import { fieldDiffs } from './fields.ts'
import { flattenSides } from './flatten.ts'
import { groupLevel } from './group-rules.ts'
import { jobLevel } from './job-rules.ts'
import type { FieldDiff, JobDiff, ObjectDiff, TaskDiff } from './shapes.ts'
import type { ComparisonLevel } from './shared-rules.ts'
import { taskLevel } from './task-rules.ts'

interface DiffOptions {
  /** True to list all fields of changed objects. Unchanged fields have the type `None`. */
  readonly contextual: boolean
  /**
   * True if the jobs differ in any member, even in members that the diff does not list. By default,
   * the change type of the job follows from the listed differences.
   */
  readonly isChanged?: boolean
}

/**
 * Returns the differences between two versions of a job (behaviour/scheduler#diff). `old` is
 * undefined for a new job, and `next` is undefined for a removed job.
 */
export function diffJobs(
  old: Job | undefined,
  next: Job | undefined,
  options: DiffOptions,
): JobDiff {
  return runParts(diffJobsInParts(old, next, options))
}

/** Computes the differences as `diffJobs` does, with a pause after each group. */
export function* diffJobsInParts(
  old: Job | undefined,
  next: Job | undefined,
  options: DiffOptions,
): InParts<JobDiff> {
  const level = compareLevel(jobLevel, old, next, options)
  const pairs = byName(old?.TaskGroups, next?.TaskGroups)
  const groups = yield* mapInParts(pairs, ([before, after]) => diffGroups(before, after, options))
  const diff = { ID: (next ?? old)?.ID ?? '', ...level, TaskGroups: listOrNull(groups) }
  // By default, a job is edited if the diff lists any difference. Most members that the server sets
  // are not compared, so their changes do not make the job edited.
  const isEdited =
    options.isChanged ??
    (level.Fields !== null || level.Objects !== null || groups.some(({ Type }) => Type !== 'None'))
  if (old !== undefined && next !== undefined)
    return { Type: isEdited ? 'Edited' : 'None', ...diff }
  return { Type: objectChange(old, next), ...diff }
}

function diffGroups(old: TaskGroup | undefined, next: TaskGroup | undefined, options: DiffOptions) {
  const tasks = byName(old?.Tasks, next?.Tasks).map(([before, after]) =>
    diffTasks(before, after, options),
  )
  return {
    Type: objectChange(old, next),
    Name: (next ?? old)?.Name ?? '',
    ...compareLevel(groupLevel, old, next, options),
    Tasks: listOrNull(tasks),
    Updates: null,
  }
}

function diffTasks(old: Task | undefined, next: Task | undefined, options: DiffOptions): TaskDiff {
  return {
    Type: objectChange(old, next),
    Name: (next ?? old)?.Name ?? '',
    ...compareLevel(taskLevel, old, next, options),
    Annotations: null,
  }
}

interface LevelDiff {
  readonly Fields: readonly FieldDiff[] | null
  readonly Objects: readonly ObjectDiff[] | null
}

/**
 * Compares the scalars and nested objects of a job, group or task. Unchanged scalars are left out,
 * even if `contextual` is true.
 */
function compareLevel(
  level: ComparisonLevel,
  old: unknown,
  next: unknown,
  { contextual }: DiffOptions,
): LevelDiff {
  if (old === next) return { Fields: null, Objects: null }
  return {
    Fields: listOrNull(fieldDiffs(flattenSides(level.fields, old, next), false)),
    Objects: listOrNull(compareMembers(level.objects, old, next, contextual)),
  }
}

/**
 * Pairs items by name, sorted by name. If several items of a list have the same name, only the last
 * of these items is used.
 */
function byName<Named extends { readonly Name: string }>(
  old: readonly Named[] | null | undefined,
  next: readonly Named[] | null | undefined,
): (readonly [Named | undefined, Named | undefined])[] {
  const before = new Map(old?.map((item) => [item.Name, item]))
  const after = new Map(next?.map((item) => [item.Name, item]))
  return [...new Set([...before.keys(), ...after.keys()])]
    .sort(compareBytewise)
    .map((name) => [before.get(name), after.get(name)])
}
