import { quoteGo } from '../../go/text.ts'
import type { Said } from '../../kernel/wording.ts'
import type { TaskGroup } from '../job/job-shape.ts'
import type { Scaling } from '../job/scheduling-shapes.ts'
import { affinityErrors, constraintErrors, spreadErrors } from './constraint.ts'
import { failing, nameErrors, nested, nestedEach } from './errors.ts'
import { say } from './group-texts.ts'
import { networkErrors } from './network.ts'
import { rescheduleErrors } from './reschedule.ts'
import { restartErrors } from './restart.ts'
import { say as sayOfScheduling } from './scheduling-texts.ts'
import { groupServiceErrors, scriptCheckErrors } from './service.ts'
import { taskErrors } from './task.ts'
import { migrateErrors, updateErrors } from './update.ts'
import { volumeErrors } from './volume.ts'

/**
 * Finds what is wrong with a group (behaviour/scheduler#validation, group). Errors of its policies
 * stand beside its own, as in the reference's newest versions; those of its parts are nested.
 *
 * @param type the job's
 */
export function groupErrors(group: TaskGroup, type: string): readonly Said[] {
  return [
    ...countErrors(group),
    ...disconnectErrors(group),
    ...nestedEach(group.Constraints, 'Constraint', constraintErrors),
    ...(type === 'system'
      ? failing(group.Affinities !== null && sayOfScheduling('system-affinity'))
      : nestedEach(group.Affinities, 'Affinity', affinityErrors)),
    ...(group.RestartPolicy === null ? [] : restartErrors(group.RestartPolicy)),
    ...(type === 'system'
      ? failing(group.Spreads !== null && sayOfScheduling('system-spread'))
      : nestedEach(group.Spreads, 'Spread', spreadErrors)),
    ...groupRescheduleErrors(group, type),
    ...diskErrors(group),
    ...groupUpdateErrors(group, type),
    ...groupMigrateErrors(group, type),
    ...taskListErrors(group),
    ...volumeErrors(group, type),
    ...nested(networkErrors(group), (errors) => say('group-network-invalid', { errors })),
    ...nested(groupServiceErrors(group), (errors) => say('group-service-invalid', { errors })),
    ...nested(scriptCheckErrors(group), (errors) => say('group-check-invalid', { errors })),
    ...nested(scalingErrors(group), (errors) => say('group-scaling-invalid', { errors })),
    ...(group.Tasks ?? []).flatMap((task) =>
      nested(taskErrors(task, group, type), (errors) =>
        say('task-invalid', { name: task.Name, errors }),
      ),
    ),
  ]
}

function countErrors({ Name, Count, Tasks }: TaskGroup): readonly Said[] {
  return failing(
    Name === '' && say('group-name-missing'),
    Name.includes('\0') && say('group-name-null'),
    Count < 0 && say('group-count-negative'),
    Tasks === null && say('group-tasks-missing'),
  )
}

function disconnectErrors(group: TaskGroup): readonly Said[] {
  const { MaxClientDisconnect, StopAfterClientDisconnect } = group
  return failing(
    MaxClientDisconnect !== null && StopAfterClientDisconnect !== null && say('disconnect-both'),
    (MaxClientDisconnect ?? 0) < 0 && say('max-disconnect-negative'),
  )
}

function groupRescheduleErrors(
  { Name, ReschedulePolicy }: TaskGroup,
  type: string,
): readonly Said[] {
  if (type === 'system') {
    return failing(ReschedulePolicy !== null && say('system-reschedule'))
  }
  return ReschedulePolicy === null
    ? [say('reschedule-missing', { name: Name })]
    : rescheduleErrors(ReschedulePolicy)
}

function diskErrors({ EphemeralDisk }: TaskGroup): readonly Said[] {
  const size = EphemeralDisk?.SizeMB ?? 0
  return failing(size < 10 && say('disk-too-small', { size }))
}

function groupUpdateErrors({ Update }: TaskGroup, type: string): readonly Said[] {
  if (Update === null) return []
  const isUpdated = type === 'service' || type === 'system'
  return [
    ...failing(!isUpdated && say('update-type', { type: quoteGo(type) })),
    ...updateErrors(Update),
  ]
}

function groupMigrateErrors({ Migrate }: TaskGroup, type: string): readonly Said[] {
  if (Migrate === null) return []
  return type === 'service'
    ? migrateErrors(Migrate)
    : [say('migrate-type', { type: quoteGo(type) })]
}

function taskListErrors({ Tasks }: TaskGroup): readonly Said[] {
  const tasks = Tasks ?? []
  const names = nameErrors(tasks, {
    missing: (at) => say('task-unnamed', { at }),
    again: (at, name, first) => say('task-again', { at, name, first }),
  })
  return [
    ...names.flat(),
    ...failing(tasks.filter(({ Leader }) => Leader).length > 1 && say('leader-again')),
  ]
}

function scalingErrors({ Scaling, Count }: TaskGroup): readonly Said[] {
  if (Scaling === null) return []
  return [
    ...targetErrors(Scaling),
    ...boundsErrors(Scaling),
    ...failing(
      Scaling.Max < Count && say('scaling-maximum-exceeded'),
      Count < Scaling.Min && say('scaling-minimum-missed'),
    ),
  ].map((error) => say('scaling-invalid', { error }))
}

function targetErrors({ Type, Target }: Scaling): readonly Said[] {
  if (Type !== 'horizontal') return []
  return failing(
    Target?.Job === '' && say('scaling-job-missing'),
    Target?.Group === '' && say('scaling-group-missing'),
  )
}

function boundsErrors({ Type, Min, Max }: Scaling): readonly Said[] {
  return failing(
    Type !== 'horizontal' && say('scaling-type-unknown', { type: quoteGo(Type) }),
    Max < 0 && say('scaling-maximum-negative'),
    Max >= 0 && Max < Min && say('scaling-maximum-below-minimum'),
    Min < 0 && say('scaling-minimum-negative'),
  )
}
