import {
  any,
  bool,
  bytes,
  called,
  duration,
  echoed,
  int,
  list,
  map,
  pointer,
  type Sent,
  type Stored,
  sentOnly,
  struct,
  text,
  uint,
} from '../shape/kinds.ts'
import {
  affinityShape,
  constraintShape,
  ephemeralDiskShape,
  migrateShape,
  multiregionShape,
  networkShape,
  parameterizedShape,
  periodicShape,
  reschedulePolicyShape,
  restartPolicyShape,
  scalingShape,
  spreadShape,
  updateShape,
} from './scheduling-shapes.ts'
import { serviceShape } from './service-shapes.ts'
import { taskShape } from './task-shape.ts'

/** A volume that a group asks for (3b-scheduler-decisions.md section 9, Blocks). */
export const volumeShape = struct('VolumeRequest', {
  Name: text,
  Type: text,
  Source: text,
  ReadOnly: bool,
  AccessMode: text,
  AttachmentMode: text,
  MountOptions: pointer(struct('CSIMountOptions', { FSType: text, MountFlags: list(text) })),
  PerAlloc: bool,
  Sticky: echoed(bool),
})

/** Tasks that run together on one node (3-mesh-and-scheduler.md, Resources B). */
export const taskGroupShape = struct('TaskGroup', {
  Name: text,
  Count: int,
  Constraints: list(constraintShape),
  Affinities: list(affinityShape),
  Spreads: list(spreadShape),
  Meta: map(text),
  RestartPolicy: pointer(restartPolicyShape),
  ReschedulePolicy: pointer(reschedulePolicyShape),
  Migrate: pointer(migrateShape),
  Update: pointer(updateShape),
  EphemeralDisk: pointer(ephemeralDiskShape),
  Networks: list(networkShape),
  Services: list(serviceShape),
  Tasks: list(taskShape),
  Volumes: map(volumeShape),
  Scaling: pointer(scalingShape),
  MaxClientDisconnect: pointer(duration),
  StopAfterClientDisconnect: pointer(duration),
  ShutdownDelay: pointer(duration),
  PreventRescheduleOnLost: echoed(bool),
  Disconnect: echoed(any),
  Mesh: echoed(any, 'Consul'),
})
export type TaskGroup = Stored<typeof taskGroupShape>
export type SentTaskGroup = Sent<typeof taskGroupShape>

/** A job in full (3-mesh-and-scheduler.md, Resources B). */
export const jobShape = struct('Job', {
  Region: text,
  Namespace: text,
  ID: text,
  ParentID: text,
  Name: text,
  Type: text,
  Priority: int,
  AllAtOnce: bool,
  Datacenters: list(text),
  NodePool: text,
  Constraints: list(constraintShape),
  Affinities: list(affinityShape),
  Spreads: list(spreadShape),
  TaskGroups: list(taskGroupShape),
  /** Stored ones always have it (section 4, Job.Update). */
  Update: pointer(updateShape),
  Periodic: pointer(periodicShape),
  ParameterizedJob: pointer(parameterizedShape),
  Payload: bytes,
  Meta: map(text),
  Multiregion: pointer(multiregionShape),
  Dispatched: bool,
  Stable: bool,
  Stop: bool,
  Status: text,
  StatusDescription: text,
  SecretsToken: called('VaultToken', text),
  SecretsNamespace: called('VaultNamespace', text),
  MeshToken: called('ConsulToken', text),
  SchedTokenID: called('NomadTokenID', text),
  /** Nanoseconds since 1970; a double holds every whole millisecond of them, and prints it so. */
  SubmitTime: int,
  Version: uint,
  CreateIndex: uint,
  ModifyIndex: uint,
  JobModifyIndex: uint,
  MeshNamespace: echoed(text, 'ConsulNamespace'),
  DispatchIdempotencyToken: echoed(text),
  UI: echoed(any),
  VersionTag: echoed(any),
  Reschedule: sentOnly(pointer(reschedulePolicyShape)),
  Migrate: sentOnly(pointer(migrateShape)),
})
export type Job = Stored<typeof jobShape>
export type SentJob = Sent<typeof jobShape>
