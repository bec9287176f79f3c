import { quoteGo } from '../../go/text.ts'
import { each, unlessEmpty } from './filling.ts'
import type { InputTaskGroup, Job, TaskGroup } from './job-shape.ts'
import type { InputNetwork, InputScaling } from './scheduling-shapes.ts'
import type { InputService } from './service-shapes.ts'
import type { InputTask } from './task-shape.ts'

/** The place where a group is registered. */
interface RegisteredPlace {
  readonly Namespace: string
  readonly Job: string
  readonly Type: string
  /** The job now registered under the ID: policies of the same groups keep their IDs. */
  readonly current: Job | undefined
  /** A fresh ID for a scaling policy. */
  uuid(): string
}

/**
 * A canonical group with what only registration sets (behaviour/scheduler#canonical-form): networks
 * of ports, names of checks, namespaces of services, and what scaling policies are for.
 */
export function registeredGroup(group: InputTaskGroup, place: RegisteredPlace): InputTaskGroup {
  const { Namespace, Job, Type, current } = place
  const before = current?.TaskGroups?.find(({ Name }) => Name === group.Name)
  const target = { Namespace, Job, Group: group.Name ?? '' }
  return {
    ...group,
    // The reference's system jobs run everywhere, so that none is no answer.
    ...(Type === 'system' && group.Count === 0 ? { Count: 1 } : {}),
    Networks: each(group.Networks, registeredNetwork),
    Services: each(group.Services, (service) => registeredService(service, Namespace)),
    Scaling: group.Scaling && groupScaling(group.Scaling, target, before, place),
    Tasks: each(group.Tasks, (task) => registeredTask(task, target)),
    Volumes: knownVolumes(group.Volumes),
  }
}

type Target = Readonly<Record<'Namespace' | 'Job' | 'Group', string>>

function groupScaling(
  scaling: InputScaling,
  Target: Target,
  before: TaskGroup | undefined,
  { uuid }: RegisteredPlace,
): InputScaling {
  // One that is sent is not heard (behaviour/scheduler#deployments).
  const kept = before?.Scaling?.Type === scaling.Type ? before?.Scaling?.ID : ''
  return { ...scaling, ID: kept || uuid(), Target }
}

function registeredTask(task: InputTask, target: Target): InputTask {
  return {
    ...task,
    Services: each(task.Services, (service) => registeredService(service, target.Namespace)),
    // What a task asks of the disk is not heard.
    Resources: task.Resources && {
      ...task.Resources,
      DiskMB: 0,
      Networks: each(task.Resources.Networks, registeredNetwork),
    },
    // Only the list of policies gives them IDs.
    ScalingPolicies: each(task.ScalingPolicies, (policy) => ({
      ...policy,
      ID: '',
      Target: { ...target, Task: task.Name ?? '' },
    })),
  }
}

/** Ports listen on the network `default`. */
function registeredNetwork(network: InputNetwork): InputNetwork {
  const registered = (port: InputPort): InputPort => ({
    ...port,
    HostNetwork: port.HostNetwork || 'default',
  })
  return {
    ...network,
    ReservedPorts: each(network.ReservedPorts, registered),
    DynamicPorts: each(network.DynamicPorts, registered),
  }
}

type InputPort = NonNullable<InputNetwork['ReservedPorts']>[number]

/** A service without its CheckRestart, which its checks have. */
function registeredService(service: InputService, Namespace: string): InputService {
  const { CheckRestart: _, Namespace: _sent, ...own } = service
  const name = `service: ${quoteGo(service.Name ?? '')} check`
  return {
    Namespace,
    ...own,
    Checks: each(service.Checks, (check) => ({ ...check, Name: check.Name || name })),
  }
}

/** The reference's server passes over volumes of types that it does not know. */
function knownVolumes(volumes: InputTaskGroup['Volumes']): InputTaskGroup['Volumes'] {
  const known = Object.entries(volumes ?? {}).filter(
    ([, { Type }]) => Type === 'host' || Type === 'csi',
  )
  return unlessEmpty(Object.fromEntries(known))
}
