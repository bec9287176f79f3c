import { quoteGo } from '../../go/text.ts'
import { defaultAudience, meshIdentityPrefix } from '../vendor-names.ts'
import { mapOrNull, nullIfEmpty } from './fill-defaults.ts'
import type { Job, TaskGroup } from './job-shape.ts'
import type { Network, Port, Scaling } from './scheduling-shapes.ts'
import type { Identity, Service } from './service-shapes.ts'
import type { Secrets } from './task-parts.ts'
import type { Task } from './task-shape.ts'

/** Data that the registration of a group needs. */
export interface RegistrationContext {
  /** The job with its defaults filled in. */
  readonly job: Job
  /** The namespace of the request. */
  readonly Namespace: string
  /**
   * The job that is already stored under the ID of `job`. The scaling policies of its groups keep
   * their IDs.
   */
  readonly current: Job | undefined
  /** Creates a UUID for a scaling policy, or for the name of a generated task. */
  uuid(): string
}

/**
 * Sets the values that only registration sets in a group and its tasks, such as host networks of
 * ports, names of checks, namespaces of services, identities, and targets of scaling policies
 * (behaviour/scheduler#canonical-form).
 */
export function registeredGroup(group: TaskGroup, context: RegistrationContext): TaskGroup {
  const { job, Namespace, current } = context
  const before = current?.TaskGroups?.find(({ Name }) => Name === group.Name)
  const target = { Namespace, Job: job.ID, Group: group.Name }
  const scope = { context, group: group.Name, task: undefined }
  return {
    ...group,
    // As in the reference, a count of 0 becomes 1 in a system job, which runs on every node.
    Count: job.Type === 'system' && group.Count === 0 ? 1 : group.Count,
    Networks: mapOrNull(group.Networks, registeredNetwork),
    Services: mapOrNull(group.Services, (service) => registeredService(service, scope)),
    Scaling: group.Scaling && groupScaling(group.Scaling, target, before, context),
    Tasks: mapOrNull(group.Tasks, (task) => registeredTask(task, target, context)),
    Volumes: knownVolumes(group.Volumes),
    Disconnect: mergedDisconnect(group),
  }
}

type ScalingTarget = Readonly<Record<'Namespace' | 'Job' | 'Group', string>>

function groupScaling(
  scaling: Scaling,
  ScalingTarget: ScalingTarget,
  before: TaskGroup | undefined,
  { uuid }: RegistrationContext,
): Scaling {
  // An ID in the request is ignored. The policy keeps its stored ID or gets a new ID.
  const currentId = before?.Scaling?.Type === scaling.Type ? before?.Scaling?.ID : ''
  return { ...scaling, ID: currentId || uuid(), Target: ScalingTarget }
}

/**
 * Returns the Disconnect block of a group, or null if the group has none. Missing settings get the
 * values of the group's deprecated members.
 */
function mergedDisconnect(group: TaskGroup): NonNullable<TaskGroup['Disconnect']> | null {
  const { Disconnect, MaxClientDisconnect, StopAfterClientDisconnect } = group
  if (!Disconnect) return null
  return {
    ...Disconnect,
    LostAfter: Disconnect.LostAfter || (MaxClientDisconnect ?? 0),
    StopOnClientAfter: Disconnect.StopOnClientAfter ?? StopAfterClientDisconnect,
  }
}

/** Sets the values that only registration sets in a task. */
export function registeredTask(
  task: Task,
  target: ScalingTarget,
  context: RegistrationContext,
): Task {
  const scope = { context, group: target.Group, task: task.Name }
  return {
    ...task,
    // As in the reference, an explicit 0 is replaced as well.
    KillTimeout: task.KillTimeout || 5_000_000_000,
    Services: mapOrNull(task.Services, (service) => registeredService(service, scope)),
    Secrets: task.Secrets && registeredSecrets(task.Secrets, context.job.SecretsNamespace),
    Resources: task.Resources && {
      ...task.Resources,
      Networks: mapOrNull(task.Resources.Networks, registeredNetwork),
    },
    // Only the scaling policies of groups get an ID.
    ScalingPolicies: mapOrNull(task.ScalingPolicies, (policy) => ({
      ...policy,
      ID: '',
      Target: { ...target, Task: task.Name },
    })),
    Schedule: task.Schedule?.Cron ? task.Schedule : null,
    ...separateIdentities(task),
  }
}

function registeredSecrets(secrets: Secrets, namespace: string): Secrets {
  return {
    ...secrets,
    Namespace: secrets.Namespace || namespace,
    ChangeMode: secrets.ChangeMode || 'restart',
    ChangeSignal: secrets.ChangeSignal.toUpperCase(),
  }
}

