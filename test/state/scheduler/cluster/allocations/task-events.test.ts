import { describe, expect, test } from 'vitest'
import {
  type TaskEventFields,
  type TaskEventType,
  taskEvent,
  taskEventTypes,
  withEvents,
} from '../../../../../state/scheduler/cluster/allocations/task-events.ts'
import { event, taskState } from '../../../../support/scheduler/scheduler-cluster.ts'
import { minute, second } from '../../../../support/scheduler/scheduler-jobs.ts'

type Row = readonly [TaskEventType, TaskEventFields, string, Readonly<Record<string, string>>]

const rows: readonly Row[] = [
  ['Received', {}, 'Task received by client', {}],
  [
    'Task Setup',
    { Message: 'Building Task Directory' },
    'Building Task Directory',
    { message: 'Building Task Directory' },
  ],
  ['Downloading Artifacts', {}, 'Client is downloading artifacts', {}],
  [
    'Driver',
    { DriverMessage: 'Downloading image redis:7' },
    'Downloading image redis:7',
    { driver_message: 'Downloading image redis:7' },
  ],
  ['Started', {}, 'Task started by client', {}],
  [
    'Terminated',
    { ExitCode: 1 },
    'Exit Code: 1',
    { exit_code: '1', signal: '0', oom_killed: 'false' },
  ],
  [
    'Terminated',
    { ExitCode: 137, Signal: 9 },
    'Exit Code: 137, Signal: 9',
    { exit_code: '137', signal: '9', oom_killed: 'false' },
  ],
  [
    'Terminated',
    { ExitCode: 137, Signal: 9, Message: 'OOM "Killed"', oomKilled: true },
    'Exit Code: 137, Signal: 9, Exit Message: "OOM \\"Killed\\""',
    { exit_code: '137', signal: '9', oom_killed: 'true', exit_message: 'OOM "Killed"' },
  ],
  [
    'Restarting',
    { StartDelay: 15 * second, RestartReason: 'Restart within policy' },
    'Task restarting in 15s',
    { start_delay: '15000000000', restart_reason: 'Restart within policy' },
  ],
  [
    'Restarting',
    { StartDelay: minute, RestartReason: 'Exceeded allowed attempts, applying a delay' },
    'Exceeded allowed attempts, applying a delay - Task restarting in 1m0s',
    {
      start_delay: '60000000000',
      restart_reason: 'Exceeded allowed attempts, applying a delay',
    },
  ],
  [
    'Not Restarting',
    { FailsTask: true, RestartReason: 'Policy allows no restarts' },
    'Policy allows no restarts',
    { restart_reason: 'Policy allows no restarts', fails_task: 'true' },
  ],
  ['Driver Failure', { DriverError: 'no image' }, 'no image', { driver_error: 'no image' }],
  ['Driver Failure', {}, 'Failed to start task', { driver_error: '' }],
  [
    'Killing',
    { KillTimeout: 5 * second },
    'Sent interrupt. Waiting 5s before force killing',
    { kill_timeout: '5s' },
  ],
  ['Killing', {}, 'Sent interrupt', { kill_timeout: '0s' }],
  ['Killing', { KillReason: 'because' }, 'because', { kill_timeout: '0s', kill_reason: 'because' }],
  ['Killed', {}, 'Task successfully killed', {}],
  [
    'Sibling Task Failed',
    { FailedSibling: 'web' },
    `Task's sibling "web" failed`,
    { failed_sibling: 'web' },
  ],
  ['Leader Task Dead', {}, 'Leader Task in Group dead', {}],
  ['Main Tasks Dead', {}, 'Main tasks in the group died', {}],
  [
    'Restart Signaled',
    { RestartReason: 'User requested restart' },
    'User requested restart',
    { restart_reason: 'User requested restart' },
  ],
  ['Signaling', { signal: 'SIGHUP' }, 'Task being sent a signal', { signal: 'SIGHUP' }],
]

describe('events of tasks (behaviour/scheduler#task-events)', () => {
  test.each(rows)('%s %o', (type, fields, DisplayMessage, Details) => {
    const { oomKilled: _, signal: _signal, ...set } = fields
    expect(taskEvent(type, 7, fields)).toEqual(event(type, 7, { ...set, DisplayMessage, Details }))
  })

  test('the table has every type', () => {
    expect(new Set(rows.map(([type]) => type))).toEqual(new Set(taskEventTypes))
  })

  test('the last ten are kept', () => {
    const events = Array.from({ length: 12 }, (_, index) => taskEvent('Started', index))
    const state = withEvents(taskState('running'), events)
    expect(state.Events?.map(({ Time }) => Time)).toEqual([2, 3, 4, 5, 6, 7, 8, 9, 10, 11])
  })
})
