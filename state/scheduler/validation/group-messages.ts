import { defineMessages, messageTexts } from '../../kernel/refusal.ts'

/**
 * Messages about groups and their networks, volumes, scaling and disconnect settings
 * (behaviour/scheduler#validation).
 */
export const { table: groupMessages, message } = defineMessages(
  messageTexts({
    'task-invalid': 'Task {name} validation failed: {errors}',
    'group-network-invalid': 'Task group network validation failed: {errors}',
    'group-service-invalid': 'Task group service validation failed: {errors}',
    'group-check-invalid': 'Task group service check validation failed: {errors}',
    'group-scaling-invalid': 'Task group scaling policy validation failed: {errors}',
    'group-volume-invalid': 'Task group volume validation for {name} failed: {errors}',

    'group-name-missing': 'Missing task group name',
    'group-name-null': 'Task group name contains null character',
    'group-count-negative': "Task group count can't be negative",
    'group-tasks-missing': 'Missing tasks for task group',
    'shutdown-delay-negative': 'ShutdownDelay must be a positive value',
    'disconnect-both':
      'Task group cannot be configured with both max_client_disconnect and stop_after_client_disconnect',
    'max-disconnect-negative': 'max_client_disconnect cannot be negative',
    'disconnect-both-lost': 'using both lost_after and max_client_disconnect is not allowed',
    'disconnect-both-stop':
      'using both stop_after_client_disconnect and stop_on_client_after is not allowed',
    'disconnect-both-replace': 'using both prevent_reschedule_on_lost and replace is not allowed',
    'disconnect-stop-negative': 'stop_after cannot be a negative duration',
    'disconnect-stop-type': 'stop_after can only be used with service or batch job types',
    'disconnect-lost-negative': 'lost_after cannot be a negative duration',
    'disconnect-stop-and-lost':
      'Disconnect cannot be configured with both lost_after and stop_after',
    'disconnect-reconcile-unknown': 'reconcile option is invalid: {option}',
    'system-reschedule': 'System jobs should not have a reschedule policy',
    'reschedule-missing': 'Task Group {name} should have a reschedule policy',
    'disk-too-small': 'minimum DiskMB value is 10; got {size}',
    'update-type': 'Job type {type} does not allow update block',
    'migrate-type': 'Job type {type} does not allow migrate block',
    'task-unnamed': 'Task {at} missing name',
    'task-again': "Task {at} redefines '{name}' from task {first}",
    'leader-again': 'Only one task may be marked as leader',

    'scaling-invalid': 'Scaling policy invalid: {error}',
    'scaling-maximum-exceeded':
      'task group count must not be greater than maximum count in scaling policy',
    'scaling-minimum-missed':
      'task group count must not be less than minimum count in scaling policy',
    'scaling-job-missing': 'missing target job',
    'scaling-group-missing': 'missing target group',
    'scaling-type-unknown': 'scaling policy type {type} is not valid',
    'scaling-maximum-negative': 'maximum count must be specified and non-negative',
    'scaling-maximum-below-minimum': 'maximum count must not be less than minimum count',
    'scaling-minimum-negative': 'minimum count must be specified and non-negative',

    'port-label-taken': 'Port label {label} already in use by taskgroup network',
    'port-mapped-negative': 'Port {label} cannot be mapped to negative value {to}',
    'port-mapped-too-high': 'Port {label} cannot be mapped to a port ({to}) greater than {highest}',
    'port-collision-mode':
      'Port {label} collision may not be ignored on non-host network mode {mode}',
    'port-reserved': 'Static port {port} already reserved by {owner}',
    'port-too-high': 'Port {label} ({port}) cannot be greater than {highest}',
    'hostname-invalid': 'Hostname is not a valid DNS name',

    'volume-source-empty': 'volume has an empty source',
    'volume-per-alloc-system': 'volume cannot be per_alloc for system or sysbatch jobs',
    'volume-per-alloc-canary': 'volume cannot be per_alloc when canaries are in use',
    'volume-host-options': 'host volumes cannot have mount options',
    'volume-mode-reads': '{mode} volumes must be read-only',
    'volume-host-access': 'host volumes cannot have an access mode',
    'volume-host-attachment': 'host volumes cannot have an attachment mode',
    'volume-attachment-missing': 'CSI volumes must have an attachment mode',
    'volume-block-options': 'block devices cannot have mount options',
    'volume-mode-missing': 'CSI volumes must have an access mode',
    'volume-mode-alone': 'volume with {mode} access mode allows only one {user}',
  }),
)
