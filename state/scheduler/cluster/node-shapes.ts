import { any, bool, goMap, int, nullable, text } from '../../kernel/shape/kinds.ts'
import { optional, struct } from '../../kernel/shape/members.ts'
import type { Stored } from '../../kernel/shape/values.ts'
import { driverName, nodeAttribute } from '../vendor-names.ts'

/** A driver: a kind of task that a node can run (3b-scheduler-decisions.md section 7, Objects). */
const driverShape = struct('DriverInfo', {
  Attributes: goMap(text),
  Detected: bool,
  Healthy: bool,
  HealthDescription: text,
  /** RFC 3339. */
  UpdateTime: text,
})

const stubMembers = {
  Address: text,
  ID: text,
  Datacenter: text,
  Name: text,
  NodePool: text,
  NodeClass: text,
  Version: text,
  Drain: bool,
  SchedulingEligibility: text,
  Status: text,
  StatusDescription: text,
  Drivers: goMap(driverShape, driverName),
  HostVolumes: any,
  LastDrain: any,
  CreateIndex: int,
  ModifyIndex: int,
} as const

const fullMembers = {
  ...stubMembers,
  Attributes: goMap(text, nodeAttribute),
  Meta: goMap(text),
  /** Seconds since 1970. */
  StatusUpdatedAt: int,
  Events: optional(any),
} as const

/** The resources that a node has to give, in the units of a task's resources. */
const capacityShape = struct('NodeCapacity', { CPU: int, MemoryMB: int, DiskMB: int })

/** A node as it is kept. */
export const nodeRowShape = struct('Node', {
  ...fullMembers,
  /** Null when nothing is counted. */
  Capacity: nullable(capacityShape),
})
export type Node = Stored<typeof nodeRowShape>
export type NodeCapacity = Stored<typeof capacityShape>

const amountShapes = {
  Cpu: struct('NodeCpuResources', { CpuShares: int }),
  Memory: struct('NodeMemoryResources', { MemoryMB: int }),
  Disk: struct('NodeDiskResources', { DiskMB: int }),
} as const

const resourceMembers = {
  NodeResources: struct('NodeResources', amountShapes),
  ReservedResources: struct('NodeReservedResources', amountShapes),
} as const

/** A node in lists (section 10). */
export const nodeStubShape = struct('NodeListStub', {
  ...stubMembers,
  Attributes: optional(goMap(text, nodeAttribute)),
  NodeResources: optional(resourceMembers.NodeResources),
  ReservedResources: optional(resourceMembers.ReservedResources),
})

/** A node in full, as the API shows it. */
export const nodeShape = struct('Node', {
  ...fullMembers,
  ...resourceMembers,
})

/** A set of nodes that jobs choose (section 10). */
export const nodePoolShape = struct('NodePool', {
  Name: text,
  Description: text,
  Meta: goMap(text),
  SchedulerConfiguration: any,
  CreateIndex: int,
  ModifyIndex: int,
})
export type NodePool = Stored<typeof nodePoolShape>
