import { formatGoDuration } from '../../go/duration.ts'
import { quoteGo } from '../../go/text.ts'
import type { Said } from '../../kernel/wording.ts'
import type { TaskGroup } from '../job/job-shape.ts'
import type { Device, EphemeralDisk, Resources } from '../job/scheduling-shapes.ts'
import type { Secrets, Task, VolumeMount } from '../job/task-shape.ts'
import { affinityErrors, constraintErrors, disallowedAtTask } from './constraint.ts'
import { failing, nested, nestedAt, nestedEach, partInvalid } from './errors.ts'
import { artifactErrors, escapes, templateErrors } from './files.ts'
import { say as sayOfGroup } from './group-texts.ts'
import { say as sayOfScheduling } from './scheduling-texts.ts'
import { taskServiceErrors } from './service.ts'
import { say } from './task-texts.ts'

/** Finds what is wrong with a task of a group (behaviour/scheduler#validation, task). */
export function taskErrors(task: Task, group: TaskGroup, jobType: string): readonly Said[] {
  return [
    ...nameErrors(task),
    ...failing(task.Driver === '' && say('task-driver-missing')),
    ...delayErrors(task, group, jobType),
    ...(task.Resources === null
      ? [say('task-resources-missing')]
      : nested(resourceErrors(task.Resources))),
    ...nested(logErrors(task, group.EphemeralDisk)),
    ...taskConstraintErrors(task),
    ...(jobType === 'system'
      ? failing(task.Affinities !== null && sayOfScheduling('system-affinity'))
      : nestedEach(task.Affinities, 'Affinity', affinityErrors)),
    ...nested(taskServiceErrors(task, group.Networks)),
    ...nestedEach(task.Artifacts, 'Artifact', artifactErrors),
    ...(task.Secrets === null
      ? []
      : nested(secretsErrors(task.Secrets), (errors) => say('secrets-invalid', { errors }))),
    ...allTemplateErrors(task),
    ...failing(
      task.DispatchPayload !== null &&
        escapes('task/local', task.DispatchPayload.File) &&
        say('payload-destination-escapes'),
    ),
    ...lifecycleErrors(task),
    ...mountErrors(task, group),
    ...pluginErrors(task),
  ]
}

function nameErrors({ Name }: Task): readonly Said[] {
  const hasSlash = /[/\\]/.test(Name)
  return failing(
    Name === '' && say('task-name-missing'),
    hasSlash && say('task-name-slash'),
    !hasSlash && Name.includes('\0') && say('task-name-null'),
  )
}

function delayErrors(
  { KillTimeout, ShutdownDelay }: Task,
  { Update }: TaskGroup,
  jobType: string,
): readonly Said[] {
  const deadline = Update?.ProgressDeadline ?? 0
  return failing(
    KillTimeout < 0 && say('kill-timeout-negative'),
    jobType === 'service' &&
      deadline > 0 &&
      KillTimeout > deadline &&
      say('kill-timeout-beyond-deadline', {
        timeout: formatGoDuration(KillTimeout),
        deadline: formatGoDuration(deadline),
      }),
    ShutdownDelay < 0 && sayOfGroup('shutdown-delay-negative'),
  )
}

function resourceErrors(resources: Resources): readonly Said[] {
  const { CPU, MemoryMB: memory, Cores = 0, MemoryMaxMB = 0, SecretsMB = 0 } = resources
  return [
    ...failing(Cores > 0 && CPU > 0 && say('cpu-and-cores')),
    ...nested(
      failing(
        CPU < 1 && Cores === 0 && say('cpu-too-low', { value: CPU }),
        memory < 10 && say('memory-too-low', { value: memory }),
      ),
    ),
    ...(resources.Devices ?? []).flatMap((device, at) =>
      nested(deviceErrors(device), (errors) => say('device-invalid', { at: at + 1, errors })),
    ),
    ...failing(
      MemoryMaxMB !== 0 &&
        MemoryMaxMB !== -1 &&
        MemoryMaxMB < memory &&
        say('memory-max-too-low', { value: MemoryMaxMB, memory }),
      SecretsMB > memory && say('secrets-memory-too-high', { value: SecretsMB, memory }),
      SecretsMB < 0 && say('secrets-memory-negative', { value: SecretsMB }),
    ),
  ]
}

