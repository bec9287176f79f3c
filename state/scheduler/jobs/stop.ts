import type { World } from '../../kernel/worlds/world.ts'
import { commitVersion } from '../cluster/model/commit-version.ts'
import { createEvaluation } from '../cluster/model/evaluations.ts'
import { countChild } from '../cluster/model/job-summaries.ts'
import { stopPurgedJob } from '../cluster/tasks/stopping.ts'
import { nextIndex } from '../indexes.ts'
import type { Job } from '../job/job-shape.ts'
import { cancelLaunch } from '../records/launches.ts'
import { deleteJob, findJob, isLauncher } from '../records/store.ts'
import { findSource } from '../records/submissions.ts'
import { refuseEvalPriority } from './registration.ts'

/**
 * The response to stopping a job; the HTTP layer adds its own members (behaviour/scheduler#beyond,
 * DELETE).
 */
interface StopReply {
  readonly EvalID: string
  readonly EvalCreateIndex: number
  readonly JobModifyIndex: number
  readonly Index: number
}

const emptyReply: StopReply = { EvalID: '', EvalCreateIndex: 0, JobModifyIndex: 0, Index: 0 }

/**
 * Stops a job, or purges it with everything except its allocations, which are stopped and stay
 * stored (behaviour/scheduler#versions and behaviour/scheduler#beyond). Its children continue to
 * run. Stopping an unknown job succeeds.
 *
 * @param evalPriority priority of the evaluation, if above 0
 * @throws Refusal 400 for a priority above 100
 */
export function stopJob(
  world: World,
  namespace: string,
  id: string,
  { purge = false, evalPriority = 0 }: { purge?: boolean; evalPriority?: number } = {},
): StopReply {
  refuseEvalPriority(Math.max(0, evalPriority))
  const job = findJob(world, namespace, id)
  if (job === undefined) return emptyReply
  const priority = evalPriority > 0 ? evalPriority : job.Priority
  const { evaluationId, index } = purge
    ? purgeJob(world, job, priority)
    : stopWithoutPurge(world, job, priority)
  return { EvalID: evaluationId ?? '', EvalCreateIndex: index, JobModifyIndex: index, Index: index }
}

interface StopResult {
  readonly evaluationId: string | undefined
  readonly index: number
}

function stopWithoutPurge(world: World, job: Job, priority: number): StopResult {
  const source = findSource(world, job, job.Version)
  const stopped = { ...job, Stop: true }
  const { evaluation, index } = commitVersion(world, stopped, {
    trigger: 'job-deregister',
    priority,
    source,
  })
  return { evaluationId: evaluation?.ID, index }
}

function purgeJob(world: World, job: Job, priority: number): StopResult {
  return world.write(() => {
    const index = nextIndex(world)
    cancelLaunch(world, job)
    countChild(world, job, job.Status, 'dead')
    deleteJob(world, job)
    stopPurgedJob(world, job.Namespace, job.ID)
    const evaluation = isLauncher(job)
      ? undefined
      : createEvaluation(world, {
          job: { ...job, JobModifyIndex: index },
          triggeredBy: 'job-deregister',
          priority,
        })
    return { evaluationId: evaluation?.ID, index }
  })
}
