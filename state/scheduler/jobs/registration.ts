import { isDeepStrictEqual } from 'node:util'
import { quoteGo } from '../../go/text.ts'
import type { Message } from '../../kernel/wording.ts'
import type { World } from '../../kernel/world.ts'
import { commitVersion } from '../cluster/commit.ts'
import { createEvaluation } from '../cluster/evaluations.ts'
import { writtenIndex } from '../indexes.ts'
import { asSubmitted, storedJob } from '../job/canonical.ts'
import type { Job, SentJob, TaskGroup } from '../job/job-shape.ts'
import {
  isChanged,
  isLauncher,
  isParameterized,
  isPeriodic,
  jobOf,
  jobSpecOf,
} from '../records/store.ts'
import { copiedSource, type Source, sourceOf } from '../records/submissions.ts'
import { refuse } from '../texts.ts'
import { refuseInvalid } from '../validation/admission.ts'
import { factsOf, warningsOf } from './admission.ts'
import {
  expectedNamespace,
  expectedRegion,
  needsOf,
  type RegisterContext,
  refuseClosed,
} from './context.ts'
import type { RegisterReply, RegisterRequest } from './request-shapes.ts'

/**
 * Registers a job: a new one, a new version, or, when nothing changed, an evaluation alone
 * (behaviour/scheduler#jobs and behaviour/scheduler#versions).
 *
 * @throws Refusal 400 for a malformed request, 500 for an invalid job, then 403, then 500 for an index or
 *   a transition that is not allowed; nothing is changed then
 */
export function registerJob(
  world: World,
  request: RegisterRequest,
  context: RegisterContext,
): RegisterReply {
  const sent = sentJob(request, context.pathId)
  const region = expectedRegion(world, request.Region, sent.Region)
  const namespace = expectedNamespace(context.queryNamespace, request.Namespace, sent.Namespace)
  const { source, warning } = sourceOf(request.Submission)
  const current = jobOf(world, namespace, sent.ID ?? '')
  const job = storedJob(asSubmitted({ ...sent, Region: region }), {
    namespace,
    uuid: () => world.ids.uuid(),
    current,
  })
  return registerStored(world, job, context, {
    enforcedIndex: request.EnforceIndex === true ? (request.JobModifyIndex ?? 0) : undefined,
    priority: request.EvalPriority || undefined,
    policyOverride: request.PolicyOverride ?? false,
    preserveCounts: request.PreserveCounts ?? false,
    source: source ?? (context.vendor ? copiedSource(world, job, job.Version) : undefined),
    warnings: warning === undefined ? [] : [warning],
  })
}

/** The job of a request, once the request is well formed. */
function sentJob(
  { Job: sent, EvalPriority }: RegisterRequest,
  pathId: string | undefined,
): SentJob {
  if (sent === null) throw refuse('job-missing')
  if (sent.ID === null) throw refuse('job-id-absent')
  if (pathId !== undefined && sent.ID !== pathId) throw refuse('job-id-not-name')
  if (sent.Type === 'system' && sent.TaskGroups?.some(({ Scaling }) => Scaling !== null)) {
    throw refuse('system-scaling')
  }
  refuseEvalPriority(EvalPriority ?? 0)
  return sent
}

/** Refuses an evaluation's priority; 0 is none. */
export function refuseEvalPriority(priority: number): void {
  if (priority !== 0 && (priority < 1 || priority > 100)) {
    throw refuse('eval-priority-out-of-range')
  }
}

/** The demands of a registration beside the job. */
interface Demands {
  /** The JobModifyIndex that the current job must have; 0: there must be none. */
  readonly enforcedIndex?: number | undefined
  /** The evaluation's, if not the job's. */
  readonly priority?: number | undefined
  readonly policyOverride?: boolean
  readonly preserveCounts?: boolean
  /** The source to keep with the version. */
  readonly source?: Source | undefined
  /** Warnings beside those about the job. */
  readonly warnings?: readonly Message[]
}

