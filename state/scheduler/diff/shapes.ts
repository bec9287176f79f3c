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
 * Change types (behaviour/scheduler#diff), in the order in which diffs with equal names are sorted.
 */
export const changeTypes = ['Edited', 'Added', 'Deleted', 'None'] as const
export type ChangeType = (typeof changeTypes)[number]

/**
 * A scalar with its old and new text. A missing scalar has the text `""`. Only plans set
 * annotations.
 */
const fieldDiffShape = struct('FieldDiff', {
  Type: text,
  Name: fieldName,
  Old: text,
  New: text,
  Annotations: goList(text),
})
/** Fields sorted by their name in the dialect of the reply. */
const fieldDiffListShape = goList(fieldDiffShape, { orderedBy: 'Name' })
export type FieldDiff = StoredOf<typeof fieldDiffShape>

export interface AlwaysField<S> {
  readonly shape: S
  readonly presence: 'always'
}

/** An object with its scalars and nested objects. */
type ObjectDiffShape = StructShape<
  {
    readonly Type: AlwaysField<typeof text>
    readonly Name: AlwaysField<typeof text>
    readonly Fields: AlwaysField<typeof fieldDiffListShape>
    readonly Objects: AlwaysField<ListShape<ObjectDiffShape, true>>
  },
  undefined
>
export type ObjectDiff = StoredOf<ObjectDiffShape>

/**
 * Maximum depth of nested object diffs in the shape. The limit is needed because the schemas that
 * are generated from the shape cannot be recursive. No object in a job is nested this deeply.
 */
const maxDepth = 8

/**
 * Builds the shape of an object diff. The type is recursive, but the shape ends at the maximum
 * depth.
 */
function objectDiffOf(level: number): ObjectDiffShape
function objectDiffOf(level: number): StructShape {
  const members = {
    Type: text,
    Name: objectName,
    Fields: fieldDiffListShape,
    Objects: goList(level === maxDepth ? any : objectDiffOf(level + 1)),
  }
  return struct('ObjectDiff', members, {
    as: ({ Name }) =>
      Name === 'Constraint' || Name === 'Affinity' ? constraintDiffShape : undefined,
  })
}

/**
 * Shape for the diff of a constraint or affinity, whose old and new values may refer to attributes
 * of nodes.
 */
const constraintDiffShape = struct('ObjectDiff', {
  Fields: goList(struct('FieldDiff', { Old: nodeReference, New: nodeReference })),
})
export const objectDiffShape = objectDiffOf(1)

/** The differences of a task. Unchanged tasks are listed as well. */
const taskDiffShape = struct('TaskDiff', {
  Type: text,
  Name: text,
  Fields: fieldDiffListShape,
  Objects: goList(objectDiffShape),
  Annotations: goList(text),
})
export type TaskDiff = StoredOf<typeof taskDiffShape>

/**
 * The differences of a group. Unchanged groups are listed as well. Only plans set `Updates`, the
 * numbers of affected allocations by kind of update.
 */
const taskGroupDiffShape = struct('TaskGroupDiff', {
  Type: text,
  Name: text,
  Fields: fieldDiffListShape,
  Objects: goList(objectDiffShape),
  Tasks: goList(taskDiffShape),
  Updates: goMap(uint),
})
export type TaskGroupDiff = StoredOf<typeof taskGroupDiffShape>

/** The differences between two versions of a job (behaviour/scheduler#api-job). */
export const jobDiffShape = struct('JobDiff', {
  Type: text,
  ID: text,
  Fields: fieldDiffListShape,
  Objects: goList(objectDiffShape),
  TaskGroups: goList(taskGroupDiffShape),
})
export type JobDiff = StoredOf<typeof jobDiffShape>
