import { quoteGo } from '../../go/text.ts'
import { compareBytewise } from '../../json/json.ts'
import type { Message } from '../../kernel/message.ts'
import type { TaskGroup } from '../job/job-shape.ts'
import type { Network } from '../job/scheduling-shapes.ts'
import type { Check, Service } from '../job/service-shapes.ts'
import type { Task } from '../job/task-shape.ts'
import { meshCheckError, nativeCheckError, requiresPort } from './check.ts'
import { connectBlockErrors } from './connect-blocks.ts'
import { message as connectMessage } from './connect-messages.ts'
import { combineErrors, failedChecks } from './errors.ts'
import { portsOf } from './network.ts'
import { message } from './service-messages.ts'

const namePattern = /^(?:[a-z0-9]|[a-z0-9][a-z0-9-]{0,61}[a-z0-9])$/i

/** Pattern of a variable in the name of a service. A variable is a valid part of the name. */
const variablePattern = /\$\{[a-zA-Z0-9_\-.]+\}/g

/**
 * Provider names of the service mesh in both dialects (behaviour/scheduler#vendor-names). An empty
 * name means the default provider, which is the mesh.
 */
const meshProviders = ['', 'mesh', 'consul']
const nativeProviders = ['sched', 'nomad']

/** Returns the errors of a service and its checks (behaviour/scheduler#validation). */
function serviceErrors(service: Service): readonly Message[] {
  const { Name, AddressMode = '', OnUpdate = '' } = service
  const hasAddress = (service.Address ?? '') !== ''
  return [
    ...failedChecks(
      !namePattern.test(Name.replace(variablePattern, 'ENV-VAR')) &&
        message('service-name-invalid', { name: quoteGo(Name) }),
      hasAddress &&
        ['host', 'driver', 'alloc'].includes(AddressMode) &&
        message('service-mode-beside-address'),
      !['', 'auto', 'host', 'driver', 'alloc'].includes(AddressMode) &&
        message('service-mode-unknown', { mode: quoteGo(AddressMode) }),
      !['', 'require_healthy', 'ignore_warnings', 'ignore'].includes(OnUpdate) &&
        message('service-update-unknown', { update: quoteGo(OnUpdate) }),
    ),
    ...providerErrors(service),
    ...failedChecks(lacksAudience(service.Identity) && message('service-identity-audience')),
  ]
}

function lacksAudience(identity: Service['Identity']): boolean {
  return Boolean(identity) && (identity?.Audience ?? null) === null
}

function providerErrors(service: Service): readonly Message[] {
  const { Provider: provider = '' } = service
  const checks = service.Checks ?? []
  if (meshProviders.includes(provider)) {
    const errorOf = (check: Check) =>
      check.Type === 'tcp' && service.Connect?.SidecarService
        ? connectMessage('check-tcp-connect')
        : meshCheckError(check)
    return [
      ...checks.flatMap((check) => portOrCheckError(check, service, errorOf, checkInvalid)),
      ...connectBlockErrors(service),
    ]
  }
  if (!nativeProviders.includes(provider)) {
    return [message('service-provider-unknown', { provider: quoteGo(provider) })]
  }
  return [
    ...checks.flatMap((check) =>
      portOrCheckError(check, service, nativeCheckError, unwrappedError),
    ),
    ...failedChecks(Boolean(service.Connect) && message('service-provider-connects', { provider })),
  ]
}

const checkInvalid = ({ Name }: Check, error: Message): Message =>
  message('check-invalid', { check: Name, error })
const unwrappedError = (_check: Check, error: Message): Message => error

function portOrCheckError(
  check: Check,
  { Name, PortLabel }: Service,
  errorOf: (check: Check) => Message | undefined,
  toMessage: (check: Check, error: Message) => Message,
): readonly Message[] {
  if (PortLabel === '' && check.PortLabel === '' && requiresPort(check)) {
    return [checkInvalid(check, message('check-port-missing', { service: quoteGo(Name) }))]
  }
  const error = errorOf(check)
  return error === undefined ? [] : [toMessage(check, error)]
}

/** Returns the errors of a task's services, including errors for port labels that do not exist. */
export function taskServiceErrors(task: Task, groupNetworks: readonly Network[] | null) {
  const services = task.Services ?? []
  const requiredPorts = new Map<string, Set<string>>()
  const requirePort = (label: string, service: string): void => {
    requiredPorts.set(label, (requiredPorts.get(label) ?? new Set()).add(service))
  }
  const known = new Set<string>()
  const errors = services.flatMap((service, at) => {
    const { Name, PortLabel, AddressMode } = service
    const name = quoteGo(Name)
    const isDuplicate = known.has(Name + PortLabel)
    known.add(Name + PortLabel)
    const isNumeric = AddressMode === 'driver' && isInteger(PortLabel)
    if (PortLabel !== '' && !isNumeric) requirePort(PortLabel, Name)
    return [
      ...combineErrors(serviceErrors(service), (errors) =>
        message('task-service-invalid', { at, name, errors }),
      ),
      ...failedChecks(
        AddressMode === 'alloc' && message('service-mode-alloc', { service: name }),
        isDuplicate && message('service-again', { service: name }),
        Boolean(service.Connect) && message('service-connect-in-task', { service: name }),
      ),
      ...taskCheckErrors(service, requirePort),
    ]
  })
  // As in the reference, only the first network of the group is searched.
  const networks = [...(groupNetworks ?? []).slice(0, 1), ...(task.Resources?.Networks ?? [])]
  const labels = new Set(networks.flatMap(portsOf).map(({ Label }) => Label))
  const missing = Array.from(requiredPorts).filter(([label]) => !labels.has(label))
  return [
    ...errors,
    ...missing
      .sort(([a], [b]) => compareBytewise(a, b))
      .map(([label, names]) =>
        message('port-label-unknown', {
          label: quoteGo(label),
          services: Array.from(names).sort(compareBytewise).join(', '),
        }),
      ),
  ]
}

