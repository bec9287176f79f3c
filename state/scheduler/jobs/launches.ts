import { MILLISECOND, parseGoDuration } from '../../go/duration.ts'
import { quoteGo } from '../../go/text.ts'
import type { JobHandler as AgendaJob } from '../../kernel/worlds/service.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { commitVersion, type VersionCommit } from '../cluster/model/evaluations.ts'
import type { Job } from '../job/job-shape.ts'
import { dispatchPrefix } from '../keys.ts'
import { refuse } from '../messages.ts'
import { collectChildren } from '../operator/garbage-collection.ts'
import { optionsOf } from '../options.ts'
import { launchesAutomatically, launchJobName, scheduleLaunch } from '../records/launches.ts'
import { findJob, hasLiveChildren, isParameterized, isPeriodic } from '../records/store.ts'
import { jobs } from '../records/tables.ts'
import { refuseClosedRegistration } from './context.ts'
import type { DispatchRequest } from './request-shapes.ts'

/**
 * Launches a periodic job now, even if an earlier child is still running.
 * @throws Refusal 500 if no job has the ID, the job is not periodic, or its schedule is off
 */
export function forceLaunch(world: World, namespace: string, id: string) {
  const job = findJob(world, namespace, id)
  if (job === undefined) throw refuse('launch-job-not-found')
  if (!isPeriodic(job)) throw refuse('launch-not-periodic')
  if (!launchesAutomatically(job)) {
    throw refuse('launch-not-tracked', { job: quoteGo(id), namespace })
  }
  const { evaluation, index } = launchChild(world, job, world.clock.now())
  return { EvalID: evaluation?.ID ?? '', EvalCreateIndex: index, Index: index }
}

/**
 * Creates the child of a periodic job for a launch time (behaviour/scheduler#periodic).
 * @param at launch time in milliseconds since 1970
 */
function launchChild(world: World, parent: Job, at: number): VersionCommit {
  const id = `${parent.ID}/periodic-${Math.floor(at / 1000)}`
  const names = { ID: id, Name: id, ParentID: parent.ID }
  const child: Job = { ...parent, ...names, Periodic: null, Stable: false }
  return commitVersion(world, child, { trigger: 'periodic-job' })
}

/**
 * Launches a periodic job when a scheduled launch is due, and schedules the next launch. Before the
 * launch, deletes the job's dead children that are older than the option `jobGCThreshold`, unless
 * the option is `never`. A job that prohibits overlap is not launched while a child is alive.
 */
const runDueLaunch: AgendaJob = (world, { at, id }) => {
  const [namespace = '', jobId = ''] = id.split(' ')
  const job = findJob(world, namespace, jobId)
  if (job === undefined || !launchesAutomatically(job)) return
  scheduleLaunch(world, job, at)
  const { jobGCThreshold } = optionsOf(world)
  if (jobGCThreshold !== 'never') {
    collectChildren(world, job, at - parseGoDuration(jobGCThreshold) / MILLISECOND)
  }
  if (job.Periodic?.ProhibitOverlap === true && hasLiveChildren(world, job)) return
  launchChild(world, job, at)
}

export const periodicAgendaJobs: Readonly<Record<string, AgendaJob>> = {
  [launchJobName]: runDueLaunch,
}

/** Maximum size of a decoded payload in bytes. */
const maxPayloadBytes = 16 * 1024

interface DispatchContext {
  /**
   * Value of the query parameter `idempotency_token` or, without the parameter, of the member
   * `IdempotencyToken` of the body.
   */
  readonly idempotencyToken?: string | undefined
  readonly isManagement?: boolean
}

/**
 * Creates a child of a parameterized job (behaviour/scheduler#beyond). If a child with the same
 * idempotency token exists, returns that child and writes nothing.
 *
 * @throws Refusal 400 if the body and the path name different jobs; 403 while registration is
 *   closed; 500 if no parameterized job has the ID, the job is stopped, the payload is too large,
 *   or the request violates a rule of the job's parameterized block
 */
