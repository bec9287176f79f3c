import {
  any,
  type ListShape,
  list,
  map,
  type Stored,
  type StructShape,
  struct,
  text,
  uint,
} from '../shape/kinds.ts'

/**
 * What became of something (3b-scheduler-decisions.md section 8). Of things of one name, lists have
 * those that were edited first, then added, deleted and unchanged ones.
 */
export const changeTypes = ['Edited', 'Added', 'Deleted', 'None'] as const
export type ChangeType = (typeof changeTypes)[number]

/** A scalar: texts before and after; `""` where there is none. Annotations are a plan's. */
export const fieldDiffShape = struct('FieldDiff', {
  Type: text,
  Name: text,
  Old: text,
  New: text,
  Annotations: list(text),
})
export type FieldDiff = Stored<typeof fieldDiffShape>

interface Member<S> {
  readonly shape: S
  readonly presence: 'always'
}

/** An object with its own scalars and the objects in it. */
export type ObjectDiffShape = StructShape<{
  readonly Type: Member<typeof text>
  readonly Name: Member<typeof text>
  readonly Fields: Member<ListShape<typeof fieldDiffShape>>
  readonly Objects: Member<ListShape<ObjectDiffShape>>
}>
export type ObjectDiff = Stored<ObjectDiffShape>

/** Schemas have no names to refer to, so they describe as many levels as a job's objects nest, and more. */
const levels = 8

/** The type nests without end; the value, of which schemas are made, cannot. */
function objectDiffOf(level: number): ObjectDiffShape
function objectDiffOf(level: number): StructShape {
  return struct('ObjectDiff', {
    Type: text,
    Name: text,
    Fields: list(fieldDiffShape),
    Objects: list(level === levels ? any : objectDiffOf(level + 1)),
  })
}
export const objectDiffShape = objectDiffOf(1)

/** A task; unchanged ones are listed too. */
export const taskDiffShape = struct('TaskDiff', {
  Type: text,
  Name: text,
  Fields: list(fieldDiffShape),
  Objects: list(objectDiffShape),
  Annotations: list(text),
})
export type TaskDiff = Stored<typeof taskDiffShape>

/** A group; unchanged ones are listed too. `Updates` is a plan's: allocations by what befalls them. */
export const taskGroupDiffShape = struct('TaskGroupDiff', {
  Type: text,
  Name: text,
  Fields: list(fieldDiffShape),
  Objects: list(objectDiffShape),
  Tasks: list(taskDiffShape),
  Updates: map(uint),
})
export type TaskGroupDiff = Stored<typeof taskGroupDiffShape>

/** How one version of a job differs from another (3-mesh-and-scheduler.md, Resources B). */
export const jobDiffShape = struct('JobDiff', {
  Type: text,
  ID: text,
  Fields: list(fieldDiffShape),
  Objects: list(objectDiffShape),
  TaskGroups: list(taskGroupDiffShape),
})
export type JobDiff = Stored<typeof jobDiffShape>
