import { quoteGo } from '../../go/text.ts'
import { addIntegers, type Integer } from '../../kernel/integers.ts'
import { memoizeByKey } from '../../kernel/memoize.ts'
import type { Message } from '../../kernel/message.ts'
import { type InParts, mapInParts } from '../../kernel/parts.ts'
import { defineMessages, messageTexts } from '../../kernel/refusal.ts'
import { checkCronSpec, checkTimeZone } from '../job/cron.ts'
import type { Job, TaskGroup } from '../job/job-shape.ts'
import type { Parameterized, Periodic } from '../job/scheduling-shapes.ts'
import type { Secrets } from '../job/task-parts.ts'
import type { Task } from '../job/task-shape.ts'
import { refuse } from '../messages.ts'
import type { Namespace } from '../namespaces.ts'
import { connectErrors, mutatorErrors } from './connect.ts'
import { affinityErrors, constraintErrors, spreadErrors } from './constraint.ts'
import { combineErrors, eachItemErrors, failedChecks, multiError, nameErrors } from './errors.ts'
import { groupErrors } from './group.ts'
import { message as groupMessage } from './group-messages.ts'
import { namespaceLimitErrors } from './namespace-limits.ts'
import { message as schedulingMessage } from './scheduling-messages.ts'
import { message as taskMessage } from './task-messages.ts'
import { multiregionErrors, scheduleErrors } from './unlicensed.ts'

/** Messages about jobs, their groups and their launches (behaviour/scheduler#validation). */
export const { table: jobMessages, message } = defineMessages(
  messageTexts({
    'namespace-nonexistent': 'job {job} is in nonexistent namespace {namespace}',
    'node-pool-nonexistent': 'job {job} is in nonexistent node pool {pool}',
    'job-type-core': 'job type cannot be core',
    'job-payload-sent': "job can't be submitted with a payload, only dispatched",
    'job-priority-out-of-range': 'job priority must be between [{low}, {high}]',
    'job-count-too-high': 'total count was greater than configured job_max_count: {count} > {most}',
    'job-region-missing': 'Missing job region',
    'job-id-missing': 'Missing job ID',
    'job-id-space': 'Job ID contains a space',
    'job-id-null': 'Job ID contains a null character',
    'job-name-missing': 'Missing job name',
    'job-name-null': 'Job Name contains a null character',
    'job-type-missing': 'Missing job type',
    'job-type-unknown': 'Invalid job type: {type}',
    'job-datacenter-empty': 'Job datacenter must be non-empty string',
    'job-groups-missing': 'Missing job task groups',
    'group-invalid': 'Task group {name} validation failed: {errors}',
    'job-group-unnamed': 'Job task group {at} missing name',
    'job-group-again': "Job task group {at} redefines '{name}' from group {first}",
    'stop-after-disconnect-type':
      'stop_after_client_disconnect can only be set in batch and service jobs',
    'stop-after-disconnect-negative': 'stop_after_client_disconnect must be a positive value',
    // The misspelling is the reference's.
    'disconnect-without-rescheduling':
      'max_client_disconnect and prevent_reschedule_on_lost cannot be enabled when rechedule.attempts > 0',
    'system-group-count':
      'Job task group {name} has count {count}. Count cannot exceed 1 with system scheduler',
    'periodic-type': 'Periodic can only be used with "batch" or "sysbatch" scheduler',
    'parameterized-type': 'Parameterized job can only be used with "batch" or "sysbatch" scheduler',
    'periodic-specs-both': 'Only cron or crons may be used',
    'periodic-spec-missing': 'Must specify a spec',
    'periodic-time-zone-invalid': 'Invalid time zone {zone}: {why}',
    'periodic-spec-invalid': 'Invalid cron spec {spec}: {why}',
    'periodic-spec-type-unknown': 'Unknown periodic specification type {type}',
    'payload-rule-unknown': 'Unknown payload requirement: {rule}',
    'meta-keys-both':
      'Required and optional meta keys should be disjoint. Following keys exist in both: [{keys}]',
  }),
)

