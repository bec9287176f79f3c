import { quoteGo } from '../../go/text.ts'
import type { Job, TaskGroup } from '../job/job-shape.ts'
import type { Scaling } from '../job/scheduling-shapes.ts'
import { affinityErrors, constraintErrors, spreadErrors } from './constraint.ts'
import { failing, nameErrors, nested, nestedEach } from './errors.ts'
import { networkErrors } from './network.ts'
import { rescheduleErrors } from './reschedule.ts'
import { restartErrors } from './restart.ts'
import { groupServiceErrors, scriptCheckErrors } from './service.ts'
import { taskErrors } from './task.ts'
import { migrateErrors, updateErrors } from './update.ts'
import { volumeErrors } from './volume.ts'

/**
 * What is wrong with a group (3b-scheduler-decisions.md section 5, group). Errors of its policies stand
 * beside its own, as in the reference's newest versions; those of its parts are nested.
 */
export function groupErrors(group: TaskGroup, job: Job): readonly string[] {
  return [
    ...countErrors(group),
    ...disconnectErrors(group),
    ...nestedEach(group.Constraints, 'Constraint', constraintErrors),
    ...(job.Type === 'system'
      ? failing([group.Affinities !== null, 'System jobs may not have an affinity block'])
      : nestedEach(group.Affinities, 'Affinity', affinityErrors)),
    ...(group.RestartPolicy === null ? [] : restartErrors(group.RestartPolicy)),
    ...(job.Type === 'system'
      ? failing([group.Spreads !== null, 'System jobs may not have a spread block'])
      : nestedEach(group.Spreads, 'Spread', spreadErrors)),
    ...groupRescheduleErrors(group, job),
    ...diskErrors(group),
    ...groupUpdateErrors(group, job),
    ...groupMigrateErrors(group, job),
    ...taskListErrors(group),
    ...volumeErrors(group, job),
    ...nested(networkErrors(group), 'Task group network validation failed: '),
    ...nested(groupServiceErrors(group), 'Task group service validation failed: '),
    ...nested(scriptCheckErrors(group), 'Task group service check validation failed: '),
    ...nested(scalingErrors(group), 'Task group scaling policy validation failed: '),
    ...(group.Tasks ?? []).flatMap((task) =>
      nested(taskErrors(task, group, job.Type), `Task ${task.Name} validation failed: `),
    ),
  ]
}

function countErrors({ Name, Count, Tasks }: TaskGroup): readonly string[] {
  return failing(
    [Name === '', 'Missing task group name'],
    [Name.includes('\0'), 'Task group name contains null character'],
    [Count < 0, "Task group count can't be negative"],
    [Tasks === null, 'Missing tasks for task group'],
  )
}

function disconnectErrors(group: TaskGroup): readonly string[] {
  const { MaxClientDisconnect, StopAfterClientDisconnect } = group
  return failing(
    [
      MaxClientDisconnect !== null && StopAfterClientDisconnect !== null,
      'Task group cannot be configured with both max_client_disconnect and ' +
        'stop_after_client_disconnect',
    ],
    [(MaxClientDisconnect ?? 0) < 0, 'max_client_disconnect cannot be negative'],
  )
}

function groupRescheduleErrors(
  { Name, ReschedulePolicy }: TaskGroup,
  { Type }: Job,
): readonly string[] {
  if (Type === 'system' || Type === 'sysbatch') {
    return failing([
      ReschedulePolicy !== null,
      'System or sysbatch jobs should not have a reschedule policy',
    ])
  }
  return ReschedulePolicy === null
    ? [`Task Group ${Name} should have a reschedule policy`]
    : rescheduleErrors(ReschedulePolicy)
}

function diskErrors({ EphemeralDisk }: TaskGroup): readonly string[] {
  const size = EphemeralDisk?.SizeMB ?? 0
  return failing([size < 10, `minimum DiskMB value is 10; got ${size}`])
}

function groupUpdateErrors({ Update }: TaskGroup, { Type }: Job): readonly string[] {
  if (Update === null) return []
  return [
    ...failing([
      Type !== 'service' && Type !== 'system',
      `Job type ${quoteGo(Type)} does not allow update block`,
    ]),
    ...updateErrors(Update),
  ]
}

function groupMigrateErrors({ Migrate }: TaskGroup, { Type }: Job): readonly string[] {
  if (Migrate === null) return []
  return Type === 'service'
    ? migrateErrors(Migrate)
    : [`Job type ${quoteGo(Type)} does not allow migrate block`]
}

function taskListErrors({ Name, Tasks }: TaskGroup): readonly string[] {
  const tasks = Tasks ?? []
  const names = nameErrors(tasks, {
    missing: (at) => `Task ${at} missing name`,
    again: (at, name, first) => `Task ${at} redefines '${name}' from task ${first}`,
  })
  return [
    ...names.flat(),
    ...failing(
      [tasks.filter(({ Leader }) => Leader).length > 1, 'Only one task may be marked as leader'],
      [
        tasks.length > 0 && tasks.every(({ Lifecycle }) => (Lifecycle?.Hook ?? '') !== ''),
        `Task group ${Name} must have at least one main task`,
      ],
    ),
  ]
}

function scalingErrors({ Scaling, Count }: TaskGroup): readonly string[] {
  if (Scaling === null) return []
  return [
    ...targetErrors(Scaling),
    ...boundsErrors(Scaling),
    ...failing(
      [
        Scaling.Max < Count,
        'task group count must not be greater than maximum count in scaling policy',
      ],
      [
        Count < Scaling.Min,
        'task group count must not be less than minimum count in scaling policy',
      ],
    ),
  ].map((text) => `Scaling policy invalid: ${text}`)
}

function targetErrors({ Type, Target }: Scaling): readonly string[] {
  if (Type !== 'horizontal') return []
  return failing(
    [Target?.Job === '', 'missing target job'],
    [Target?.Group === '', 'missing target group'],
  )
}

function boundsErrors({ Type, Min, Max }: Scaling): readonly string[] {
  return failing(
    [Type !== 'horizontal', `scaling policy type ${quoteGo(Type)} is not valid`],
    [Max < 0, 'maximum count must be specified and non-negative'],
    [Max >= 0 && Max < Min, 'maximum count must not be less than minimum count'],
    [Min < 0, 'minimum count must be specified and non-negative'],
  )
}
