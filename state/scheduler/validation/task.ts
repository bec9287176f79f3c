import { formatGoDuration } from '../../go/duration.ts'
import { quoteGo } from '../../go/text.ts'
import type { TaskGroup } from '../job/job-shape.ts'
import type { Device, EphemeralDisk, Resources } from '../job/scheduling-shapes.ts'
import type { Secrets, Task, VolumeMount } from '../job/task-shape.ts'
import { affinityErrors, constraintErrors, disallowedAtTask } from './constraint.ts'
import { failing, nested, nestedEach } from './errors.ts'
import { artifactErrors, escapes, templateErrors } from './files.ts'
import { taskServiceErrors } from './service.ts'

/** What is wrong with a task of a group (3b-scheduler-decisions.md section 5, task). */
export function taskErrors(task: Task, group: TaskGroup, jobType: string): readonly string[] {
  return [
    ...nameErrors(task),
    ...failing([task.Driver === '', 'Missing task driver']),
    ...delayErrors(task, group, jobType),
    ...(task.Resources === null
      ? ['Missing task resources']
      : nested(resourceErrors(task.Resources))),
    ...nested(logErrors(task, group.EphemeralDisk)),
    ...taskConstraintErrors(task),
    ...(jobType === 'system'
      ? failing([task.Affinities !== null, 'System jobs may not have an affinity block'])
      : nestedEach(task.Affinities, 'Affinity', affinityErrors)),
    ...nested(taskServiceErrors(task, group.Networks)),
    ...nestedEach(task.Artifacts, 'Artifact', artifactErrors),
    ...(task.Secrets === null
      ? []
      : nested(secretsErrors(task.Secrets), 'Secrets validation failed: ')),
    ...allTemplateErrors(task),
    ...failing([
      task.DispatchPayload !== null && escapes('task/local', task.DispatchPayload.File),
      'Dispatch Payload validation failed: destination escapes allocation directory',
    ]),
    ...lifecycleErrors(task),
    ...mountErrors(task, group),
    ...pluginErrors(task),
  ]
}

function nameErrors({ Name }: Task): readonly string[] {
  const hasSlash = /[/\\]/.test(Name)
  return failing(
    [Name === '', 'Missing task name'],
    [hasSlash, 'Task name cannot include slashes'],
    [!hasSlash && Name.includes('\0'), 'Task name cannot include null characters'],
    [Name === 'alloc', 'Task cannot be named "alloc"'],
  )
}

function delayErrors(
  { KillTimeout, ShutdownDelay }: Task,
  { Update }: TaskGroup,
  jobType: string,
): readonly string[] {
  const deadline = Update?.ProgressDeadline ?? 0
  return failing(
    [KillTimeout < 0, 'KillTimeout must be a positive value'],
    [
      jobType === 'service' && deadline > 0 && KillTimeout > deadline,
      // So spelled in the reference.
      `KillTimout (${formatGoDuration(KillTimeout)}) longer than the group's ProgressDeadline ` +
        `(${formatGoDuration(deadline)})`,
    ],
    [ShutdownDelay < 0, 'ShutdownDelay must be a positive value'],
  )
}

function resourceErrors(resources: Resources): readonly string[] {
  const { CPU, MemoryMB, DiskMB, Cores = 0, MemoryMaxMB = 0, SecretsMB = 0 } = resources
  return [
    ...failing([
      Cores > 0 && CPU > 0,
      "Task can only ask for 'cpu' or 'cores' resource, not both.",
    ]),
    ...nested(
      failing(
        [CPU < 1 && Cores === 0, `minimum CPU value is 1; got ${CPU}`],
        [MemoryMB < 10, `minimum MemoryMB value is 10; got ${MemoryMB}`],
      ),
    ),
    ...failing([
      DiskMB > 0,
      "Task can't ask for disk resources, they have to be specified at the task group level.",
    ]),
    ...(resources.Devices ?? []).flatMap((device, at) =>
      nested(deviceErrors(device), `device ${at + 1} failed validation: `),
    ),
    ...failing(
      [
        MemoryMaxMB !== 0 && MemoryMaxMB !== -1 && MemoryMaxMB < MemoryMB,
        `MemoryMaxMB value (${MemoryMaxMB}) should be larger than MemoryMB value (${MemoryMB})`,
      ],
      [
        SecretsMB > MemoryMB,
        `SecretsMB value (${SecretsMB}) cannot be larger than MemoryMB value (${MemoryMB})`,
      ],
      [SecretsMB < 0, `SecretsMB value (${SecretsMB}) cannot be negative`],
    ),
  ]
}

