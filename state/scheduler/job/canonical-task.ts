import { posix } from 'node:path'
import { SECOND } from '../../go/duration.ts'
import { zeroesOf } from '../../kernel/shape/complete.ts'
import { canonicalAffinity, canonicalNetwork, canonicalScaling } from './canonical-blocks.ts'
import { canonicalService } from './canonical-service.ts'
import { each, filled, laidUnder, unlessEmpty } from './filling.ts'
import type { InputResources, InputRestartPolicy } from './scheduling-shapes.ts'
import {
  type InputArtifact,
  type InputChangeScript,
  type InputSecrets,
  type InputTask,
  type InputTemplate,
  taskShape,
} from './task-shape.ts'

/** The facts that a task takes from the job and group it stands in. */
interface TaskPlace {
  readonly job: string
  readonly group: string
  /** The group's, complete. */
  readonly restart: InputRestartPolicy | null
  /** The job's namespace of the secrets service. */
  readonly secretsNamespace: string
}

const noTask = zeroesOf(taskShape)

/** A task with the defaults of behaviour/scheduler#canonical-form. */
export function canonicalTask(task: InputTask, place: TaskPlace): InputTask {
  const Name = task.Name ?? ''
  const lifecycle = task.Lifecycle
  const service = { job: place.job, group: place.group, task: Name }
  return {
    ...filled(task, noTask),
    Name,
    Config: unlessEmpty(task.Config),
    Env: unlessEmpty(task.Env),
    Meta: unlessEmpty(task.Meta),
    Constraints: unlessEmpty(task.Constraints),
    Affinities: each(task.Affinities, canonicalAffinity),
    Services: each(task.Services, (each) => canonicalService(each, service)),
    Secrets: task.Secrets && canonicalSecrets(task.Secrets, place.secretsNamespace),
    Templates: each(task.Templates, canonicalTemplate),
    Artifacts: each(task.Artifacts, canonicalArtifact),
    Resources: canonicalResources(task.Resources),
    RestartPolicy: laidUnder(place.restart, task.RestartPolicy),
    // The reference's server takes an explicit 0 for no answer, too.
    KillTimeout: task.KillTimeout || 5 * SECOND,
    ShutdownDelay: task.ShutdownDelay ?? 0,
    LogConfig: filled(task.LogConfig ?? noLogConfig, {
      Disabled: false,
      MaxFiles: 10,
      MaxFileSizeMB: 10,
    }),
    // One that says nothing is none.
    Lifecycle:
      lifecycle && (lifecycle.Hook || lifecycle.Sidecar)
        ? filled(lifecycle, { Hook: '', Sidecar: false })
        : null,
    DispatchPayload: task.DispatchPayload && filled(task.DispatchPayload, { File: '' }),
    CSIPluginConfig: task.CSIPluginConfig && {
      ...filled(task.CSIPluginConfig, { ID: '', Type: '' }),
      MountDir: task.CSIPluginConfig.MountDir || '/csi',
    },
    ScalingPolicies: each(task.ScalingPolicies, (policy) => canonicalScaling(policy, 0)),
    VolumeMounts: each(mountsOf(task), (mount) =>
      filled(mount, { Volume: '', Destination: '', ReadOnly: false, PropagationMode: 'private' }),
    ),
  }
}

/** As in the reference, a mount that names no volume is none. */
function mountsOf({ VolumeMounts }: InputTask): InputTask['VolumeMounts'] {
  return VolumeMounts === null ? null : VolumeMounts.filter(({ Volume }) => Volume !== null)
}

const noLogConfig = { Disabled: null, MaxFiles: null, MaxFileSizeMB: null }

const noResources: InputResources = {
  CPU: null,
  MemoryMB: null,
  DiskMB: null,
  IOPS: null,
  Devices: null,
  Networks: null,
}

function canonicalResources(input: InputResources | null): InputResources {
  const resources = input ?? noResources
  return {
    // Whoever speaks of whole cores, even of 0, asks for no share of the processor.
    ...filled(resources, {
      CPU: resources.Cores === 0 || resources.Cores ? 0 : 100,
      MemoryMB: 300,
      DiskMB: 0,
      IOPS: 0,
    }),
    Networks: each(resources.Networks, canonicalNetwork),
    Devices: each(resources.Devices, (device) => ({
      ...filled(device, { Name: '', Count: 1 }),
      Constraints: unlessEmpty(device.Constraints),
      Affinities: each(device.Affinities, canonicalAffinity),
    })),
  }
}

function canonicalSecrets(secrets: InputSecrets, namespace: string): InputSecrets {
  return {
    ...filled(secrets, { Role: '', Env: true }),
    Policies: unlessEmpty(secrets.Policies),
    Namespace: secrets.Namespace || namespace,
    ChangeMode: secrets.ChangeMode || 'restart',
    ChangeSignal: (secrets.ChangeSignal ?? 'SIGHUP').toUpperCase(),
  }
}

function canonicalTemplate(template: InputTemplate): InputTemplate {
  const ChangeMode = template.ChangeMode ?? 'restart'
  const signal = template.ChangeSignal ?? (ChangeMode === 'signal' ? 'SIGHUP' : '')
  return {
    ...filled(template, {
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
  return filled(script, { Command: '', Args: [], Timeout: 5 * SECOND, FailOnError: false })
}

function canonicalArtifact(artifact: InputArtifact): InputArtifact {
  const GetterSource = artifact.GetterSource ?? ''
  const isFile = artifact.GetterMode === 'file'
  return {
    ...artifact,
    GetterSource,
    GetterOptions: unlessEmpty(artifact.GetterOptions),
    RelativeDest:
      artifact.RelativeDest ??
      (isFile ? posix.join('local', posix.basename(GetterSource)) : 'local/'),
  }
}
