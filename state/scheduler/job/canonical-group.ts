import { posix } from 'node:path'
import { SECOND } from '../../go/duration.ts'
import { zeroesOf } from '../../kernel/shape/fill-defaults.ts'
import {
  canonicalAffinity,
  canonicalNetwork,
  canonicalScaling,
  canonicalSpread,
} from './canonical-blocks.ts'
import { canonicalService } from './canonical-service.ts'
import {
  defaultDisk,
  defaultMigrate,
  defaultsOf,
  defaultUpdate,
  zeroReschedule,
  zeroUpdate,
} from './defaults.ts'
import { mapOrNull, mergeOver, nullIfEmpty, setsOnly, withDefaults } from './fill-defaults.ts'
import type { InputTaskGroup } from './job-shape.ts'
import type {
  InputMigrate,
  InputReschedulePolicy,
  InputResources,
  InputRestartPolicy,
  InputUpdate,
} from './scheduling-shapes.ts'
import {
  type InputArtifact,
  type InputChangeScript,
  type InputSecrets,
  type InputTask,
  type InputTemplate,
  taskShape,
} from './task-shape.ts'

/** Settings that a task inherits from its job and group. */
interface TaskContext {
  readonly job: string
  readonly group: string
  /** The group's complete restart policy. */
  readonly restart: InputRestartPolicy | null
  /** The job's namespace in the secrets service. */
  readonly secretsNamespace: string
}

const zeroTask = zeroesOf(taskShape)

/** Returns a task with the defaults of behaviour/scheduler#canonical-form. */
function canonicalTask(task: InputTask, context: TaskContext): InputTask {
  const Name = task.Name ?? ''
  const lifecycle = task.Lifecycle
  const service = { job: context.job, group: context.group, task: Name }
  return {
    ...withDefaults(task, zeroTask),
    Name,
    Config: nullIfEmpty(task.Config),
    Env: nullIfEmpty(task.Env),
    Meta: nullIfEmpty(task.Meta),
    Constraints: nullIfEmpty(task.Constraints),
    Affinities: mapOrNull(task.Affinities, canonicalAffinity),
    Services: mapOrNull(task.Services, (each) => canonicalService(each, service)),
    Secrets: task.Secrets && canonicalSecrets(task.Secrets, context.secretsNamespace),
    Templates: mapOrNull(task.Templates, canonicalTemplate),
    Artifacts: mapOrNull(task.Artifacts, canonicalArtifact),
    Resources: canonicalResources(task.Resources),
    RestartPolicy: mergeOver(context.restart, task.RestartPolicy),
    // The reference's server also replaces an explicit 0.
    KillTimeout: task.KillTimeout || 5 * SECOND,
    ShutdownDelay: task.ShutdownDelay ?? 0,
    LogConfig: withDefaults(task.LogConfig ?? emptyLogConfig, {
      Disabled: false,
      MaxFiles: 10,
      MaxFileSizeMB: 10,
    }),
    // An empty lifecycle block counts as missing.
    Lifecycle:
      lifecycle && (lifecycle.Hook || lifecycle.Sidecar)
        ? withDefaults(lifecycle, { Hook: '', Sidecar: false })
        : null,
    DispatchPayload: task.DispatchPayload && withDefaults(task.DispatchPayload, { File: '' }),
    CSIPluginConfig: task.CSIPluginConfig && {
      ...withDefaults(task.CSIPluginConfig, { ID: '', Type: '' }),
      MountDir: task.CSIPluginConfig.MountDir || '/csi',
    },
    ScalingPolicies: mapOrNull(task.ScalingPolicies, (policy) => canonicalScaling(policy, 0)),
    VolumeMounts: mapOrNull(namedMounts(task), (mount) =>
      withDefaults(mount, {
        Volume: '',
        Destination: '',
        ReadOnly: false,
        PropagationMode: 'private',
      }),
    ),
  }
}

/** Drops mounts that name no volume, as the reference does. */
function namedMounts({ VolumeMounts }: InputTask): InputTask['VolumeMounts'] {
  return VolumeMounts === null ? null : VolumeMounts.filter(({ Volume }) => Volume !== null)
}

const emptyLogConfig = { Disabled: null, MaxFiles: null, MaxFileSizeMB: null }

const emptyResources: InputResources = {
  CPU: null,
  MemoryMB: null,
  DiskMB: null,
  IOPS: null,
  Devices: null,
  Networks: null,
}

function canonicalResources(input: InputResources | null): InputResources {
  const resources = input ?? emptyResources
  return {
    // A task that sets cores, even to 0, gets no default CPU share.
    ...withDefaults(resources, {
      CPU: resources.Cores === 0 || resources.Cores ? 0 : 100,
      MemoryMB: 300,
      DiskMB: 0,
      IOPS: 0,
    }),
    Networks: mapOrNull(resources.Networks, canonicalNetwork),
    Devices: mapOrNull(resources.Devices, (device) => ({
      ...withDefaults(device, { Name: '', Count: 1 }),
      Constraints: nullIfEmpty(device.Constraints),
      Affinities: mapOrNull(device.Affinities, canonicalAffinity),
    })),
  }
}

