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
  inFile,
  notInFile,
  notNullInFile,
  optional,
  struct,
  vendorNamed,
} from '../../kernel/shape/members.ts'
import type { ParsedOf, StoredOf } from '../../kernel/shape/values.ts'
import { driverName } from '../vendor-names.ts'
import { actionsShape, meshPlaceShape, scheduleShape } from './retained-shapes.ts'
import {
  affinityShape,
  constraintShape,
  resourcesShape,
  restartPolicyShape,
  scalingShape,
} from './scheduling-shapes.ts'
import { serviceShape } from './service-shapes.ts'

/** A script that runs when a template has changed. */
export const changeScriptShape = struct('ChangeScript', {
  Command: text,
  Args: list(text),
  Timeout: duration,
  FailOnError: bool,
})
export type InputChangeScript = ParsedOf<typeof changeScriptShape>

/** A file that is rendered for a task (behaviour/scheduler#api-job). */
export const templateShape = struct('Template', {
  SourcePath: inFile('source', text),
  DestPath: inFile('destination', text),
  EmbeddedTmpl: inFile('data', text),
  ChangeMode: text,
  ChangeSignal: text,
  Splay: duration,
  Perms: text,
  ChangeScript: optional(nullable(changeScriptShape)),
  Uid: optional(int),
  Gid: optional(int),
  LeftDelim: inFile('left_delimiter', optional(text)),
  RightDelim: inFile('right_delimiter', optional(text)),
  Envvars: inFile('env', optional(bool)),
  Wait: optional(
    nullable(struct('WaitConfig', { Min: nullable(duration), Max: nullable(duration) })),
  ),
  ErrMissingKey: inFile('error_on_missing_key', optional(bool)),
})
export type Template = StoredOf<typeof templateShape>
export type InputTemplate = ParsedOf<typeof templateShape>

/** A file that is fetched for a task. */
export const artifactShape = struct('TaskArtifact', {
  GetterSource: inFile('source', text),
  GetterOptions: inFile('options', goMap(text)),
  RelativeDest: inFile('destination', text),
  GetterHeaders: inFile('headers', optional(goMap(text))),
  GetterMode: inFile('mode', optional(text)),
  GetterInsecure: inFile('insecure', optional(bool)),
  Chown: notNullInFile(optional(bool)),
})
export type Artifact = StoredOf<typeof artifactShape>
export type InputArtifact = ParsedOf<typeof artifactShape>

/** A task's access to the secrets service. */
export const secretsShape = struct(
  'Secrets',
  {
    Policies: goList(text),
    Role: notNullInFile(text),
    Namespace: text,
    Env: bool,
    ChangeMode: text,
    ChangeSignal: text,
    Cluster: notNullInFile(optional(text)),
    DisableFile: optional(bool),
    AllowTokenExpiration: optional(bool),
  },
  'Vault',
)
export type Secrets = StoredOf<typeof secretsShape>
export type InputSecrets = ParsedOf<typeof secretsShape>

export const logConfigShape = struct('LogConfig', {
  Disabled: bool,
  MaxFiles: int,
  MaxFileSizeMB: inFile('max_file_size', int),
  Enabled: optional(bool),
})
export const lifecycleShape = struct('TaskLifecycle', {
  Hook: notNullInFile(text),
  Sidecar: notNullInFile(bool),
})
export const dispatchPayloadShape = struct('DispatchPayloadConfig', { File: notNullInFile(text) })
export const volumeMountShape = struct('VolumeMount', {
  Volume: text,
  Destination: text,
  ReadOnly: bool,
  PropagationMode: text,
  SELinuxLabel: inFile('selinux_label', optional(text)),
})
export type VolumeMount = StoredOf<typeof volumeMountShape>
const csiPluginShape = struct('TaskCSIPluginConfig', {
  ID: notNullInFile(text),
  Type: notNullInFile(typed('CSIPluginType', text)),
  MountDir: notNullInFile(text),
  StagePublishBaseDir: notNullInFile(optional(text)),
  HealthTimeout: notNullInFile(optional(duration)),
})

/** One program of a group. */
export const taskShape = struct('Task', {
  Name: notInFile(text),
  Driver: notNullInFile(driverName),
  User: notNullInFile(text),
  Config: goMap(any),
  Env: goMap(text),
  Services: goList(serviceShape),
  Secrets: vendorNamed('Vault', nullable(secretsShape)),
  Templates: goList(templateShape),
  Constraints: goList(constraintShape),
  Affinities: goList(affinityShape),
  Resources: nullable(resourcesShape),
  RestartPolicy: nullable(restartPolicyShape),
  DispatchPayload: nullable(dispatchPayloadShape),
  Lifecycle: nullable(lifecycleShape),
  Meta: goMap(text),
  KillTimeout: duration,
  KillSignal: notNullInFile(text),
  Kind: notNullInFile(text),
  Leader: notNullInFile(bool),
  LogConfig: nullable(logConfigShape),
  Artifacts: goList(artifactShape),
  CSIPluginConfig: inFile('csi_plugin', nullable(csiPluginShape)),
  ScalingPolicies: goList(scalingShape),
  ShutdownDelay: notNullInFile(duration),
  VolumeMounts: goList(volumeMountShape),
  Identity: optional(any),
  Identities: optional(any),
  Actions: optional(actionsShape),
  Schedule: optional(scheduleShape),
  Mesh: vendorNamed('Consul', optional(meshPlaceShape)),
  UsesHostVolumes: notInFile(optional(any)),
})
export type Task = StoredOf<typeof taskShape>
export type InputTask = ParsedOf<typeof taskShape>
