import type { InParts } from '../../kernel/parts.ts'
import { formatTimestamp } from '../../kernel/time.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { planRegistration } from '../cluster/evaluations/decision.ts'
import { processCompletely } from '../cluster/evaluations/processing.ts'
import { commitVersion, openEvaluationsOf } from '../cluster/model/evaluations.ts'
import type { DesiredUpdates, Evaluation } from '../cluster/model/placement-shapes.ts'
import { annotateDiff } from '../diff/annotate.ts'
import { diffJobsInParts } from '../diff/job-diff.ts'
import { storedJobInParts, withoutServerFields } from '../job/canonical.ts'
import type { InputJob, Job } from '../job/job-shape.ts'
import { refuse } from '../messages.ts'
import { nextLaunch } from '../records/launches.ts'
import { findJob } from '../records/store.ts'
import { refuseIncompletable } from '../validation/admission.ts'
import {
  findJobErrors,
  findJobWarnings,
  isNewVersion,
  type RegisterContext,
  refuseInvalidJob,
  requiredCapabilities,
  resolveNamespace,
  resolveRegion,
} from './context.ts'
import type { PlanRequest, ValidateRequest } from './request-shapes.ts'

/**
 * Validates a job without registering it, and returns its errors and warnings
 * (behaviour/scheduler#plan). Unlike a registration, validation accepts every region except an
 * empty one.
 *
 * @throws Refusal 400 without a job, 500 if services in the mesh cannot be completed
 */
export function validateJob(
  world: World,
  request: ValidateRequest,
  { queryNamespace }: { readonly queryNamespace?: string | undefined } = {},
) {
  const { Job: input } = request
  if (input === null) throw refuse('job-missing')
  const namespace = resolveNamespace(queryNamespace, request.Namespace, input.Namespace)
  const current = findJob(world, namespace, input.ID ?? '')
  const jobContext = { namespace, uuid: () => '', current }
  const stored = world.inParts(() => storedJobInParts(withoutServerFields(input), jobContext))
  // Only a missing region gets the default. An empty region stays, because it is an error.
  const job = { ...stored, Region: input.Region ?? stored.Region }
  refuseIncompletable(job)
  return {
    errors: findJobErrors(world, job),
    warnings: findJobWarnings(world, job),
  }
}

/**
 * Computes the changes that registering a job would make. Writes nothing.
 *
 * @throws Refusal 400 for a malformed request, 500 for another region or an invalid job, 403
 *   without the capabilities, in this order
 */
export function planJobChange(world: World, request: PlanRequest, context: RegisterContext) {
  const input = requirePlannedJob(request, context.pathId)
  const region = resolveRegion(world, request.Region, input.Region)
  const namespace = resolveNamespace(context.queryNamespace, request.Namespace, input.Namespace)
  const current = findJob(world, namespace, input.ID ?? '')
  const inputWithRegion = withoutServerFields({ ...input, Region: region })
  const canonical = world.inParts(() =>
    storedJobInParts(inputWithRegion, { namespace, uuid: () => '', current }),
  )
  const job: Job = { ...canonical, SchedTokenID: context.accessorId }
  refuseInvalidJob(world, job)
  context.authorize(job, requiredCapabilities(request.PolicyOverride))
  const isChanged = isNewVersion(world, current, job, context)
  const planned = isChanged ? job : (current ?? job)
  const { desired, failed } = world.inParts(() => planRegistration(world, planned))
  const index = current?.JobModifyIndex ?? 0
  return {
    Annotations: { DesiredTGUpdates: desired, PreemptedAllocs: null },
    CreatedEvals: failed === null ? null : blockedEvaluationsAfter(world, job),
    /** Null unless the request asks for the differences. */
    Diff:
      request.Diff === true ? planDiff(world, current, job, context, { isChanged, desired }) : null,
    FailedTGAllocs: failed,
    /** 0 for a new job. */
    JobModifyIndex: index,
    /** RFC 3339 time; null if the job has no next launch. */
    NextPeriodicLaunch: nextLaunchTime(world, job),
    Warnings: findJobWarnings(world, job),
    Index: index,
  }
}

/** Changes that a plan found, as input for the diff. */
interface PlanEffects {
  readonly isChanged: boolean
  readonly desired: Readonly<Record<string, DesiredUpdates>>
}

function planDiff(
  world: World,
  current: Job | undefined,
  job: Job,
  context: RegisterContext,
  { isChanged, desired }: PlanEffects,
) {
  const before = current && jobInDialect(current, context)
  const after = jobInDialect(job, context)
  return world.inParts(function* () {
    const diff = yield* diffJobsInParts(before, after, { contextual: true, isChanged })
    return yield* annotateDiff(diff, desired)
  })
}

function jobInDialect(job: Job, { toDialect }: RegisterContext): Job {
  return toDialect === undefined ? job : toDialect(job)
}

function requirePlannedJob({ Job: input }: PlanRequest, pathId: string | undefined): InputJob {
  if (input === null) throw refuse('job-missing')
  if (input.ID === null) throw refuse('job-id-invalid')
  if (pathId !== undefined && input.ID !== pathId) throw refuse('job-id-mismatch')
  return input
}

/** Returns an RFC 3339 time, or null for a job without a next launch. */
function nextLaunchTime(world: World, { Periodic }: Job): string | null {
  if (Periodic?.Enabled !== true) return null
  const at = nextLaunch(world, Periodic, world.clock.now())
  return at === undefined ? null : formatTimestamp(at)
}

/**
 * Returns the evaluations that would be blocked after the registration, or null if there are none.
 * The registration and its first evaluation are made in a transaction that is rolled back.
 */
function blockedEvaluationsAfter(world: World, job: Job): readonly Evaluation[] | null {
  return world.inParts(() => registerAndPlace(world, job), 'undone')
}

function* registerAndPlace(world: World, job: Job): InParts<readonly Evaluation[] | null> {
  // As in the reference, a plan also places jobs that a registration would not place because they
  // only launch other jobs.
  const placeableJob: Job = { ...job, Periodic: null, ParameterizedJob: null }
  const { evaluation } = commitVersion(world, placeableJob, { trigger: 'job-register' })
  if (evaluation === undefined) return null
  yield* processCompletely(world, evaluation.ID)
  const blocked = openEvaluationsOf(world, job.Namespace, job.ID).filter(
    ({ PreviousEval }) => PreviousEval === evaluation.ID,
  )
  return blocked.length === 0 ? null : blocked
}
