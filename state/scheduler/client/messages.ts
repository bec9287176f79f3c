import { defineMessages } from '../../kernel/refusal.ts'

/**
 * Messages of refusals by clients (behaviour/scheduler#statistics to behaviour/scheduler#files).
 */
export const {
  table: clientMessages,
  message,
  refuse,
} = defineMessages({
  'client-allocation-unknown': { kind: 'absent', text: 'Unknown allocation {id}' },
  'client-resource-unknown': { kind: 'absent', text: 'resource not found' },
  'client-node-unreachable': { kind: 'absent', text: 'No path to node' },

  'client-node-unknown': { kind: 'absent', text: 'Unknown node {id}' },
  'client-node-missing': { kind: 'invalid', text: 'No local Node and node_id not provided' },
  'client-not-collectable': {
    kind: 'conflict',
    text: 'No such allocation on client, or allocation not eligible for GC',
  },

  'alloc-id-missing': { kind: 'invalid', text: 'must provide a valid alloc id' },
  'file-name-missing': { kind: 'invalid', text: 'must provide a file name' },
  'task-name-missing': { kind: 'invalid', text: 'must provide task name' },
  'log-type-missing': { kind: 'invalid', text: 'must provide log type (stdout/stderr)' },
  'origin-invalid': { kind: 'invalid', text: 'origin must be start or end' },
  'parameter-unreadable': { kind: 'invalid', text: 'error parsing {name}: {why}' },
  'truth-unreadable': { kind: 'invalid', text: 'failed to parse {name} field to boolean: {why}' },
  'stream-unreadable': { kind: 'conflict', text: '{why}' },
  'stream-impossible': { kind: 'invalid', text: '{why}' },
  'logs-task-unknown': { kind: 'invalid', text: 'unknown task name {task}' },
  'logs-not-started': {
    kind: 'absent',
    text: 'task {task} not started yet. No logs available',
  },
  'path-outside': { kind: 'conflict', text: 'Path escapes the alloc directory' },
  'file-absent': {
    kind: 'absent',
    text: '{call} /var/lib/sched/alloc/{id}/{path}: no such file or directory',
  },
  'folder-is-file': {
    kind: 'conflict',
    text: 'readdirent /var/lib/sched/alloc/{id}/{path}: not a directory',
  },
  'file-is-folder': { kind: 'invalid', text: 'file {path} is a directory' },
  'file-secret': { kind: 'conflict', text: 'Reading secret file prohibited: {path}' },
  'file-private': { kind: 'conflict', text: 'Reading private file prohibited: {path}' },

  'restart-body-unreadable': { kind: 'conflict', text: '{why}' },
  'restart-task-unknown': {
    kind: 'conflict',
    text: 'Could not find task runner for task: {task}',
  },
  'restart-task-beside-all': {
    kind: 'conflict',
    text: 'task name cannot be set when restarting all tasks',
  },
  'restart-of-ended': { kind: 'conflict', text: 'restart of an alloc that should not run' },
  'task-not-running': { kind: 'conflict', text: 'Task not running' },

  'signal-body-unreadable': { kind: 'invalid', text: 'Failed to decode body: {why}' },
  'signal-task-unknown': { kind: 'conflict', text: 'Task not found' },
  'signals-failed': { kind: 'conflict', text: '{errors}' },
  'signal-failed': { text: 'Failed to signal task: {task}, err: Task not running' },
})
