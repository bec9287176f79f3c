import { defineMessages } from '../../kernel/refusal.ts'

/** Messages about tasks and their files (behaviour/scheduler#validation). */
export const { table: taskMessages, message } = defineMessages({
  'task-name-missing': { text: 'Missing task name' },
  'task-name-slash': { text: 'Task name cannot include slashes' },
  'task-name-null': { text: 'Task name cannot include null characters' },
  'task-driver-missing': { text: 'Missing task driver' },
  'task-resources-missing': { text: 'Missing task resources' },
  'kill-timeout-negative': { text: 'KillTimeout must be a positive value' },
  // The reference has this spelling.
  'kill-timeout-beyond-deadline': {
    text: "KillTimout ({timeout}) longer than the group's ProgressDeadline ({deadline})",
  },

  'cpu-and-cores': { text: "Task can only ask for 'cpu' or 'cores' resource, not both." },
  'cpu-too-low': { text: 'minimum CPU value is 1; got {value}' },
  'memory-too-low': { text: 'minimum MemoryMB value is 10; got {value}' },
  'device-invalid': { text: 'device {at} failed validation: {errors}' },
  'device-name-missing': {
    text: 'device name must be given as one of the following: type, vendor/type, or vendor/type/name',
  },
  'device-operand-unsupported': { text: 'using unsupported operand {operand}' },
  'numa-enterprise': { text: 'numa scheduling requires Sched Enterprise' },
  'memory-max-too-low': {
    text: 'MemoryMaxMB value ({value}) should be larger than MemoryMB value ({memory})',
  },
  'secrets-memory-too-high': {
    text: 'SecretsMB value ({value}) cannot be larger than MemoryMB value ({memory})',
  },
  'secrets-memory-negative': { text: 'SecretsMB value ({value}) cannot be negative' },

  'log-config-missing': { text: 'Missing Log Config' },
  'log-files-too-few': { text: 'minimum number of files is 1; got {value}' },
  'log-file-too-small': { text: 'minimum file size is 1MB; got {value}' },
  'log-storage-too-large': {
    text: 'log storage ({usage} MB) must be less than requested disk capacity ({disk} MB)',
  },
  'constraint-operand-at-task': {
    text: 'Constraint {at} has disallowed Operand at task level: {operand}',
  },
  'secrets-invalid': { text: 'Secrets validation failed: {errors}' },
  'secrets-not-enabled': { text: 'Secrets {cluster} not enabled but used in the job' },
  'secrets-policies-empty': {
    text: 'Task {task} has a Secrets block with an empty list of policies',
  },
  'secrets-signal-missing': {
    text: 'Signal must be specified when using change mode "signal"',
  },
  'secrets-change-mode-unknown': { text: 'Unknown change mode {mode}' },
  'payload-destination-escapes': {
    text: 'Dispatch Payload validation failed: destination escapes allocation directory',
  },
  'lifecycle-hook-missing': {
    text: 'Lifecycle validation failed: no lifecycle hook provided',
  },
  'lifecycle-hook-unknown': { text: 'Lifecycle validation failed: invalid hook: {hook}' },
  'mount-volume-undefined': {
    text: 'Volume Mount ({at}) references undefined volume {volume}',
  },
  'mount-invalid': { text: 'Volume Mount ({at}) is invalid: "{errors}"' },
  'mount-volume-empty': { text: 'volume mount references an empty volume' },
  'mount-label-invalid': { text: 'volume mount has an invalid SELinux label: "{label}"' },
  'mount-propagation-unknown': {
    text: 'volume mount has an invalid propagation mode: {mode}',
  },
  'plugin-id-missing': { text: 'CSIPluginConfig must have a non-empty PluginID' },
  'plugin-type-unknown': {
    text: `CSIPluginConfig PluginType must be one of 'node', 'controller', or 'monolith', got: "{type}"`,
  },

  'destination-escapes': { text: 'destination escapes allocation directory' },
  'template-again': { text: 'Template {at} has same destination as {other}' },
  'template-source-missing': {
    text: 'Must specify a source path or have an embedded template',
  },
  'template-destination-missing': {
    text: 'Must specify a destination for the template',
  },
  'template-signal-missing': {
    text: 'Must specify signal value when change mode is signal',
  },
  'template-signal-env': { text: 'cannot use signals with env var templates' },
  'template-change-mode-unknown': {
    text: 'Invalid change mode. Must be one of the following: noop, signal, script, restart',
  },
  'template-script-missing': {
    text: 'must specify change script configuration value when change mode is script',
  },
  'template-script-path-missing': {
    text: 'must specify script path value when change mode is script',
  },
  'template-splay-negative': { text: 'Must specify positive splay value' },
  'template-perms-invalid': { text: 'Failed to parse {perms} as octal: {why}' },
  'template-wait-inverted': { text: 'wait min {least} is greater than max {most}' },

  'artifact-source-missing': { text: 'source must be specified' },
  'artifact-mode-unknown': {
    text: 'invalid artifact mode {mode}; must be one of: any, file, dir',
  },
  'checksum-empty': { text: 'checksum value cannot be empty' },
  'checksum-form': { text: 'checksum must be given as "type:value"; got {checksum}' },
  'checksum-byte-invalid': { text: 'invalid checksum: encoding/hex: invalid byte: {byte}' },
  'checksum-length-odd': { text: 'invalid checksum: encoding/hex: odd length hex string' },
  'checksum-type-unknown': { text: 'unsupported checksum type: {type}' },
  'checksum-length': { text: 'invalid {type} checksum: {value}' },
})
