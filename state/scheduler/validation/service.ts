import { quoteGo } from '../../go/text.ts'
import { compareBytewise } from '../../json/json.ts'
import type { TaskGroup } from '../job/job-shape.ts'
import type { Network } from '../job/scheduling-shapes.ts'
import type { Check, Service } from '../job/service-shapes.ts'
import type { Task } from '../job/task-shape.ts'
import { meshCheckError, ownCheckError, requiresPort } from './check.ts'
import { failing, nested } from './errors.ts'
import { portsOf } from './network.ts'

const nameForm = /^(?:[a-z0-9]|[a-z0-9][a-z0-9-]{0,61}[a-z0-9])$/i

/** References to the environment stand for some valid part of a name. */
const reference = /\$\{[a-zA-Z0-9_\-.]+\}/g

/** Providers of both dialects (3b-scheduler-decisions.md section 12); no provider is the mesh. */
const meshProviders = ['', 'mesh', 'consul']
const ownProviders = ['sched', 'nomad']

/** What is wrong with a service by itself (section 5, service). */
export function serviceErrors(service: Service): readonly string[] {
  const { Name, AddressMode = '', OnUpdate = '' } = service
  const hasAddress = (service.Address ?? '') !== ''
  return [
    ...failing(
      [
        !nameForm.test(Name.replace(reference, 'ENV-VAR')),
        'Service name must be valid per RFC 1123 and can contain only alphanumeric characters or ' +
          `dashes and must be no longer than 63 characters: ${quoteGo(Name)}`,
      ],
      [
        hasAddress && ['host', 'driver', 'alloc', 'alloc_ipv6'].includes(AddressMode),
        'Service address_mode must be "auto" if address is set',
      ],
      [
        !['', 'auto', 'host', 'driver', 'alloc', 'alloc_ipv6'].includes(AddressMode),
        'Service address_mode must be "auto", "host", or "driver"; not ' + quoteGo(AddressMode),
      ],
      [
        !['', 'require_healthy', 'ignore_warnings', 'ignore'].includes(OnUpdate),
        'Service on_update must be "require_healthy", "ignore_warnings", or "ignore"; not ' +
          quoteGo(OnUpdate),
      ],
    ),
    ...providerErrors(service),
  ]
}

function providerErrors(service: Service): readonly string[] {
  const { Provider = '' } = service
  const checks = (service.Checks ?? []).map((check) => inheriting(check, service))
  if (meshProviders.includes(Provider)) {
    return checks.flatMap((check) => portOrCheckError(check, service, meshCheckError, inCheck))
  }
  if (!ownProviders.includes(Provider)) {
    return [`Service provider must be "mesh", or "sched"; not ${quoteGo(Provider)}`]
  }
  return [
    ...checks.flatMap((check) => portOrCheckError(check, service, ownCheckError, plainly)),
    ...failing([
      Boolean(service.Connect),
      `Service with provider ${Provider} cannot include Connect blocks`,
    ]),
  ]
}

/** A check with what the reference lets it have of its service. */
function inheriting(check: Check, service: Service): Check {
  const OnUpdate = check.OnUpdate || service.OnUpdate || ''
  const [own, shared] = [check.CheckRestart, service.CheckRestart]
  if (!shared) return { ...check, OnUpdate }
  const CheckRestart = {
    Limit: own && own.Limit > 0 ? own.Limit : shared.Limit,
    Grace: own ? own.Grace : shared.Grace,
    IgnoreWarnings: shared.IgnoreWarnings || own?.IgnoreWarnings === true,
  }
  return { ...check, OnUpdate, CheckRestart }
}

const inCheck = ({ Name }: Check, text: string): string => `Check ${Name} invalid: ${text}`
const plainly = (_check: Check, text: string): string => text

function portOrCheckError(
  check: Check,
  { Name, PortLabel }: Service,
  errorOf: (check: Check) => string | undefined,
  word: (check: Check, text: string) => string,
): readonly string[] {
  if (PortLabel === '' && check.PortLabel === '' && requiresPort(check)) {
    const why = `check requires a port but neither check nor service ${quoteGo(Name)} have a port`
    return [inCheck(check, why)]
  }
  const error = errorOf(check)
  return error === undefined ? [] : [word(check, error)]
}

/** What is wrong with the services of a task, their ports included. */
export function taskServiceErrors(
  task: Task,
  groupNetworks: readonly Network[] | null,
): readonly string[] {
  const services = task.Services ?? []
  const wanted = new Map<string, Set<string>>()
  const want = (label: string, service: string): void => {
    wanted.set(label, (wanted.get(label) ?? new Set()).add(service))
  }
  const known = new Set<string>()
  const errors = services.flatMap((service, at) => {
    const { Name, PortLabel, AddressMode } = service
    const isAgain = known.has(Name + PortLabel)
    known.add(Name + PortLabel)
    const isNumeric = AddressMode === 'driver' && isWhole(PortLabel)
    if (PortLabel !== '' && !isNumeric) want(PortLabel, Name)
    return [
      ...nested(serviceErrors(service), `service[${at}] ${quoteGo(Name)} validation failed: `),
      ...failing(
        [
          AddressMode === 'alloc',
          `service ${quoteGo(Name)} cannot use address_mode="alloc", only services defined in a ` +
            '"group" block can use this mode',
        ],
        [isAgain, `service ${quoteGo(Name)} is duplicate`],
        [
          Boolean(service.Connect),
          `service ${quoteGo(Name)} cannot have "connect" block, only services defined in a ` +
            '"group" block can',
        ],
      ),
      ...taskCheckErrors(service, want),
    ]
  })
  // The reference looks at the first network of the group alone.
  const networks = [...(groupNetworks ?? []).slice(0, 1), ...(task.Resources?.Networks ?? [])]
  const labels = new Set(networks.flatMap(portsOf).map(({ Label }) => Label))
  const missing = Array.from(wanted).filter(([label]) => !labels.has(label))
  return [
    ...errors,
    ...missing
      .sort(([a], [b]) => compareBytewise(a, b))
      .map(
        ([label, names]) =>
          `port label ${quoteGo(label)} referenced by services ` +
          `${Array.from(names).sort(compareBytewise).join(', ')} does not exist`,
      ),
  ]
}

