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
 * Fails a deployment that has missed its progress deadline, or schedules the next check. The job is
 * reverted if at least one of the late groups has auto-revert.
 *
 * @param at current instant, in milliseconds since 1970
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
  const late = Object.values(deployment.TaskGroups ?? {}).filter((state) => !isGroupHealthy(state))
  // If nothing is late, healthy canaries may be waiting for their promotion.
  if (late.length === 0) return
  const reverts = late.some(({ AutoRevert }) => AutoRevert)
  failDeployment(world, deployment, deploymentDescriptions.progressDeadlineMissed, { reverts })
}

/** Returns true if a group has all healthy allocations that it needs at present. */
function isGroupHealthy({
  DesiredCanaries,
  DesiredTotal,
  HealthyAllocs,
  Promoted,
}: DeploymentState): boolean {
  return HealthyAllocs >= (DesiredCanaries > 0 && !Promoted ? DesiredCanaries : DesiredTotal)
}

/** Settings of a deployment's failure. */
interface FailureOptions {
  /** True to revert the job to its newest stable version. */
  readonly reverts: boolean
  /** False to leave out of the description that there is no stable version. */
  readonly tellsMissingVersion?: boolean
}

/** A failed deployment and the version that its job was reverted to, if any. */
export interface DeploymentFailure {
  readonly deployment: Deployment
  readonly revertedTo: number | null
}

/**
 * Fails a deployment. If requested, reverts the job to its newest stable version. Must run inside a
 * transaction.
 */
export function failDeployment(
  world: World,
  deployment: Deployment,
  description: string,
  { reverts, tellsMissingVersion = true }: FailureOptions,
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
    stableVersion === undefined && !tellsMissingVersion
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
 * Fails a deployment at the request of a caller. Throws a refusal (500) if the deployment does not
 * exist or has ended.
 */
export function failByUser(world: World, id: string): DeploymentFailure {
  const deployment = requireDeployment(world, id)
  if (!isActiveDeployment(deployment)) throw refuse('fail-terminal')
  const reverts = Object.values(deployment.TaskGroups ?? {}).some(({ AutoRevert }) => AutoRevert)
  return world.write(() =>
    failDeployment(world, deployment, deploymentDescriptions.markedAsFailed, { reverts }),
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
