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
import { inFile, notInFile, notNullInFile, optional, struct } from '../../kernel/shape/members.ts'
import type { ParsedOf, StoredOf } from '../../kernel/shape/values.ts'
import { nodeReference } from '../vendor-names.ts'

/** A condition that a node must meet (behaviour/scheduler#api-job). */
export const constraintShape = struct('Constraint', {
  LTarget: inFile('attribute', nodeReference),
  RTarget: inFile('value', nodeReference),
  Operand: inFile('operator', text),
})
export type Constraint = StoredOf<typeof constraintShape>

/** A condition that a node should preferably meet. */
export const affinityShape = struct('Affinity', {
  LTarget: inFile('attribute', nodeReference),
  RTarget: inFile('value', nodeReference),
  Operand: inFile('operator', text),
  Weight: intOf({ bits: 8 }),
})
export type Affinity = StoredOf<typeof affinityShape>
export type InputAffinity = ParsedOf<typeof affinityShape>

/** The share of a spread that one value gets. */
export const spreadTargetShape = struct('SpreadTarget', {
  Value: notInFile(text),
  Percent: notNullInFile(uintOf({ bits: 8 })),
})

/** The distribution of allocations over nodes. */
export const spreadShape = struct('Spread', {
  Attribute: notNullInFile(nodeReference),
  Weight: intOf({ bits: 8 }),
  SpreadTarget: goList(spreadTargetShape),
})
export type Spread = StoredOf<typeof spreadShape>
export type InputSpread = ParsedOf<typeof spreadShape>

/** How a new version replaces an old one. */
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
export type InputUpdate = ParsedOf<typeof updateShape>

/** How allocations migrate from a draining node. */
export const migrateShape = struct('MigrateStrategy', {
  MaxParallel: int,
  HealthCheck: text,
  MinHealthyTime: duration,
  HealthyDeadline: duration,
})
export type Migrate = StoredOf<typeof migrateShape>
export type InputMigrate = ParsedOf<typeof migrateShape>

/** When tasks restart on the same node. */
export const restartPolicyShape = struct('RestartPolicy', {
  Attempts: int,
  Interval: duration,
  Delay: duration,
  Mode: text,
  RenderTemplates: optional(bool),
})
export type RestartPolicy = StoredOf<typeof restartPolicyShape>
export type InputRestartPolicy = ParsedOf<typeof restartPolicyShape>

/** When failed allocations are rescheduled. */
export const reschedulePolicyShape = struct('ReschedulePolicy', {
  Attempts: int,
  Interval: duration,
  Delay: duration,
  DelayFunction: text,
  MaxDelay: duration,
  Unlimited: bool,
})
export type ReschedulePolicy = StoredOf<typeof reschedulePolicyShape>
export type InputReschedulePolicy = ParsedOf<typeof reschedulePolicyShape>

/** The disk that a group's tasks share. */
export const ephemeralDiskShape = struct('EphemeralDisk', {
  Sticky: bool,
  SizeMB: inFile('size', int),
  Migrate: bool,
})
export type EphemeralDisk = StoredOf<typeof ephemeralDiskShape>

export const portShape = struct(
  'Port',
  {
    Label: notInFile(text),
    Value: inFile({ name: 'static', notNullInFile: true }, int),
    To: notNullInFile(int),
    HostNetwork: notNullInFile(text),
    IgnoreCollision: notNullInFile(optional(bool)),
  },
  { sparse: true },
)
export type Port = StoredOf<typeof portShape>

/** A network of a group or, as in old specifications, of a task. */
export const networkShape = struct(
  'NetworkResource',
  {
    Device: notNullInFile(text),
    CIDR: notNullInFile(text),
    IP: notNullInFile(text),
    MBits: inFile('mbits', int),
    Mode: notNullInFile(text),
    DNS: nullable(
      struct('DNSConfig', { Servers: goList(text), Searches: goList(text), Options: goList(text) }),
    ),
    ReservedPorts: goList(portShape),
    DynamicPorts: goList(portShape),
    Hostname: notNullInFile(optional(text)),
    CNI: optional({ kind: 'any' } as const),
  },
  { sparse: true },
)
export type Network = StoredOf<typeof networkShape>
export type InputNetwork = ParsedOf<typeof networkShape>

/** A device that a task requests. */
export const deviceShape = struct('RequestedDevice', {
  Name: notInFile(text),
  Count: uint,
  Constraints: goList(constraintShape),
  Affinities: goList(affinityShape),
})
export type Device = StoredOf<typeof deviceShape>

/** The resources that a task needs. */
export const resourcesShape = struct('Resources', {
  CPU: int,
  MemoryMB: inFile('memory', int),
  DiskMB: inFile('disk', int),
  IOPS: int,
  Devices: goList(deviceShape),
  Networks: goList(networkShape),
  Cores: optional(int),
  MemoryMaxMB: inFile('memory_max', optional(int)),
  SecretsMB: inFile('secrets', optional(int)),
  NUMA: optional({ kind: 'any' } as const),
})
export type Resources = StoredOf<typeof resourcesShape>
export type InputResources = ParsedOf<typeof resourcesShape>

/** The limits of a scalable count. */
export const scalingShape = struct('ScalingPolicy', {
  ID: notInFile(text),
  Type: notNullInFile(text),
  Target: notInFile(goMap(text)),
  Policy: goMap({ kind: 'any' } as const),
  Min: int,
  Max: int,
  Enabled: bool,
  Namespace: notInFile(optional(text)),
  CreateIndex: notInFile(optional(int)),
  ModifyIndex: notInFile(optional(int)),
})
export type Scaling = StoredOf<typeof scalingShape>
export type InputScaling = ParsedOf<typeof scalingShape>

/** The `periodic` block: when children of the job are launched. */
export const periodicShape = struct('PeriodicConfig', {
  Enabled: bool,
  Spec: inFile('cron', text),
  SpecType: notInFile(text),
  ProhibitOverlap: bool,
  TimeZone: text,
  Specs: inFile('crons', optional(goList(text))),
})
export type Periodic = StoredOf<typeof periodicShape>

/** The rules for dispatching a parameterized job. */
export const parameterizedShape = struct('ParameterizedJobConfig', {
  Payload: notNullInFile(text),
  MetaRequired: goList(text),
  MetaOptional: goList(text),
})
export type Parameterized = StoredOf<typeof parameterizedShape>

/** One region of a multi-region job. */
export const regionShape = struct('MultiregionRegion', {
  Name: notInFile(text),
  Count: int,
  Datacenters: goList(text),
  NodePool: notNullInFile(text),
  Meta: goMap(text),
})

/** The regions of a multi-region job. */
export const multiregionShape = struct('Multiregion', {
  Strategy: nullable(struct('MultiregionStrategy', { MaxParallel: int, OnFailure: text })),
  Regions: goList(regionShape),
})