/** Returns the errors of a periodic block, unless the block is disabled. */
function periodicErrors(periodic: Periodic): readonly Message[] {
  const { Enabled, Spec, SpecType, TimeZone } = periodic
  if (!Enabled) return []
  const specs = periodic.Specs ?? []
  const declared = Spec === '' ? specs : [Spec, ...specs]
  return [
    ...failedChecks(
      Spec !== '' && specs.length > 0 && message('periodic-specs-both'),
      declared.length === 0 && message('periodic-spec-missing'),
    ),
    ...catchRangeError(
      () => checkTimeZone(TimeZone),
      (why) => message('periodic-time-zone-invalid', { zone: quoteGo(TimeZone), why }),
    ),
    ...(SpecType === 'cron'
      ? declared.flatMap((spec) =>
          catchRangeError(
            () => checkCronSpec(spec),
            (why) => message('periodic-spec-invalid', { spec: quoteGo(spec), why }),
          ),
        )
      : [message('periodic-spec-type-unknown', { type: quoteGo(SpecType) })]),
  ]
}

/** Returns the errors of a parameterized block (behaviour/scheduler#validation). */
function parameterizedErrors(parameterized: Parameterized): readonly Message[] {
  const { Payload, MetaRequired, MetaOptional } = parameterized
  const required = new Set(MetaRequired ?? [])
  const duplicateKeys = Array.from(new Set(MetaOptional ?? [])).filter((key) => required.has(key))
  return failedChecks(
    !['optional', 'required', 'forbidden'].includes(Payload) &&
      message('payload-rule-unknown', { rule: quoteGo(Payload) }),
    duplicateKeys.length > 0 && message('meta-keys-both', { keys: duplicateKeys.join(' ') }),
  )
}

function catchRangeError(check: () => void, toMessage: (why: string) => Message) {
  try {
    check()
    return []
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    return [toMessage(error.message)]
  }
}

/** Types that validation accepts. A later check refuses the internal type `_core`. */
const jobTypes = ['service', 'batch', 'system', 'sysbatch', '_core']

/**
 * Returns the errors of a canonical job (behaviour/scheduler#validation). Errors of the job come
 * first, then errors of its groups and their tasks, then errors of its launch settings and regions.
 */
function jobErrors(job: Job): readonly Message[] {
  const groups = job.TaskGroups ?? []
  return [
    ...identityErrors(job),
    ...(job.Datacenters ?? [])
      .filter((datacenter) => datacenter === '')
      .map(() => message('job-datacenter-empty')),
    ...failedChecks(groups.length === 0 && message('job-groups-missing')),
    ...eachItemErrors(job.Constraints, 'Constraint', constraintErrors),
    ...(job.Type === 'system'
      ? failedChecks(job.Affinities !== null && schedulingMessage('system-affinity'))
      : eachItemErrors(job.Affinities, 'Affinity', affinityErrors)),
    ...(job.Type === 'system'
      ? failedChecks(job.Spreads !== null && schedulingMessage('system-spread'))
      : eachItemErrors(job.Spreads, 'Spread', spreadErrors)),
    ...groupListErrors(job, groups),
    ...groups.flatMap((group) =>
      combineErrors(cachedGroupErrors(group)(job.Type), (errors) =>
        message('group-invalid', { name: group.Name, errors }),
      ),
    ),
    ...launchErrors(job),
    ...multiregionErrors(job),
  ]
}

/** Returns a group's errors by job type. The errors are cached, as versions share groups. */
const cachedGroupErrors = memoizeByKey((group: TaskGroup) => {
  const errorsByType = new Map<string, readonly Message[]>()
  return (type: string): readonly Message[] => {
    const errors = errorsByType.get(type) ?? groupErrors(group, type)
    errorsByType.set(type, errors)
    return errors
  }
})