function isInteger(text: string): boolean {
  return /^[+-]?\d+$/.test(text)
}

function taskCheckErrors(service: Service, requirePort: (label: string, service: string) => void) {
  const known = new Set<string>()
  return (service.Checks ?? []).flatMap((check) => {
    const isDuplicate = known.has(check.Name)
    known.add(check.Name)
    return [
      ...failedChecks(
        isDuplicate && message('check-again', { check: quoteGo(check.Name) }),
        check.AddressMode === 'alloc' &&
          message('check-mode-alloc', { service: quoteGo(service.Name) }),
      ),
      ...(requiresPort(check) ? checkPortErrors(check, service, requirePort) : []),
    ]
  })
}

function checkPortErrors(
  check: Check,
  service: Service,
  requirePort: (label: string, service: string) => void,
): readonly Message[] {
  const label = check.PortLabel || service.PortLabel
  const name = quoteGo(check.Name)
  if (label === '') return [message('check-port-unnamed', { check: name })]
  if (!isInteger(label)) {
    requirePort(label, service.Name)
    return []
  }
  const port = Number(label)
  if (check.AddressMode === 'driver') {
    return failedChecks(port <= 0 && message('check-port-invalid', { check: name, port }))
  }
  return [message('check-port-numeric', { check: name, port })]
}

/**
 * Returns the errors of a group's services, and errors that concern the services of the group and
 * its tasks together: a wrong task, duplicate services, and different providers.
 */
export function groupServiceErrors(group: TaskGroup): readonly Message[] {
  const tasks = group.Tasks ?? []
  const services = group.Services ?? []
  const ids = [
    ...tasks.flatMap((task) => (task.Services ?? []).map((each) => serviceId(each, task.Name))),
    ...services.map((service) => serviceId(service, 'group')),
  ]
  const duplicates = new Set(ids.filter((id, at) => ids.indexOf(id) < at))
  const providers = new Set(
    [...tasks.flatMap(({ Services }) => Services ?? []), ...services].map(providerOf),
  )
  const names = new Set(tasks.map(({ Name }) => Name))
  return [
    ...tasks.flatMap(otherTaskErrors),
    ...services.flatMap((service, at) => {
      const serviceLevelErrors = serviceErrors(service)
      return serviceLevelErrors.length > 0
        ? combineErrors(serviceLevelErrors, (errors) =>
            message('group-member-invalid', { at, name: service.Name, errors }),
          )
        : groupLevelErrors(service, names)
    }),
    ...failedChecks(
      duplicates.size > 0 &&
        message('services-again', {
          services: Array.from(duplicates).sort(compareBytewise).join(' '),
        }),
      providers.size > 1 && message('service-providers-mixed'),
    ),
  ]
}

function serviceId({ Name, PortLabel }: Service, task: string): string {
  return `${task}->${Name}${PortLabel === '' ? '' : `:${PortLabel}`}`
}

function providerOf({ Provider = '' }: Service): string {
  return meshProviders.includes(Provider) ? 'mesh' : Provider
}

/**
 * Returns errors for services of a task if their `TaskName` is the name of another task. Each check
 * of such a service causes a further error.
 */
function otherTaskErrors(task: Task): readonly Message[] {
  return (task.Services ?? [])
    .filter(({ TaskName = '' }) => TaskName !== '' && TaskName !== task.Name)
    .flatMap(({ Name: name, TaskName = '', Checks }) => [
      message('service-task-foreign', { name, task: quoteGo(TaskName) }),
      // The error of a check also names the task to which the service refers.
      ...(Checks ?? []).map((check) =>
        message('check-task-foreign', { name: check.Name, task: quoteGo(TaskName) }),
      ),
    ])
}

function groupLevelErrors(service: Service, tasks: ReadonlySet<string>): readonly Message[] {
  const name = quoteGo(service.Name)
  return [
    ...failedChecks(
      service.AddressMode === 'driver' && message('service-mode-driver', { service: name }),
    ),
    ...(service.Checks ?? []).flatMap((check) => {
      const task = check.TaskName || service.TaskName || ''
      if (task === '') return []
      return failedChecks(
        check.AddressMode === 'driver' &&
          message('check-invalid', { check: name, error: message('check-mode-driver') }),
        !tasks.has(task) && checkInvalid(check, message('check-task-unknown', { task })),
      )
    }),
  ]
}

/**
 * Returns errors for script checks in services of a group, unless the check or its service names
 * the task in which the script runs.
 */
export function scriptCheckErrors({ Name, Services }: TaskGroup): readonly Message[] {
  return (Services ?? [])
    .filter(({ TaskName }) => (TaskName ?? '') === '')
    .flatMap((service) =>
      (service.Checks ?? [])
        .filter(({ Type, TaskName }) => Type === 'script' && (TaskName ?? '') === '')
        .map((check) =>
          message('script-task-missing', { group: Name, service: service.Name, check: check.Name }),
        ),
    )
}
