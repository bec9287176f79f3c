import {
  any,
  goList,
  goMap,
  type ListShape,
  type StructShape,
  text,
  uint,
} from '../../kernel/shape/kinds.ts'
import { struct } from '../../kernel/shape/members.ts'
import type { StoredOf } from '../../kernel/shape/values.ts'
import { fieldName, nodeReference, objectName } from '../vendor-names.ts'

/**
 * The kinds of changes (behaviour/scheduler#diff). Of things of one name, lists have
 * those that were edited first, then added, deleted and unchanged ones.
 */
export const changeTypes = ['Edited', 'Added', 'Deleted', 'None'] as const
export type ChangeType = (typeof changeTypes)[number]

/** A scalar: texts before and after; `""` where there is none. Annotations are a plan's. */
const fieldDiffShape = struct('FieldDiff', {
  Type: text,
  Name: fieldName,
  Old: text,
  New: text,
  Annotations: goList(text),
})
/** In the order of their names, in each dialect. */
const fieldDiffs = goList(fieldDiffShape, { orderedBy: 'Name' })
export type FieldDiff = StoredOf<typeof fieldDiffShape>

export interface AlwaysField<S> {
  readonly shape: S
  readonly presence: 'always'
}

/** An object with its own scalars and the objects in it. */
type ObjectDiffShape = StructShape<
  {
    readonly Type: AlwaysField<typeof text>
    readonly Name: AlwaysField<typeof text>
    readonly Fields: AlwaysField<typeof fieldDiffs>
    readonly Objects: AlwaysField<ListShape<ObjectDiffShape, true>>
  },
  undefined
>
export type ObjectDiff = StoredOf<ObjectDiffShape>

/** Schemas have no names to refer to, so they describe as many levels as a job's objects nest, and more. */
const maxDepth = 8

/** The type nests without end; the value, of which schemas are made, cannot. */
function objectDiffOf(level: number): ObjectDiffShape
function objectDiffOf(level: number): StructShape {
  const members = {
    Type: text,
    Name: objectName,
    Fields: fieldDiffs,
    Objects: goList(level === maxDepth ? any : objectDiffOf(level + 1)),
  }
  return struct('ObjectDiff', members, {
    as: ({ Name }) =>
      Name === 'Constraint' || Name === 'Affinity' ? constraintDiffShape : undefined,
  })
}

/** Of what constraints and affinities say: it may refer to attributes of nodes. */
const constraintDiffShape = struct('ObjectDiff', {
  Fields: goList(struct('FieldDiff', { Old: nodeReference, New: nodeReference })),
})
export const objectDiffShape = objectDiffOf(1)

/** A task; unchanged ones are listed too. */
const taskDiffShape = struct('TaskDiff', {
  Type: text,
  Name: text,
  Fields: fieldDiffs,
  Objects: goList(objectDiffShape),
  Annotations: goList(text),
})
export type TaskDiff = StoredOf<typeof taskDiffShape>

/** A group; unchanged ones are listed too. `Updates` is a plan's: allocations by what befalls them. */
const taskGroupDiffShape = struct('TaskGroupDiff', {
  Type: text,
  Name: text,
  Fields: fieldDiffs,
  Objects: goList(objectDiffShape),
  Tasks: goList(taskDiffShape),
  Updates: goMap(uint),
})
export type TaskGroupDiff = StoredOf<typeof taskGroupDiffShape>

/** The differences of one version of a job from another (behaviour/scheduler#api-job). */
export const jobDiffShape = struct('JobDiff', {
  Type: text,
  ID: text,
  Fields: fieldDiffs,
  Objects: goList(objectDiffShape),
  TaskGroups: goList(taskGroupDiffShape),
})
export type JobDiff = StoredOf<typeof jobDiffShape>
