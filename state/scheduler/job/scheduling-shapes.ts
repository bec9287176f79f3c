import {
  bool,
  exactDuration,
  exactInt,
  exactIntOf,
  exactUint,
  goList,
  goMap,
  intOf,
  list,
  nullable,
  text,
  uintOf,
} from '../../kernel/shape/kinds.ts'
import {
  createdBlock,
  dropped,
  filledIn,
  goValue,
  inFile,
  inputOnly,
  lenientStruct,
  notInFile,
  struct,
  withDefault,
} from '../../kernel/shape/members.ts'
import type { ParsedOf, StoredOf } from '../../kernel/shape/values.ts'
import { nodeReference } from '../vendor-names.ts'

/** A condition that a node must meet (behaviour/scheduler#api-job). */
export const constraintShape = struct('Constraint', {
  LTarget: goValue(inFile('attribute', nodeReference)),
  RTarget: goValue(inFile('value', nodeReference)),
  Operand: goValue(inFile('operator', text)),
})
export type Constraint = StoredOf<typeof constraintShape>

/** A condition that a node should meet if possible. */
export const affinityShape = struct('Affinity', {
  LTarget: goValue(inFile('attribute', nodeReference)),
  RTarget: goValue(inFile('value', nodeReference)),
  Operand: goValue(inFile('operator', text)),
  Weight: withDefault(intOf({ bits: 8 }), 50),
})
export type Affinity = StoredOf<typeof affinityShape>

/** Percentage of the allocations that nodes with this value should get. */
export const spreadTargetShape = struct('SpreadTarget', {
  Value: goValue(notInFile(text)),
  Percent: goValue(uintOf({ bits: 8 })),
})

/** Distribution of allocations over the values of an attribute. */
export const spreadShape = struct('Spread', {
  Attribute: goValue(nodeReference),
  Weight: withDefault(intOf({ bits: 8 }), 50),
  SpreadTarget: goList(spreadTargetShape),
})
export type Spread = StoredOf<typeof spreadShape>

/** Strategy for replacing allocations of an old version with allocations of a new version. */
export const updateShape = struct('UpdateStrategy', {
  Stagger: exactDuration,
  MaxParallel: exactInt,
  HealthCheck: text,
  MinHealthyTime: exactDuration,
  HealthyDeadline: exactDuration,
  ProgressDeadline: exactDuration,
  AutoRevert: bool,
  AutoPromote: bool,
  Canary: exactInt,
})
export type Update = StoredOf<typeof updateShape>
export type InputUpdate = ParsedOf<typeof updateShape>

/** Strategy for moving allocations from a draining node. */
export const migrateShape = struct('MigrateStrategy', {
  MaxParallel: exactInt,
  HealthCheck: text,
  MinHealthyTime: exactDuration,
  HealthyDeadline: exactDuration,
})
export type Migrate = StoredOf<typeof migrateShape>
export type InputMigrate = ParsedOf<typeof migrateShape>

/** Policy for restarting failed tasks on the same node. */
export const restartPolicyShape = struct('RestartPolicy', {
  Attempts: exactInt,
  Interval: exactDuration,
  Delay: exactDuration,
  Mode: text,
  RenderTemplates: filledIn(bool),
})
export type RestartPolicy = StoredOf<typeof restartPolicyShape>
export type InputRestartPolicy = ParsedOf<typeof restartPolicyShape>

/** Policy for replacing failed allocations. */
export const reschedulePolicyShape = struct('ReschedulePolicy', {
  Attempts: exactInt,
  Interval: exactDuration,
  Delay: exactDuration,
  DelayFunction: text,
  MaxDelay: exactDuration,
  Unlimited: bool,
})
export type ReschedulePolicy = StoredOf<typeof reschedulePolicyShape>
export type InputReschedulePolicy = ParsedOf<typeof reschedulePolicyShape>

/** The disk space that the tasks of a group share. */
export const ephemeralDiskShape = struct('EphemeralDisk', {
  Sticky: withDefault(bool, false),
  SizeMB: withDefault(inFile('size', exactInt), 300),
  Migrate: withDefault(bool, false),
})
export type EphemeralDisk = StoredOf<typeof ephemeralDiskShape>

export const portShape = struct(
  'Port',
  {
    Label: goValue(notInFile(text)),
    Value: goValue(inFile('static', exactInt)),
    To: goValue(exactInt),
    HostNetwork: goValue(text),
    IgnoreCollision: filledIn(goValue(bool)),
  },
  { sparse: true },
)
export type Port = StoredOf<typeof portShape>

