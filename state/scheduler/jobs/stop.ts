import type { InParts } from '../../kernel/parts.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { commitVersion, createEvaluation } from '../cluster/model/evaluations.ts'
import { countChild } from '../cluster/model/job-summaries.ts'
import { forceReschedule, removePurgedJob } from '../cluster/tasks/stopping.ts'
import { setEventType } from '../events/buffer.ts'
import { nextIndex } from '../indexes.ts'
import type { Job } from '../job/job-shape.ts'
import { refuse } from '../messages.ts'
import { cancelLaunch } from '../records/launches.ts'
import { deleteJob, findJob, isLauncher, isParameterized, isPeriodic } from '../records/store.ts'
import { findSource } from '../records/submissions.ts'
import { refuseEvalPriority } from './registration.ts'
import type { EvaluateRequest, RegisterReply } from './request-shapes.ts'

/**
 * Creates an evaluation of a job. With `ForceReschedule`, failed allocations are replaced at once
 * if the reschedule policy of their group allows any rescheduling (behaviour/scheduler#beyond).
 *
 * @param request undefined for a request without a body
 * @throws Refusal 400 if a body does not name the job in the path, 500 if no job has the ID or the
 *   job is periodic or parameterized
 */
export function evaluateJob(
  world: World,
  namespace: string,
  pathId: string,
  request?: EvaluateRequest,
): RegisterReply {
  if (request !== undefined) refuseJobMismatch(request.JobID, pathId)
  const job = requireEvaluable(world, namespace, pathId)
  return world.write(() => {
    if (request?.EvalOptions?.ForceReschedule === true) forceReschedule(world, namespace, job.ID)
    const index = nextIndex(world)
    setEventType(world, 'AllocationUpdateDesiredStatus')
    const { ID } = createEvaluation(world, { job, triggeredBy: 'job-register' })
    return {
      EvalID: ID,
      EvalCreateIndex: index,
      JobModifyIndex: job.ModifyIndex,
      Warnings: [],
      Index: index,
    }
  })
}

function refuseJobMismatch(bodyId: string | null, pathId: string): void {
  if (bodyId === null || bodyId === '') throw refuse('job-id-unspecified')
  if (bodyId !== pathId) throw refuse('named-job-mismatch')
}

function requireEvaluable(world: World, namespace: string, id: string): Job {
  const job = findJob(world, namespace, id)
  if (job === undefined) throw refuse('evaluate-job-not-found')
  if (isPeriodic(job)) throw refuse('evaluate-periodic')
  if (isParameterized(job)) throw refuse('evaluate-parameterized')
  return job
}

const emptyReply = { EvalID: '', EvalCreateIndex: 0, JobModifyIndex: 0, Index: 0 }

/**
 * Stops a job, or purges the job with all its rows except evaluations (behaviour/scheduler#versions
 * and behaviour/scheduler#beyond). Children of the job continue to run. If no job has the ID,
 * nothing is stopped, but the request succeeds.
 *
 * @param evalPriority priority of the evaluation. 0 and negative numbers mean the priority of the
 *   job
 * @throws Refusal 400 for a priority above 100
 */
export function stopJob(
  world: World,
  namespace: string,
  id: string,
  { purge = false, evalPriority = 0 }: { purge?: boolean; evalPriority?: number } = {},
) {
  refuseEvalPriority(Math.max(0, evalPriority))
  const job = findJob(world, namespace, id)
  if (job === undefined) return emptyReply
  const priority = evalPriority > 0 ? evalPriority : job.Priority
  const { evaluationId, index } = purge
    ? world.inParts(() => purgeJob(world, job, priority), 'kept')
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

function* purgeJob(world: World, job: Job, priority: number): InParts<StopResult> {
  const index = nextIndex(world)
  cancelLaunch(world, job)
  countChild(world, job, job.Status, 'dead')
  deleteJob(world, job)
  yield* removePurgedJob(world, job.Namespace, job.ID)
  const evaluation = isLauncher(job)
    ? undefined
    : createEvaluation(world, {
        job: { ...job, JobModifyIndex: index },
        triggeredBy: 'job-deregister',
        priority,
      })
  return { evaluationId: evaluation?.ID, index }
}
