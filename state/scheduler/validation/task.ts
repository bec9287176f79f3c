import { posix } from 'node:path'
import { formatGoDuration } from '../../go/duration.ts'
import { quoteGo } from '../../go/text.ts'
import { multiplyIntegers } from '../../kernel/integers.ts'
import type { Message } from '../../kernel/message.ts'
import type { TaskGroup } from '../job/job-shape.ts'
import type { Device, EphemeralDisk, Resources } from '../job/scheduling-shapes.ts'
import type { Artifact, Secrets, Template, VolumeMount } from '../job/task-parts.ts'
import type { Task } from '../job/task-shape.ts'
import { proxyTaskErrors } from './connect-blocks.ts'
import { affinityErrors, constraintErrors, isJobLevelOperand } from './constraint.ts'
import { combineErrors, eachItemErrors, failedChecks, itemErrors, itemInvalid } from './errors.ts'
import { parseUintError } from './go-number.ts'
import { message as groupMessage } from './group-messages.ts'
import { message as schedulingMessage } from './scheduling-messages.ts'
import { taskServiceErrors } from './service.ts'
import { actionErrors, identityErrors } from './task-extras.ts'
import { message } from './task-messages.ts'

/** Returns true if a path relative to `directory` leads out of the allocation's directory. */
function escapesDirectory(directory: string, path: string): boolean {
  return !`${posix.join('/allocations/id', directory, path)}/`.startsWith('/allocations/id/')
}

/**
 * Returns the errors of a template. Duplicate destinations are not checked here, because the check
 * needs all templates of the task.
 */
function templateErrors(template: Template): readonly Message[] {
  const { SourcePath, EmbeddedTmpl, DestPath, Splay, Perms } = template
  const why = Perms === '' ? undefined : parseUintError(Perms, 8, 12)
  return [
    ...failedChecks(
      SourcePath === '' && EmbeddedTmpl === '' && message('template-source-missing'),
      DestPath === '' && message('template-destination-missing'),
      escapesDirectory('task', DestPath) && message('destination-escapes'),
    ),
    ...changeErrors(template),
    ...failedChecks(
      Splay < 0 && message('template-splay-negative'),
      why !== undefined && message('template-perms-invalid', { perms: quoteGo(Perms), why }),
    ),
    ...waitErrors(template),
  ]
}

function changeErrors(template: Template): readonly Message[] {
  const { ChangeMode, ChangeSignal, ChangeScript } = template
  if (ChangeMode === 'noop' || ChangeMode === 'restart') return []
  if (ChangeMode === 'signal') {
    return failedChecks(
      ChangeSignal === '' && message('template-signal-missing'),
      template.Envvars === true && message('template-signal-env'),
    )
  }
  if (ChangeMode !== 'script') return [message('template-change-mode-unknown')]
  if (!ChangeScript) return [message('template-script-missing')]
  return failedChecks(ChangeScript.Command === '' && message('template-script-path-missing'))
}

function waitErrors({ Wait }: Template): readonly Message[] {
  const { Min = null, Max = null } = Wait ?? {}
  if (Min === null || Max === null) return []
  const [least, most] = [formatGoDuration(Min), formatGoDuration(Max)]
  return failedChecks(Min > Max && message('template-wait-inverted', { least, most }))
}

function artifactErrors(artifact: Artifact): readonly Message[] {
  const { GetterSource, GetterMode = '', GetterOptions, RelativeDest } = artifact
  const options = new Map(Object.entries(GetterOptions ?? {}))
  const checksum = options.get('checksum')
  return [
    ...failedChecks(
      GetterSource === '' && message('artifact-source-missing'),
      !['', 'any', 'file', 'dir'].includes(GetterMode) &&
        message('artifact-mode-unknown', { mode: quoteGo(GetterMode) }),
      escapesDirectory('task', RelativeDest) && message('destination-escapes'),
    ),
    ...(checksum === undefined ? [] : checksumErrors(checksum)),
  ]
}

/** Length of checksums in bytes, by type. */
const checksumBytes: ReadonlyMap<string, number> = new Map([
  ['md5', 16],
  ['sha1', 20],
  ['sha256', 32],
  ['sha512', 64],
])

function checksumErrors(text: string): readonly Message[] {
  // A checksum with variables is not checked, because their values are known only when the task
  // runs.
  if (/\$\{[a-zA-Z0-9_\-.]+\}/.test(text)) return []
  const checksum = text.trim()
  if (checksum === '') return [message('checksum-empty')]
  const [type = '', value, ...more] = checksum.split(':')
  if (value === undefined || more.length > 0) {
    return [message('checksum-form', { checksum: quoteGo(checksum) })]
  }
  const invalid = Array.from(value).find((character) => !/[0-9a-f]/i.test(character))
  if (invalid !== undefined) return [message('checksum-byte-invalid', { byte: goRune(invalid) })]
  if (value.length % 2 !== 0) return [message('checksum-length-odd')]
  const size = checksumBytes.get(type)
  if (size === undefined) return [message('checksum-type-unknown', { type })]
  return failedChecks(value.length !== 2 * size && message('checksum-length', { type, value }))
}

/** Formats a character as Go's `%#U`, such as `U+0041 'A'`. */
function goRune(character: string): string {
  const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')
  return `U+${code} '${character}'`
}

/** Returns the errors of a task with all its blocks (behaviour/scheduler#validation). */
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
    ...actionErrors(task),
    ...failedChecks(
      task.DispatchPayload !== null &&
        escapesDirectory('task/local', task.DispatchPayload.File) &&
        message('payload-destination-escapes'),
    ),
    ...lifecycleErrors(task),
    ...proxyTaskErrors(task, group),
    ...mountErrors(task, group),
    ...pluginErrors(task),
    ...identityErrors(task),
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

function delayErrors({ KillTimeout, ShutdownDelay }: Task, { Update }: TaskGroup, jobType: string) {
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
  const usage = multiplyIntegers(MaxFiles, MaxFileSizeMB)
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
