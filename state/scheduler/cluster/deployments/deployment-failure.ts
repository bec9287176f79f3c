import type { World } from '../../../kernel/worlds/world.ts'
import type { Job } from '../../job/job-shape.ts'
import { findJob, isSpecChanged, jobVersionsOf } from '../../records/store.ts'
import { findSource } from '../../records/submissions.ts'
import { isActiveDeployment } from '../model/deployment-machine.ts'
import { commitVersion } from '../model/evaluations.ts'
import { refuse } from '../model/messages.ts'
import type { Deployment } from '../model/placement-shapes.ts'
import { scheduleStepAt, stepNames } from '../model/steps.ts'
import { deployments } from '../model/tables.ts'
import { deploymentDescriptions, endDeployment, requireDeployment } from './deployments.ts'
import { earliestDeadline, requestDeploymentEvaluation } from './rollout.ts'

/**
 * Fails a deployment that has missed its progress deadline, or schedules the next check.
 *
 * @param at current instant, in milliseconds since 1970
 */
export function progressStep(world: World, id: string, at: number): void {
  const deployment = world.table(deployments).get(id)
  if (deployment === undefined || !isActiveDeployment(deployment)) return
  const deadline = earliestDeadline(deployment)
  if (deadline === undefined) return
  if (deadline <= at)
    failDeployment(world, deployment, deploymentDescriptions.progressDeadlineMissed)
  else scheduleStepAt(world, stepNames.progress, id, deadline)
}

/** A failed deployment and the version that its job was reverted to, if any. */
export interface DeploymentFailure {
  readonly deployment: Deployment
  readonly revertedTo: number | null
}

/**
 * Fails a deployment. If a group has auto-revert, the job is reverted to its newest stable version.
 * Inside a transaction.
 */
export function failDeployment(
  world: World,
  deployment: Deployment,
  description: string,
): DeploymentFailure {
  const { Namespace, JobID, JobVersion } = deployment
  const job = findJob(world, Namespace, JobID)
  const shouldRevert = Object.values(deployment.TaskGroups ?? {}).some(
    ({ AutoRevert }) => AutoRevert,
  )
  if (!shouldRevert || job === undefined || job.Version !== JobVersion) {
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
    `${description} - ${rollbackDescription(job, stableVersion)}`,
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

/** Fails a deployment on request. Refuses an unknown or ended one (500). */
export function failByUser(world: World, id: string): DeploymentFailure {
  const deployment = requireDeployment(world, id)
  if (!isActiveDeployment(deployment)) throw refuse('fail-terminal')
  return world.write(() => failDeployment(world, deployment, deploymentDescriptions.markedAsFailed))
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