/** A network of a group. Old specifications have networks in tasks as well. */
export const networkShape = struct(
  'NetworkResource',
  {
    Device: dropped(goValue(text)),
    CIDR: goValue(text),
    IP: goValue(text),
    MBits: inFile('mbits', exactInt),
    Mode: goValue(text),
    DNS: nullable(
      struct('DNSConfig', { Servers: goList(text), Searches: goList(text), Options: goList(text) }),
    ),
    ReservedPorts: goList(portShape),
    DynamicPorts: goList(portShape),
    Hostname: filledIn(goValue(text)),
    CNI: filledIn(nullable(lenientStruct('CNIConfig', { Args: goMap(text) }))),
  },
  { sparse: true },
)
export type Network = StoredOf<typeof networkShape>

export const deviceShape = struct('RequestedDevice', {
  Name: goValue(notInFile(text)),
  Count: withDefault(exactUint, 1),
  Constraints: goList(constraintShape),
  Affinities: goList(affinityShape),
})
export type Device = StoredOf<typeof deviceShape>

const numaShape = lenientStruct('NUMAResource', {
  Affinity: goValue(text, 'none'),
  Devices: dropped(goList(text)),
})

export const resourcesShape = struct('Resources', {
  CPU: exactInt,
  MemoryMB: withDefault(inFile('memory', exactInt), 300),
  DiskMB: dropped(inFile('disk', exactInt)),
  IOPS: exactInt,
  Devices: goList(deviceShape),
  Networks: goList(networkShape),
  Cores: filledIn(exactInt, 0),
  MemoryMaxMB: inFile('memory_max', filledIn(exactInt)),
  SecretsMB: inFile('secrets', filledIn(exactInt)),
  NUMA: filledIn(nullable(numaShape)),
})
export type Resources = StoredOf<typeof resourcesShape>
export type InputResources = ParsedOf<typeof resourcesShape>

const int64 = exactIntOf({ bits: 64 })

/** Limits for the count of a group, or for the resources of a task. */
export const scalingShape = struct('ScalingPolicy', {
  ID: goValue(notInFile(text)),
  Type: goValue(text),
  Target: notInFile(goMap(text)),
  Policy: goMap({ kind: 'any' } as const),
  Min: int64,
  Max: int64,
  Enabled: bool,
  Namespace: inputOnly(goValue(notInFile(text))),
  CreateIndex: dropped(goValue(notInFile(filledIn(exactUint)))),
  ModifyIndex: dropped(goValue(notInFile(filledIn(exactUint)))),
})
export type Scaling = StoredOf<typeof scalingShape>
export type InputScaling = ParsedOf<typeof scalingShape>

/** Times at which a periodic job launches children. */
export const periodicShape = struct('PeriodicConfig', {
  Enabled: withDefault(bool, true),
  Spec: withDefault(inFile('cron', text), ''),
  SpecType: withDefault(notInFile(text), 'cron'),
  ProhibitOverlap: withDefault(bool, false),
  TimeZone: withDefault(text, 'UTC'),
  Specs: inFile('crons', filledIn(list(text))),
})
export type Periodic = StoredOf<typeof periodicShape>

/** Data that a request must or may contain to dispatch a parameterized job. */
export const parameterizedShape = struct('ParameterizedJobConfig', {
  Payload: goValue(text),
  MetaRequired: goList(text),
  MetaOptional: goList(text),
})
export type Parameterized = StoredOf<typeof parameterizedShape>

export const regionShape = struct('MultiregionRegion', {
  Name: goValue(notInFile(text)),
  Count: withDefault(exactInt, 1),
  Datacenters: goList(text),
  NodePool: goValue(text),
  Meta: goMap(text),
})

export const multiregionShape = struct('Multiregion', {
  Strategy: createdBlock(
    nullable(
      struct('MultiregionStrategy', {
        MaxParallel: withDefault(exactInt, 0),
        OnFailure: withDefault(text, ''),
      }),
    ),
  ),
  Regions: goList(regionShape),
})

/** Settings for allocations whose node is disconnected. */
export const disconnectShape = struct('DisconnectStrategy', {
  LostAfter: filledIn(exactDuration),
  StopOnClientAfter: filledIn(nullable(exactDuration)),
  Replace: filledIn(nullable(bool), true),
  Reconcile: filledIn(text, 'best_score'),
})
export type Disconnect = StoredOf<typeof disconnectShape>

/** The cluster and namespace of the service mesh in which services are registered. */
export const meshBlockShape = struct(
  'MeshPlace',
  {
    Namespace: filledIn(goValue(text)),
    Cluster: filledIn(goValue(text), 'default'),
    Partition: filledIn(goValue(text)),
  },
  'Consul',
)
export type InputMeshBlock = ParsedOf<typeof meshBlockShape>
