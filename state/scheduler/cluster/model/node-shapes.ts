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
  /** Speed in megahertz, like `MaxSpeed` and `GuessSpeed`. */
  BaseSpeed: float,
  MaxSpeed: float,
  GuessSpeed: float,
})

const nodeNetworkShape = struct('NodeNetworkResource', {
  Mode: text,
  Device: text,
  MacAddress: text,
  /** Speed in megabits per second. */
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

/** A driver: a kind of task that a node can run (behaviour/scheduler#nodes). */
const driverShape = struct('DriverInfo', {
  Attributes: goMap(text, nodeAttribute),
  Detected: bool,
  Healthy: bool,
  HealthDescription: text,
  /** Instant in RFC 3339 format. */
  UpdateTime: text,
})

/** The last drain of a node (behaviour/scheduler#node-endpoints). */
const lastDrainShape = struct('DrainMetadata', {
  /** Instant in RFC 3339 format. */
  StartedAt: text,
  UpdatedAt: text,
  Status: text,
  AccessorID: text,
  Meta: goMap(text),
})
export type LastDrain = StoredOf<typeof lastDrainShape>

/** The settings of a node's current drain. */
const drainStrategyShape = struct('DrainStrategy', {
  /**
   * Duration in nanoseconds; 0 means no deadline, and a negative value means that the drain ends
   * immediately.
   */
  Deadline: int,
  IgnoreSystemJobs: bool,
  /** RFC 3339 timestamp; null without a deadline. */
  ForceDeadline: nullable(text),
  StartedAt: text,
})
export type DrainStrategy = StoredOf<typeof drainStrategyShape>

/** An event in the life of a node. */
const nodeEventShape = struct('NodeEvent', {
  Message: text,
  Subsystem: text,
  Details: goMap(text),
  /** Instant in RFC 3339 format. */
  Timestamp: text,
  CreateIndex: int,
})
export type NodeEvent = StoredOf<typeof nodeEventShape>

/** Members that list stubs, full nodes and rows share. */
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

/** The allocatable resources of a node, in the units that task resources have. */
const capacityShape = struct('NodeCapacity', { CPU: int, MemoryMB: int, DiskMB: int })

/** A stored node. */
export const nodeRowShape = struct('Node', {
  ...commonMembers,
  ...versionMember,
  Attributes: goMap(text, nodeAttribute),
  Meta: goMap(text),
  /** Instant in seconds since 1970. */
  StatusUpdatedAt: int,
  /** Events of the node, oldest first. */
  Events: optional(goList(nodeEventShape)),
  /** Settings of the current drain; null or missing if the node is not draining. */
  DrainStrategy: optional(nullable(drainStrategyShape)),
  LastMissedHeartbeatIndex: optional(int),
  /** Capacity of the node; null if its resources are not limited. */
  Capacity: nullable(capacityShape),
})
export type Node = StoredOf<typeof nodeRowShape>
export type NodeCapacity = StoredOf<typeof capacityShape>

/** A node in list responses (behaviour/scheduler#search). */
export const nodeStubShape = struct('NodeListStub', {
  ...commonMembers,
  ...versionMember,
  Attributes: optional(goMap(text, nodeAttribute)),
  NodeResources: optional(nodeResourcesShape),
  ReservedResources: optional(reservedResourcesShape),
})

/** A full node as the API returns it (behaviour/scheduler#node-endpoints). */
export const nodeShape = struct('Node', {
  ...commonMembers,
  /** Secret of the node; always empty, because clients never see it. */
  SecretID: text,
  Attributes: goMap(text, nodeAttribute),
  Meta: goMap(text),
  Links: goMap(text),
  ComputedClass: text,
  HTTPAddr: text,
  TLSEnabled: bool,
  NodeResources: nodeResourcesShape,
  ReservedResources: reservedResourcesShape,
  /** Always empty; kept for older clients. */
  Resources: resourcesShape,
  Reserved: resourcesShape,
  DrainStrategy: nullable(drainStrategyShape),
  Events: goList(nodeEventShape),
  /** Instant in seconds since 1970. */
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
 * A set of nodes that jobs can select, as stored and as sent by clients
 * (behaviour/scheduler#search).
 */
export const nodePoolRowShape = struct('NodePool', poolMembers)
export type NodePool = StoredOf<typeof nodePoolRowShape>
export type SentNodePool = ParsedOf<typeof nodePoolRowShape>

/** A node pool as the API returns it (behaviour/scheduler#node-endpoints). */
export const nodePoolShape = struct('NodePool', { ...poolMembers, Hash: bytes })
