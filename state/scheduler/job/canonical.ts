import { posix } from 'node:path'
import { isEqualInOrder } from '../../kernel/equality.ts'
import type { Integer } from '../../kernel/integers.ts'
import { type InParts, mapInParts, runParts } from '../../kernel/parts.ts'
import { canonicalForm, storedForm } from '../../kernel/shape/go-forms.ts'
import { withConnectTasks } from './connect-injection.ts'
import {
  defaultMigrate,
  defaultsOf,
  defaultUpdate,
  zeroReschedule,
  zeroUpdate,
} from './defaults.ts'
import {
  mapOrNull,
  mergeOver,
  namedMounts,
  setsOnly,
  withDefaults,
  withProcessor,
} from './fill-defaults.ts'
import { withImpliedConstraints } from './implied-constraints.ts'
import { inheritedService } from './inherited-service.ts'
import {
  type InputJob,
  type InputTaskGroup,
  type Job,
  jobShape,
  taskGroupShape,
} from './job-shape.ts'
import { registeredGroup } from './registration-values.ts'
import type {
  InputMeshPlace,
  InputMigrate,
  InputReschedulePolicy,
  InputRestartPolicy,
  InputScaling,
  InputUpdate,
  Update,
} from './scheduling-shapes.ts'
import type { InputArtifact, InputTemplate } from './task-parts.ts'
import type { InputTask } from './task-shape.ts'

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
 * because the groups have the others (behaviour/scheduler#canonical-form).
 */
function storedUpdate(update: Update | null): Update {
  if (update === null || update.MaxParallel <= 0) return zeroUpdate
  return { ...zeroUpdate, Stagger: update.Stagger, MaxParallel: update.MaxParallel }
}

/** Settings that a group inherits from its job. */
interface GroupContext {
  /** True to convert members as the server does before it stores the job. */
  readonly isForServer: boolean
  /** The job's name. */
  readonly job: string
  readonly type: string
  /** The job's namespace in the service mesh. */
  readonly meshNamespace: string
  /** Blocks of the job that the group's own blocks override. */
  readonly update: InputUpdate | null
  readonly reschedule: InputReschedulePolicy | null
  readonly migrate: InputMigrate | null
}

/**
 * Returns a group after filling in the members whose values depend on other members of the group or
 * its job (behaviour/scheduler#canonical-form). Defaults that do not depend on other members come
 * from the shapes.
 */
function inheritedGroup(group: InputTaskGroup, context: GroupContext): InputTaskGroup {
  const Name = group.Name ?? ''
  const { isForServer, job, type } = context
  const Count = group.Count ?? group.Scaling?.Min ?? 1
  const RestartPolicy = mergeOver(defaultsOf(type).restart, group.RestartPolicy)
  return {
    ...group,
    Count,
    RestartPolicy,
    ReschedulePolicy: inheritedReschedule(group.ReschedulePolicy, context),
    Migrate: inheritedMigrate(group.Migrate, context),
    Update: inheritedUpdate(group.Update, context.update),
    Services: mapOrNull(group.Services, (each) =>
      inheritedService(each, { isForServer, job, group: Name, task: null }),
    ),
    Tasks: mapOrNull(group.Tasks, (each) => inheritedTask(each, context, Name, RestartPolicy)),
    Scaling: group.Scaling && enabledScaling(group.Scaling, Count, isForServer),
    Mesh: inheritedPlace(group.Mesh, context.meshNamespace),
  }
}

function inheritedPlace(place: InputTaskGroup['Mesh'], namespace: string): InputMeshPlace {
  return { ...place, Namespace: place?.Namespace || namespace }
}

/**
 * Returns a scaling policy with its defaults. Policies of tasks get defaults only on the server.
 * The server replaces a missing Max by -1, which validation refuses.
 *
 * @param count the group's count; 0 for a task
 */
function enabledScaling(scaling: InputScaling, count: Integer, isForServer: boolean): InputScaling {
  return {
    ...withDefaults(scaling, {
      Enabled: true,
      Min: count,
      ...(isForServer ? { Max: -1 } : {}),
    }),
    Type: scaling.Type || 'horizontal',
  }
}

function inheritedUpdate(ofGroup: InputUpdate | null, job: InputUpdate | null): InputUpdate | null {
  // A job's Update block whose values are all 0 counts as missing, so groups do not inherit it.
  const inherited = job !== null && ofGroup === null && setsOnly(job, zeroUpdate) ? null : job
  const merged = mergeOver(inherited, ofGroup)
  return merged && withDefaults(merged, defaultUpdate)
}

function inheritedReschedule(
  ofGroup: InputReschedulePolicy | null,
  { type, reschedule }: GroupContext,
): InputReschedulePolicy | null {
  const typeDefault = defaultsOf(type).reschedule
  const merged = mergeOver(reschedule, ofGroup)
  return merged === null ? typeDefault : withDefaults(merged, typeDefault ?? zeroReschedule)
}

function inheritedMigrate(
  ofGroup: InputMigrate | null,
  { type, migrate }: GroupContext,
): InputMigrate | null {
  const merged = mergeOver(migrate, ofGroup)
  return merged === null ? defaultsOf(type).migrate : withDefaults(merged, defaultMigrate)
}

function inheritedTask(
  task: InputTask,
  { isForServer, job }: GroupContext,
  group: string,
  restart: InputRestartPolicy | null,
): InputTask {
  const service = { isForServer, job, group, task: task.Name ?? '' }
  return {
    ...task,
    Services: mapOrNull(task.Services, (each) => inheritedService(each, service)),
    Templates: mapOrNull(task.Templates, withSignal),
    Artifacts: mapOrNull(task.Artifacts, withDestination),
    Resources: withProcessor(task.Resources),
    RestartPolicy: mergeOver(restart, task.RestartPolicy),
    // A lifecycle block without a hook counts as missing.
    Lifecycle: task.Lifecycle?.Hook ? task.Lifecycle : null,
    ...(isForServer && {
      ScalingPolicies: mapOrNull(task.ScalingPolicies, (each) => enabledScaling(each, 0, true)),
      VolumeMounts: namedMounts(task.VolumeMounts),
    }),
  }
}

function withSignal(template: InputTemplate): InputTemplate {
  const signal = template.ChangeSignal ?? (template.ChangeMode === 'signal' ? 'SIGHUP' : '')
  return { ...template, ChangeSignal: signal.toUpperCase() }
}

function withDestination(artifact: InputArtifact): InputArtifact {
  const { GetterMode, GetterSource, RelativeDest } = artifact
  const isFile = GetterMode === 'file'
  const usual = isFile ? posix.join('local', posix.basename(GetterSource ?? '')) : 'local/'
  return { ...artifact, RelativeDest: RelativeDest ?? usual }
}
