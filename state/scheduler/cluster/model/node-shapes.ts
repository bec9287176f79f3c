import {
  any,
  bool,
  bytes,
  float,
  goList,
  goMap,
  int,
  list,
  nullable,
  text,
  uint,
} from '../../../kernel/shape/kinds.ts'
import { optional, struct } from '../../../kernel/shape/members.ts'
import type { ParsedOf, StoredOf } from '../../../kernel/shape/values.ts'
import { resourcesShape } from '../../job/scheduling-shapes.ts'
import { controlGroup, driverName, nodeAttribute } from '../../vendor-names.ts'

const memoryShape = struct('NodeMemoryResources', { MemoryMB: int })
const diskShape = struct('NodeDiskResources', { DiskMB: int })

const coreShape = struct('Core', {
  SocketID: int,
  NodeID: int,
  ID: int,
  Grade: bool,
  Disable: bool,
  /** Megahertz, like `MaxSpeed` and `GuessSpeed`. */
  BaseSpeed: float,
  MaxSpeed: float,
  GuessSpeed: float,
})

const nodeNetworkShape = struct('NodeNetworkResource', {
  Mode: text,
  Device: text,
  MacAddress: text,
  /** Megabits per second. */
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

/** Resources of a node that allocations cannot use. */
export const reservedResourcesShape = struct('NodeReservedResources', {
  Cpu: struct('NodeReservedCpuResources', { CpuShares: int, ReservedCpuCores: goList(int) }),
  Memory: memoryShape,
  Disk: diskShape,
  Networks: struct('NodeReservedNetworkResources', { ReservedHostPorts: text }),
})

/** The state of a task driver on a node (behaviour/scheduler#nodes). */
const driverShape = struct('DriverInfo', {
  Attributes: goMap(text, nodeAttribute),
  Detected: bool,
  Healthy: bool,
  HealthDescription: text,
  /** RFC 3339 time. */
  UpdateTime: text,
})

/** The last drain of a node, which may have ended (behaviour/scheduler#node-endpoints). */
const lastDrainShape = struct('DrainMetadata', {
  /** RFC 3339 time. */
  StartedAt: text,
  UpdatedAt: text,
  Status: text,
  AccessorID: text,
  Meta: goMap(text),
})
export type LastDrain = StoredOf<typeof lastDrainShape>

const drainStrategyShape = struct('DrainStrategy', {
  /**
   * Time until the deadline in nanoseconds. 0 means no deadline; a negative value means that all
   * allocations must leave at once.
   */
  Deadline: int,
  IgnoreSystemJobs: bool,
  /** RFC 3339 time; null if the drain has no deadline. */
  ForceDeadline: nullable(text),
  StartedAt: text,
})
export type DrainStrategy = StoredOf<typeof drainStrategyShape>

/** An entry in the history of a node. */
const nodeEventShape = struct('NodeEvent', {
  Message: text,
  Subsystem: text,
  Details: goMap(text),
  /** RFC 3339 time. */
  Timestamp: text,
  CreateIndex: int,
})
export type NodeEvent = StoredOf<typeof nodeEventShape>

/** Members that nodes have in rows, in lists and in full replies. */
const commonMembers = {
  Address: text,
  ID: text,
  Datacenter: text,
  Name: text,
  NodePool: text,
  NodeClass: text,
  Drain: bool,
  SchedulingEligibility: text,
  Status: text,
  StatusDescription: text,
  Drivers: goMap(driverShape, driverName),
  HostVolumes: any,
  LastDrain: nullable(lastDrainShape),
  CreateIndex: int,
  ModifyIndex: int,
} as const

const versionMember = { Version: text } as const

/** Resources that allocations may use in total, in the units of task resources. */
const capacityShape = struct('NodeCapacity', { CPU: int, MemoryMB: int, DiskMB: int })

export const nodeRowShape = struct('Node', {
  ...commonMembers,
  ...versionMember,
  Attributes: goMap(text, nodeAttribute),
  Meta: goMap(text),
  /** Seconds since 1970. */
  StatusUpdatedAt: int,
  /** Events of the node, oldest first. */
  Events: optional(goList(nodeEventShape)),
  /** Null or missing if the node is not draining. */
  DrainStrategy: optional(nullable(drainStrategyShape)),
  LastMissedHeartbeatIndex: optional(int),
  /** Null if allocations may use any amount of resources. */
  Capacity: nullable(capacityShape),
})
export type Node = StoredOf<typeof nodeRowShape>
export type NodeCapacity = StoredOf<typeof capacityShape>

/** A node in a list (behaviour/scheduler#node-endpoints). */
export const nodeStubShape = struct('NodeListStub', {
  ...commonMembers,
  ...versionMember,
  Attributes: optional(goMap(text, nodeAttribute)),
  NodeResources: optional(nodeResourcesShape),
  ReservedResources: optional(reservedResourcesShape),
})

/** A full node in a reply (behaviour/scheduler#node-endpoints). */
export const nodeShape = struct('Node', {
  ...commonMembers,
  /** Always empty, because clients must not see the secret. */
  SecretID: text,
  Attributes: goMap(text, nodeAttribute),
  Meta: goMap(text),
  Links: goMap(text),
  ComputedClass: text,
  HTTPAddr: text,
  TLSEnabled: bool,
  NodeResources: nodeResourcesShape,
  ReservedResources: reservedResourcesShape,
  /** Deprecated in the reference and always empty, like `Reserved`. */
  Resources: resourcesShape,
  Reserved: resourcesShape,
  DrainStrategy: nullable(drainStrategyShape),
  Events: goList(nodeEventShape),
  /** Seconds since 1970. */
  StatusUpdatedAt: int,
  LastMissedHeartbeatIndex: int,
  LastAllocUpdateIndex: int,
  CgroupParent: controlGroup,
  HostNetworks: any,
  CSIControllerPlugins: goMap(any),
  CSINodePlugins: goMap(any),
})

const poolMembers = {
  Name: text,
  Description: text,
  Meta: goMap(text),
  SchedulerConfiguration: any,
  CreateIndex: uint,
  ModifyIndex: uint,
} as const

/**
 * A named set of nodes that jobs can select, in rows and requests
 * (behaviour/scheduler#node-endpoints).
 */
export const nodePoolRowShape = struct('NodePool', poolMembers)
export type NodePool = StoredOf<typeof nodePoolRowShape>
export type NodePoolInput = ParsedOf<typeof nodePoolRowShape>

/** A node pool in a reply, with a hash (behaviour/scheduler#node-endpoints). */
export const nodePoolShape = struct('NodePool', { ...poolMembers, Hash: bytes })
