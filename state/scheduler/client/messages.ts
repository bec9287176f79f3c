import { defineMessages, refusals } from '../../kernel/refusal.ts'

/**
 * Messages of refusals that clients, not servers, send (behaviour/scheduler#statistics,
 * behaviour/scheduler#task-actions, behaviour/scheduler#files and
 * behaviour/scheduler#node-metadata).
 */
export const {
  table: clientMessages,
  message,
  refuse,
} = defineMessages({
  ...refusals('absent', {
    'client-allocation-unknown': 'Unknown allocation {id}',
    'client-resource-unknown': 'resource not found',
    'client-node-unreachable': 'No path to node',

    'client-node-unknown': 'Unknown node {id}',

    'logs-not-started': 'task {task} not started yet. No logs available',
    'file-absent': '{call} /var/lib/sched/alloc/{id}/{path}: no such file or directory',
  }),
  ...refusals('invalid', {
    'client-node-missing': 'No local Node and node_id not provided',

    'metadata-missing': 'missing required Meta object',
    'metadata-key-empty': 'metadata keys must not be empty',
    'metadata-key-invalid': '{key} is invalid; metadata keys must be valid dotted hcl identifiers',

    'alloc-id-missing': 'must provide a valid alloc id',
    'file-name-missing': 'must provide a file name',
    'task-name-missing': 'must provide task name',
    'log-type-missing': 'must provide log type (stdout/stderr)',
    'origin-invalid': 'origin must be start or end',
    'parameter-unreadable': 'error parsing {name}: {why}',
    'truth-unreadable': 'failed to parse {name} field to boolean: {why}',
    'stream-impossible': '{why}',
    'logs-task-unknown': 'unknown task name {task}',
    'file-is-folder': 'file {path} is a directory',

    'signal-body-unreadable': 'Failed to decode body: {why}',
  }),
  ...refusals('conflict', {
    'client-not-collectable': 'No such allocation on client, or allocation not eligible for GC',

    'stream-unreadable': '{why}',
    'path-outside': 'Path escapes the alloc directory',
    'folder-is-file': 'readdirent /var/lib/sched/alloc/{id}/{path}: not a directory',
    'file-secret': 'Reading secret file prohibited: {path}',
    'file-private': 'Reading private file prohibited: {path}',

    'restart-body-unreadable': '{why}',
    'restart-task-unknown': 'Could not find task runner for task: {task}',
    'restart-task-beside-all': 'task name cannot be set when restarting all tasks',
    'restart-of-ended': 'restart of an alloc that should not run',
    'task-not-running': 'Task not running',

    'signal-task-unknown': 'Task not found',
    'signals-failed': '{errors}',
  }),
  'signal-failed': { text: 'Failed to signal task: {task}, err: Task not running' },
})
