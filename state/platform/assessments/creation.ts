import { bool, text, uintOf } from '../../kernel/shape/kinds.ts'
import { described, optional, partial, struct } from '../../kernel/shape/members.ts'
import type { StoredOf } from '../../kernel/shape/values.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { newId } from '../ids.ts'
import { refuse } from '../messages.ts'
import { notifyAboutAssessment } from '../notifications/workspace-messages.ts'
import { managedResourcesOf } from '../states/managed-resources.ts'
import { type Workspace, workspaces, workspaceWithId } from '../workspaces/workspaces.ts'
import { type Assessment, currentAssessment, putAssessment } from './assessments.ts'

const count = uintOf({ maximum: 1000 })

/** Body of the control call that adds an assessment. */
export const assessmentRequestShape = struct({
  workspace: described(text, 'Id or name of the workspace'),
  drifted: described(optional(bool), 'Whether resources differ from the state; false if left out'),
  succeeded: described(optional(bool), 'Whether the assessment itself succeeded; true if left out'),
  checks: described(
    optional(partial(struct({ passed: count, failed: count, errored: count, unknown: count }))),
    'Number of checks by result; none if left out',
  ),
})

export interface AssessmentRequest extends StoredOf<typeof assessmentRequestShape> {}

/**
 * Adds an assessment. Notifies the workspace's subscribers if resources have drifted, a check has
 * failed or the assessment did not succeed. Throws `no-workspace-to-assess` if the workspace is
 * unknown.
 */
export function addAssessment(
  world: World,
  { workspace: name, drifted = false, succeeded = true, checks = {} }: AssessmentRequest,
): Assessment {
  const { passed = 0, failed = 0, errored = 0, unknown = 0 } = checks
  const workspace = requireWorkspace(world, name)
  const resources = managedResourcesOf(world, workspace.id).length
  const isDrifted = succeeded && drifted
  return world.write(() => {
    const priorAssessment = currentAssessment(world, workspace.id)
    const added = putAssessment(world, {
      id: newId(world, 'asmtres'),
      workspace: workspace.id,
      drifted: isDrifted,
      succeeded,
      error_msg: succeeded ? null : 'the assessment failed',
      created_at: world.clock.now(),
      resources_drifted: isDrifted ? resources : 0,
      resources_undrifted: succeeded && !drifted ? resources : 0,
      all_checks_succeeded: failed + errored + unknown === 0,
      checks_passed: passed,
      checks_failed: failed,
      checks_errored: errored,
      checks_unknown: unknown,
    })
    notifyAboutAssessment(world, workspace, added, priorAssessment)
    return added
  })
}

function requireWorkspace(world: World, name: string): Workspace {
  const found =
    workspaceWithId(world, name) ??
    Array.from(world.table(workspaces).rows()).find((one) => one.name === name)
  if (found === undefined) throw refuse('no-workspace-to-assess', { name })
  return found
}
