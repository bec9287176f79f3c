import type { World } from '../../kernel/worlds/world.ts'
import { createEvaluation } from '../cluster/model/evaluations.ts'
import { forceReschedule } from '../cluster/tasks/stopping.ts'
import { nextIndex } from '../indexes.ts'
import type { Job } from '../job/job-shape.ts'
import { refuse } from '../messages.ts'
import { findJob, isParameterized, isPeriodic } from '../records/store.ts'
import type { EvaluateRequest, RegisterReply } from './request-shapes.ts'

/**
 * Creates an evaluation of a job. `ForceReschedule` reschedules failed allocations at once where
 * the group allows rescheduling (behaviour/scheduler#beyond).
 *
 * @param request undefined for a call without a body
 * @throws Refusal 400 when body and path do not name one job, 500 for a job that has no evaluations
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
