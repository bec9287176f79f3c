import { isEqualInOrder } from '../../kernel/equality.ts'
import { canonicalForm, storedForm } from '../../kernel/shape/go-forms.ts'
import { withConnectTasks } from './connect-injection.ts'
import { defaultsOf, defaultUpdate, zeroUpdate } from './defaults.ts'
import { mapOrNull, withDefaults } from './fill-defaults.ts'
import { withImpliedConstraints } from './implied-constraints.ts'
import { inheritedGroup } from './inherited-group.ts'
import { type InputJob, type Job, jobShape } from './job-shape.ts'
import { registeredGroup } from './registration-values.ts'
import type { Update } from './scheduling-shapes.ts'

/**
 * Returns the canonical form of a job as the parse endpoint returns it
 * (behaviour/scheduler#canonical-form): a request with all defaults except those that only the
 * server sets.
 */
export function canonicalizeInput(input: InputJob): InputJob {
  return canonicalForm(withInherited(input, false), jobShape)
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
  const { namespace: Namespace, current, uuid } = context
  const job = storedForm(withInherited(input, true), jobShape)
  const registration = { job, Namespace, current, uuid }
  const registered: Job = {
    ...job,
    Namespace,
    Region: job.Region || 'global',
    Priority: job.Priority || 50,
    Datacenters: job.Datacenters ?? ['*'],
    NodePool: job.NodePool || 'default',
    TaskGroups: mapOrNull(job.TaskGroups, (group) =>
      withImpliedConstraints(withConnectTasks(registeredGroup(group, registration), registration)),
    ),
    ParameterizedJob: job.ParameterizedJob && {
      ...job.ParameterizedJob,
      Payload: job.ParameterizedJob.Payload || 'optional',
    },
    Update: storedUpdate(job.Update),
    SecretsToken: '',
    MeshToken: '',
  }
  return { ...registered, TaskGroups: reuseGroups(registered.TaskGroups, current?.TaskGroups) }
}

type Groups = Job['TaskGroups']

/** Replaces unchanged groups with the previous objects, so that versions share them. */
function reuseGroups(groups: Groups, before: Groups | undefined): Groups {
  if (groups === null || before === null || before === undefined) return groups
  return groups.map((group) => {
    const previous = before.find(({ Name }) => Name === group.Name)
    return previous !== undefined && isEqualInOrder(previous, group) ? previous : group
  })
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
 * Returns a job after filling in the members whose values depend on other members.
 *
 * @param isForServer true to convert members as the server does before it stores the job
 */
function withInherited(input: InputJob, isForServer: boolean): InputJob {
  const Type = input.Type ?? 'service'
  const Name = input.Name ?? input.ID ?? ''
  const Update = input.Update ? withDefaults(input.Update, defaultUpdate) : defaultsOf(Type).update
  const context = {
    isForServer,
    job: Name,
    type: Type,
    meshNamespace: input.MeshNamespace ?? '',
    update: Update,
    reschedule: input.Reschedule,
    migrate: input.Migrate,
  }
  return {
    ...input,
    Name,
    Update,
    TaskGroups: mapOrNull(input.TaskGroups, (group) => inheritedGroup(group, context)),
    Periodic: input.Periodic && {
      ...input.Periodic,
      TimeZone: input.Periodic.TimeZone || 'UTC',
    },
  }
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
