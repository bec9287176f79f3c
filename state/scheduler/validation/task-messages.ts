import { defineMessages, messageTexts } from '../../kernel/refusal.ts'

/** Messages about tasks and their blocks (behaviour/scheduler#validation). */
export const { table: taskMessages, message } = defineMessages(
  messageTexts({
    'task-name-missing': 'Missing task name',
    'task-name-slash': 'Task name cannot include slashes',
    'task-name-null': 'Task name cannot include null characters',
    'task-driver-missing': 'Missing task driver',
    'task-resources-missing': 'Missing task resources',
    'kill-timeout-negative': 'KillTimeout must be a positive value',
    // The misspelling is the reference's.
    'kill-timeout-beyond-deadline':
      "KillTimout ({timeout}) longer than the group's ProgressDeadline ({deadline})",

    'cpu-and-cores': "Task can only ask for 'cpu' or 'cores' resource, not both.",
    'cpu-too-low': 'minimum CPU value is 1; got {value}',
    'memory-too-low': 'minimum MemoryMB value is 10; got {value}',
    'device-invalid': 'device {at} failed validation: {errors}',
    'device-name-missing':
      'device name must be given as one of the following: type, vendor/type, or vendor/type/name',
    'device-operand-unsupported': 'using unsupported operand {operand}',
    'numa-enterprise': 'numa scheduling requires Sched Enterprise',
    'memory-max-too-low':
      'MemoryMaxMB value ({value}) should be larger than MemoryMB value ({memory})',
    'secrets-memory-too-high':
      'SecretsMB value ({value}) cannot be larger than MemoryMB value ({memory})',
    'secrets-memory-negative': 'SecretsMB value ({value}) cannot be negative',

    'log-config-missing': 'Missing Log Config',
    'log-files-too-few': 'minimum number of files is 1; got {value}',
    'log-file-too-small': 'minimum file size is 1MB; got {value}',
    'log-storage-too-large':
      'log storage ({usage} MB) must be less than requested disk capacity ({disk} MB)',
    'constraint-operand-at-task': 'Constraint {at} has disallowed Operand at task level: {operand}',
    'secrets-invalid': 'Secrets validation failed: {errors}',
    'secrets-not-enabled': 'Secrets {cluster} not enabled but used in the job',
    'secrets-policies-empty': 'Task {task} has a Secrets block with an empty list of policies',
    'secrets-signal-missing': 'Signal must be specified when using change mode "signal"',
    'secrets-change-mode-unknown': 'Unknown change mode {mode}',
    'payload-destination-escapes':
      'Dispatch Payload validation failed: destination escapes allocation directory',
    'lifecycle-hook-missing': 'Lifecycle validation failed: no lifecycle hook provided',
    'lifecycle-hook-unknown': 'Lifecycle validation failed: invalid hook: {hook}',
    'mount-volume-undefined': 'Volume Mount ({at}) references undefined volume {volume}',
    'mount-invalid': 'Volume Mount ({at}) is invalid: "{errors}"',
    'mount-volume-empty': 'volume mount references an empty volume',
    'mount-label-invalid': 'volume mount has an invalid SELinux label: "{label}"',
    'mount-propagation-unknown': 'volume mount has an invalid propagation mode: {mode}',
    'plugin-id-missing': 'CSIPluginConfig must have a non-empty PluginID',
    'plugin-type-unknown': `CSIPluginConfig PluginType must be one of 'node', 'controller', or 'monolith', got: "{type}"`,

    'destination-escapes': 'destination escapes allocation directory',
    'template-again': 'Template {at} has same destination as {other}',
    'template-source-missing': 'Must specify a source path or have an embedded template',
    'template-destination-missing': 'Must specify a destination for the template',
    'template-signal-missing': 'Must specify signal value when change mode is signal',
    'template-signal-env': 'cannot use signals with env var templates',
    'template-change-mode-unknown':
      'Invalid change mode. Must be one of the following: noop, signal, script, restart',
    'template-script-missing':
      'must specify change script configuration value when change mode is script',
    'template-script-path-missing': 'must specify script path value when change mode is script',
    'template-splay-negative': 'Must specify positive splay value',
    'template-perms-invalid': 'Failed to parse {perms} as octal: {why}',
    'template-wait-inverted': 'wait min {least} is greater than max {most}',

    'artifact-source-missing': 'source must be specified',
    'artifact-mode-unknown': 'invalid artifact mode {mode}; must be one of: any, file, dir',
    'checksum-empty': 'checksum value cannot be empty',
    'checksum-form': 'checksum must be given as "type:value"; got {checksum}',
    'checksum-byte-invalid': 'invalid checksum: encoding/hex: invalid byte: {byte}',
    'checksum-length-odd': 'invalid checksum: encoding/hex: odd length hex string',
    'checksum-type-unknown': 'unsupported checksum type: {type}',
    'checksum-length': 'invalid {type} checksum: {value}',
  }),
)
