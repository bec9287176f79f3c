import { isEqualInOrder } from '../../kernel/equality.ts'
import { type InParts, mapInParts, runParts } from '../../kernel/parts.ts'
import { canonicalForm, storedForm } from '../../kernel/shape/go-forms.ts'
import { withConnectTasks } from './connect-injection.ts'
import { defaultsOf, defaultUpdate, zeroUpdate } from './defaults.ts'
import { mapOrNull, withDefaults } from './fill-defaults.ts'
import { withImpliedConstraints } from './implied-constraints.ts'
import { inheritedGroup } from './inherited-group.ts'
import { type InputJob, type Job, jobShape, taskGroupShape } from './job-shape.ts'
import { registeredGroup } from './registration-values.ts'
import type { Update } from './scheduling-shapes.ts'

/**
 * Returns the canonical form of a job as the parse endpoint returns it
 * (behaviour/scheduler#canonical-form): a request with all defaults except those that only the
 * server sets.
 */
export function canonicalizeInput(input: InputJob): InputJob {
  const { job, inheritance } = inheritedJob(input, false)
  const TaskGroups = mapOrNull(input.TaskGroups, (group) => inheritedGroup(group, inheritance))
  return canonicalForm({ ...job, TaskGroups }, jobShape)
}

/** The server's input to a job's stored form. */
export interface JobContext {
  /**
   * The resolved namespace of the request, which overrides the job's
   * (behaviour/scheduler#namespace).
   */
  readonly namespace: string
  /** Returns a new UUID: the ID of a scaling policy, or the source of a generated task's name. */
  uuid(): string
  /**
   * The current job with this ID. Scaling policies of its groups and tasks keep their IDs, and
   * unchanged groups keep their objects.
   */
  readonly current?: Job | undefined
}

/**
 * Returns the canonical form as the server stores it: complete, with null for empty lists and maps,
 * with the tasks of sidecars and gateways, and with implied constraints. The function is idempotent
 * and keeps members such as Status and the indexes; for jobs from clients call
 * `withoutServerFields` first.
 */
export function storedJob(input: InputJob, context: JobContext): Job {
  return runParts(storedJobInParts(input, context))
}

/** Returns the stored form of a job as `storedJob` does, with a pause after each group. */
export function* storedJobInParts(input: InputJob, context: JobContext): InParts<Job> {
  const { namespace: Namespace, current, uuid } = context
  const { job: inherited, inheritance } = inheritedJob(input, true)
  const job = storedForm({ ...inherited, TaskGroups: null }, jobShape)
  const registration = { job, Namespace, current, uuid }
  const currentGroups = new Map(current?.TaskGroups?.map((group) => [group.Name, group]))
  const groups = yield* mapInParts(input.TaskGroups ?? [], (inputGroup) => {
    const stored = storedForm(inheritedGroup(inputGroup, inheritance), taskGroupShape)
    const group = withConnectTasks(registeredGroup(stored, registration), registration)
    const registered = withImpliedConstraints(group)
    const previous = currentGroups.get(registered.Name)
    // Versions share the objects of unchanged groups.
    return previous !== undefined && isEqualInOrder(previous, registered) ? previous : registered
  })
  return {
    ...job,
    Namespace,
    Region: job.Region || 'global',
    Priority: job.Priority || 50,
    Datacenters: job.Datacenters ?? ['*'],
    NodePool: job.NodePool || 'default',
    TaskGroups: groups.length === 0 ? null : groups,
    ParameterizedJob: job.ParameterizedJob && {
      ...job.ParameterizedJob,
      Payload: job.ParameterizedJob.Payload || 'optional',
    },
    Update: storedUpdate(job.Update),
    SecretsToken: '',
    MeshToken: '',
  }
}

/**
 * Returns a client's job without the members that only the server sets. Stop is kept
 * (behaviour/scheduler#register).
 */
export function withoutServerFields(input: InputJob): InputJob {
  const { DispatchIdempotencyToken: _, ...job } = input
  return {
    ...job,
    ParentID: null,
    Dispatched: null,
    Status: null,
    StatusDescription: null,
    Stable: null,
    SubmitTime: null,
    SchedTokenID: null,
    Version: null,
    CreateIndex: null,
    ModifyIndex: null,
    JobModifyIndex: null,
  }
}

/**
 * Returns a job, except for its groups, after filling in the members whose values depend on other
 * members, and what the groups inherit.
 *
 * @param isForServer true to convert members as the server does before it stores the job
 */
function inheritedJob(input: InputJob, isForServer: boolean) {
  const Type = input.Type ?? 'service'
  const Name = input.Name ?? input.ID ?? ''
  const Update = input.Update ? withDefaults(input.Update, defaultUpdate) : defaultsOf(Type).update
  const inheritance = {
    isForServer,
    job: Name,
    type: Type,
    meshNamespace: input.MeshNamespace ?? '',
    update: Update,
    reschedule: input.Reschedule,
    migrate: input.Migrate,
  }
  const Periodic = input.Periodic && {
    ...input.Periodic,
    TimeZone: input.Periodic.TimeZone || 'UTC',
  }
  return { job: { ...input, Name, Update, Periodic }, inheritance }
}

/**
 * Returns the Update block of a job as the server stores it. The block has only two members,
 * because the
 * groups have the others (behaviour/scheduler#canonical-form).
 */
function storedUpdate(update: Update | null): Update {
  if (update === null || update.MaxParallel <= 0) return zeroUpdate
  return { ...zeroUpdate, Stagger: update.Stagger, MaxParallel: update.MaxParallel }
}