/** Registers a job in canonical form: what clients send and what they revert to take the same way. */
export function registerStored(
  world: World,
  sent: Job,
  context: RegisterContext,
  demands: Demands = {},
): RegisterReply {
  const job: Job = { ...sent, SchedTokenID: context.accessorId, Stable: false }
  refuseInvalid(job, factsOf(world))
  context.authorize(job, needsOf(demands.policyOverride))
  refuseClosed(world, context.management)
  const current = jobOf(world, job.Namespace, job.ID)
  if (demands.enforcedIndex !== undefined) refuseOtherIndex(current, demands.enforcedIndex)
  if (current !== undefined) refuseTransition(current, job)
  const Warnings = [...warningsOf(world, job), ...(demands.warnings ?? [])]
  if (current !== undefined && isUnchanged(current, job, context)) {
    return { ...evaluateUnchanged(world, current, demands.priority), Warnings }
  }
  const next = demands.preserveCounts && current !== undefined ? withCountsOf(current, job) : job
  const { evaluation, index } = commitVersion(world, next, {
    trigger: 'job-register',
    priority: demands.priority,
    source: demands.source,
  })
  return {
    EvalID: evaluation?.ID ?? '',
    EvalCreateIndex: evaluation === undefined ? 0 : index,
    JobModifyIndex: index,
    Warnings,
    Index: index,
  }
}

/**
 * Tells whether a job asks for what the current one does; who reads other names than those stored
 * may send either (behaviour/scheduler#vendor-names: both spellings are read).
 */
function isUnchanged(current: Job, job: Job, { asRead }: RegisterContext): boolean {
  if (!isChanged(current, job)) return true
  if (asRead === undefined) return false
  return isDeepStrictEqual(asRead(jobSpecOf(current)), asRead(jobSpecOf(job)))
}

/** Compares with JobModifyIndex, not ModifyIndex (behaviour/scheduler#register). */
function refuseOtherIndex(current: Job | undefined, index: number): void {
  if (current === undefined) {
    if (index !== 0) throw refuse('index-job-absent', { index })
    return
  }
  if (index === 0) throw refuse('index-job-exists', { index })
  if (index !== current.JobModifyIndex) {
    throw refuse('index-conflict', { index, current: current.JobModifyIndex })
  }
}

const kinds: readonly (readonly [kind: string, has: (job: Job) => boolean])[] = [
  ['periodic', isPeriodic],
  ['parameterized', isParameterized],
]

function refuseTransition(current: Job, next: Job): void {
  if (current.Type !== next.Type) {
    throw refuse('job-type-changed', {
      current: quoteGo(current.Type),
      next: quoteGo(next.Type),
    })
  }
  for (const [kind, has] of kinds) {
    if (has(current) && !has(next)) throw refuse('job-no-longer', { kind })
    if (!has(current) && has(next)) throw refuse('job-newly', { kind })
  }
  if (current.Dispatched !== next.Dispatched) throw refuse('dispatched-changed')
}

/** A job with the counts that groups of the same names have now. */
function withCountsOf(current: Job, job: Job): Job {
  const counts = new Map((current.TaskGroups ?? []).map(({ Name, Count }) => [Name, Count]))
  const keep = (group: TaskGroup) => ({ ...group, Count: counts.get(group.Name) ?? group.Count })
  return { ...job, TaskGroups: job.TaskGroups?.map(keep) ?? null }
}

/** Nothing changed: a fresh evaluation alone, and for launchers not even that (behaviour/scheduler#jobs). */
function evaluateUnchanged(
  world: World,
  current: Job,
  priority: number | undefined,
): Omit<RegisterReply, 'Warnings'> {
  const { JobModifyIndex } = current
  if (isLauncher(current)) return { EvalID: '', EvalCreateIndex: 0, JobModifyIndex, Index: 0 }
  const { ID } = world.write(() =>
    createEvaluation(world, {
      job: current,
      triggeredBy: 'job-register',
      ...(priority === undefined ? {} : { priority }),
    }),
  )
  const index = writtenIndex(world)
  return { EvalID: ID, EvalCreateIndex: index, JobModifyIndex, Index: index }
}
