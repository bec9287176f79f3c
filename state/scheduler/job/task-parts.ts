import { SECOND } from '../../go/duration.ts'
import {
  bool,
  exactDuration,
  exactInt,
  goList,
  goMap,
  list,
  nullable,
  text,
  typed,
} from '../../kernel/shape/kinds.ts'
import {
  filledIn,
  goValue,
  inFile,
  inputOnly,
  lenientStruct,
  notInFile,
  struct,
  vendorNamed,
  withDefault,
} from '../../kernel/shape/members.ts'
import type { ParsedOf, StoredOf } from '../../kernel/shape/values.ts'

export const changeScriptShape = struct('ChangeScript', {
  Command: withDefault(text, ''),
  Args: list(text),
  Timeout: withDefault(exactDuration, 5 * SECOND),
  FailOnError: withDefault(bool, false),
})

/** A file that a client renders for a task (behaviour/scheduler#api-job). */
export const templateShape = struct('Template', {
  SourcePath: withDefault(inFile('source', text), ''),
  DestPath: withDefault(inFile('destination', text), ''),
  EmbeddedTmpl: withDefault(inFile('data', text), ''),
  ChangeMode: withDefault(text, 'restart'),
  ChangeSignal: text,
  Splay: withDefault(exactDuration, 5 * SECOND),
  Perms: withDefault(text, '0644'),
  ChangeScript: filledIn(nullable(changeScriptShape)),
  Uid: filledIn(nullable(exactInt)),
  Gid: filledIn(nullable(exactInt)),
  LeftDelim: inFile('left_delimiter', filledIn(text, '{{')),
  RightDelim: inFile('right_delimiter', filledIn(text, '}}')),
  Envvars: inFile('env', filledIn(bool, false)),
  SecretsGrace: vendorNamed('VaultGrace', filledIn(exactDuration, 0)),
  Wait: filledIn(
    nullable(struct('WaitConfig', { Min: nullable(exactDuration), Max: nullable(exactDuration) })),
  ),
  ErrMissingKey: inFile('error_on_missing_key', filledIn(bool, false)),
})
export type Template = StoredOf<typeof templateShape>
export type InputTemplate = ParsedOf<typeof templateShape>

/** A file that a client downloads for a task. */
export const artifactShape = struct('TaskArtifact', {
  GetterSource: withDefault(inFile('source', text), ''),
  GetterOptions: inFile('options', goMap(text)),
  RelativeDest: inFile('destination', text),
  GetterHeaders: inFile('headers', filledIn(goMap(text))),
  GetterMode: inFile('mode', filledIn(text, 'any')),
  GetterInsecure: inFile('insecure', filledIn(bool, false)),
  Chown: filledIn(goValue(bool)),
})
export type Artifact = StoredOf<typeof artifactShape>
export type InputArtifact = ParsedOf<typeof artifactShape>

/** The `secrets` block: how a task gets a token for the secrets API. */
export const secretsShape = struct(
  'Secrets',
  {
    Policies: goList(text),
    Role: goValue(text),
    Namespace: withDefault(text, ''),
    Env: withDefault(bool, true),
    ChangeMode: withDefault(text, 'restart'),
    ChangeSignal: withDefault(text, 'SIGHUP'),
    Cluster: filledIn(goValue(text), 'default'),
    DisableFile: filledIn(bool, false),
    AllowTokenExpiration: filledIn(bool, false),
  },
  'Vault',
)
export type Secrets = StoredOf<typeof secretsShape>

export const logConfigShape = struct('LogConfig', {
  Disabled: withDefault(bool, false),
  MaxFiles: withDefault(exactInt, 10),
  MaxFileSizeMB: withDefault(inFile('max_file_size', exactInt), 10),
  Enabled: inputOnly(bool),
})
export const lifecycleShape = struct('TaskLifecycle', {
  Hook: goValue(text),
  Sidecar: goValue(bool),
})
export const dispatchPayloadShape = struct('DispatchPayloadConfig', { File: goValue(text) })
export const volumeMountShape = struct('VolumeMount', {
  Volume: text,
  Destination: text,
  ReadOnly: withDefault(bool, false),
  PropagationMode: withDefault(text, 'private'),
  SELinuxLabel: inFile('selinux_label', filledIn(text, '')),
})
export type VolumeMount = StoredOf<typeof volumeMountShape>
export type InputVolumeMount = ParsedOf<typeof volumeMountShape>
export const csiPluginShape = struct('TaskCSIPluginConfig', {
  ID: goValue(text),
  Type: goValue(typed('CSIPluginType', text)),
  MountDir: goValue(text, '/csi'),
  StagePublishBaseDir: filledIn(goValue(text), '/local/csi'),
  HealthTimeout: filledIn(goValue(exactDuration), 30 * SECOND),
})

/** A command that users can run inside a running task. */
export const actionShape = lenientStruct('Action', {
  Name: goValue(notInFile(text)),
  Command: goValue(text),
  Args: goList(text),
})

/** The times at which a task runs. */
export const scheduleShape = lenientStruct('TaskSchedule', {
  Cron: nullable(
    lenientStruct('TaskScheduleCron', {
      Start: goValue(text),
      End: goValue(text),
      Timezone: goValue(text),
    }),
  ),
})
