import {
  bool,
  duration,
  goList,
  goMap,
  int,
  intOf,
  nullable,
  text,
  uint,
  uintOf,
} from '../../kernel/shape/kinds.ts'
import { definite, optional, struct, unwritten, written } from '../../kernel/shape/members.ts'
import type { ParsedOf, StoredOf } from '../../kernel/shape/values.ts'
import { nodeReference } from '../vendor-names.ts'

/** A condition that a node must meet (behaviour/scheduler#api-job). */
export const constraintShape = struct('Constraint', {
  LTarget: written('attribute', nodeReference),
  RTarget: written('value', nodeReference),
  Operand: written('operator', text),
})
export type Constraint = StoredOf<typeof constraintShape>

/** A condition that a node had better meet. */
export const affinityShape = struct('Affinity', {
  LTarget: written('attribute', nodeReference),
  RTarget: written('value', nodeReference),
  Operand: written('operator', text),
  Weight: intOf({ bits: 8 }),
})
export type Affinity = StoredOf<typeof affinityShape>
export type SentAffinity = ParsedOf<typeof affinityShape>

/** How much of a spread one value gets. */
export const spreadTargetShape = struct('SpreadTarget', {
  Value: unwritten(text),
  Percent: definite(uintOf({ bits: 8 })),
})

/** The spread of allocations over nodes. */
export const spreadShape = struct('Spread', {
  Attribute: definite(nodeReference),
  Weight: intOf({ bits: 8 }),
  SpreadTarget: goList(spreadTargetShape),
})
export type Spread = StoredOf<typeof spreadShape>
export type SentSpread = ParsedOf<typeof spreadShape>

/** The manner in which a new version replaces an old one. */
export const updateShape = struct('UpdateStrategy', {
  Stagger: duration,
  MaxParallel: int,
  HealthCheck: text,
  MinHealthyTime: duration,
  HealthyDeadline: duration,
  ProgressDeadline: duration,
  AutoRevert: bool,
  AutoPromote: bool,
  Canary: int,
})
export type Update = StoredOf<typeof updateShape>
export type SentUpdate = ParsedOf<typeof updateShape>

/** The manner in which allocations leave a node that is drained. */
export const migrateShape = struct('MigrateStrategy', {
  MaxParallel: int,
  HealthCheck: text,
  MinHealthyTime: duration,
  HealthyDeadline: duration,
})
export type Migrate = StoredOf<typeof migrateShape>
export type SentMigrate = ParsedOf<typeof migrateShape>

/** The rules by which tasks are started again where they are. */
export const restartPolicyShape = struct('RestartPolicy', {
  Attempts: int,
  Interval: duration,
  Delay: duration,
  Mode: text,
  RenderTemplates: optional(bool),
})
export type RestartPolicy = StoredOf<typeof restartPolicyShape>
export type SentRestartPolicy = ParsedOf<typeof restartPolicyShape>

/** The rules by which failed allocations are placed anew. */
export const reschedulePolicyShape = struct('ReschedulePolicy', {
  Attempts: int,
  Interval: duration,
  Delay: duration,
  DelayFunction: text,
  MaxDelay: duration,
  Unlimited: bool,
})
export type ReschedulePolicy = StoredOf<typeof reschedulePolicyShape>
export type SentReschedulePolicy = ParsedOf<typeof reschedulePolicyShape>

/** The disk that a group's tasks share. */
export const ephemeralDiskShape = struct('EphemeralDisk', {
  Sticky: bool,
  SizeMB: written('size', int),
  Migrate: bool,
})
export type EphemeralDisk = StoredOf<typeof ephemeralDiskShape>

export const portShape = struct(
  'Port',
  {
    Label: unwritten(text),
    Value: written({ name: 'static', definite: true }, int),
    To: definite(int),
    HostNetwork: definite(text),
    IgnoreCollision: definite(optional(bool)),
  },
  { sparse: true },
)
export type Port = StoredOf<typeof portShape>

/** A network of a group or, as in old specifications, of a task. */
export const networkShape = struct(
  'NetworkResource',
  {
    Device: definite(text),
    CIDR: definite(text),
    IP: definite(text),
    MBits: written('mbits', int),
    Mode: definite(text),
    DNS: nullable(
      struct('DNSConfig', { Servers: goList(text), Searches: goList(text), Options: goList(text) }),
    ),
    ReservedPorts: goList(portShape),
    DynamicPorts: goList(portShape),
    Hostname: definite(optional(text)),
    CNI: optional({ kind: 'any' } as const),
  },
  { sparse: true },
)
export type Network = StoredOf<typeof networkShape>
export type SentNetwork = ParsedOf<typeof networkShape>

/** A device that a task asks for. */
export const deviceShape = struct('RequestedDevice', {
  Name: unwritten(text),
  Count: uint,
  Constraints: goList(constraintShape),
  Affinities: goList(affinityShape),
})
export type Device = StoredOf<typeof deviceShape>

/** The resources that a task needs. */
export const resourcesShape = struct('Resources', {
  CPU: int,
  MemoryMB: written('memory', int),
  DiskMB: written('disk', int),
  IOPS: int,
  Devices: goList(deviceShape),
  Networks: goList(networkShape),
  Cores: optional(int),
  MemoryMaxMB: written('memory_max', optional(int)),
  SecretsMB: written('secrets', optional(int)),
  NUMA: optional({ kind: 'any' } as const),
})
export type Resources = StoredOf<typeof resourcesShape>
export type SentResources = ParsedOf<typeof resourcesShape>

/** The bounds of a count that may be scaled. */
export const scalingShape = struct('ScalingPolicy', {
  ID: unwritten(text),
  Type: definite(text),
  Target: unwritten(goMap(text)),
  Policy: goMap({ kind: 'any' } as const),
  Min: int,
  Max: int,
  Enabled: bool,
  Namespace: unwritten(optional(text)),
  CreateIndex: unwritten(optional(int)),
  ModifyIndex: unwritten(optional(int)),
})
export type Scaling = StoredOf<typeof scalingShape>
export type SentScaling = ParsedOf<typeof scalingShape>

/** The content of `periodic`: when children of the job are launched. */
export const periodicShape = struct('PeriodicConfig', {
  Enabled: bool,
  Spec: written('cron', text),
  SpecType: unwritten(text),
  ProhibitOverlap: bool,
  TimeZone: text,
  Specs: written('crons', optional(goList(text))),
})
export type Periodic = StoredOf<typeof periodicShape>

/** The rules for dispatching a parameterized job. */
export const parameterizedShape = struct('ParameterizedJobConfig', {
  Payload: definite(text),
  MetaRequired: goList(text),
  MetaOptional: goList(text),
})
export type Parameterized = StoredOf<typeof parameterizedShape>

/** One of the regions of a job that runs in several. */
export const regionShape = struct('MultiregionRegion', {
  Name: unwritten(text),
  Count: int,
  Datacenters: goList(text),
  NodePool: definite(text),
  Meta: goMap(text),
})

/** Regions of a job that runs in several. */
export const multiregionShape = struct('Multiregion', {
  Strategy: nullable(struct('MultiregionStrategy', { MaxParallel: int, OnFailure: text })),
  Regions: goList(regionShape),
})
