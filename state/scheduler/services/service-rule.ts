import { isEqual } from '../../kernel/equality.ts'
import { defineRule } from '../../kernel/store/rules.ts'
import type { World } from '../../kernel/worlds/world.ts'
import type { Allocation } from '../cluster/model/allocation-shapes.ts'
import { allocations, nodes } from '../cluster/model/tables.ts'
import { groupOf } from '../cluster/placement/feasibility.ts'
import { nextIndex } from '../indexes.ts'
import type { TaskGroup } from '../job/job-shape.ts'
import type { Service } from '../job/service-shapes.ts'
import { neutralServicePrefix } from '../vendor-names.ts'
import { type Registration, registrations } from './tables.ts'

type RegistrationContent = Omit<Registration, 'CreateIndex' | 'ModifyIndex'>

const indexMembers: ReadonlySet<string> = new Set(['CreateIndex', 'ModifyIndex'])

/**
 * Rule that registers services of the scheduler's own catalogue while their tasks run
 * (behaviour/scheduler#services). As with a real client, a registration that a caller has deleted
 * is created again when its task restarts or its service changes.
 */
export const serviceRule = defineRule({
  name: 'scheduler.services',
  tables: [allocations],
  apply(world: World, changes) {
    for (const { before, after } of changes) {
      if (before !== undefined && after !== undefined && isUnaffected(world, before, after))
        continue
      const previous = new Map(
        offeredServices(world, before).map((content) => [content.ID, content]),
      )
      for (const content of offeredServices(world, after)) {
        const earlier = previous.get(content.ID)
        if (earlier === undefined || !isEqual(earlier, content)) upsertRegistration(world, content)
        previous.delete(content.ID)
      }
      for (const ID of previous.keys()) world.table(registrations).delete(ID)
    }
  },
})

/**
 * Returns true if a change of an allocation cannot affect registrations. `serviceRule` skips such
 * changes, which are the most frequent.
 */
function isUnaffected(world: World, before: Allocation, after: Allocation): boolean {
  return (
    before.Job === after.Job &&
    before.AllocatedResources === after.AllocatedResources &&
    before.DeploymentStatus?.Canary === after.DeploymentStatus?.Canary &&
    servicesOf(world, after).every(({ task }) => isRunning(before, task) === isRunning(after, task))
  )
}

interface NativeService {
  readonly service: Service
  /** Name of the task; undefined for a service of the group. */
  readonly task: string | undefined
}

/**
 * Returns the services whose provider is the scheduler's own catalogue: first the services of the
 * group, then the services of its tasks.
 */
function nativeServices({ Services, Tasks }: TaskGroup): readonly NativeService[] {
  return [
    ...nativeServicesOnly(Services).map((service) => ({ service, task: undefined })),
    ...(Tasks ?? []).flatMap(({ Name, Services: services }) =>
      nativeServicesOnly(services).map((service) => ({ service, task: Name })),
    ),
  ]
}

function nativeServicesOnly(services: readonly Service[] | null): readonly Service[] {
  return (services ?? []).filter(({ Provider }) => Provider === 'sched' || Provider === 'nomad')
}

function servicesOf(world: World, allocation: Allocation): readonly NativeService[] {
  const group = groupOf(allocation)
  return group === undefined ? [] : world.derived(group, nativeServices)
}

function offeredServices(world: World, allocation: Allocation | undefined) {
  if (allocation === undefined) return []
  return servicesOf(world, allocation)
    .filter(({ task }) => isRunning(allocation, task))
    .map((service) => registrationContent(world, allocation, service))
}

/** Returns true if the allocation is running and, if a task is given, the task is running. */
function isRunning({ TaskStates, ClientStatus }: Allocation, task: string | undefined): boolean {
  if (ClientStatus !== 'running') return false
  return task === undefined || TaskStates?.[task]?.State === 'running'
}

function registrationContent(
  world: World,
  allocation: Allocation,
  { service, task }: NativeService,
): RegistrationContent {
  const { ID, Namespace, NodeID, JobID, TaskGroup: group, DeploymentStatus } = allocation
  const { Name, PortLabel, Tags, CanaryTags } = service
  const tags = DeploymentStatus?.Canary && CanaryTags ? CanaryTags : Tags
  return {
    ID: `${neutralServicePrefix}${ID}-${task ?? `group-${group}`}-${Name}-${PortLabel}`,
    ServiceName: Name,
    Namespace,
    NodeID,
    Datacenter: world.table(nodes).get(NodeID)?.Datacenter ?? '',
    JobID,
    AllocID: ID,
    Tags: tags ?? [],
    ...addressOf(allocation, PortLabel),
  }
}

/**
 * Returns the address and port of a service. If the label belongs to a port of the group, the
 * address is the port's address on the host. If the label is a number, that number is the port and
 * the address is empty. Any other label results in the address of the first network and port 0.
 */
function addressOf({ AllocatedResources }: Allocation, label: string) {
  const { Ports, Networks } = AllocatedResources.Shared
  const port = Ports?.find(({ Label }) => Label === label)
  if (port !== undefined) return { Address: port.HostIP, Port: port.Value }
  if (/^\d+$/.test(label)) return { Address: '', Port: Number(label) }
  return { Address: Networks?.[0]?.IP ?? '', Port: 0 }
}

function upsertRegistration(world: World, content: RegistrationContent): void {
  const table = world.table(registrations)
  const before = table.get(content.ID)
  if (before !== undefined && isEqual(before, content, indexMembers)) return
  const index = nextIndex(world)
  const CreateIndex = before?.CreateIndex ?? index
  table.put(content.ID, Object.assign({}, content, { CreateIndex, ModifyIndex: index }))
}
