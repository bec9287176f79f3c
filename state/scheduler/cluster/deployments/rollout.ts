import { quoteGo } from '../../../go/text.ts'
import { type Integer, largerInteger } from '../../../kernel/integers.ts'
import { formatTimestamp, parseTimestamp } from '../../../kernel/time.ts'
import type { World } from '../../../kernel/worlds/world.ts'
import { nextIndex } from '../../indexes.ts'
import type { Job, TaskGroup } from '../../job/job-shape.ts'
import { findJob } from '../../records/store.ts'
import { changeAllocation, findAllocation } from '../allocations/allocations.ts'
import { isTerminal } from '../model/allocation-status.ts'
import { isActiveDeployment } from '../model/deployment-machine.ts'
import { createEvaluation, hasPendingEvaluation, toNanoseconds } from '../model/evaluations.ts'
import { message, refuse } from '../model/messages.ts'
import type { Deployment, DeploymentState } from '../model/placement-shapes.ts'
import { scheduleStepAt, stepDueAt, stepNames } from '../model/steps.ts'
import {
  changeDeployment,
  deploymentDescriptions,
  putDeployment,
  requireDeployment,
  withGroup,
} from './deployments.ts'

/** Desired numbers of allocations and canaries for a group of a new deployment. */
interface RolloutGroup {
  readonly group: TaskGroup
  readonly desiredTotal: Integer
  readonly desiredCanaries: Integer
}

/**
 * Creates the deployment of a job's current version (behaviour/scheduler#updates). The first
 * evaluation of a version creates the deployment even if nothing can be placed. Must run inside a
 * transaction.
 *
 * @param priority priority of the evaluation
 */
export function createDeployment(
  world: World,
  job: Job,
  groups: readonly RolloutGroup[],
  priority: number,
): Deployment {
  const now = toNanoseconds(world.clock.now())
  const states = groups.map(
    ({ group, desiredTotal, desiredCanaries }): [string, DeploymentState] => [
      group.Name,
      {
        AutoRevert: group.Update?.AutoRevert ?? false,
        AutoPromote: group.Update?.AutoPromote ?? false,
        Promoted: false,
        PlacedCanaries: null,
        DesiredCanaries: desiredCanaries,
        DesiredTotal: desiredTotal,
        PlacedAllocs: 0,
        HealthyAllocs: 0,
        UnhealthyAllocs: 0,
        ProgressDeadline: group.Update?.ProgressDeadline ?? 0,
        RequireProgressBy: null,
      },
    ],
  )
  const deployment: Deployment = {
    ID: world.ids.uuid(),
    Namespace: job.Namespace,
    JobID: job.ID,
    JobVersion: job.Version,
    JobModifyIndex: job.ModifyIndex,
    JobSpecModifyIndex: job.JobModifyIndex,
    JobCreateIndex: job.CreateIndex,
    TaskGroups: Object.fromEntries(states),
    Status: 'running',
    StatusDescription: statusDescription(states.map(([, state]) => state)),
    EvalPriority: priority,
    IsMultiregion: false,
    CreateTime: now,
    ModifyTime: 0,
    CreateIndex: nextIndex(world),
    ModifyIndex: nextIndex(world),
  }
  return putDeployment(world, deployment)
}

function statusDescription(states: readonly DeploymentState[]): string {
  const unpromoted = states.filter(
    ({ DesiredCanaries, Promoted }) => DesiredCanaries > 0 && !Promoted,
  )
  if (unpromoted.length === 0) return deploymentDescriptions.running
  return unpromoted.every(({ AutoPromote }) => AutoPromote)
    ? deploymentDescriptions.promotesAutomatically
    : deploymentDescriptions.needsPromotion
}

/**
 * Updates a group of a deployment, sets `ModifyTime` and, if the group has a progress deadline,
 * restarts the deadline and schedules its check. Must run inside a transaction.
 */
export function recordGroupProgress(
  world: World,
  deployment: Deployment,
  group: string,
  change: (state: DeploymentState) => Partial<DeploymentState>,
): Deployment {
  const deadline = deployment.TaskGroups?.[group]?.ProgressDeadline ?? 0
  const due = stepDueAt(world, stepNames.progress, { unskippable: deadline })
  const progressBy = deadline === 0 ? undefined : formatTimestamp(due)
  const changed = changeDeployment(world, deployment, {
    ModifyTime: toNanoseconds(world.clock.now()),
    TaskGroups: withGroup(deployment, group, (state) => ({
      RequireProgressBy: progressBy ?? state.RequireProgressBy,
      ...change(state),
    })),
  })
  if (deadline > 0) {
    scheduleStepAt(world, stepNames.progress, deployment.ID, earliestDeadline(changed) ?? due)
  }
  return changed
}

/**
 * Returns the earliest progress deadline in milliseconds since 1970. Ignores groups that have the
 * desired number of healthy allocations. Returns undefined if no other group has a deadline.
 */
