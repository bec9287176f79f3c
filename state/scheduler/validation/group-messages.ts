import { defineMessages } from '../../kernel/refusal.ts'

/** Messages about groups of tasks, their networks and volumes (behaviour/scheduler#validation). */
export const { table: groupMessages, message } = defineMessages({
  'task-invalid': { text: 'Task {name} validation failed: {errors}' },
  'group-network-invalid': { text: 'Task group network validation failed: {errors}' },
  'group-service-invalid': { text: 'Task group service validation failed: {errors}' },
  'group-check-invalid': { text: 'Task group service check validation failed: {errors}' },
  'group-scaling-invalid': { text: 'Task group scaling policy validation failed: {errors}' },
  'group-volume-invalid': { text: 'Task group volume validation for {name} failed: {errors}' },

  'group-name-missing': { text: 'Missing task group name' },
  'group-name-null': { text: 'Task group name contains null character' },
  'group-count-negative': { text: "Task group count can't be negative" },
  'group-tasks-missing': { text: 'Missing tasks for task group' },
  'shutdown-delay-negative': { text: 'ShutdownDelay must be a positive value' },
  'disconnect-both': {
    text: 'Task group cannot be configured with both max_client_disconnect and stop_after_client_disconnect',
  },
  'max-disconnect-negative': { text: 'max_client_disconnect cannot be negative' },
  'system-reschedule': { text: 'System jobs should not have a reschedule policy' },
  'reschedule-missing': { text: 'Task Group {name} should have a reschedule policy' },
  'disk-too-small': { text: 'minimum DiskMB value is 10; got {size}' },
  'update-type': { text: 'Job type {type} does not allow update block' },
  'migrate-type': { text: 'Job type {type} does not allow migrate block' },
  'task-unnamed': { text: 'Task {at} missing name' },
  'task-again': { text: "Task {at} redefines '{name}' from task {first}" },
  'leader-again': { text: 'Only one task may be marked as leader' },

  'scaling-invalid': { text: 'Scaling policy invalid: {error}' },
  'scaling-maximum-exceeded': {
    text: 'task group count must not be greater than maximum count in scaling policy',
  },
  'scaling-minimum-missed': {
    text: 'task group count must not be less than minimum count in scaling policy',
  },
  'scaling-job-missing': { text: 'missing target job' },
  'scaling-group-missing': { text: 'missing target group' },
  'scaling-type-unknown': { text: 'scaling policy type {type} is not valid' },
  'scaling-maximum-negative': { text: 'maximum count must be specified and non-negative' },
  'scaling-maximum-below-minimum': {
    text: 'maximum count must not be less than minimum count',
  },
  'scaling-minimum-negative': { text: 'minimum count must be specified and non-negative' },

  'port-label-taken': { text: 'Port label {label} already in use by taskgroup network' },
  'port-mapped-negative': { text: 'Port {label} cannot be mapped to negative value {to}' },
  'port-mapped-too-high': {
    text: 'Port {label} cannot be mapped to a port ({to}) greater than {highest}',
  },
  'port-collision-mode': {
    text: 'Port {label} collision may not be ignored on non-host network mode {mode}',
  },
  'port-reserved': { text: 'Static port {port} already reserved by {owner}' },
  'port-too-high': { text: 'Port {label} ({port}) cannot be greater than {highest}' },
  'hostname-invalid': { text: 'Hostname is not a valid DNS name' },

  'volume-source-empty': { text: 'volume has an empty source' },
  'volume-per-alloc-system': {
    text: 'volume cannot be per_alloc for system or sysbatch jobs',
  },
  'volume-per-alloc-canary': { text: 'volume cannot be per_alloc when canaries are in use' },
  'volume-host-options': { text: 'host volumes cannot have mount options' },
  'volume-mode-reads': { text: '{mode} volumes must be read-only' },
  'volume-host-mode': { text: 'host volumes cannot be mounted with {mode} access mode' },
  'volume-attachment-missing': { text: 'CSI volumes must have an attachment mode' },
  'volume-block-options': { text: 'block devices cannot have mount options' },
  'volume-mode-missing': { text: 'CSI volumes must have an access mode' },
  'volume-mode-alone': { text: 'volume with {mode} access mode allows only one {user}' },
})