function deviceErrors({ Name, Constraints, Affinities }: Device): readonly string[] {
  return [
    ...failing([
      Name === '',
      'device name must be given as one of the following: type, vendor/type, or vendor/type/name',
    ]),
    ...(Constraints ?? []).flatMap((constraint, at) => {
      const prefix = `Constraint ${at + 1} validation failed: `
      return disallowedAtTask(constraint)
        ? [`${prefix}using unsupported operand ${quoteGo(constraint.Operand)}`]
        : nested(constraintErrors(constraint), prefix)
    }),
    ...nestedEach(Affinities, 'Affinity', affinityErrors),
  ]
}

function logErrors({ LogConfig }: Task, disk: EphemeralDisk | null): readonly string[] {
  if (LogConfig === null) return ['Missing Log Config']
  const { MaxFiles, MaxFileSizeMB } = LogConfig
  const usage = MaxFiles * MaxFileSizeMB
  return failing(
    [MaxFiles < 1, `minimum number of files is 1; got ${MaxFiles}`],
    [MaxFileSizeMB < 1, `minimum file size is 1MB; got ${MaxFileSizeMB}`],
    [
      disk !== null && disk.SizeMB <= usage,
      `log storage (${usage} MB) must be less than requested disk capacity ` +
        `(${disk?.SizeMB ?? 0} MB)`,
    ],
  )
}

function taskConstraintErrors({ Constraints }: Task): readonly string[] {
  return (Constraints ?? []).flatMap((constraint, at) => [
    ...nested(constraintErrors(constraint), `Constraint ${at + 1} validation failed: `),
    ...failing([
      disallowedAtTask(constraint),
      `Constraint ${at + 1} has disallowed Operand at task level: ${constraint.Operand}`,
    ]),
  ])
}

function secretsErrors({ ChangeMode, ChangeSignal }: Secrets): readonly string[] {
  return failing(
    [
      ChangeMode === 'signal' && ChangeSignal === '',
      'Signal must be specified when using change mode "signal"',
    ],
    [
      !['signal', 'noop', 'restart'].includes(ChangeMode),
      `Unknown change mode ${quoteGo(ChangeMode)}`,
    ],
  )
}

function allTemplateErrors({ Templates }: Task): readonly string[] {
  const taken = new Map<string, number>()
  return (Templates ?? []).flatMap((template, at) => {
    const other = taken.get(template.DestPath)
    if (other === undefined) taken.set(template.DestPath, at + 1)
    return [
      ...nested(templateErrors(template), `Template ${at + 1} validation failed: `),
      ...failing([other !== undefined, `Template ${at + 1} has same destination as ${other ?? 0}`]),
    ]
  })
}

function lifecycleErrors({ Lifecycle }: Task): readonly string[] {
  if (Lifecycle === null) return []
  const { Hook } = Lifecycle
  return failing(
    [Hook === '', 'Lifecycle validation failed: no lifecycle hook provided'],
    [
      !['', 'prestart', 'poststart', 'poststop'].includes(Hook),
      `Lifecycle validation failed: invalid hook: ${Hook}`,
    ],
  )
}

function mountErrors({ VolumeMounts }: Task, { Volumes }: TaskGroup): readonly string[] {
  return (VolumeMounts ?? []).flatMap((mount, at) => [
    ...failing([
      !Object.hasOwn(Volumes ?? {}, mount.Volume),
      `Volume Mount (${at}) references undefined volume ${mount.Volume}`,
    ]),
    ...nested(mountFormErrors(mount)).map((text) => `Volume Mount (${at}) is invalid: "${text}"`),
  ])
}

function mountFormErrors({ Volume, PropagationMode }: VolumeMount): readonly string[] {
  return failing(
    [Volume === '', 'volume mount references an empty volume'],
    [
      !['', 'private', 'host-to-task', 'bidirectional'].includes(PropagationMode),
      `volume mount has an invalid propagation mode: ${quoteGo(PropagationMode)}`,
    ],
  )
}

function pluginErrors({ CSIPluginConfig }: Task): readonly string[] {
  if (CSIPluginConfig === null) return []
  const { ID, Type } = CSIPluginConfig
  return failing(
    [ID === '', 'CSIPluginConfig must have a non-empty PluginID'],
    [
      !['node', 'controller', 'monolith'].includes(Type),
      "CSIPluginConfig PluginType must be one of 'node', 'controller', or 'monolith', got: " +
        `"${Type}"`,
    ],
  )
}