export function dispatchJob(
  world: World,
  namespace: string,
  pathId: string,
  request: DispatchRequest,
  { idempotencyToken = '', isManagement }: DispatchContext = {},
) {
  if (request.JobID !== null && request.JobID !== '' && request.JobID !== pathId) {
    throw refuse('job-id-mismatch')
  }
  refuseClosedRegistration(world, isManagement)
  const parent = requireDispatchable(world, namespace, pathId)
  refuseInvalidDispatch(parent, request)
  const existingChild = findDispatchedChild(world, parent, idempotencyToken)
  if (existingChild !== undefined) {
    return {
      DispatchedJobID: existingChild.ID,
      EvalID: '',
      EvalCreateIndex: 0,
      JobCreateIndex: existingChild.CreateIndex,
      Index: existingChild.ModifyIndex,
    }
  }
  return world.write(() => {
    const child = dispatchedChild(world, parent, request, idempotencyToken)
    const { evaluation, index } = commitVersion(world, child, { trigger: 'job-register' })
    return {
      DispatchedJobID: child.ID,
      EvalID: evaluation?.ID ?? '',
      EvalCreateIndex: evaluation === undefined ? 0 : index,
      JobCreateIndex: index,
      Index: index,
    }
  })
}

function requireDispatchable(world: World, namespace: string, id: string): Job {
  const job = findJob(world, namespace, id)
  if (job === undefined) throw refuse('dispatch-job-not-found')
  if (!isParameterized(job)) throw refuse('dispatch-not-parameterized', { job: quoteGo(id) })
  if (job.Stop) throw refuse('dispatch-stopped', { job: quoteGo(id) })
  return job
}

function refuseInvalidDispatch({ ParameterizedJob: rules }: Job, request: DispatchRequest): void {
  const size = Buffer.byteLength(request.Payload ?? '', 'base64')
  if (rules?.Payload === 'required' && size === 0) throw refuse('payload-required')
  if (rules?.Payload === 'forbidden' && size > 0) throw refuse('payload-forbidden')
  if (size > maxPayloadBytes) throw refuse('payload-too-large', { size, most: maxPayloadBytes })
  const sentKeys = new Set(Object.keys(request.Meta ?? {}))
  const required = new Set(rules?.MetaRequired ?? [])
  const optional = new Set(rules?.MetaOptional ?? [])
  const unpermittedKeys = [...sentKeys]
    .filter((key) => !required.has(key) && !optional.has(key))
    .sort()
  if (unpermittedKeys.length > 0) {
    throw refuse('dispatch-meta-unpermitted', { keys: unpermittedKeys.join(' ') })
  }
  const missing = [...required].filter((key) => !sentKeys.has(key)).sort()
  if (missing.length > 0) {
    throw refuse('dispatch-meta-missing', { keys: missing.join(' ') })
  }
}

/** Finds the child that was dispatched with an idempotency token. Purged children are not found. */
function findDispatchedChild(world: World, { Namespace, ID }: Job, token: string): Job | undefined {
  if (token === '') return undefined
  const prefix = dispatchPrefix(Namespace, ID, token)
  for (const child of world.table(jobs).index('byDispatch').rows(prefix)) {
    if (child.DispatchIdempotencyToken === token) return child
  }
  return undefined
}

function dispatchedChild(world: World, parent: Job, request: DispatchRequest, token: string): Job {
  const prefix = request.IdPrefixTemplate ? `${request.IdPrefixTemplate}-` : ''
  const seconds = Math.floor(world.clock.now() / 1000)
  const id = `${parent.ID}/dispatch-${prefix}${seconds}-${world.ids.hex(8)}`
  const meta = new Map(Object.entries(parent.Meta ?? {}))
  for (const [key, value] of Object.entries(request.Meta ?? {})) meta.set(key, value ?? '')
  return {
    ...parent,
    ID: id,
    Name: id,
    ParentID: parent.ID,
    Dispatched: true,
    Stable: false,
    Payload: request.Payload === '' ? null : request.Payload,
    Meta: meta.size === 0 ? null : Object.fromEntries(meta),
    ...(token === '' ? {} : { DispatchIdempotencyToken: token }),
  }
}
