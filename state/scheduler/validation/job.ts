import { quoteGo } from '../../go/text.ts'
import type { Job, TaskGroup } from '../job/job-shape.ts'
import { affinityErrors, constraintErrors, spreadErrors } from './constraint.ts'
import { failing, nameErrors, nested, nestedEach } from './errors.ts'
import { groupErrors } from './group.ts'
import { parameterizedErrors, periodicErrors } from './periodic.ts'

/** Types that exist; admission refuses `_core`, which is internal. */
const types = ['service', 'batch', 'system', 'sysbatch', '_core']

/**
 * What is wrong with a canonical job by itself (3b-scheduler-decisions.md section 5): the job, then its
 * groups with their tasks in order, then when it runs.
 */
export function jobErrors(job: Job): readonly string[] {
  const groups = job.TaskGroups ?? []
  return [
    ...identityErrors(job),
    ...(job.Datacenters ?? [])
      .filter((datacenter) => datacenter === '')
      .map(() => 'Job datacenter must be non-empty string'),
    ...failing([groups.length === 0, 'Missing job task groups']),
    ...nestedEach(job.Constraints, 'Constraint', constraintErrors),
    ...(job.Type === 'system'
      ? failing([job.Affinities !== null, 'System jobs may not have an affinity block'])
      : nestedEach(job.Affinities, 'Affinity', affinityErrors)),
    ...(job.Type === 'system'
      ? failing([job.Spreads !== null, 'System jobs may not have a spread block'])
      : nestedEach(job.Spreads, 'Spread', spreadErrors)),
    ...groupListErrors(job, groups),
    ...groups.flatMap((group) =>
      nested(groupErrors(group, job), `Task group ${group.Name} validation failed: `),
    ),
    ...launchErrors(job),
  ]
}

function identityErrors({ ID, Name, Type }: Job): readonly string[] {
  const hasSpace = ID.includes(' ')
  return failing(
    [ID === '', 'Missing job ID'],
    [hasSpace, 'Job ID contains a space'],
    [!hasSpace && ID.includes('\0'), 'Job ID contains a null character'],
    [Name === '', 'Missing job name'],
    [Name.includes('\0'), 'Job Name contains a null character'],
    [Type === '', 'Missing job type'],
    [Type !== '' && !types.includes(Type), `Invalid job type: ${quoteGo(Type)}`],
  )
}

function groupListErrors({ Type }: Job, groups: readonly TaskGroup[]): readonly string[] {
  const names = nameErrors(groups, {
    missing: (at) => `Job task group ${at} missing name`,
    again: (at, name, first) => `Job task group ${at} redefines '${name}' from group ${first}`,
  })
  return groups.flatMap((group, at) => {
    const stopAfter = group.StopAfterClientDisconnect ?? 0
    return [
      ...(names[at] ?? []),
      ...failing(
        [(group.ShutdownDelay ?? 0) < 0, 'ShutdownDelay must be a positive value'],
        [
          stopAfter > 0 && Type !== 'batch' && Type !== 'service',
          'stop_after_client_disconnect can only be set in batch and service jobs',
        ],
        [stopAfter < 0, 'stop_after_client_disconnect must be a positive value'],
        [
          Type === 'system' && group.Count > 1,
          `Job task group ${group.Name} has count ${group.Count}. Count cannot exceed 1 with ` +
            'system scheduler',
        ],
      ),
    ]
  })
}

function launchErrors(job: Job): readonly string[] {
  const isBatch = job.Type === 'batch' || job.Type === 'sysbatch'
  const only = (what: string) => `${what} can only be used with "batch" or "sysbatch" scheduler`
  return [
    ...(job.Periodic?.Enabled
      ? [...failing([!isBatch, only('Periodic')]), ...nested(periodicErrors(job.Periodic))]
      : []),
    ...(job.ParameterizedJob !== null && !job.Dispatched
      ? [
          ...failing([!isBatch, only('Parameterized job')]),
          ...nested(parameterizedErrors(job.ParameterizedJob)),
        ]
      : []),
  ]
}
