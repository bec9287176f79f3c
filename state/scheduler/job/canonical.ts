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
  equalsDefaults,
  mapOrNull,
  mergeOver,
  namedMounts,
  withDefaultCpu,
  withDefaults,
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
import { registeredGroup, withIdentityNames } from './registration-values.ts'
import type {
  InputMeshBlock,
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
 * Fills in the defaults of a job as the parse endpoint does, without the values that only the
 * server sets (behaviour/scheduler#canonical-form).
 */
export function canonicalizeInput(input: InputJob): InputJob {
  const { job, inheritance } = inheritedJob(input, false)
  const TaskGroups = mapOrNull(input.TaskGroups, (group) => inheritedGroup(group, inheritance))
  return canonicalForm({ ...job, TaskGroups }, jobShape)
}

/** Data that the server needs to store a job. */
export interface JobContext {
  /**
   * The namespace of the request, which overrides the namespace in the job
   * (behaviour/scheduler#namespace).
   */
  readonly namespace: string
  /** Creates a UUID for a scaling policy, or for the name of a generated task. */
  uuid(): string
  /**
   * The job that is already stored under the ID of the input. The scaling policies of the job keep
   * their IDs, and the result reuses the stored objects of unchanged groups.
   */
  readonly current?: Job | undefined
}

/**
 * Returns a job as the server stores it: with all defaults, with null for empty lists and maps,
 * with the tasks of sidecars and gateways, and with implied constraints. Storing the result again
 * changes nothing. Server members such as Status and the indexes are kept, so pass a client's job
 * through `withoutServerFields` first.
 */
export function storedJob(input: InputJob, context: JobContext): Job {
  return runParts(storedJobInParts(input, context))
}

/** Returns the same result as `storedJob`, pausing after each group. */
export function* storedJobInParts(input: InputJob, context: JobContext): InParts<Job> {
  const { namespace: Namespace, current, uuid } = context
  const { job: inherited, inheritance } = inheritedJob(input, true)
  const job = storedForm({ ...inherited, TaskGroups: null }, jobShape)
  const registration = { job, Namespace, current, uuid }
  const currentGroups = new Map(current?.TaskGroups?.map((group) => [group.Name, group]))
  const groups = yield* mapInParts(input.TaskGroups ?? [], (inputGroup) => {
    const stored = storedForm(inheritedGroup(inputGroup, inheritance), taskGroupShape)
    const group = withConnectTasks(registeredGroup(stored, registration), registration)
    const registered = withIdentityNames(withImpliedConstraints(group))
    const previous = currentGroups.get(registered.Name)
    // An unchanged group keeps the stored object, so that versions of the job share the object.
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
 * Fills in the members of a job whose defaults depend on other members, except the groups. Also
 * returns the settings that the groups inherit.
 *
 * @param isForServer true to include the changes that only the server makes
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
 * Returns the Update block of a stored job. Only Stagger and MaxParallel are set, because all other
 * settings are in the groups. If MaxParallel is not positive, all members have zero values
 * (behaviour/scheduler#canonical-form).
 */
function storedUpdate(update: Update | null): Update {
  if (update === null || update.MaxParallel <= 0) return zeroUpdate
  return { ...zeroUpdate, Stagger: update.Stagger, MaxParallel: update.MaxParallel }
}

interface GroupContext {
  /** True to include the changes that only the server makes. */
  readonly isForServer: boolean
  /** Name of the job, which service names contain. */
  readonly job: string
  readonly type: string
  /** The job's namespace in the service mesh. */
  readonly meshNamespace: string
  /** Update block of the job. Members that the group sets take precedence. */
  readonly update: InputUpdate | null
  /** Reschedule block of the job. Members that the group sets take precedence. */
  readonly reschedule: InputReschedulePolicy | null
  /** Migrate block of the job. Members that the group sets take precedence. */
  readonly migrate: InputMigrate | null
}

/**
 * Fills in the members of a group whose defaults depend on other members of the group or its job
 * (behaviour/scheduler#canonical-form). All other defaults come from the shapes.
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
    Mesh: inheritedMeshBlock(group.Mesh, context.meshNamespace),
  }
}

function inheritedMeshBlock(mesh: InputTaskGroup['Mesh'], namespace: string): InputMeshBlock {
  return { ...mesh, Namespace: mesh?.Namespace || namespace }
}

/**
 * Fills in the defaults of a scaling policy. On the server, a missing Max becomes -1, which
 * validation refuses.
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

function inheritedUpdate(
  groupUpdate: InputUpdate | null,
  jobUpdate: InputUpdate | null,
): InputUpdate | null {
  // Groups do not inherit an Update block in which all values are 0.
  const inherited =
    jobUpdate !== null && groupUpdate === null && equalsDefaults(jobUpdate, zeroUpdate)
      ? null
      : jobUpdate
  const merged = mergeOver(inherited, groupUpdate)
  return merged && withDefaults(merged, defaultUpdate)
}

function inheritedReschedule(
  groupPolicy: InputReschedulePolicy | null,
  { type, reschedule }: GroupContext,
): InputReschedulePolicy | null {
  const typeDefault = defaultsOf(type).reschedule
  const merged = mergeOver(reschedule, groupPolicy)
  return merged === null ? typeDefault : withDefaults(merged, typeDefault ?? zeroReschedule)
}

function inheritedMigrate(
  groupMigrate: InputMigrate | null,
  { type, migrate }: GroupContext,
): InputMigrate | null {
  const merged = mergeOver(migrate, groupMigrate)
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
    Resources: withDefaultCpu(task.Resources),
    RestartPolicy: mergeOver(restart, task.RestartPolicy),
    // A lifecycle block without a hook is treated as missing.
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
  const defaultDestination = isFile
    ? posix.join('local', posix.basename(GetterSource ?? ''))
    : 'local/'
  return { ...artifact, RelativeDest: RelativeDest ?? defaultDestination }
}