function identityErrors({ Region, ID, Name, Type }: Job): readonly Message[] {
  const hasSpace = ID.includes(' ')
  return failedChecks(
    Region === '' && message('job-region-missing'),
    ID === '' && message('job-id-missing'),
    hasSpace && message('job-id-space'),
    !hasSpace && ID.includes('\0') && message('job-id-null'),
    Name === '' && message('job-name-missing'),
    Name.includes('\0') && message('job-name-null'),
    Type === '' && message('job-type-missing'),
    Type !== '' && !jobTypes.includes(Type) && message('job-type-unknown', { type: quoteGo(Type) }),
  )
}

function groupListErrors({ Type }: Job, groups: readonly TaskGroup[]): readonly Message[] {
  const names = nameErrors(groups, {
    missing: (at) => message('job-group-unnamed', { at }),
    duplicate: (at, name, first) => message('job-group-again', { at, name, first }),
  })
  return groups.flatMap((group, at) => {
    const stopAfter = group.StopAfterClientDisconnect ?? 0
    return [
      ...(names[at] ?? []),
      ...failedChecks(
        (group.ShutdownDelay ?? 0) < 0 && groupMessage('shutdown-delay-negative'),
        stopAfter > 0 &&
          Type !== 'batch' &&
          Type !== 'service' &&
          message('stop-after-disconnect-type'),
        stopAfter < 0 && message('stop-after-disconnect-negative'),
        Type === 'system' &&
          group.Count > 1 &&
          message('system-group-count', { name: group.Name, count: group.Count }),
        group.MaxClientDisconnect !== null &&
          (group.ReschedulePolicy?.Attempts ?? 0) > 0 &&
          group.PreventRescheduleOnLost === true &&
          message('disconnect-without-rescheduling'),
      ),
    ]
  })
}

function launchErrors(job: Job): readonly Message[] {
  const isBatch = job.Type === 'batch' || job.Type === 'sysbatch'
  return [
    ...(job.Periodic?.Enabled
      ? [
          ...failedChecks(!isBatch && message('periodic-type')),
          ...combineErrors(periodicErrors(job.Periodic)),
        ]
      : []),
    ...(job.ParameterizedJob !== null && !job.Dispatched
      ? [
          ...failedChecks(!isBatch && message('parameterized-type')),
          ...combineErrors(parameterizedErrors(job.ParameterizedJob)),
        ]
      : []),
  ]
}

/**
 * Returns an error for the first secrets block. Called only for worlds in which the integration
 * with the secrets API is off.
 */
function disabledSecretsErrors(job: Job): readonly Message[] {
  const [first] = secretsBlocksOf(job)
  return first === undefined
    ? []
    : [taskMessage('secrets-not-enabled', { cluster: quoteGo(clusterOf(first.secrets)) })]
}

/**
 * Returns errors for secrets blocks that have neither policies nor an identity. Called only while
 * the integration with the secrets API is off. In this case, no default policies exist.
 */
function emptySecretsErrors(job: Job): readonly Message[] {
  return secretsBlocksOf(job).flatMap(({ task, secrets }) =>
    failedChecks(
      secrets.Policies === null &&
        !hasIdentity(task, clusterOf(secrets)) &&
        taskMessage('secrets-policies-empty', { task: task.Name }),
    ),
  )
}

function secretsBlocksOf({
  TaskGroups,
}: Job): { readonly task: Task; readonly secrets: Secrets }[] {
  const tasks = (TaskGroups ?? []).flatMap(({ Tasks }) => Tasks ?? [])
  return tasks.flatMap((task) => (task.Secrets === null ? [] : [{ task, secrets: task.Secrets }]))
}

function clusterOf({ Cluster }: Secrets): string {
  return Cluster || 'default'
}

/**
 * Returns true if a task has an identity for the cluster of the secrets API. The identity may have
 * the name of either dialect.
 */