function isWhole(text: string): boolean {
  return /^[+-]?\d+$/.test(text)
}

function taskCheckErrors(
  service: Service,
  want: (label: string, service: string) => void,
): readonly string[] {
  const known = new Set<string>()
  return (service.Checks ?? []).flatMap((check) => {
    const isAgain = known.has(check.Name)
    known.add(check.Name)
    return [
      ...failing(
        [isAgain, `check ${quoteGo(check.Name)} is duplicate`],
        [
          check.AddressMode === 'alloc',
          `check ${quoteGo(service.Name)} cannot use address_mode="alloc", only checks defined in ` +
            'a "group" service block can use this mode',
        ],
      ),
      ...(requiresPort(check) ? checkPortErrors(check, service, want) : []),
    ]
  })
}

function checkPortErrors(
  check: Check,
  service: Service,
  want: (label: string, service: string) => void,
): readonly string[] {
  const label = check.PortLabel || service.PortLabel
  const name = quoteGo(check.Name)
  if (label === '') return [`check ${name} is missing a port`]
  if (!isWhole(label)) {
    want(label, service.Name)
    return []
  }
  const port = Number(label)
  if (check.AddressMode === 'driver') {
    return failing([port <= 0, `check ${name} has invalid numeric port ${port}`])
  }
  return [`check ${name} cannot use a numeric port ${port} without setting address_mode="driver"`]
}

/** What is wrong with the services of a group, and between them and those of its tasks. */
export function groupServiceErrors(group: TaskGroup): readonly string[] {
  const tasks = group.Tasks ?? []
  const services = group.Services ?? []
  const ids = [
    ...tasks.flatMap((task) => (task.Services ?? []).map((each) => idOf(each, task.Name))),
    ...services.map((service) => idOf(service, 'group')),
  ]
  const again = new Set(ids.filter((id, at) => ids.indexOf(id) < at))
  const providers = new Set(
    [...tasks.flatMap(({ Services }) => Services ?? []), ...services].map(providerOf),
  )
  const names = new Set(tasks.map(({ Name }) => Name))
  return [
    ...tasks.flatMap(foreignTaskErrors),
    ...services.flatMap((service, at) => {
      const own = serviceErrors(service)
      const prefix = `Service[${at}] ${service.Name} validation failed: `
      return own.length > 0 ? nested(own, prefix) : groupPlaceErrors(service, names)
    }),
    ...failing(
      [
        again.size > 0,
        `Services are not unique: [${Array.from(again).sort(compareBytewise).join(' ')}]`,
      ],
      [
        providers.size > 1,
        'Multiple service providers used: task group services must use the same provider',
      ],
    ),
  ]
}

function idOf({ Name, PortLabel }: Service, task: string): string {
  return `${task}->${Name}${PortLabel === '' ? '' : `:${PortLabel}`}`
}

function providerOf({ Provider = '' }: Service): string {
  return meshProviders.includes(Provider) ? 'mesh' : Provider
}

/** A service of a task, and its checks, belong to that task. */
function foreignTaskErrors(task: Task): readonly string[] {
  const wording = (what: string) => `may only specify task the ${what} belongs to, got `
  return (task.Services ?? [])
    .filter(({ TaskName = '' }) => TaskName !== '' && TaskName !== task.Name)
    .flatMap(({ Name, TaskName = '', Checks }) => [
      `Service ${Name} is invalid: ${wording('service')}${quoteGo(TaskName)}`,
      // Checks take the name from the service, whatever they say themselves.
      ...(Checks ?? []).map(
        (check) => `Check ${check.Name} is invalid: ${wording('check')}${quoteGo(TaskName)}`,
      ),
    ])
}

function groupPlaceErrors(service: Service, tasks: ReadonlySet<string>): readonly string[] {
  const name = quoteGo(service.Name)
  return [
    ...failing([
      service.AddressMode === 'driver',
      `service ${name} cannot use address_mode="driver", only services defined in a "task" block ` +
        'can use this mode',
    ]),
    ...(service.Checks ?? [])
      .map((check) => ({ ...check, TaskName: check.TaskName || service.TaskName || '' }))
      .filter(({ TaskName }) => TaskName !== '')
      .flatMap((check) =>
        failing(
          [
            check.AddressMode === 'driver',
            `Check ${name} invalid: cannot use address_mode="driver", only checks defined in a ` +
              '"task" service block can use this mode',
          ],
          [
            !tasks.has(check.TaskName),
            `Check ${check.Name} invalid: refers to non-existent task ${check.TaskName}`,
          ],
        ),
      ),
  ]
}

/** A script of a group's service has to say in which task it runs. */
export function scriptCheckErrors({ Name, Services }: TaskGroup): readonly string[] {
  return (Services ?? [])
    .filter(({ TaskName }) => (TaskName ?? '') === '')
    .flatMap((service) =>
      (service.Checks ?? [])
        .filter(({ Type, TaskName }) => Type === 'script' && (TaskName ?? '') === '')
        .map(
          (check) =>
            `Service [${Name}]->${service.Name} or Check ${check.Name} must specify task parameter`,
        ),
    )
}
