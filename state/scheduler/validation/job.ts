import { quoteGo } from '../../go/text.ts'
import { oncePer } from '../../kernel/once.ts'
import type { Said } from '../../kernel/wording.ts'
import type { Job, TaskGroup } from '../job/job-shape.ts'
import { affinityErrors, constraintErrors, spreadErrors } from './constraint.ts'
import { failing, nameErrors, nested, nestedEach } from './errors.ts'
import { groupErrors } from './group.ts'
import { say as sayOfGroup } from './group-texts.ts'
import { say } from './job-texts.ts'
import { parameterizedErrors, periodicErrors } from './periodic.ts'
import { say as sayOfScheduling } from './scheduling-texts.ts'

/** Types that exist; admission refuses `_core`, which is internal. */
const types = ['service', 'batch', 'system', 'sysbatch', '_core']

/**
 * Finds what is wrong with a canonical job by itself (behaviour/scheduler#validation): the job, then
 * its groups with their tasks in order, then when it runs.
 */
export function jobErrors(job: Job): readonly Said[] {
  const groups = job.TaskGroups ?? []
  return [
    ...identityErrors(job),
    ...(job.Datacenters ?? [])
      .filter((datacenter) => datacenter === '')
      .map(() => say('job-datacenter-empty')),
    ...failing(groups.length === 0 && say('job-groups-missing')),
    ...nestedEach(job.Constraints, 'Constraint', constraintErrors),
    ...(job.Type === 'system'
      ? failing(job.Affinities !== null && sayOfScheduling('system-affinity'))
      : nestedEach(job.Affinities, 'Affinity', affinityErrors)),
    ...(job.Type === 'system'
      ? failing(job.Spreads !== null && sayOfScheduling('system-spread'))
      : nestedEach(job.Spreads, 'Spread', spreadErrors)),
    ...groupListErrors(job, groups),
    ...groups.flatMap((group) =>
      nested(groupErrorsIn(group)(job.Type), (errors) =>
        say('group-invalid', { name: group.Name, errors }),
      ),
    ),
    ...launchErrors(job),
  ]
}

/** Finds the errors of a group in a job of a type, once for a group that many versions share. */
const groupErrorsIn = oncePer((group: TaskGroup) => {
  const found = new Map<string, readonly Said[]>()
  return (type: string): readonly Said[] => {
    const errors = found.get(type) ?? groupErrors(group, type)
    found.set(type, errors)
    return errors
  }
})

function identityErrors({ Region, ID, Name, Type }: Job): readonly Said[] {
  const hasSpace = ID.includes(' ')
  return failing(
    Region === '' && say('job-region-missing'),
    ID === '' && say('job-id-missing'),
    hasSpace && say('job-id-space'),
    !hasSpace && ID.includes('\0') && say('job-id-null'),
    Name === '' && say('job-name-missing'),
    Name.includes('\0') && say('job-name-null'),
    Type === '' && say('job-type-missing'),
    Type !== '' && !types.includes(Type) && say('job-type-unknown', { type: quoteGo(Type) }),
  )
}

function groupListErrors({ Type }: Job, groups: readonly TaskGroup[]): readonly Said[] {
  const names = nameErrors(groups, {
    missing: (at) => say('job-group-unnamed', { at }),
    again: (at, name, first) => say('job-group-again', { at, name, first }),
  })
  return groups.flatMap((group, at) => {
    const stopAfter = group.StopAfterClientDisconnect ?? 0
    return [
      ...(names[at] ?? []),
      ...failing(
        (group.ShutdownDelay ?? 0) < 0 && sayOfGroup('shutdown-delay-negative'),
        stopAfter > 0 &&
          Type !== 'batch' &&
          Type !== 'service' &&
          say('stop-after-disconnect-type'),
        stopAfter < 0 && say('stop-after-disconnect-negative'),
        Type === 'system' &&
          group.Count > 1 &&
          say('system-group-count', { name: group.Name, count: group.Count }),
        group.MaxClientDisconnect !== null &&
          (group.ReschedulePolicy?.Attempts ?? 0) > 0 &&
          group.PreventRescheduleOnLost === true &&
          say('disconnect-without-rescheduling'),
      ),
    ]
  })
}

function launchErrors(job: Job): readonly Said[] {
  const isBatch = job.Type === 'batch' || job.Type === 'sysbatch'
  return [
    ...(job.Periodic?.Enabled
      ? [...failing(!isBatch && say('periodic-type')), ...nested(periodicErrors(job.Periodic))]
      : []),
    ...(job.ParameterizedJob !== null && !job.Dispatched
      ? [
          ...failing(!isBatch && say('parameterized-type')),
          ...nested(parameterizedErrors(job.ParameterizedJob)),
        ]
      : []),
  ]
}
