import { any, bool, float, goList, int, list, text } from '../../../kernel/shape/kinds.ts'
import { struct } from '../../../kernel/shape/members.ts'

const memoryShape = struct('NodeMemoryResources', { MemoryMB: int })
const diskShape = struct('NodeDiskResources', { DiskMB: int })

const coreShape = struct('Core', {
  SocketID: int,
  NodeID: int,
  ID: int,
  Grade: bool,
  Disable: bool,
  /** Megahertz, like the next two members. */
  BaseSpeed: float,
  MaxSpeed: float,
  GuessSpeed: float,
})

const nodeNetworkShape = struct('NodeNetworkResource', {
  Mode: text,
  Device: text,
  MacAddress: text,
  /** Megabits a second. */
  Speed: int,
  Addresses: goList(
    struct('NodeNetworkAddress', {
      Family: text,
      Alias: text,
      Address: text,
      ReservedPorts: text,
      Gateway: text,
    }),
  ),
})

/** The resources of a node (behaviour/scheduler#node-endpoints). */
export const nodeResourcesShape = struct('NodeResources', {
  Cpu: struct('NodeCpuResources', {
    CpuShares: int,
    TotalCpuCores: int,
    ReservableCpuCores: goList(int),
  }),
  Memory: memoryShape,
  Disk: diskShape,
  Devices: any,
  MinDynamicPort: int,
  MaxDynamicPort: int,
  Networks: goList(
    struct('NodeNetwork', { Mode: text, Device: text, CIDR: text, IP: text, MBits: int }),
  ),
  NodeNetworks: goList(nodeNetworkShape),
  Processors: struct('NodeProcessorResources', {
    Topology: struct('Topology', {
      Distances: list(list(int)),
      Cores: goList(coreShape),
      OverrideTotalCompute: float,
      OverrideWitholdCompute: float,
      BusAssociativity: any,
    }),
  }),
})

/** Resources of a node that are never allocated. */
export const reservedResourcesShape = struct('NodeReservedResources', {
  Cpu: struct('NodeReservedCpuResources', { CpuShares: int, ReservedCpuCores: goList(int) }),
  Memory: memoryShape,
  Disk: diskShape,
  Networks: struct('NodeReservedNetworkResources', { ReservedHostPorts: text }),
})
