import {
  any,
  bool,
  called,
  duration,
  echoed,
  int,
  list,
  map,
  pointer,
  type Sent,
  type Stored,
  struct,
  text,
} from '../shape/kinds.ts'
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
  ChangeScript: echoed(any),
  Uid: echoed(int),
  Gid: echoed(int),
  LeftDelim: echoed(text),
  RightDelim: echoed(text),
  Envvars: echoed(bool),
  Wait: echoed(pointer(struct('WaitConfig', { Min: pointer(duration), Max: pointer(duration) }))),
  Once: echoed(bool),
  ErrMissingKey: echoed(bool),
})
export type Template = Stored<typeof templateShape>
export type SentTemplate = Sent<typeof templateShape>

/** A file that is fetched for a task. */
export const artifactShape = struct('TaskArtifact', {
  GetterSource: text,
  GetterOptions: map(text),
  RelativeDest: text,
  GetterHeaders: echoed(map(text)),
  GetterMode: echoed(text),
  GetterInsecure: echoed(bool),
  Chown: echoed(bool),
})
export type Artifact = Stored<typeof artifactShape>
export type SentArtifact = Sent<typeof artifactShape>

/** What a task may have of the secrets service. */
export const secretsShape = struct(
  'Secrets',
  {
    Policies: list(text),
    Role: text,
    Namespace: text,
    Env: bool,
    ChangeMode: text,
    ChangeSignal: text,
    Cluster: echoed(text),
    DisableFile: echoed(bool),
    AllowTokenExpiration: echoed(bool),
  },
  'Vault',
)
export type Secrets = Stored<typeof secretsShape>
export type SentSecrets = Sent<typeof secretsShape>

export const logConfigShape = struct('LogConfig', {
  Disabled: bool,
  MaxFiles: int,
  MaxFileSizeMB: int,
  Enabled: echoed(bool),
})
export const lifecycleShape = struct('TaskLifecycle', { Hook: text, Sidecar: bool })
export const dispatchPayloadShape = struct('DispatchPayloadConfig', { File: text })
export const volumeMountShape = struct('VolumeMount', {
  Volume: text,
  Destination: text,
  ReadOnly: bool,
  PropagationMode: text,
  SELinuxLabel: echoed(text),
})
export type VolumeMount = Stored<typeof volumeMountShape>
export const csiPluginShape = struct('TaskCSIPluginConfig', {
  ID: text,
  Type: text,
  MountDir: text,
  StagePublishBaseDir: echoed(text),
  HealthTimeout: echoed(duration),
})

/** One program of a group. */
export const taskShape = struct('Task', {
  Name: text,
  Driver: text,
  User: text,
  Config: map(any),
  Env: map(text),
  Services: list(serviceShape),
  Secrets: called('Vault', pointer(secretsShape)),
  Templates: list(templateShape),
  Constraints: list(constraintShape),
  Affinities: list(affinityShape),
  Resources: pointer(resourcesShape),
  RestartPolicy: pointer(restartPolicyShape),
  DispatchPayload: pointer(dispatchPayloadShape),
  Lifecycle: pointer(lifecycleShape),
  Meta: map(text),
  KillTimeout: duration,
  KillSignal: text,
  Kind: text,
  Leader: bool,
  LogConfig: pointer(logConfigShape),
  Artifacts: list(artifactShape),
  CSIPluginConfig: pointer(csiPluginShape),
  ScalingPolicies: list(scalingShape),
  ShutdownDelay: duration,
  VolumeMounts: list(volumeMountShape),
  Identity: echoed(any),
  Identities: echoed(any),
  Actions: echoed(any),
  Schedule: echoed(any),
  Mesh: echoed(any, 'Consul'),
  UsesHostVolumes: echoed(any),
})
export type Task = Stored<typeof taskShape>
export type SentTask = Sent<typeof taskShape>
