import {
  any,
  bool,
  duration,
  goList,
  goMap,
  int,
  nullable,
  text,
} from '../../kernel/shape/kinds.ts'
import { called, optional, struct } from '../../kernel/shape/members.ts'
import type { Sent, Stored } from '../../kernel/shape/values.ts'
import { driverName } from '../vendor-names.ts'
import {
  affinityShape,
  constraintShape,
  resourcesShape,
  restartPolicyShape,
  scalingShape,
} from './scheduling-shapes.ts'
import { serviceShape } from './service-shapes.ts'

/** A file that is rendered for a task (3-mesh-and-scheduler.md, Resources B). */
export const templateShape = struct('Template', {
  SourcePath: text,
  DestPath: text,
  EmbeddedTmpl: text,
  ChangeMode: text,
  ChangeSignal: text,
  Splay: duration,
  Perms: text,
  ChangeScript: optional(any),
  Uid: optional(int),
  Gid: optional(int),
  LeftDelim: optional(text),
  RightDelim: optional(text),
  Envvars: optional(bool),
  Wait: optional(
    nullable(struct('WaitConfig', { Min: nullable(duration), Max: nullable(duration) })),
  ),
  Once: optional(bool),
  ErrMissingKey: optional(bool),
})
export type Template = Stored<typeof templateShape>
export type SentTemplate = Sent<typeof templateShape>

/** A file that is fetched for a task. */
export const artifactShape = struct('TaskArtifact', {
  GetterSource: text,
  GetterOptions: goMap(text),
  RelativeDest: text,
  GetterHeaders: optional(goMap(text)),
  GetterMode: optional(text),
  GetterInsecure: optional(bool),
  Chown: optional(bool),
})
export type Artifact = Stored<typeof artifactShape>
export type SentArtifact = Sent<typeof artifactShape>

/** A task's part in the secrets service. */
export const secretsShape = struct(
  'Secrets',
  {
    Policies: goList(text),
    Role: text,
    Namespace: text,
    Env: bool,
    ChangeMode: text,
    ChangeSignal: text,
    Cluster: optional(text),
    DisableFile: optional(bool),
    AllowTokenExpiration: optional(bool),
  },
  'Vault',
)
export type Secrets = Stored<typeof secretsShape>
export type SentSecrets = Sent<typeof secretsShape>

export const logConfigShape = struct('LogConfig', {
  Disabled: bool,
  MaxFiles: int,
  MaxFileSizeMB: int,
  Enabled: optional(bool),
})
const lifecycleShape = struct('TaskLifecycle', { Hook: text, Sidecar: bool })
export const dispatchPayloadShape = struct('DispatchPayloadConfig', { File: text })
export const volumeMountShape = struct('VolumeMount', {
  Volume: text,
  Destination: text,
  ReadOnly: bool,
  PropagationMode: text,
  SELinuxLabel: optional(text),
})
export type VolumeMount = Stored<typeof volumeMountShape>
const csiPluginShape = struct('TaskCSIPluginConfig', {
  ID: text,
  Type: text,
  MountDir: text,
  StagePublishBaseDir: optional(text),
  HealthTimeout: optional(duration),
})

/** One program of a group. */
export const taskShape = struct('Task', {
  Name: text,
  Driver: driverName,
  User: text,
  Config: goMap(any),
  Env: goMap(text),
  Services: goList(serviceShape),
  Secrets: called('Vault', nullable(secretsShape)),
  Templates: goList(templateShape),
  Constraints: goList(constraintShape),
  Affinities: goList(affinityShape),
  Resources: nullable(resourcesShape),
  RestartPolicy: nullable(restartPolicyShape),
  DispatchPayload: nullable(dispatchPayloadShape),
  Lifecycle: nullable(lifecycleShape),
  Meta: goMap(text),
  KillTimeout: duration,
  KillSignal: text,
  Kind: text,
  Leader: bool,
  LogConfig: nullable(logConfigShape),
  Artifacts: goList(artifactShape),
  CSIPluginConfig: nullable(csiPluginShape),
  ScalingPolicies: goList(scalingShape),
  ShutdownDelay: duration,
  VolumeMounts: goList(volumeMountShape),
  Identity: optional(any),
  Identities: optional(any),
  Actions: optional(any),
  Schedule: optional(any),
  Mesh: called('Consul', optional(any)),
  UsesHostVolumes: optional(any),
})
export type Task = Stored<typeof taskShape>
export type SentTask = Sent<typeof taskShape>
