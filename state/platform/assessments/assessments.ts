import { bool, instant, nullable, text, uint } from '../../kernel/shape/kinds.ts'
import { struct } from '../../kernel/shape/members.ts'
import type { StoredOf } from '../../kernel/shape/values.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { ownedRows } from '../owned-rows.ts'
import { platformTable } from '../table.ts'

export const assessmentAttributes = {
  drifted: bool,
  succeeded: bool,
  error_msg: nullable(text),
  created_at: instant,
  resources_drifted: uint,
  resources_undrifted: uint,
  all_checks_succeeded: bool,
  checks_passed: uint,
  checks_failed: uint,
  checks_errored: uint,
  checks_unknown: uint,
}

const assessmentShape = struct({
  ...assessmentAttributes,
  /** Id of the form `asmtres-…`. */
  id: text,
  /** Workspace id. */
  workspace: text,
})

/** The result of an assessment of a workspace's health (behaviour/platform#assessments). */
export interface Assessment extends StoredOf<typeof assessmentShape> {}

/** Results of assessments by `<workspace>/<number>`, in creation order. */
export const assessments = platformTable('assessments', assessmentShape, {
  secrets: 'none',
  indexes: { byId: ({ id }) => id },
})

const rows = ownedRows(assessments, 'workspace')

/** Functions of `ownedRows` for the assessments of a workspace. */
export const { withId: assessmentWithId, dropAll: dropAssessments } = rows

/**
 * Returns the newest assessment of a workspace, or undefined if the workspace was never assessed.
 */
export function currentAssessment(world: World, workspace: string): Assessment | undefined {
  return rows.of(world, workspace).at(-1)
}

/** Stores an assessment. Must run inside a transaction. */
export function putAssessment(world: World, assessment: Assessment): Assessment {
  return rows.put(world, assessment)
}
