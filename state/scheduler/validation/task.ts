import { formatGoDuration } from '../../go/duration.ts'
import { quoteGo } from '../../go/text.ts'
import type { Message } from '../../kernel/message.ts'
import type { TaskGroup } from '../job/job-shape.ts'
import type { Device, EphemeralDisk, Resources } from '../job/scheduling-shapes.ts'
import type { Secrets, VolumeMount } from '../job/task-parts.ts'
import type { Task } from '../job/task-shape.ts'
import { affinityErrors, constraintErrors, isJobLevelOperand } from './constraint.ts'
import { combineErrors, eachItemErrors, failedChecks, itemErrors, itemInvalid } from './errors.ts'
import { artifactErrors, escapesDirectory, templateErrors } from './files.ts'
import { message as groupMessage } from './group-messages.ts'
import { message as schedulingMessage } from './scheduling-messages.ts'
import { taskServiceErrors } from './service.ts'
import { message } from './task-messages.ts'

/** Returns the errors of a task (behaviour/scheduler#validation, task). */
export function taskErrors(task: Task, group: TaskGroup, jobType: string): readonly Message[] {
  return [
    ...nameErrors(task),
    ...failedChecks(task.Driver === '' && message('task-driver-missing')),
    ...delayErrors(task, group, jobType),
    ...(task.Resources === null
      ? [message('task-resources-missing')]
      : combineErrors(resourceErrors(task.Resources))),
    ...combineErrors(logErrors(task, group.EphemeralDisk)),
    ...taskConstraintErrors(task),
    ...(jobType === 'system'
      ? failedChecks(task.Affinities !== null && schedulingMessage('system-affinity'))
      : eachItemErrors(task.Affinities, 'Affinity', affinityErrors)),
    ...combineErrors(taskServiceErrors(task, group.Networks)),
    ...eachItemErrors(task.Artifacts, 'Artifact', artifactErrors),
    ...(task.Secrets === null
      ? []
      : combineErrors(secretsErrors(task.Secrets), (errors) =>
          message('secrets-invalid', { errors }),
        )),
    ...allTemplateErrors(task),
    ...failedChecks(
      task.DispatchPayload !== null &&
        escapesDirectory('task/local', task.DispatchPayload.File) &&
        message('payload-destination-escapes'),
    ),
    ...lifecycleErrors(task),
    ...mountErrors(task, group),
    ...pluginErrors(task),
  ]
}

function nameErrors({ Name }: Task): readonly Message[] {
  const hasSlash = /[/\\]/.test(Name)
  return failedChecks(
    Name === '' && message('task-name-missing'),
    hasSlash && message('task-name-slash'),
    !hasSlash && Name.includes('\0') && message('task-name-null'),
  )
}

function delayErrors(
  { KillTimeout, ShutdownDelay }: Task,
  { Update }: TaskGroup,
  jobType: string,
): readonly Message[] {
  const deadline = Update?.ProgressDeadline ?? 0
  return failedChecks(
    KillTimeout < 0 && message('kill-timeout-negative'),
    jobType === 'service' &&
      deadline > 0 &&
      KillTimeout > deadline &&
      message('kill-timeout-beyond-deadline', {
        timeout: formatGoDuration(KillTimeout),
        deadline: formatGoDuration(deadline),
      }),
    ShutdownDelay < 0 && groupMessage('shutdown-delay-negative'),
  )
}

function resourceErrors(resources: Resources): readonly Message[] {
  const { CPU, MemoryMB: memory, Cores = 0, MemoryMaxMB = 0, SecretsMB = 0 } = resources
  return [
    ...failedChecks(Cores > 0 && CPU > 0 && message('cpu-and-cores')),
    ...combineErrors(
      failedChecks(
        CPU < 1 && Cores === 0 && message('cpu-too-low', { value: CPU }),
        memory < 10 && message('memory-too-low', { value: memory }),
      ),
    ),
    ...(resources.Devices ?? []).flatMap((device, at) =>
      combineErrors(deviceErrors(device), (errors) =>
        message('device-invalid', { at: at + 1, errors }),
      ),
    ),
    ...failedChecks(
      MemoryMaxMB !== 0 &&
        MemoryMaxMB !== -1 &&
        MemoryMaxMB < memory &&
        message('memory-max-too-low', { value: MemoryMaxMB, memory }),
      SecretsMB > memory && message('secrets-memory-too-high', { value: SecretsMB, memory }),
      SecretsMB < 0 && message('secrets-memory-negative', { value: SecretsMB }),
    ),
  ]
}