function canonicalSecrets(secrets: InputSecrets, namespace: string): InputSecrets {
  return {
    ...withDefaults(secrets, { Role: '', Env: true }),
    Policies: nullIfEmpty(secrets.Policies),
    Namespace: secrets.Namespace || namespace,
    ChangeMode: secrets.ChangeMode || 'restart',
    ChangeSignal: (secrets.ChangeSignal ?? 'SIGHUP').toUpperCase(),
  }
}

function canonicalTemplate(template: InputTemplate): InputTemplate {
  const ChangeMode = template.ChangeMode ?? 'restart'
  const signal = template.ChangeSignal ?? (ChangeMode === 'signal' ? 'SIGHUP' : '')
  return {
    ...withDefaults(template, {
      SourcePath: '',
      DestPath: '',
      EmbeddedTmpl: '',
      Splay: 5 * SECOND,
      Perms: '0644',
    }),
    ChangeMode,
    ChangeSignal: signal.toUpperCase(),
    ...(template.ChangeScript ? { ChangeScript: canonicalScript(template.ChangeScript) } : {}),
  }
}

function canonicalScript(script: InputChangeScript): InputChangeScript {
  return withDefaults(script, { Command: '', Args: [], Timeout: 5 * SECOND, FailOnError: false })
}

function canonicalArtifact(artifact: InputArtifact): InputArtifact {
  const GetterSource = artifact.GetterSource ?? ''
  const isFile = artifact.GetterMode === 'file'
  return {
    ...artifact,
    GetterSource,
    GetterOptions: nullIfEmpty(artifact.GetterOptions),
    RelativeDest:
      artifact.RelativeDest ??
      (isFile ? posix.join('local', posix.basename(GetterSource)) : 'local/'),
  }
}

/** Settings that a group inherits from its job. */
interface GroupContext {
  readonly job: string
  readonly type: string
  readonly secretsNamespace: string
  /** Blocks of the job that the group's own blocks override. */
  readonly update: InputUpdate | null
  readonly reschedule: InputReschedulePolicy | null
  readonly migrate: InputMigrate | null
}

/** Returns a group with the defaults of behaviour/scheduler#canonical-form. */
export function canonicalGroup(group: InputTaskGroup, context: GroupContext): InputTaskGroup {
  const Name = group.Name ?? ''
  const defaults = defaultsOf(context.type)
  const Count = group.Count ?? group.Scaling?.Min ?? 1
  const RestartPolicy = mergeOver(defaults.restart, group.RestartPolicy)
  const service = { job: context.job, group: Name, task: null }
  const { job, secretsNamespace } = context
  const task = { job, secretsNamespace, group: Name, restart: RestartPolicy }
  return {
    ...group,
    Name,
    Count,
    Constraints: nullIfEmpty(group.Constraints),
    Affinities: mapOrNull(group.Affinities, canonicalAffinity),
    Spreads: mapOrNull(group.Spreads, canonicalSpread),
    Meta: nullIfEmpty(group.Meta),
    RestartPolicy,
    ReschedulePolicy: canonicalReschedule(group.ReschedulePolicy, context),
    Migrate: canonicalMigrate(group.Migrate, context),
    Update: canonicalUpdate(group.Update, context.update),
    EphemeralDisk: mergeOver(defaultDisk, group.EphemeralDisk),
    Networks: mapOrNull(group.Networks, canonicalNetwork),
    Services: mapOrNull(group.Services, (each) => canonicalService(each, service)),
    Tasks: mapOrNull(group.Tasks, (each) => canonicalTask(each, task)),
    Volumes: nullIfEmpty(group.Volumes),
    Scaling: group.Scaling && canonicalScaling(group.Scaling, Count),
  }
}

function canonicalUpdate(ofGroup: InputUpdate | null, job: InputUpdate | null): InputUpdate | null {
  // A job's Update with only zeros stands for a missing one and is not inherited.
  const inherited = job !== null && ofGroup === null && setsOnly(job, zeroUpdate) ? null : job
  const merged = mergeOver(inherited, ofGroup)
  return merged && withDefaults(merged, defaultUpdate)
}

function canonicalReschedule(
  ofGroup: InputReschedulePolicy | null,
  { type, reschedule }: GroupContext,
): InputReschedulePolicy | null {
  const typeDefault = defaultsOf(type).reschedule
  const merged = mergeOver(reschedule, ofGroup)
  return merged === null ? typeDefault : withDefaults(merged, typeDefault ?? zeroReschedule)
}

function canonicalMigrate(ofGroup: InputMigrate | null, { type, migrate }: GroupContext) {
  const merged = mergeOver(migrate, ofGroup)
  return merged === null ? defaultsOf(type).migrate : withDefaults(merged, defaultMigrate)
}
