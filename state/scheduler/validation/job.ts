import { quoteGo } from '../../go/text.ts'
import { memoizeByKey } from '../../kernel/memoize.ts'
import type { Message } from '../../kernel/message.ts'
import type { Job, TaskGroup } from '../job/job-shape.ts'
import { affinityErrors, constraintErrors, spreadErrors } from './constraint.ts'
import { combineErrors, eachItemErrors, failedChecks, nameErrors } from './errors.ts'
import { groupErrors } from './group.ts'
import { message as groupMessage } from './group-messages.ts'
import { message } from './job-messages.ts'
import { parameterizedErrors, periodicErrors } from './periodic.ts'
import { message as schedulingMessage } from './scheduling-messages.ts'

/** Types that exist; admission refuses `_core`, which is internal. */
const types = ['service', 'batch', 'system', 'sysbatch', '_core']

/**
 * Finds what is wrong with a canonical job by itself (behaviour/scheduler#validation): the job, then
 * its groups with their tasks in order, then when it runs.
 */
export function jobErrors(job: Job): readonly Message[] {
  const groups = job.TaskGroups ?? []
  return [
    ...identityErrors(job),
    ...(job.Datacenters ?? [])
      .filter((datacenter) => datacenter === '')
      .map(() => message('job-datacenter-empty')),
    ...failedChecks(groups.length === 0 && message('job-groups-missing')),
    ...eachItemErrors(job.Constraints, 'Constraint', constraintErrors),
    ...(job.Type === 'system'
      ? failedChecks(job.Affinities !== null && schedulingMessage('system-affinity'))
      : eachItemErrors(job.Affinities, 'Affinity', affinityErrors)),
    ...(job.Type === 'system'
      ? failedChecks(job.Spreads !== null && schedulingMessage('system-spread'))
      : eachItemErrors(job.Spreads, 'Spread', spreadErrors)),
    ...groupListErrors(job, groups),
    ...groups.flatMap((group) =>
      combineErrors(groupErrorsIn(group)(job.Type), (errors) =>
        message('group-invalid', { name: group.Name, errors }),
      ),
    ),
    ...launchErrors(job),
  ]
}

/** Finds the errors of a group in a job of a type, once for a group that many versions share. */
const groupErrorsIn = memoizeByKey((group: TaskGroup) => {
  const errorsByGroup = new Map<string, readonly Message[]>()
  return (type: string): readonly Message[] => {
    const errors = errorsByGroup.get(type) ?? groupErrors(group, type)
    errorsByGroup.set(type, errors)
    return errors
  }
})

function identityErrors({ Region, ID, Name, Type }: Job): readonly Message[] {
  const hasSpace = ID.includes(' ')
  return failedChecks(
    Region === '' && message('job-region-missing'),
    ID === '' && message('job-id-missing'),
    hasSpace && message('job-id-space'),
    !hasSpace && ID.includes('\0') && message('job-id-null'),
    Name === '' && message('job-name-missing'),
    Name.includes('\0') && message('job-name-null'),
    Type === '' && message('job-type-missing'),
    Type !== '' && !types.includes(Type) && message('job-type-unknown', { type: quoteGo(Type) }),
  )
}

function groupListErrors({ Type }: Job, groups: readonly TaskGroup[]): readonly Message[] {
  const names = nameErrors(groups, {
    missing: (at) => message('job-group-unnamed', { at }),
    duplicate: (at, name, first) => message('job-group-again', { at, name, first }),
  })
  return groups.flatMap((group, at) => {
    const stopAfter = group.StopAfterClientDisconnect ?? 0
    return [
      ...(names[at] ?? []),
      ...failedChecks(
        (group.ShutdownDelay ?? 0) < 0 && groupMessage('shutdown-delay-negative'),
        stopAfter > 0 &&
          Type !== 'batch' &&
          Type !== 'service' &&
          message('stop-after-disconnect-type'),
        stopAfter < 0 && message('stop-after-disconnect-negative'),
        Type === 'system' &&
          group.Count > 1 &&
          message('system-group-count', { name: group.Name, count: group.Count }),
        group.MaxClientDisconnect !== null &&
          (group.ReschedulePolicy?.Attempts ?? 0) > 0 &&
          group.PreventRescheduleOnLost === true &&
          message('disconnect-without-rescheduling'),
      ),
    ]
  })
}

function launchErrors(job: Job): readonly Message[] {
  const isBatch = job.Type === 'batch' || job.Type === 'sysbatch'
  return [
    ...(job.Periodic?.Enabled
      ? [
          ...failedChecks(!isBatch && message('periodic-type')),
          ...combineErrors(periodicErrors(job.Periodic)),
        ]
      : []),
    ...(job.ParameterizedJob !== null && !job.Dispatched
      ? [
          ...failedChecks(!isBatch && message('parameterized-type')),
          ...combineErrors(parameterizedErrors(job.ParameterizedJob)),
        ]
      : []),
  ]
}
