import type { World } from '../../kernel/world.ts'
import type { Job } from '../job/job-shape.ts'
import { isChanged, jobOf, jobVersionsOf } from '../records/store.ts'
import { copiedSource } from '../records/submissions.ts'
import { commitVersion } from './commit.ts'
import { isActiveDeployment } from './deployment-machine.ts'
import { deploymentDescriptions, deploymentWithId, endDeployment } from './deployments.ts'
import type { Deployment } from './placement-shapes.ts'
import { firstDeadline, watch } from './rollout.ts'
import { scheduleStepAt, stepNames } from './steps.ts'
import { deployments } from './tables.ts'
import { refuse } from './texts.ts'

/**
 * The step at which a deployment should have progressed.
 *
 * @param at when that is, in milliseconds since 1970
 */
export function progressStep(world: World, id: string, at: number): void {
  const deployment = world.table(deployments).get(id)
  if (deployment === undefined || !isActiveDeployment(deployment)) return
  const deadline = firstDeadline(deployment)
  if (deadline === undefined) return
  if (deadline <= at)
    failDeployment(world, deployment, deploymentDescriptions.progressDeadlineMissed)
  else scheduleStepAt(world, stepNames.progress, id, deadline)
}

/** A deployment that failed, and the version that its job went back to, if it did. */
export interface Failure {
  readonly deployment: Deployment
  readonly revertedTo: number | null
}

/**
 * Ends a deployment as failed; where a group asks for it, the job goes back to its newest stable
 * version. Inside a transaction.
 */
export function failDeployment(world: World, deployment: Deployment, description: string): Failure {
  const { Namespace, JobID, JobVersion } = deployment
  const job = jobOf(world, Namespace, JobID)
  const reverts = Object.values(deployment.TaskGroups ?? {}).some(({ AutoRevert }) => AutoRevert)
  if (!reverts || job === undefined || job.Version !== JobVersion) {
    const failed = endDeployment(world, deployment, 'fail', description)
    watch(world, failed)
    return { deployment: failed, revertedTo: null }
  }
  const stable = jobVersionsOf(world, Namespace, JobID).find(
    ({ Stable, Version }) => Stable && Version !== JobVersion,
  )
  const failed = endDeployment(
    world,
    deployment,
    'fail',
    `${description} - ${rollbackDescription(job, stable)}`,
  )
  if (stable === undefined || isSameSpec(job, stable)) {
    watch(world, failed)
    return { deployment: failed, revertedTo: null }
  }
  commitVersion(
    world,
    { ...stable, Version: job.Version, Stable: false },
    { trigger: 'deployment-watcher', source: copiedSource(world, stable, stable.Version) },
  )
  return { deployment: failed, revertedTo: stable.Version }
}

/** A deployment is ended by hand. Refuses an unknown one and one that is over (500). */
export function failedByUser(world: World, id: string): Failure {
  const deployment = deploymentWithId(world, id)
  if (!isActiveDeployment(deployment)) throw refuse('fail-terminal')
  return world.write(() => failDeployment(world, deployment, deploymentDescriptions.markedAsFailed))
}

function rollbackDescription(job: Job, stable: Job | undefined): string {
  if (stable === undefined) return 'no stable job version to auto revert to'
  return isSameSpec(job, stable)
    ? `not rolling back to stable job version ${stable.Version} as current job has same specification`
    : `rolling back to job version ${stable.Version}`
}

function isSameSpec(one: Job, other: Job): boolean {
  return !isChanged(one, other)
}