export function earliestDeadline({ TaskGroups }: Deployment): number | undefined {
  let earliestDeadlineSoFar: number | undefined
  let parsed: string | undefined
  for (const { HealthyAllocs, DesiredTotal, RequireProgressBy } of Object.values(
    TaskGroups ?? {},
  )) {
    if (HealthyAllocs >= DesiredTotal || RequireProgressBy === null) continue
    // Groups that were placed together have equal deadlines, so the text is not parsed again.
    if (RequireProgressBy === parsed) continue
    parsed = RequireProgressBy
    const deadline = parseTimestamp(RequireProgressBy)
    if (deadline !== undefined && deadline > 0)
      earliestDeadlineSoFar = Math.min(earliestDeadlineSoFar ?? deadline, deadline)
  }
  return earliestDeadlineSoFar
}

/**
 * Promotes the canaries if all of them are healthy and every group with canaries promotes
 * automatically. Requests the next evaluation in any case. Called after an allocation has become
 * healthy. Must run inside a transaction.
 */
export function continueRollout(world: World, deployment: Deployment): void {
  const unpromotedGroups = Object.values(deployment.TaskGroups ?? {}).filter(
    ({ DesiredCanaries, Promoted }) => DesiredCanaries > 0 && !Promoted,
  )
  const allCanariesReady = unpromotedGroups.every(
    (state) => state.AutoPromote && countHealthyCanaries(world, state) >= state.DesiredCanaries,
  )
  if (unpromotedGroups.length > 0 && allCanariesReady) promote(world, deployment, () => true)
  else requestDeploymentEvaluation(world, deployment)
}

export function countHealthyCanaries(world: World, { PlacedCanaries }: DeploymentState): number {
  const healthy = (PlacedCanaries ?? []).filter((id) => {
    const canary = findAllocation(world, id)
    return canary !== undefined && !isTerminal(canary) && canary.DeploymentStatus?.Healthy === true
  })
  return healthy.length
}

/** Predicate that returns true for the groups to promote. */
type GroupFilter = (group: string) => boolean

function promote(world: World, deployment: Deployment, isSelected: GroupFilter): Deployment {
  const groups = Object.entries(deployment.TaskGroups ?? {}).map(
    ([name, state]): [string, DeploymentState] => [
      name,
      { ...state, Promoted: isSelected(name) || state.Promoted },
    ],
  )
  const promoted = changeDeployment(world, deployment, {
    TaskGroups: Object.fromEntries(groups),
    ...(deployment.Status === 'running'
      ? { StatusDescription: statusDescription(groups.map(([, state]) => state)) }
      : {}),
  })
  for (const [group] of groups.filter(([name]) => isSelected(name))) {
    for (const id of promoted.TaskGroups?.[group]?.PlacedCanaries ?? []) {
      const canary = findAllocation(world, id)
      if (canary?.DeploymentStatus == null) continue
      changeAllocation(world, canary, {
        DeploymentStatus: { ...canary.DeploymentStatus, Canary: false },
      })
    }
  }
  requestDeploymentEvaluation(world, promoted)
  return promoted
}

/**
 * Promotes the canaries of the selected groups and requests the next evaluation.
 *
 * @throws Refusal 500 if the deployment does not exist or has ended, or if a selected group has too
 *   few healthy canaries
 */
export function promoteDeployment(world: World, id: string, isSelected: GroupFilter = () => true) {
  const deployment = requireDeployment(world, id)
  if (!isActiveDeployment(deployment)) throw refuse('promote-terminal')
  const unhealthyGroups = Object.entries(deployment.TaskGroups ?? {}).flatMap(([group, state]) => {
    const healthy = isSelected(group) ? countHealthyCanaries(world, state) : state.DesiredCanaries
    if (healthy >= state.DesiredCanaries) return []
    return message('promote-group-unhealthy', {
      group: quoteGo(group),
      healthy,
      wanted: state.DesiredCanaries,
    })
  })
  if (unhealthyGroups.length > 0) {
    const count = unhealthyGroups.length === 1 ? '1 error' : `${unhealthyGroups.length} errors`
    throw refuse('promote-unhealthy', { count, groups: unhealthyGroups })
  }
  return world.write(() => promote(world, deployment, isSelected))
}

/**
 * Creates an evaluation that continues a deployment. Does nothing if the job has a pending
 * evaluation of the trigger `deployment-watcher`, if the job does not exist, or if the deployment's
 * version is not the current version of the job. Must run inside a transaction.
 */
export function requestDeploymentEvaluation(
  world: World,
  { ID, Namespace, JobID, JobVersion }: Deployment,
): void {
  const job = findJob(world, Namespace, JobID)
  if (job === undefined || job.Version !== JobVersion) return
  if (hasPendingEvaluation(world, Namespace, JobID, 'deployment-watcher')) return
  createEvaluation(world, { job, triggeredBy: 'deployment-watcher', deploymentId: ID })
}

export function isDeploymentComplete({ TaskGroups }: Deployment): boolean {
  return Object.values(TaskGroups ?? {}).every(
    ({ DesiredTotal, DesiredCanaries, HealthyAllocs, Promoted }) =>
      HealthyAllocs >= largerInteger(DesiredTotal, DesiredCanaries) &&
      (DesiredCanaries === 0 || Promoted),
  )
}