const defaultIdentityName = 'default'

const defaultIdentity: Identity = {
  Name: defaultIdentityName,
  Audience: [defaultAudience],
  ChangeMode: '',
  ChangeSignal: '',
  Env: false,
  File: false,
  Filepath: '',
  ServiceName: '',
  TTL: 0,
}

/**
 * Separates the default identity of a task from the other identities, and creates the default
 * identity if it is missing. If several identities have the default name, the last of them is used.
 */
function separateIdentities(task: Task): Pick<Task, 'Identity' | 'Identities'> {
  const identities = (task.Identities ?? []).map(namedIdentity)
  const isDefault = ({ Name }: Identity) => Name === defaultIdentityName
  const Identity =
    identities.findLast(isDefault) ??
    (task.Identity ? namedIdentity(task.Identity) : defaultIdentity)
  return { Identity, Identities: nullIfEmpty(identities.filter((each) => !isDefault(each))) }
}

function namedIdentity(identity: Identity): Identity {
  const Name = identity.Name || defaultIdentityName
  return {
    ...identity,
    Name,
    Audience: Name === defaultIdentityName ? [defaultAudience] : identity.Audience,
    ChangeSignal: identity.ChangeSignal.toUpperCase(),
  }
}

/** Assigns ports without a host network to the network `default`. */
function registeredNetwork(network: Network): Network {
  const withHostNetwork = (port: Port): Port => ({
    ...port,
    HostNetwork: port.HostNetwork || 'default',
  })
  return {
    ...network,
    ReservedPorts: mapOrNull(network.ReservedPorts, withHostNetwork),
    DynamicPorts: mapOrNull(network.DynamicPorts, withHostNetwork),
  }
}

/** Pattern of a variable in the name of a service. */
const variablePattern = /\$\{([a-zA-Z0-9_\-.]+)\}/g

/** The owner of a service. Without `task`, the owner is the group. */
interface ServiceScope {
  readonly context: RegistrationContext
  readonly group: string
  readonly task: string | undefined
}

function registeredService(service: Service, scope: ServiceScope): Service {
  const { context, task } = scope
  const isNative = nativeProviders.has(service.Provider ?? '')
  const TaskName = service.TaskName || (task ?? '')
  const Name = serviceName(service.Name, scope)
  return {
    ...service,
    Name,
    TaskName,
    // The scheduler's namespaces do not exist in the service mesh.
    Namespace: isNative ? context.Namespace : 'default',
    Checks: mapOrNull(service.Checks, (check) => ({
      ...check,
      Name: check.Name || `service: ${quoteGo(Name)} check`,
      TaskName: (task === undefined && check.TaskName) || TaskName,
    })),
  }
}

/** Provider names of the scheduler's own service catalogue, in both dialects. */
const nativeProviders: ReadonlySet<string> = new Set(['sched', 'nomad'])

/**
 * Names the identities of services in the mesh after their service, port and task. Must be called
 * last, because `withConnectTasks` may change the name, port and task of a service.
 */
export function withIdentityNames(group: TaskGroup): TaskGroup {
  return {
    ...group,
    Services: mapOrNull(group.Services, withIdentityName),
    Tasks: mapOrNull(group.Tasks, (task) => ({
      ...task,
      Services: mapOrNull(task.Services, withIdentityName),
    })),
  }
}

function withIdentityName(service: Service): Service {
  const { Identity, Name, PortLabel, Provider, TaskName } = service
  if (!Identity || nativeProviders.has(Provider ?? '')) return service
  const unique = TaskName ? `${TaskName}-${Name}-${PortLabel}` : `${Name}-${PortLabel}`
  return {
    ...service,
    Identity: { ...Identity, Name: meshIdentityPrefix + unique, ServiceName: Name },
  }
}

function serviceName(name: string, { context, group, task }: ServiceScope): string {
  if (!name.includes('${')) return name
  const job = context.job.Name
  // As in the reference, the variable for the task becomes `group` in services of the group.
  const taskName = task ?? 'group'
  const values = new Map([
    ['JOB', job],
    ['TASKGROUP', group],
    ['TASK', taskName],
    ['BASE', `${job}-${group}-${taskName}`],
  ])
  return name.replace(variablePattern, (match, variable: string) => values.get(variable) ?? match)
}

/** Returns the volumes of known types. The reference's server drops all others. */
function knownVolumes(volumes: TaskGroup['Volumes']): TaskGroup['Volumes'] {
  const known = Object.entries(volumes ?? {}).filter(
    ([, { Type }]) => Type === 'host' || Type === 'csi',
  )
  return nullIfEmpty(Object.fromEntries(known))
}
