import { quoteGo } from '../../go/text.ts'
import type { Integer } from '../../kernel/integers.ts'
import type { Message } from '../../kernel/message.ts'
import type { World } from '../../kernel/worlds/world.ts'
import type { SchedulerCaller } from '../acl/callers.ts'
import { commitVersion, createEvaluation } from '../cluster/model/evaluations.ts'
import { writtenIndex } from '../indexes.ts'
import { storedJobInParts, withoutServerFields } from '../job/canonical.ts'
import type { InputJob, Job, TaskGroup } from '../job/job-shape.ts'
import type { Task } from '../job/task-shape.ts'
import { refuse } from '../messages.ts'
import { findJob, isLauncher, isParameterized, isPeriodic } from '../records/store.ts'
import { findSource, readSource, type Source } from '../records/submissions.ts'
import {
  findJobWarnings,
  isNewVersion,
  type RegisterContext,
  refuseClosedRegistration,
  refuseInvalidJob,
  requiredCapabilities,
  resolveNamespace,
  resolveRegion,
} from './context.ts'
import type { RegisterReply, RegisterRequest } from './request-shapes.ts'

/**
 * Registers a job. A new or changed job becomes a version; an unchanged job only gets an evaluation
 * (behaviour/scheduler#register and behaviour/scheduler#versions).
 *
 * @throws Refusal in this order: 400 for a malformed request; 500 for another region or an invalid
 *   job; 403 without the capabilities or while registration is closed; 500 if JobModifyIndex is not
 *   the enforced value, or if the job would change its type, or become or stop being periodic,
 *   parameterized or dispatched
 */
export function registerJob(world: World, request: RegisterRequest, context: RegisterContext) {
  const input = requireRegisteredJob(request, context.pathId)
  const region = resolveRegion(world, request.Region, input.Region)
  const namespace = resolveNamespace(context.queryNamespace, request.Namespace, input.Namespace)
  const { source, warning } = readSource(request.Submission)
  const current = findJob(world, namespace, input.ID ?? '')
  const inputWithRegion = withoutServerFields({ ...input, Region: region })
  const job = world.inParts(() =>
    storedJobInParts(inputWithRegion, { namespace, uuid: () => world.ids.uuid(), current }),
  )
  return registerCanonical(world, job, context, {
    enforcedIndex: request.EnforceIndex === true ? (request.JobModifyIndex ?? 0) : undefined,
    priority: request.EvalPriority || undefined,
    policyOverride: request.PolicyOverride ?? false,
    preserveCounts: request.PreserveCounts ?? false,
    source: source ?? (context.isVendor ? findSource(world, job, input.Version ?? 0) : undefined),
    warnings: warning === undefined ? [] : [warning],
  })
}

/**
 * Returns the job of a registration request after checking the job's ID, its scaling blocks and the
 * priority of the evaluation.
 *
 * @throws Refusal 400 for a malformed request
 */
function requireRegisteredJob(
  { Job: input, EvalPriority }: RegisterRequest,
  pathId: string | undefined,
): InputJob {
  if (input === null) throw refuse('job-missing')
  if (input.ID === null) throw refuse('job-id-absent')
  if (pathId !== undefined && input.ID !== pathId) throw refuse('job-id-not-name')
  if (input.Type === 'system' && input.TaskGroups?.some(({ Scaling }) => Scaling !== null)) {
    throw refuse('system-scaling')
  }
  refuseEvalPriority(EvalPriority ?? 0)
  return input
}

/**
 * Refuses a priority of an evaluation outside 1 to 100. 0 means that the request sets no priority,
 * and is accepted.
 *
 * @throws Refusal 400
 */
export function refuseEvalPriority(priority: number): void {
  if (priority !== 0 && (priority < 1 || priority > 100)) {
    throw refuse('eval-priority-out-of-range')
  }
}

interface RegistrationOptions {
  /** JobModifyIndex that the current job must have. 0 means that the job must not exist yet. */
  readonly enforcedIndex?: Integer | undefined
  /** Priority of the evaluation; by default the priority of the job. */
  readonly priority?: number | undefined
  readonly policyOverride?: boolean
  readonly preserveCounts?: boolean
  /** Source to store as the submission of the version. */
  readonly source?: Source | undefined
  /** Warnings to report in addition to the warnings about the job. */
  readonly warnings?: readonly Message[]
}

/**
 * Registers a canonical job. The job comes from a client or is a copy of an earlier version.
 *
 * @throws Refusal in the cases of `registerJob`, except malformed requests and other regions
 */
