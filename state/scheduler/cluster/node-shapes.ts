import { any, bool, echoed, int, map, type Stored, struct, text } from '../shape/kinds.ts'

/** What a node can run (3b-scheduler-decisions.md section 7, Objects). */
const driverShape = struct('DriverInfo', {
  Attributes: map(text),
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
  Drivers: map(driverShape),
  HostVolumes: any,
  LastDrain: any,
  CreateIndex: int,
  ModifyIndex: int,
} as const

/** A node in lists (section 10). */
export const nodeStubShape = struct('NodeListStub', stubMembers)

/** A node in full. */
export const nodeShape = struct('Node', {
  ...stubMembers,
  Attributes: map(text),
  Meta: map(text),
  /** Capacity, in the units of a task's resources; null when it is not checked. */
  NodeResources: any,
  StatusUpdatedAt: int,
  Events: echoed(any),
})
export type Node = Stored<typeof nodeShape>
export type NodeStub = Stored<typeof nodeStubShape>

/** A set of nodes that jobs choose (section 10). */
export const nodePoolShape = struct('NodePool', {
  Name: text,
  Description: text,
  Meta: map(text),
  SchedulerConfiguration: any,
  CreateIndex: int,
  ModifyIndex: int,
})
export type NodePool = Stored<typeof nodePoolShape>
