import { SECOND } from '../../go/duration.ts'
import { zeroesOf } from '../../kernel/shape/fill-defaults.ts'
import { mapOrNull, nullIfEmpty, withDefaults } from './fill-defaults.ts'
import { checkShape, type InputCheck, type InputService } from './service-shapes.ts'

/** The job, group and task of a service; the task is null for a service of the group. */
interface ServiceContext {
  readonly job: string
  readonly group: string
  readonly task: string | null
}

/** Variables that the reference replaces in service names (behaviour/scheduler#canonical-form). */
const variablePattern = /\$\{([a-zA-Z0-9_\-.]+)\}/g

const zeroCheck = zeroesOf(checkShape)

/** Returns a service with its defaults: its name and the restart rules of its checks. */
export function canonicalService(service: InputService, context: ServiceContext): InputService {
  const { CheckRestart } = service
  return {
    ...withDefaults(service, { PortLabel: '' }),
    ...(CheckRestart ? { CheckRestart: withDefaults(CheckRestart, zeroCheckRestart) } : {}),
    Name: serviceName(service, context),
    Tags: nullIfEmpty(service.Tags),
    Checks: mapOrNull(service.Checks, (check) => canonicalCheck(check, CheckRestart ?? null)),
  }
}

function serviceName({ Name }: InputService, { job, group, task }: ServiceContext): string {
  if (Name === null || Name === '') {
    return task === null ? `${job}-${group}` : `${job}-${group}-${task}`
  }
  if (!Name.includes('${')) return Name
  // In a group service the reference uses `group` as the task's name.
  const taskName = task ?? 'group'
  const values = new Map([
    ['JOB', job],
    ['TASKGROUP', group],
    ['TASK', taskName],
    ['BASE', `${job}-${group}-${taskName}`],
  ])
  return Name.replace(variablePattern, (match, name: string) => values.get(name) ?? match)
}

function canonicalCheck(check: InputCheck, inherited: CheckRestart | null): InputCheck {
  const restart = mergeCheckRestart(inherited, check.CheckRestart ?? null)
  return {
    ...withDefaults(check, zeroCheck),
    ...(restart && { CheckRestart: withDefaults(restart, { ...zeroCheckRestart, Grace: SECOND }) }),
    Args: nullIfEmpty(check.Args),
  }
}

type CheckRestart = NonNullable<InputCheck['CheckRestart']>

const zeroCheckRestart = { Limit: 0, IgnoreWarnings: false } as const

/** Merges a check's restart rules over its service's, member by member. */
function mergeCheckRestart(inherited: CheckRestart | null, override: CheckRestart | null) {
  if (inherited === null || override === null) return override ?? inherited
  return {
    Limit: (override.Limit ?? 0) > 0 ? override.Limit : inherited.Limit,
    Grace: override.Grace ?? inherited.Grace,
    IgnoreWarnings: override.IgnoreWarnings || inherited.IgnoreWarnings,
  }
}
