import { posix } from 'node:path'
import type { Integer } from '../../kernel/integers.ts'
import {
  defaultMigrate,
  defaultsOf,
  defaultUpdate,
  zeroReschedule,
  zeroUpdate,
} from './defaults.ts'
import { mapOrNull, mergeOver, setsOnly, withDefaults } from './fill-defaults.ts'
import { namedMounts, withProcessor } from './inherited-resources.ts'
import { inheritedService } from './inherited-service.ts'
import type { InputTaskGroup } from './job-shape.ts'
import type {
  InputMeshPlace,
  InputMigrate,
  InputReschedulePolicy,
  InputRestartPolicy,
  InputScaling,
  InputUpdate,
} from './scheduling-shapes.ts'
import type { InputArtifact, InputTemplate } from './task-parts.ts'
import type { InputTask } from './task-shape.ts'

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
export function inheritedGroup(group: InputTaskGroup, context: GroupContext): InputTaskGroup {
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
