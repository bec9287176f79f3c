import {
  bool,
  bytes,
  exactDuration,
  exactInt,
  exactIntOf,
  goList,
  goMap,
  int,
  intOf,
  nullable,
  text,
  uint,
} from '../../kernel/shape/kinds.ts'
import {
  createdBlock,
  dropped,
  filledIn,
  goValue,
  inputOnly,
  lenientStruct,
  notInFile,
  secret,
  struct,
  vendorNamed,
  withDefault,
} from '../../kernel/shape/members.ts'
import type { ParsedOf, StoredOf } from '../../kernel/shape/values.ts'
import {
  affinityShape,
  constraintShape,
  disconnectShape,
  ephemeralDiskShape,
  meshBlockShape,
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

/** A volume that a group mounts (behaviour/scheduler#job-file-blocks). */
export const volumeShape = struct('VolumeRequest', {
  Name: goValue(notInFile(text)),
  Type: goValue(text),
  Source: goValue(text),
  ReadOnly: goValue(bool),
  AccessMode: goValue(text),
  AttachmentMode: goValue(text),
  MountOptions: nullable(
    struct('CSIMountOptions', { FSType: goValue(text), MountFlags: goList(text) }),
  ),
  PerAlloc: goValue(bool),
})

/** Tasks that run together on one node (behaviour/scheduler#api-job). */
export const taskGroupShape = struct('TaskGroup', {
  Name: withDefault(notInFile(text), ''),
  Count: exactInt,
  Constraints: goList(constraintShape),
  Affinities: goList(affinityShape),
  Spreads: goList(spreadShape),
  Meta: goMap(text),
  RestartPolicy: nullable(restartPolicyShape),
  ReschedulePolicy: nullable(reschedulePolicyShape),
  Migrate: nullable(migrateShape),
  Update: nullable(updateShape),
  EphemeralDisk: createdBlock(nullable(ephemeralDiskShape)),
  Networks: goList(networkShape),
  Services: goList(serviceShape),
  Tasks: goList(taskShape),
  Volumes: goMap(volumeShape),
  Scaling: nullable(scalingShape),
  MaxClientDisconnect: nullable(exactDuration),
  StopAfterClientDisconnect: nullable(exactDuration),
  ShutdownDelay: nullable(exactDuration),
  PreventRescheduleOnLost: filledIn(bool, false),
  Disconnect: filledIn(nullable(disconnectShape)),
  Mesh: createdBlock(vendorNamed('Consul', filledIn(nullable(meshBlockShape)))),
})
export type TaskGroup = StoredOf<typeof taskGroupShape>
export type InputTaskGroup = ParsedOf<typeof taskGroupShape>

const versionTagShape = struct('JobVersionTag', {
  Name: goValue(text),
  Description: goValue(text),
  /** Nanoseconds since 1970. */
  TaggedTime: goValue(exactIntOf({ bits: 64 })),
})

/** Description and links that user interfaces show for the job. */
const uiShape = lenientStruct('JobUIConfig', {
  Description: goValue(text),
  Links: goList(lenientStruct('JobUILink', { Label: goValue(text), Url: goValue(text) })),
})

/** A job with all members (behaviour/scheduler#api-job). */
export const jobShape = struct('Job', {
  Region: withDefault(text, 'global'),
  Namespace: withDefault(text, 'default'),
  ID: withDefault(text, ''),
  ParentID: withDefault(notInFile(text), ''),
  Name: text,
  Type: withDefault(text, 'service'),
  Priority: withDefault(int, 50),
  AllAtOnce: withDefault(bool, false),
  Datacenters: goList(text),
  NodePool: withDefault(text, ''),
  Constraints: goList(constraintShape),
  Affinities: goList(affinityShape),
  Spreads: goList(spreadShape),
  TaskGroups: goList(taskGroupShape),
  /**
   * Null only in requests; stored jobs always have the block (behaviour/scheduler#canonical-form).
   */
  Update: nullable(updateShape),
  Periodic: nullable(periodicShape),
  ParameterizedJob: nullable(parameterizedShape),
  Payload: notInFile(bytes),
  Meta: goMap(text),
  Multiregion: nullable(multiregionShape),
  Dispatched: goValue(notInFile(bool)),
  Stable: withDefault(notInFile(bool), false),
  Stop: withDefault(notInFile(bool), false),
  Status: withDefault(notInFile(text), ''),
  StatusDescription: withDefault(notInFile(text), ''),
  SecretsToken: vendorNamed('VaultToken', withDefault(secret(text), '')),
  SecretsNamespace: vendorNamed('VaultNamespace', withDefault(notInFile(text), '')),
  MeshToken: vendorNamed('ConsulToken', withDefault(secret(text), '')),
  SchedTokenID: vendorNamed('NomadTokenID', withDefault(notInFile(text), '')),
  /**
   * Nanoseconds since 1970. A double is enough, because times are whole milliseconds, so the number
   * has only 13 significant digits.
   */
  SubmitTime: notInFile(intOf({ bits: 64 })),
  Version: withDefault(notInFile(uint), 0),
  CreateIndex: withDefault(notInFile(uint), 0),
  ModifyIndex: withDefault(notInFile(uint), 0),
  JobModifyIndex: withDefault(notInFile(uint), 0),
  MeshNamespace: dropped(vendorNamed('ConsulNamespace', notInFile(filledIn(text, '')))),
  DispatchIdempotencyToken: notInFile(filledIn(text)),
  UI: filledIn(nullable(uiShape)),
  /**
   * Tag of the version. A tagged version stays when old versions are deleted, and requests can name
   * the version by its tag (behaviour/scheduler#deployments).
   */
  VersionTag: notInFile(nullable(versionTagShape)),
  Reschedule: inputOnly(nullable(reschedulePolicyShape)),
  Migrate: inputOnly(nullable(migrateShape)),
})
export type Job = StoredOf<typeof jobShape>
export type InputJob = ParsedOf<typeof jobShape>

/** Paths of the members that hold secrets. */
export const jobSecrets = [
  'SecretsToken',
  'MeshToken',
  'TaskGroups/*/Tasks/*/Config/auth/password',
  'TaskGroups/*/Tasks/*/Config/auth/*/password',
] as const
