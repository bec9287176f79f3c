import { SECOND } from '../../go/duration.ts'
import { zeroesOf } from '../../kernel/shape/complete.ts'
import { each, filled, unlessEmpty } from './filling.ts'
import { checkShape, type InputCheck, type InputService } from './service-shapes.ts'

/** Where a service stands; the task is null for a service of the group. */
interface ServicePlace {
  readonly job: string
  readonly group: string
  readonly task: string | null
}

/** Names that the reference replaces in names of services (behaviour/scheduler#canonical-form). */
const variable = /\$\{([a-zA-Z0-9_\-.]+)\}/g

const noCheck = zeroesOf(checkShape)

/** A service with its defaults: its name, and what its checks restart. */
export function canonicalService(service: InputService, place: ServicePlace): InputService {
  const { CheckRestart } = service
  return {
    ...filled(service, { PortLabel: '' }),
    ...(CheckRestart ? { CheckRestart: filled(CheckRestart, noRestart) } : {}),
    Name: nameOf(service, place),
    Tags: unlessEmpty(service.Tags),
    Checks: each(service.Checks, (check) => canonicalCheck(check, CheckRestart ?? null)),
  }
}

function nameOf({ Name }: InputService, { job, group, task }: ServicePlace): string {
  if (Name === null || Name === '') {
    return task === null ? `${job}-${group}` : `${job}-${group}-${task}`
  }
  if (!Name.includes('${')) return Name
  // The reference calls the place of a group's service `group` here.
  const own = task ?? 'group'
  const values = new Map([
    ['JOB', job],
    ['TASKGROUP', group],
    ['TASK', own],
    ['BASE', `${job}-${group}-${own}`],
  ])
  return Name.replace(variable, (whole, name: string) => values.get(name) ?? whole)
}

function canonicalCheck(check: InputCheck, ofService: CheckRestart | null): InputCheck {
  const restart = mergedRestart(ofService, check.CheckRestart ?? null)
  return {
    ...filled(check, noCheck),
    ...(restart && { CheckRestart: filled(restart, { ...noRestart, Grace: SECOND }) }),
    Args: unlessEmpty(check.Args),
  }
}

type CheckRestart = NonNullable<InputCheck['CheckRestart']>

const noRestart = { Limit: 0, IgnoreWarnings: false } as const

/** A check's own words win over its service's, as far as it says anything. */
function mergedRestart(under: CheckRestart | null, over: CheckRestart | null): CheckRestart | null {
  if (under === null || over === null) return over ?? under
  return {
    Limit: (over.Limit ?? 0) > 0 ? over.Limit : under.Limit,
    Grace: over.Grace ?? under.Grace,
    IgnoreWarnings: over.IgnoreWarnings || under.IgnoreWarnings,
  }
}
