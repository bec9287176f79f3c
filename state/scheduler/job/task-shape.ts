import {
  any,
  bool,
  duration,
  goList,
  goMap,
  int,
  list,
  nullable,
  text,
  typed,
} from '../../kernel/shape/kinds.ts'
import {
  called,
  definite,
  optional,
  struct,
  unwritten,
  written,
} from '../../kernel/shape/members.ts'
import type { ParsedOf, StoredOf } from '../../kernel/shape/values.ts'
import { driverName } from '../vendor-names.ts'
import { actionsShape, meshPlaceShape, scheduleShape } from './kept-shapes.ts'
import {
  affinityShape,
  constraintShape,
  resourcesShape,
  restartPolicyShape,
  scalingShape,
} from './scheduling-shapes.ts'
import { serviceShape } from './service-shapes.ts'

/** What runs when a template has changed. */
export const changeScriptShape = struct('ChangeScript', {
  Command: text,
  Args: list(text),
  Timeout: duration,
  FailOnError: bool,
})
export type SentChangeScript = ParsedOf<typeof changeScriptShape>

/** A file that is rendered for a task (behaviour/scheduler#api-job). */
export const templateShape = struct('Template', {
  SourcePath: written('source', text),
  DestPath: written('destination', text),
  EmbeddedTmpl: written('data', text),
  ChangeMode: text,
  ChangeSignal: text,
  Splay: duration,
  Perms: text,
  ChangeScript: optional(nullable(changeScriptShape)),
  Uid: optional(int),
  Gid: optional(int),
  LeftDelim: written('left_delimiter', optional(text)),
  RightDelim: written('right_delimiter', optional(text)),
  Envvars: written('env', optional(bool)),
  Wait: optional(
    nullable(struct('WaitConfig', { Min: nullable(duration), Max: nullable(duration) })),
  ),
  ErrMissingKey: written('error_on_missing_key', optional(bool)),
})
export type Template = StoredOf<typeof templateShape>
export type SentTemplate = ParsedOf<typeof templateShape>

/** A file that is fetched for a task. */
export const artifactShape = struct('TaskArtifact', {
  GetterSource: written('source', text),
  GetterOptions: written('options', goMap(text)),
  RelativeDest: written('destination', text),
  GetterHeaders: written('headers', optional(goMap(text))),
  GetterMode: written('mode', optional(text)),
  GetterInsecure: written('insecure', optional(bool)),
  Chown: definite(optional(bool)),
})
export type Artifact = StoredOf<typeof artifactShape>
export type SentArtifact = ParsedOf<typeof artifactShape>

/** A task's part in the secrets service. */
export const secretsShape = struct(
  'Secrets',
  {
    Policies: goList(text),
    Role: definite(text),
    Namespace: text,
    Env: bool,
    ChangeMode: text,
    ChangeSignal: text,
    Cluster: definite(optional(text)),
    DisableFile: optional(bool),
    AllowTokenExpiration: optional(bool),
  },
  'Vault',
)
export type Secrets = StoredOf<typeof secretsShape>
export type SentSecrets = ParsedOf<typeof secretsShape>

export const logConfigShape = struct('LogConfig', {
  Disabled: bool,
  MaxFiles: int,
  MaxFileSizeMB: written('max_file_size', int),
  Enabled: optional(bool),
})
export const lifecycleShape = struct('TaskLifecycle', {
  Hook: definite(text),
  Sidecar: definite(bool),
})
export const dispatchPayloadShape = struct('DispatchPayloadConfig', { File: definite(text) })
export const volumeMountShape = struct('VolumeMount', {
  Volume: text,
  Destination: text,
  ReadOnly: bool,
  PropagationMode: text,
  SELinuxLabel: written('selinux_label', optional(text)),
})
export type VolumeMount = StoredOf<typeof volumeMountShape>
const csiPluginShape = struct('TaskCSIPluginConfig', {
  ID: definite(text),
  Type: definite(typed('CSIPluginType', text)),
  MountDir: definite(text),
  StagePublishBaseDir: definite(optional(text)),
  HealthTimeout: definite(optional(duration)),
})

/** One program of a group. */
export const taskShape = struct('Task', {
  Name: unwritten(text),
  Driver: definite(driverName),
  User: definite(text),
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
  KillSignal: definite(text),
  Kind: definite(text),
  Leader: definite(bool),
  LogConfig: nullable(logConfigShape),
  Artifacts: goList(artifactShape),
  CSIPluginConfig: written('csi_plugin', nullable(csiPluginShape)),
  ScalingPolicies: goList(scalingShape),
  ShutdownDelay: definite(duration),
  VolumeMounts: goList(volumeMountShape),
  Identity: optional(any),
  Identities: optional(any),
  Actions: optional(actionsShape),
  Schedule: optional(scheduleShape),
  Mesh: called('Consul', optional(meshPlaceShape)),
  UsesHostVolumes: unwritten(optional(any)),
})
export type Task = StoredOf<typeof taskShape>
export type SentTask = ParsedOf<typeof taskShape>
