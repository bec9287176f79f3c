import { bool, duration, goList, goMap, int, nullable, text } from '../../kernel/shape/kinds.ts'
import { optional, struct } from '../../kernel/shape/members.ts'
import type { Sent, Stored } from '../../kernel/shape/values.ts'
import { nodeReference } from '../vendor-names.ts'

/** A condition that a node must meet (3-mesh-and-scheduler.md, Resources B). */
export const constraintShape = struct('Constraint', {
  LTarget: nodeReference,
  RTarget: nodeReference,
  Operand: text,
})
export type Constraint = Stored<typeof constraintShape>

/** A condition that a node had better meet. */
export const affinityShape = struct('Affinity', {
  LTarget: nodeReference,
  RTarget: nodeReference,
  Operand: text,
  Weight: int,
})
export type Affinity = Stored<typeof affinityShape>
export type SentAffinity = Sent<typeof affinityShape>

/** The spread of allocations over nodes. */
export const spreadShape = struct('Spread', {
  Attribute: nodeReference,
  Weight: int,
  SpreadTarget: goList(struct('SpreadTarget', { Value: text, Percent: int })),
})
export type Spread = Stored<typeof spreadShape>
export type SentSpread = Sent<typeof spreadShape>

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
export type Update = Stored<typeof updateShape>
export type SentUpdate = Sent<typeof updateShape>

/** The manner in which allocations leave a node that is drained. */
export const migrateShape = struct('MigrateStrategy', {
  MaxParallel: int,
  HealthCheck: text,
  MinHealthyTime: duration,
  HealthyDeadline: duration,
})
export type Migrate = Stored<typeof migrateShape>
export type SentMigrate = Sent<typeof migrateShape>

/** The rules by which tasks are started again where they are. */
export const restartPolicyShape = struct('RestartPolicy', {
  Attempts: int,
  Interval: duration,
  Delay: duration,
  Mode: text,
  RenderTemplates: optional(bool),
})
export type RestartPolicy = Stored<typeof restartPolicyShape>
export type SentRestartPolicy = Sent<typeof restartPolicyShape>

/** The rules by which failed allocations are placed anew. */
export const reschedulePolicyShape = struct('ReschedulePolicy', {
  Attempts: int,
  Interval: duration,
  Delay: duration,
  DelayFunction: text,
  MaxDelay: duration,
  Unlimited: bool,
})
export type ReschedulePolicy = Stored<typeof reschedulePolicyShape>
export type SentReschedulePolicy = Sent<typeof reschedulePolicyShape>

/** The disk that a group's tasks share. */
export const ephemeralDiskShape = struct('EphemeralDisk', {
  Sticky: bool,
  SizeMB: int,
  Migrate: bool,
})
export type EphemeralDisk = Stored<typeof ephemeralDiskShape>

const portShape = struct(
  'Port',
  {
    Label: text,
    Value: int,
    To: int,
    HostNetwork: text,
    IgnoreCollision: optional(bool),
  },
  { sparse: true },
)
export type Port = Stored<typeof portShape>

/** A network of a group or, as in old specifications, of a task. */
export const networkShape = struct(
  'NetworkResource',
  {
    Device: text,
    CIDR: text,
    IP: text,
    MBits: int,
    Mode: text,
    DNS: nullable(
      struct('DNSConfig', { Servers: goList(text), Searches: goList(text), Options: goList(text) }),
    ),
    ReservedPorts: goList(portShape),
    DynamicPorts: goList(portShape),
    Hostname: optional(text),
    CNI: optional({ kind: 'any' } as const),
  },
  { sparse: true },
)
export type Network = Stored<typeof networkShape>
export type SentNetwork = Sent<typeof networkShape>

/** A device that a task asks for. */
export const deviceShape = struct('RequestedDevice', {
  Name: text,
  Count: int,
  Constraints: goList(constraintShape),
  Affinities: goList(affinityShape),
})
export type Device = Stored<typeof deviceShape>

/** The resources that a task needs. */
export const resourcesShape = struct('Resources', {
  CPU: int,
  MemoryMB: int,
  DiskMB: int,
  IOPS: int,
  Devices: goList(deviceShape),
  Networks: goList(networkShape),
  Cores: optional(int),
  MemoryMaxMB: optional(int),
  SecretsMB: optional(int),
  NUMA: optional({ kind: 'any' } as const),
})
export type Resources = Stored<typeof resourcesShape>
export type SentResources = Sent<typeof resourcesShape>

/** The bounds of a count that may be scaled. */
export const scalingShape = struct('ScalingPolicy', {
  ID: text,
  Type: text,
  Target: goMap(text),
  Policy: goMap({ kind: 'any' } as const),
  Min: int,
  Max: int,
  Enabled: bool,
  Namespace: optional(text),
  CreateIndex: optional(int),
  ModifyIndex: optional(int),
})
export type Scaling = Stored<typeof scalingShape>
export type SentScaling = Sent<typeof scalingShape>

/** The content of `periodic`: when children of the job are launched. */
export const periodicShape = struct('PeriodicConfig', {
  Enabled: bool,
  Spec: text,
  SpecType: text,
  ProhibitOverlap: bool,
  TimeZone: text,
  Specs: optional(goList(text)),
})
export type Periodic = Stored<typeof periodicShape>

/** The rules for dispatching a parameterized job. */
export const parameterizedShape = struct('ParameterizedJobConfig', {
  Payload: text,
  MetaRequired: goList(text),
  MetaOptional: goList(text),
})
export type Parameterized = Stored<typeof parameterizedShape>

/** Regions of a job that runs in several. */
export const multiregionShape = struct('Multiregion', {
  Strategy: nullable(struct('MultiregionStrategy', { MaxParallel: int, OnFailure: text })),
  Regions: goList(
    struct('MultiregionRegion', {
      Name: text,
      Count: int,
      Datacenters: goList(text),
      NodePool: text,
      Meta: goMap(text),
    }),
  ),
})
