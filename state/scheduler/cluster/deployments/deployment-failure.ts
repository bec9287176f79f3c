import type { World } from '../../../kernel/worlds/world.ts'
import type { Job } from '../../job/job-shape.ts'
import { findJob, isSpecChanged, jobVersionsOf } from '../../records/store.ts'
import { findSource } from '../../records/submissions.ts'
import { isActiveDeployment } from '../model/deployment-machine.ts'
import { commitVersion } from '../model/evaluations.ts'
import { refuse } from '../model/messages.ts'
import type { Deployment, DeploymentState } from '../model/placement-shapes.ts'
import { scheduleStepAt, stepNames } from '../model/steps.ts'
import { deployments } from '../model/tables.ts'
import { deploymentDescriptions, endDeployment, requireDeployment } from './deployments.ts'
import { earliestDeadline, requestDeploymentEvaluation } from './rollout.ts'

/**
 * Fails a deployment if its progress deadline has passed and a group is not healthy yet. Before the
 * deadline, schedules the next check. The job is reverted if any group that is not healthy has
 * auto-revert. Must run inside a transaction.
 *
 * @param at due time of the check in milliseconds since 1970
 */
export function progressStep(world: World, id: string, at: number): void {
  const deployment = world.table(deployments).get(id)
  if (deployment === undefined || !isActiveDeployment(deployment)) return
  const deadline = earliestDeadline(deployment)
  if (deadline === undefined) return
  if (deadline > at) {
    scheduleStepAt(world, stepNames.progress, id, deadline)
    return
  }
  const lateGroups = Object.values(deployment.TaskGroups ?? {}).filter(
    (state) => !isGroupHealthy(state),
  )
  // If no group is late, the deployment only waits for the promotion of its healthy canaries.
  if (lateGroups.length === 0) return
  const hasAutoRevert = lateGroups.some(({ AutoRevert }) => AutoRevert)
  failDeployment(world, deployment, deploymentDescriptions.progressDeadlineMissed, {
    reverts: hasAutoRevert,
  })
}

/**
 * Returns true if a group has enough healthy allocations: the desired number of canaries before a
 * promotion, otherwise the desired total.
 */
function isGroupHealthy({
  DesiredCanaries,
  DesiredTotal,
  HealthyAllocs,
  Promoted,
}: DeploymentState): boolean {
  return HealthyAllocs >= (DesiredCanaries > 0 && !Promoted ? DesiredCanaries : DesiredTotal)
}

interface FailureOptions {
  /** True to revert the job to its newest stable version. */
  readonly reverts: boolean
  /** False to omit from the description that no stable version exists; by default true. */
  readonly mentionsMissingVersion?: boolean
}

/** A failed deployment, and the version to which the job was reverted, if any. */
export interface DeploymentFailure {
  readonly deployment: Deployment
  readonly revertedTo: number | null
}

/**
 * Fails a deployment. If `reverts` is true and the job still has the deployment's version, reverts
 * the job to the newest stable version that is not the deployment's version. Does not revert the
 * job if no such version exists or if the specifications of both versions are equal. If the job is
 * not reverted, requests an evaluation. Must run inside a transaction.
 */
export function failDeployment(
  world: World,
  deployment: Deployment,
  description: string,
  { reverts, mentionsMissingVersion = true }: FailureOptions,
): DeploymentFailure {
  const { Namespace, JobID, JobVersion } = deployment
  const job = findJob(world, Namespace, JobID)
  if (!reverts || job === undefined || job.Version !== JobVersion) {
    const failed = endDeployment(world, deployment, 'fail', description)
    requestDeploymentEvaluation(world, failed)
    return { deployment: failed, revertedTo: null }
  }
  const stableVersion = jobVersionsOf(world, Namespace, JobID).find(
    ({ Stable, Version }) => Stable && Version !== JobVersion,
  )
  const failed = endDeployment(
    world,
    deployment,
    'fail',
    stableVersion === undefined && !mentionsMissingVersion
      ? description
      : `${description} - ${rollbackDescription(job, stableVersion)}`,
  )
  if (stableVersion === undefined || hasSameSpec(job, stableVersion)) {
    requestDeploymentEvaluation(world, failed)
    return { deployment: failed, revertedTo: null }
  }
  commitVersion(
    world,
    { ...stableVersion, Version: job.Version, Stable: false },
    {
      trigger: 'deployment-watcher',
      source: findSource(world, stableVersion, stableVersion.Version),
    },
  )
  return { deployment: failed, revertedTo: stableVersion.Version }
}

/**
 * Fails a deployment at a caller's request. Reverts the job if any group has auto-revert.
 *
 * @throws Refusal 500 if the deployment does not exist or has ended
 */
export function failDeploymentOnRequest(world: World, id: string): DeploymentFailure {
  const deployment = requireDeployment(world, id)
  if (!isActiveDeployment(deployment)) throw refuse('fail-terminal')
  const hasAutoRevert = Object.values(deployment.TaskGroups ?? {}).some(
    ({ AutoRevert }) => AutoRevert,
  )
  return world.write(() =>
    failDeployment(world, deployment, deploymentDescriptions.markedAsFailed, {
      reverts: hasAutoRevert,
    }),
  )
}

function rollbackDescription(job: Job, stableVersion: Job | undefined): string {
  if (stableVersion === undefined) return 'no stable job version to auto revert to'
  return hasSameSpec(job, stableVersion)
    ? `not rolling back to stable job version ${stableVersion.Version} as current job has same specification`
    : `rolling back to job version ${stableVersion.Version}`
}

function hasSameSpec(one: Job, other: Job): boolean {
  return !isSpecChanged(one, other)
}