function deviceErrors({ Name, Constraints, Affinities }: Device): readonly Message[] {
  return [
    ...failedChecks(Name === '' && message('device-name-missing')),
    ...(Constraints ?? []).flatMap((constraint, at) =>
      isJobLevelOperand(constraint)
        ? [unsupportedOperand(constraint.Operand, at)]
        : itemErrors('Constraint', at, constraintErrors(constraint)),
    ),
    ...eachItemErrors(Affinities, 'Affinity', affinityErrors),
  ]
}

function unsupportedOperand(operand: string, at: number): Message {
  const why = message('device-operand-unsupported', { operand: quoteGo(operand) })
  return itemInvalid('Constraint', at, why)
}

function logErrors({ LogConfig }: Task, disk: EphemeralDisk | null): readonly Message[] {
  if (LogConfig === null) return [message('log-config-missing')]
  const { MaxFiles, MaxFileSizeMB } = LogConfig
  const usage = MaxFiles * MaxFileSizeMB
  return failedChecks(
    MaxFiles < 1 && message('log-files-too-few', { value: MaxFiles }),
    MaxFileSizeMB < 1 && message('log-file-too-small', { value: MaxFileSizeMB }),
    disk !== null &&
      disk.SizeMB <= usage &&
      message('log-storage-too-large', { usage, disk: disk.SizeMB }),
  )
}

function taskConstraintErrors({ Constraints }: Task): readonly Message[] {
  return (Constraints ?? []).flatMap((constraint, at) => [
    ...itemErrors('Constraint', at, constraintErrors(constraint)),
    ...failedChecks(
      isJobLevelOperand(constraint) &&
        message('constraint-operand-at-task', { at: at + 1, operand: constraint.Operand }),
    ),
  ])
}

function secretsErrors({ ChangeMode, ChangeSignal }: Secrets): readonly Message[] {
  return failedChecks(
    ChangeMode === 'signal' && ChangeSignal === '' && message('secrets-signal-missing'),
    !['signal', 'noop', 'restart'].includes(ChangeMode) &&
      message('secrets-change-mode-unknown', { mode: quoteGo(ChangeMode) }),
  )
}

function allTemplateErrors({ Templates }: Task): readonly Message[] {
  const usedPaths = new Map<string, number>()
  return (Templates ?? []).flatMap((template, at) => {
    const other = usedPaths.get(template.DestPath)
    if (other === undefined) usedPaths.set(template.DestPath, at + 1)
    return [
      ...itemErrors('Template', at, templateErrors(template)),
      ...failedChecks(other !== undefined && message('template-again', { at: at + 1, other })),
    ]
  })
}

function lifecycleErrors({ Lifecycle }: Task): readonly Message[] {
  if (Lifecycle === null) return []
  const { Hook: hook } = Lifecycle
  return failedChecks(
    hook === '' && message('lifecycle-hook-missing'),
    !['', 'prestart', 'poststart', 'poststop'].includes(hook) &&
      message('lifecycle-hook-unknown', { hook }),
  )
}

function mountErrors({ VolumeMounts }: Task, { Volumes }: TaskGroup): readonly Message[] {
  return (VolumeMounts ?? []).flatMap((mount, at) => [
    ...failedChecks(
      !Object.hasOwn(Volumes ?? {}, mount.Volume) &&
        message('mount-volume-undefined', { at, volume: mount.Volume }),
    ),
    ...combineErrors(mountFormErrors(mount), (errors) => message('mount-invalid', { at, errors })),
  ])
}

function mountFormErrors(mount: VolumeMount): readonly Message[] {
  const { Volume, PropagationMode: mode, SELinuxLabel: label = '' } = mount
  return failedChecks(
    Volume === '' && message('mount-volume-empty'),
    !['', 'private', 'host-to-task', 'bidirectional'].includes(mode) &&
      message('mount-propagation-unknown', { mode: quoteGo(mode) }),
    !['', 'z', 'Z'].includes(label) && message('mount-label-invalid', { label }),
  )
}

function pluginErrors({ CSIPluginConfig }: Task): readonly Message[] {
  if (CSIPluginConfig === null) return []
  const { ID, Type: type } = CSIPluginConfig
  return failedChecks(
    ID === '' && message('plugin-id-missing'),
    !['node', 'controller', 'monolith'].includes(type) && message('plugin-type-unknown', { type }),
  )
}