function hasIdentity({ Identities }: Task, cluster: string): boolean {
  const names = [`secrets_${cluster}`, `vault_${cluster}`]
  return (Identities ?? []).some(({ Name }) => names.includes(Name))
}

/** Returns true if a task sets NUMA affinity, which only the enterprise edition supports. */
function usesNumaAffinity({ TaskGroups }: Job): boolean {
  const tasks = (TaskGroups ?? []).flatMap(({ Tasks }) => Tasks ?? [])
  return tasks.some(({ Resources }) => (Resources?.NUMA?.Affinity ?? 'none') !== 'none')
}

/** Data that validation needs in addition to the job. */
export interface AdmissionContext {
  findNamespace(name: string): Namespace | undefined
  nodePoolExists(name: string): boolean
  /** True if jobs may have secrets blocks. */
  readonly secretsEnabled: boolean
  /** Maximum number of allocations of a job; 0 means unlimited. */
  readonly maxCount: number
}

const minPriority = 1
const maxPriority = 100

/**
 * Returns all errors of a canonical job, in the reference's order: services in the mesh, namespace,
 * node pool, the job with its groups (behaviour/scheduler#validation), and then type, payload,
 * priority, count, NUMA and schedules. While the integration with the secrets API is off, errors of
 * secrets blocks come before the namespace and before the count.
 */
export function validationErrors(job: Job, context: AdmissionContext): readonly Message[] {
  const { ID, Namespace, NodePool, Priority } = job
  const { maxCount: max } = context
  const namespace = context.findNamespace(Namespace)
  const count = (job.TaskGroups ?? []).reduce<Integer>(
    (total, { Count }) => addIntegers(total, Count),
    0,
  )
  return [
    ...connectErrors(job),
    ...(context.secretsEnabled ? [] : disabledSecretsErrors(job)),
    ...failedChecks(
      namespace === undefined &&
        message('namespace-nonexistent', { job: quoteGo(ID), namespace: quoteGo(Namespace) }),
    ),
    ...(namespace === undefined ? [] : namespaceLimitErrors(job, namespace)),
    ...failedChecks(
      !context.nodePoolExists(NodePool) &&
        message('node-pool-nonexistent', { job: quoteGo(ID), pool: quoteGo(NodePool) }),
    ),
    ...jobErrors(job),
    ...failedChecks(
      job.Type === '_core' && message('job-type-core'),
      job.Payload !== null && message('job-payload-sent'),
      (Priority < minPriority || Priority > maxPriority) &&
        message('job-priority-out-of-range', { low: minPriority, high: maxPriority }),
    ),
    ...(context.secretsEnabled ? [] : emptySecretsErrors(job)),
    ...failedChecks(
      max > 0 && count > max && message('job-count-too-high', { count, most: max }),
      usesNumaAffinity(job) && taskMessage('numa-enterprise'),
    ),
    ...scheduleErrors(job),
  ]
}

/**
 * Validates a job's groups, with a pause after each group. `validationErrors` then uses the cached
 * results.
 */
export function* prevalidateGroups({ TaskGroups, Type }: Job): InParts<void> {
  yield* mapInParts(TaskGroups ?? [], (group) => cachedGroupErrors(group)(Type))
}

/**
 * Refuses a job whose services in the mesh cannot be completed.
 * @throws Refusal 500 with the first error
 */
export function refuseIncompletable(job: Job): void {
  for (const errors of mutatorErrors(job)) throw refuse('job-invalid', { errors })
}

/**
 * Refuses an invalid job.
 * @throws Refusal 500 with all errors in one message or, if services in the mesh cannot be
 *   completed, with only the first error
 */
export function refuseInvalid(job: Job, context: AdmissionContext): void {
  refuseIncompletable(job)
  const errors = validationErrors(job, context)
  if (errors.length > 0) throw refuse('job-invalid', { errors: multiError(errors) })
}