export function registerCanonical(
  world: World,
  input: Job,
  context: RegisterContext,
  options: RegistrationOptions = {},
): RegisterReply {
  const job: Job = { ...input, SchedTokenID: context.accessorId, Stable: false }
  refuseInvalidJob(world, job)
  context.authorize(job, requiredCapabilities(options.policyOverride))
  context.authorizeVolumes(job)
  refuseClosedRegistration(world, context.isManagement)
  const current = findJob(world, job.Namespace, job.ID)
  if (options.enforcedIndex !== undefined) refuseIndexMismatch(current, options.enforcedIndex)
  if (current !== undefined) refuseTransition(current, job)
  const Warnings = [...findJobWarnings(world, job), ...(options.warnings ?? [])]
  if (current !== undefined && !isNewVersion(world, current, job, context)) {
    return { ...evaluateUnchanged(world, current, options.priority), Warnings }
  }
  const next =
    options.preserveCounts && current !== undefined ? withCurrentCounts(current, job) : job
  const { evaluation, index } = commitVersion(world, next, {
    trigger: 'job-register',
    priority: options.priority,
    source: options.source,
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
 * Refuses a registration unless JobModifyIndex (not ModifyIndex) of the current job is the expected
 * one (behaviour/scheduler#register).
 * @param index expected JobModifyIndex; 0 means that the job must not exist
 */
function refuseIndexMismatch(current: Job | undefined, index: Integer): void {
  if (current === undefined) {
    if (index !== 0) throw refuse('index-job-absent', { index })
    return
  }
  if (index === 0) throw refuse('index-job-exists', { index })
  if (index !== current.JobModifyIndex) {
    throw refuse('index-conflict', { index, current: current.JobModifyIndex })
  }
}

const launcherKinds: readonly (readonly [kind: string, has: (job: Job) => boolean])[] = [
  ['periodic', isPeriodic],
  ['parameterized', isParameterized],
]

function refuseTransition(current: Job, next: Job): void {
  if (current.Type !== next.Type) {
    throw refuse('job-type-changed', { current: quoteGo(current.Type), next: quoteGo(next.Type) })
  }
  for (const [kind, isOfKind] of launcherKinds) {
    if (isOfKind(current) && !isOfKind(next)) throw refuse('job-no-longer', { kind })
    if (!isOfKind(current) && isOfKind(next)) throw refuse('job-newly', { kind })
  }
  if (current.Dispatched !== next.Dispatched) throw refuse('dispatched-changed')
}

/**
 * Replaces the count of each group with the count of that group in the current job. New groups keep
 * their counts.
 */
function withCurrentCounts(current: Job, job: Job): Job {
  const counts = new Map((current.TaskGroups ?? []).map(({ Name, Count }) => [Name, Count]))
  const withCurrentCount = (group: TaskGroup) => ({
    ...group,
    Count: counts.get(group.Name) ?? group.Count,
  })
  return { ...job, TaskGroups: job.TaskGroups?.map(withCurrentCount) ?? null }
}

/**
 * Creates the evaluation of a job that was registered without changes. Periodic and parameterized
 * jobs get no evaluation (behaviour/scheduler#register).
 */
function evaluateUnchanged(world: World, current: Job, priority: number | undefined) {
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

/**
 * Refuses a job with volumes that the caller may not mount, or plugins that the caller may not
 * register (behaviour/scheduler#auth). Plans do not need these rights.
 *
 * @throws Refusal 403
 */
export function refuseVolumes(caller: SchedulerCaller, { Namespace, TaskGroups }: Job): void {
  for (const group of TaskGroups ?? []) {
    const isAllowed =
      mayMountVolumes(caller, Namespace, group) &&
      (group.Tasks ?? []).every((task) => mayRunTask(caller, Namespace, group, task))
    if (!isAllowed) throw refuse('permission-denied')
  }
}

function mayMountVolumes(
  caller: SchedulerCaller,
  namespace: string,
  { Volumes }: TaskGroup,
): boolean {
  return Object.values(Volumes ?? {}).every(({ Type, Source, ReadOnly }) => {
    if (Type === 'csi') {
      return caller.mayUse('plugin', 'read') && caller.may(namespace, 'csi-mount-volume')
    }
    return (
      caller.mayMount(Source, 'mount-readwrite') ||
      (ReadOnly && caller.mayMount(Source, 'mount-readonly'))
    )
  })
}

/**
 * Returns true if the caller may run a task. A bidirectional mount needs write access to its
 * volume, and a plugin needs the capability `csi-register-plugin`.
 */
function mayRunTask(
  caller: SchedulerCaller,
  namespace: string,
  { Volumes }: TaskGroup,
  { VolumeMounts, CSIPluginConfig }: Task,
): boolean {
  const mounts = (VolumeMounts ?? []).filter(
    ({ PropagationMode }) => PropagationMode === 'bidirectional',
  )
  return (
    mounts.every(({ Volume }) =>
      caller.mayMount(Volumes?.[Volume]?.Source ?? '', 'mount-readwrite'),
    ) &&
    (CSIPluginConfig === null || caller.may(namespace, 'csi-register-plugin'))
  )
}