function deviceErrors({ Name, Constraints, Affinities }: Device): readonly Said[] {
  return [
    ...failing(Name === '' && say('device-name-missing')),
    ...(Constraints ?? []).flatMap((constraint, at) =>
      disallowedAtTask(constraint)
        ? [unsupportedOperand(constraint.Operand, at)]
        : nestedAt('Constraint', at, constraintErrors(constraint)),
    ),
    ...nestedEach(Affinities, 'Affinity', affinityErrors),
  ]
}

function unsupportedOperand(operand: string, at: number): Said {
  const why = say('device-operand-unsupported', { operand: quoteGo(operand) })
  return partInvalid('Constraint', at, why)
}

function logErrors({ LogConfig }: Task, disk: EphemeralDisk | null): readonly Said[] {
  if (LogConfig === null) return [say('log-config-missing')]
  const { MaxFiles, MaxFileSizeMB } = LogConfig
  const usage = MaxFiles * MaxFileSizeMB
  return failing(
    MaxFiles < 1 && say('log-files-too-few', { value: MaxFiles }),
    MaxFileSizeMB < 1 && say('log-file-too-small', { value: MaxFileSizeMB }),
    disk !== null &&
      disk.SizeMB <= usage &&
      say('log-storage-too-large', { usage, disk: disk.SizeMB }),
  )
}

function taskConstraintErrors({ Constraints }: Task): readonly Said[] {
  return (Constraints ?? []).flatMap((constraint, at) => [
    ...nestedAt('Constraint', at, constraintErrors(constraint)),
    ...failing(
      disallowedAtTask(constraint) &&
        say('constraint-operand-at-task', { at: at + 1, operand: constraint.Operand }),
    ),
  ])
}

function secretsErrors({ ChangeMode, ChangeSignal }: Secrets): readonly Said[] {
  return failing(
    ChangeMode === 'signal' && ChangeSignal === '' && say('secrets-signal-missing'),
    !['signal', 'noop', 'restart'].includes(ChangeMode) &&
      say('secrets-change-mode-unknown', { mode: quoteGo(ChangeMode) }),
  )
}

function allTemplateErrors({ Templates }: Task): readonly Said[] {
  const taken = new Map<string, number>()
  return (Templates ?? []).flatMap((template, at) => {
    const other = taken.get(template.DestPath)
    if (other === undefined) taken.set(template.DestPath, at + 1)
    return [
      ...nestedAt('Template', at, templateErrors(template)),
      ...failing(other !== undefined && say('template-again', { at: at + 1, other })),
    ]
  })
}

function lifecycleErrors({ Lifecycle }: Task): readonly Said[] {
  if (Lifecycle === null) return []
  const { Hook: hook } = Lifecycle
  return failing(
    hook === '' && say('lifecycle-hook-missing'),
    !['', 'prestart', 'poststart', 'poststop'].includes(hook) &&
      say('lifecycle-hook-unknown', { hook }),
  )
}

function mountErrors({ VolumeMounts }: Task, { Volumes }: TaskGroup): readonly Said[] {
  return (VolumeMounts ?? []).flatMap((mount, at) => [
    ...failing(
      !Object.hasOwn(Volumes ?? {}, mount.Volume) &&
        say('mount-volume-undefined', { at, volume: mount.Volume }),
    ),
    ...nested(mountFormErrors(mount), (errors) => say('mount-invalid', { at, errors })),
  ])
}

function mountFormErrors(mount: VolumeMount): readonly Said[] {
  const { Volume, PropagationMode: mode, SELinuxLabel: label = '' } = mount
  return failing(
    Volume === '' && say('mount-volume-empty'),
    !['', 'private', 'host-to-task', 'bidirectional'].includes(mode) &&
      say('mount-propagation-unknown', { mode: quoteGo(mode) }),
    !['', 'z', 'Z'].includes(label) && say('mount-label-invalid', { label }),
  )
}

function pluginErrors({ CSIPluginConfig }: Task): readonly Said[] {
  if (CSIPluginConfig === null) return []
  const { ID, Type: type } = CSIPluginConfig
  return failing(
    ID === '' && say('plugin-id-missing'),
    !['node', 'controller', 'monolith'].includes(type) && say('plugin-type-unknown', { type }),
  )
}
