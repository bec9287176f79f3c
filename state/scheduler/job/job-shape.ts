import {
  any,
  bool,
  bytes,
  duration,
  goList,
  goMap,
  int,
  intOf,
  nullable,
  text,
  typed,
  uint,
} from '../../kernel/shape/kinds.ts'
import {
  inputOnly,
  notInFile,
  notNullInFile,
  optional,
  secret,
  struct,
  vendorNamed,
} from '../../kernel/shape/members.ts'
import type { ParsedOf, StoredOf } from '../../kernel/shape/values.ts'
import { disconnectShape, meshPlaceShape } from './retained-shapes.ts'
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

/** A volume that a group requests (behaviour/scheduler#job-file-blocks). */
export const volumeShape = struct('VolumeRequest', {
  Name: notInFile(text),
  Type: notNullInFile(text),
  Source: notNullInFile(text),
  ReadOnly: notNullInFile(bool),
  AccessMode: notNullInFile(typed('CSIVolumeAccessMode', text)),
  AttachmentMode: notNullInFile(typed('CSIVolumeAttachmentMode', text)),
  MountOptions: nullable(
    struct('CSIMountOptions', { FSType: notNullInFile(text), MountFlags: goList(text) }),
  ),
  PerAlloc: notNullInFile(bool),
  Sticky: notInFile(optional(bool)),
})

/** Tasks that run together on one node (behaviour/scheduler#api-job). */
export const taskGroupShape = struct('TaskGroup', {
  Name: notInFile(text),
  Count: int,
  Constraints: goList(constraintShape),
  Affinities: goList(affinityShape),
  Spreads: goList(spreadShape),
  Meta: goMap(text),
  RestartPolicy: nullable(restartPolicyShape),
  ReschedulePolicy: nullable(reschedulePolicyShape),
  Migrate: nullable(migrateShape),
  Update: nullable(updateShape),
  EphemeralDisk: nullable(ephemeralDiskShape),
  Networks: goList(networkShape),
  Services: goList(serviceShape),
  Tasks: goList(taskShape),
  Volumes: goMap(volumeShape),
  Scaling: nullable(scalingShape),
  MaxClientDisconnect: nullable(duration),
  StopAfterClientDisconnect: nullable(duration),
  ShutdownDelay: nullable(duration),
  PreventRescheduleOnLost: optional(bool),
  Disconnect: optional(disconnectShape),
  Mesh: vendorNamed('Consul', optional(meshPlaceShape)),
})
export type TaskGroup = StoredOf<typeof taskGroupShape>
export type InputTaskGroup = ParsedOf<typeof taskGroupShape>

const versionTagShape = struct('JobVersionTag', {
  Name: text,
  Description: text,
  /** Nanoseconds since 1970. */
  TaggedTime: intOf({ bits: 64 }),
})

/** A job in full (behaviour/scheduler#api-job). */
export const jobShape = struct('Job', {
  Region: text,
  Namespace: text,
  ID: text,
  ParentID: notInFile(text),
  Name: text,
  Type: text,
  Priority: int,
  AllAtOnce: bool,
  Datacenters: goList(text),
  NodePool: text,
  Constraints: goList(constraintShape),
  Affinities: goList(affinityShape),
  Spreads: goList(spreadShape),
  TaskGroups: goList(taskGroupShape),
  /** Never null in stored jobs (behaviour/scheduler#canonical-form, Job.Update). */
  Update: nullable(updateShape),
  Periodic: nullable(periodicShape),
  ParameterizedJob: nullable(parameterizedShape),
  Payload: notInFile(bytes),
  Meta: goMap(text),
  Multiregion: nullable(multiregionShape),
  Dispatched: notInFile(bool),
  Stable: notInFile(bool),
  Stop: notInFile(bool),
  Status: notInFile(text),
  StatusDescription: notInFile(text),
  SecretsToken: vendorNamed('VaultToken', secret(text)),
  SecretsNamespace: vendorNamed('VaultNamespace', notInFile(text)),
  MeshToken: vendorNamed('ConsulToken', secret(text)),
  SchedTokenID: vendorNamed('NomadTokenID', notInFile(text)),
  /**
   * Nanoseconds since 1970. A double holds every whole millisecond exactly and prints it correctly.
   */
  SubmitTime: notInFile(intOf({ bits: 64 })),
  Version: notInFile(uint),
  CreateIndex: notInFile(uint),
  ModifyIndex: notInFile(uint),
  JobModifyIndex: notInFile(uint),
  MeshNamespace: vendorNamed('ConsulNamespace', notInFile(optional(text))),
  DispatchIdempotencyToken: notInFile(optional(text)),
  UI: optional(any),
  /**
   * The tag of this version, which keeps it stored and addressable
   * (behaviour/scheduler#deployments).
   */
  VersionTag: notInFile(nullable(versionTagShape)),
  Reschedule: inputOnly(nullable(reschedulePolicyShape)),
  Migrate: inputOnly(nullable(migrateShape)),
})
export type Job = StoredOf<typeof jobShape>
export type InputJob = ParsedOf<typeof jobShape>
