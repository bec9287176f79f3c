import { addIntegers, type Integer } from '../../../kernel/integers.ts'
import type { World } from '../../../kernel/worlds/world.ts'
import type { TaskGroup } from '../../job/job-shape.ts'
import type { Network, Port, Resources } from '../../job/scheduling-shapes.ts'
import { configurationOf } from '../../operator/configuration.ts'
import { signingKeyId } from '../../signing-key.ts'
import type { AllocatedResources, Allocation, AllocationView } from '../model/allocation-shapes.ts'
import type { Node } from '../model/node-shapes.ts'
import { FreePorts } from './free-ports.ts'

/**
 * Returns the resources that an allocation gets on a node: CPU, memory and networks for each task,
 * and disk and ports that the tasks share (behaviour/scheduler#nodes).
 */
export function allocatedResources(
  world: World,
  { Tasks, EphemeralDisk, Networks }: TaskGroup,
  node: Node,
): AllocatedResources {
  const freePorts = new FreePorts(world, node)
  const sharedNetworks = assignPorts(Networks, node, freePorts)
  const tasks = Tasks ?? []
  const { MemoryOversubscriptionEnabled: allowsOversubscription } = configurationOf(world)
  return {
    Tasks: Object.fromEntries(
      tasks.map(({ Name, Resources }) => [
        Name,
        {
          Cpu: { CpuShares: Resources?.CPU ?? 0, ReservedCores: null },
          Memory: {
            MemoryMB: Resources?.MemoryMB ?? 0,
            MemoryMaxMB: allowsOversubscription ? (Resources?.MemoryMaxMB ?? 0) : 0,
          },
          Networks: assignPorts(Resources?.Networks ?? null, node, freePorts),
          Devices: null,
        },
      ]),
    ),
    TaskLifecycles: Object.fromEntries(tasks.map(({ Name, Lifecycle }) => [Name, Lifecycle])),
    Shared: {
      DiskMB: EphemeralDisk?.SizeMB ?? 0,
      Networks: sharedNetworks,
      Ports: portMappings(sharedNetworks, node),
    },
  }
}

/**
 * Returns the requested networks with the node's address and with free dynamic ports, or null
 * without networks.
 */
function assignPorts(networks: readonly Network[] | null, { Address }: Node, freePorts: FreePorts) {
  if (networks === null || networks.length === 0) return null
  return networks.map((network) => ({
    ...network,
    IP: Address,
    ReservedPorts: network.ReservedPorts?.map((port) => withHostPort(port, port.Value)) ?? null,
    DynamicPorts:
      network.DynamicPorts?.map((port) => withHostPort(port, freePorts.allocate())) ?? null,
  }))
}

/**
 * Returns the port with `Value` as its number on the node. If `To` is -1, the number inside the
 * allocation's network becomes equal to the number on the node.
 */
function withHostPort(port: Port, Value: Integer): Port {
  return { ...port, Value, To: port.To === -1 ? Value : port.To }
}

function portMappings(networks: readonly Network[] | null, { Address }: Node) {
  const ports = (networks ?? []).flatMap(({ ReservedPorts, DynamicPorts }) => [
    ...(ReservedPorts ?? []),
    ...(DynamicPorts ?? []),
  ])
  if (ports.length === 0) return null
  return ports.map(({ Label, Value, To }) => ({ Label, Value, To, HostIP: Address }))
}

/** Members of an allocation that contain its resources in the deprecated form. */
interface LegacyResources {
  /** The sum of the resources of all tasks and of the shared resources. */
  readonly Resources: Resources
  readonly SharedResources: Resources
  readonly TaskResources: Readonly<Record<string, Resources>>
}

/** Converts an allocation's resources to the deprecated members. */
function legacyResources({ AllocatedResources: { Tasks, Shared } }: Allocation): LegacyResources {
  const tasks = Object.entries(Tasks ?? {}).map(([name, { Cpu, Memory, Networks }]) => {
    const { MemoryMB, MemoryMaxMB } = Memory
    const taskResources = legacyResourceFields({
      CPU: Cpu.CpuShares,
      MemoryMB,
      MemoryMaxMB,
      Networks,
    })
    return [name, taskResources] as const
  })
  const sum = (amountOf: (task: Resources) => Integer) =>
    tasks.reduce<Integer>((total, [, task]) => addIntegers(total, amountOf(task)), 0)
  const { DiskMB, Networks } = Shared
  return {
    Resources: legacyResourceFields({
      CPU: sum(({ CPU }) => CPU),
      MemoryMB: sum(({ MemoryMB }) => MemoryMB),
      // A task without a maximum adds its reserved memory.
      MemoryMaxMB: sum(({ MemoryMB, MemoryMaxMB }) => MemoryMaxMB || MemoryMB),
      DiskMB,
      Networks,
    }),
    SharedResources: legacyResourceFields({ DiskMB, Networks }),
    TaskResources: Object.fromEntries(tasks),
  }
}

/** Returns resources in the deprecated form, with 0 or null for missing members. */
export function legacyResourceFields(taskResources: Partial<Resources>): Resources {
  return {
    CPU: 0,
    Cores: 0,
    MemoryMB: 0,
    MemoryMaxMB: 0,
    SecretsMB: 0,
    DiskMB: 0,
    IOPS: 0,
    Networks: null,
    Devices: null,
    NUMA: null,
    ...taskResources,
  }
}

/**
 * Builds the reply for an allocation. Adds the deprecated members and the ID of the key that signed
 * the identities. Leaves out the type and version of the job, which only stored rows contain.
 */
export function allocationView(world: World, allocation: Allocation): AllocationView {
  const legacyMembers = world.derived(allocation, legacyResources)
  const SigningKeyID = signingKeyId(world, allocation.CreateIndex)
  const { JobType: _type, JobVersion: _version, ...shown } = allocation
  return { ...shown, ...legacyMembers, SigningKeyID }
}

/**
 * Builds the payload of an allocation event. The job is left out, because jobs make events large.
 */
export function allocationInEvent(world: World, allocation: Allocation): AllocationView {
  return { ...allocationView(world, allocation), Job: null }
}
