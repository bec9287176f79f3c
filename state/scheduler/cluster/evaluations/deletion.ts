import { FilterError } from '../../../filter/errors.ts'
import { compileFilter } from '../../../filter/filter.ts'
import { Refusal } from '../../../kernel/refusal.ts'
import type { World } from '../../../kernel/worlds/world.ts'
import { uuidError } from '../../acl/uuids.ts'
import { isEvaluationPaused } from '../../operator/configuration.ts'
import { findJob } from '../../records/store.ts'
import { allocationsOfEvaluation } from '../allocations/allocations.ts'
import type { Allocation } from '../model/allocation-shapes.ts'
import { allEvaluations } from '../model/evaluations.ts'
import { refuse } from '../model/messages.ts'
import { type Evaluation, evaluationShape } from '../model/placement-shapes.ts'
import { cancelStep, stepNames } from '../model/steps.ts'
import { evaluations } from '../model/tables.ts'

/** Limit of IDs in one request, copied from the reference. */
const maxIds = 7281

interface EvaluationSelection {
  readonly ids: readonly string[]
  readonly filter: string
}

/**
 * Validates the selection of a request, which is either a list of IDs or a filter.
 *
 * @throws Refusal 400 for both IDs and a filter, for neither of them, and for too many IDs
 */
export function checkedSelection(ids: readonly string[], filter: string): EvaluationSelection {
  if (filter !== '' && ids.length > 0) throw refuse('evals-by-id-and-filter')
  if (filter === '' && ids.length === 0) throw refuse('evals-by-nothing')
  if (ids.length > maxIds) throw refuse('evals-too-many', { count: ids.length, limit: maxIds })
  return { ids, filter }
}

/**
 * Deletes evaluations, cancels their steps and returns their number
 * (behaviour/scheduler#evaluation-writes). With a filter, evaluations that are still needed are
 * skipped.
 *
 * @throws Refusal 500 while the broker is not paused, for an invalid ID or filter, and for an ID
 *   whose evaluation does not exist or is still needed
 */
export function deleteEvaluations(world: World, { ids, filter }: EvaluationSelection): number {
  if (!isEvaluationPaused(world)) throw refuse('broker-enabled')
  const selected =
    filter === ''
      ? ids.map((id) => requireDeletable(world, id))
      : matchingEvaluations(world, filter)
  if (selected.length === 0) return 0
  world.write(() => {
    for (const { ID } of selected) {
      cancelStep(world, stepNames.evaluation, ID)
      world.table(evaluations).delete(ID)
    }
  })
  return selected.length
}

function requireDeletable(world: World, id: string): Evaluation {
  const why = uuidError(id)
  if (why !== undefined) throw refuse('deleted-eval-lookup-failed', { why })
  const evaluation = world.table(evaluations).get(id)
  if (evaluation === undefined) throw refuse('deleted-eval-unknown')
  if (!isDeletable(world, evaluation)) throw refuse('deleted-eval-needed', { id })
  return evaluation
}

/**
 * Compiles a filter to a predicate. Evaluations for which the filter fails with an error do not
 * match. An empty filter matches every evaluation.
 *
 * @throws Refusal 500 for an invalid filter
 */
export function lenientFilter(expression: string): (evaluation: Evaluation) => boolean {
  if (expression === '') return () => true
  const filter = compileDeletionFilter(expression)
  return (evaluation) => {
    try {
      return filter.matches(evaluation)
    } catch (error) {
      if (error instanceof FilterError) return false
      throw error
    }
  }
}

function compileDeletionFilter(expression: string) {
  try {
    return compileFilter(expression, evaluationShape)
  } catch (error) {
    throw error instanceof FilterError ? new Refusal('conflict', error.reason) : error
  }
}

function matchingEvaluations(world: World, expression: string): readonly Evaluation[] {
  const matches = lenientFilter(expression)
  return allEvaluations(world).filter((each) => isDeletable(world, each) && matches(each))
}

/**
 * Returns true if an evaluation is no longer needed. An evaluation is needed if one of its
 * allocations is running or unknown, or has failed and may be rescheduled later. If the job does
 * not exist, is stopped or is dead, its evaluations are never needed.
 */
function isDeletable(world: World, { ID, Namespace, JobID }: Evaluation): boolean {
  const job = findJob(world, Namespace, JobID)
  if (job === undefined || job.Stop || job.Status === 'dead') return true
  return allocationsOfEvaluation(world, ID).every((allocation) => {
    const { ClientStatus, TaskGroup } = allocation
    if (ClientStatus === 'running' || ClientStatus === 'unknown') return false
    if (ClientStatus !== 'failed') return true
    const policy = job.TaskGroups?.find(({ Name }) => Name === TaskGroup)?.ReschedulePolicy
    const isReschedulingDisabled = !policy || (!policy.Unlimited && policy.Attempts === 0)
    return isReschedulingDisabled || (!policy.Unlimited && hasBeenRescheduled(allocation))
  })
}

function hasBeenRescheduled({ NextAllocation, RescheduleTracker }: Allocation): boolean {
  return NextAllocation !== '' && (RescheduleTracker?.Events?.length ?? 0) > 0
}
