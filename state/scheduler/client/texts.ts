import { wordings } from '../../kernel/refusal.ts'

/** Texts of what clients refuse (3c-scheduler-more-decisions.md sections 2 to 4). */
export const { say, refuse } = wordings({
  'client-allocation-unknown': { kind: 'absent', text: 'Unknown allocation {id}' },
  'client-resource-unknown': { kind: 'absent', text: 'resource not found' },
  'client-node-unreachable': { kind: 'absent', text: 'No path to node' },

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
