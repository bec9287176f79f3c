import {
  any,
  bool,
  bytes,
  goList,
  goMap,
  int,
  nullable,
  text,
} from '../../../kernel/shape/kinds.ts'
import { optional, struct } from '../../../kernel/shape/members.ts'
import type { ParsedOf, StoredOf } from '../../../kernel/shape/values.ts'
import { resourcesShape } from '../../job/scheduling-shapes.ts'
import { controlGroup, driverName, nodeAttribute } from '../../vendor-names.ts'
import { nodeResourcesShape, reservedResourcesShape } from './node-resource-shapes.ts'

/** A driver: a kind of task that a node can run (behaviour/scheduler#nodes). */
const driverShape = struct('DriverInfo', {
  Attributes: goMap(text, nodeAttribute),
  Detected: bool,
  Healthy: bool,
  HealthDescription: text,
  /** RFC 3339. */
  UpdateTime: text,
})

/** The last time that a node was drained (behaviour/scheduler#node-endpoints). */
const lastDrainShape = struct('DrainMetadata', {
  /** RFC 3339. */
  StartedAt: text,
  UpdatedAt: text,
  Status: text,
  AccessorID: text,
  Meta: goMap(text),
})
export type LastDrain = StoredOf<typeof lastDrainShape>

/** How a node is being drained. */
const drainStrategyShape = struct('DrainStrategy', {
  /** Nanoseconds; 0: as long as it takes, less: at once. */
  Deadline: int,
  IgnoreSystemJobs: bool,
  /** RFC 3339. */
  ForceDeadline: text,
  StartedAt: text,
})
export type DrainStrategy = StoredOf<typeof drainStrategyShape>

/** Something that happened to a node. */
const nodeEventShape = struct('NodeEvent', {
  Message: text,
  Subsystem: text,
  Details: goMap(text),
  /** RFC 3339. */
  Timestamp: text,
  CreateIndex: int,
})
export type NodeEvent = StoredOf<typeof nodeEventShape>

/** The members of lists, of single nodes and of rows. */
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

/** The resources that a node has to give, in the units of a task's resources. */
const capacityShape = struct('NodeCapacity', { CPU: int, MemoryMB: int, DiskMB: int })

/** A node as it is kept. */
export const nodeRowShape = struct('Node', {
  ...commonMembers,
  ...versionMember,
  Attributes: goMap(text, nodeAttribute),
  Meta: goMap(text),
  /** Seconds since 1970. */
  StatusUpdatedAt: int,
  /** The newest last. */
  Events: optional(goList(nodeEventShape)),
  /** While it is being drained. */
  DrainStrategy: optional(nullable(drainStrategyShape)),
  LastMissedHeartbeatIndex: optional(int),
  /** Null when nothing is counted. */
  Capacity: nullable(capacityShape),
})
export type Node = StoredOf<typeof nodeRowShape>
export type NodeCapacity = StoredOf<typeof capacityShape>

/** A node in lists (behaviour/scheduler#search). */
export const nodeStubShape = struct('NodeListStub', {
  ...commonMembers,
  ...versionMember,
  Attributes: optional(goMap(text, nodeAttribute)),
  NodeResources: optional(nodeResourcesShape),
  ReservedResources: optional(reservedResourcesShape),
})

/** A node in full (behaviour/scheduler#node-endpoints). */
export const nodeShape = struct('Node', {
  ...commonMembers,
  /** Shown to nobody. */
  SecretID: text,
  Attributes: goMap(text, nodeAttribute),
  Meta: goMap(text),
  Links: goMap(text),
  ComputedClass: text,
  HTTPAddr: text,
  TLSEnabled: bool,
  NodeResources: nodeResourcesShape,
  ReservedResources: reservedResourcesShape,
  /** What older clients had in their place; empty. */
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
  CreateIndex: int,
  ModifyIndex: int,
} as const

/** A set of nodes that jobs choose, as it is kept and sent (behaviour/scheduler#search). */
export const nodePoolRowShape = struct('NodePool', poolMembers)
export type NodePool = StoredOf<typeof nodePoolRowShape>
export type SentNodePool = ParsedOf<typeof nodePoolRowShape>

/** The same as it is answered (behaviour/scheduler#node-endpoints). */
export const nodePoolShape = struct('NodePool', { ...poolMembers, Hash: bytes })
