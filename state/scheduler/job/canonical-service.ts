import { SECOND } from '../../go/duration.ts'
import { quoteGo } from '../../go/text.ts'
import { each, filled, unlessEmpty } from './filling.ts'
import type { SentCheck, SentService } from './service-shapes.ts'

/** Where a service stands; the task is null for a service of the group. */
interface ServicePlace {
  readonly job: string
  readonly group: string
  readonly task: string | null
}

/** Names that the reference replaces in names of services (3b-scheduler-decisions.md section 4). */
const variable = /\$\{([a-zA-Z0-9_\-.]+)\}/g

/** A service with its defaults: its name, and those of its checks. */
export function canonicalService(service: SentService, place: ServicePlace): SentService {
  const Name = nameOf(service, place)
  return {
    ...filled(service, { PortLabel: '' }),
    ...(service.CheckRestart ? { CheckRestart: withGrace(service.CheckRestart) } : {}),
    Name,
    Tags: unlessEmpty(service.Tags),
    Checks: each(service.Checks, (check) => canonicalCheck(check, Name)),
  }
}

function nameOf({ Name }: SentService, { job, group, task }: ServicePlace): string {
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

function canonicalCheck(check: SentCheck, service: string): SentCheck {
  return {
    ...filled(check, {
      Type: '',
      Command: '',
      Path: '',
      Protocol: '',
      PortLabel: '',
      Interval: 0,
      Timeout: 0,
      InitialStatus: '',
    }),
    ...(check.CheckRestart ? { CheckRestart: withGrace(check.CheckRestart) } : {}),
    Name: check.Name || `service: ${quoteGo(service)} check`,
    Args: unlessEmpty(check.Args),
  }
}

type CheckRestart = NonNullable<SentCheck['CheckRestart']>

function withGrace(restart: CheckRestart): CheckRestart {
  return filled(restart, { Limit: 0, Grace: SECOND, IgnoreWarnings: false })
}
