import { quoteGo } from '../../go/text.ts'
import { mapOrNull, nullIfEmpty } from './fill-defaults.ts'
import type { InputTaskGroup, Job, TaskGroup } from './job-shape.ts'
import type { InputNetwork, InputScaling } from './scheduling-shapes.ts'
import type { InputService } from './service-shapes.ts'
import type { InputTask } from './task-shape.ts'

/** The job in which a group is registered. */
interface RegistrationContext {
  readonly Namespace: string
  readonly Job: string
  readonly Type: string
  /** The current job with this ID; scaling policies of its groups keep their IDs. */
  readonly current: Job | undefined
  /** Returns a new ID for a scaling policy. */
  uuid(): string
}

/**
 * Adds to a canonical group the values that only registration sets
 * (behaviour/scheduler#canonical-form): networks of ports, names of checks, namespaces of services,
 * and targets of scaling policies.
 */
export function registeredGroup(
  group: InputTaskGroup,
  context: RegistrationContext,
): InputTaskGroup {
  const { Namespace, Job, Type, current } = context
  const before = current?.TaskGroups?.find(({ Name }) => Name === group.Name)
  const target = { Namespace, Job, Group: group.Name ?? '' }
  return {
    ...group,
    // A system job runs on every node, so the reference turns a count of 0 into 1.
    ...(Type === 'system' && group.Count === 0 ? { Count: 1 } : {}),
    Networks: mapOrNull(group.Networks, registeredNetwork),
    Services: mapOrNull(group.Services, (service) => registeredService(service, Namespace)),
    Scaling: group.Scaling && groupScaling(group.Scaling, target, before, context),
    Tasks: mapOrNull(group.Tasks, (task) => registeredTask(task, target)),
    Volumes: knownVolumes(group.Volumes),
  }
}

type ScalingTarget = Readonly<Record<'Namespace' | 'Job' | 'Group', string>>

function groupScaling(
  scaling: InputScaling,
  ScalingTarget: ScalingTarget,
  before: TaskGroup | undefined,
  { uuid }: RegistrationContext,
): InputScaling {
  // An ID sent by the client is ignored (behaviour/scheduler#deployments).
  const currentId = before?.Scaling?.Type === scaling.Type ? before?.Scaling?.ID : ''
  return { ...scaling, ID: currentId || uuid(), Target: ScalingTarget }
}

function registeredTask(task: InputTask, target: ScalingTarget): InputTask {
  return {
    ...task,
    Services: mapOrNull(task.Services, (service) => registeredService(service, target.Namespace)),
    // A task's disk request is ignored.
    Resources: task.Resources && {
      ...task.Resources,
      DiskMB: 0,
      Networks: mapOrNull(task.Resources.Networks, registeredNetwork),
    },
    // IDs of a task's policies appear only in the list of policies.
    ScalingPolicies: mapOrNull(task.ScalingPolicies, (policy) => ({
      ...policy,
      ID: '',
      Target: { ...target, Task: task.Name ?? '' },
    })),
  }
}

/** Assigns ports without a host network to the network `default`. */
function registeredNetwork(network: InputNetwork): InputNetwork {
  const withHostNetwork = (port: InputPort): InputPort => ({
    ...port,
    HostNetwork: port.HostNetwork || 'default',
  })
  return {
    ...network,
    ReservedPorts: mapOrNull(network.ReservedPorts, withHostNetwork),
    DynamicPorts: mapOrNull(network.DynamicPorts, withHostNetwork),
  }
}

type InputPort = NonNullable<InputNetwork['ReservedPorts']>[number]

/** Returns a service without its CheckRestart, which its checks have inherited. */
function registeredService(service: InputService, Namespace: string): InputService {
  const { CheckRestart: _, Namespace: _sent, ...rest } = service
  const name = `service: ${quoteGo(service.Name ?? '')} check`
  return {
    Namespace,
    ...rest,
    Checks: mapOrNull(service.Checks, (check) => ({ ...check, Name: check.Name || name })),
  }
}

/** Drops volumes of unknown types, as the reference's server does. */
function knownVolumes(volumes: InputTaskGroup['Volumes']): InputTaskGroup['Volumes'] {
  const known = Object.entries(volumes ?? {}).filter(
    ([, { Type }]) => Type === 'host' || Type === 'csi',
  )
  return nullIfEmpty(Object.fromEntries(known))
}
