import { formatGoDuration } from '../../../go/duration.ts'
import { quoteGo } from '../../../go/text.ts'
import { emptyValueOf } from '../../../kernel/shape/fill-defaults.ts'
import { type TaskEvent, type TaskState, taskEventShape } from '../model/allocation-shapes.ts'

/** Maximum number of stored events of a task (behaviour/scheduler#cluster). */
const maxTaskEvents = 10

/** Input for a task event. The time, the message and the details are derived from it. */
export type TaskEventFields = Partial<
  Omit<TaskEvent, 'Type' | 'Time' | 'DisplayMessage' | 'Details'>
> & { readonly oomKilled?: boolean; readonly signal?: string }

/** Functions that render the display message and the `Details` of a task event. */
interface EventTemplate {
  readonly message: (event: TaskEvent) => string
  readonly details?: (event: TaskEvent, oomKilled: boolean) => Readonly<Record<string, string>>
}

const fieldOr =
  (
    field: 'Message' | 'DriverMessage' | 'DriverError' | 'KillError' | 'RestartReason',
    fallback: string,
  ) =>
  (event: TaskEvent): string =>
    event[field] === '' ? fallback : event[field]

/** Reason of a restart that the restart policy allows. The display message leaves it out. */
export const withinPolicyReason = 'Restart within policy'

/**
 * Templates of the events that behaviour/scheduler#cluster lists, and of the events that forced
 * transitions and hooks cause.
 */
const eventTemplates = {
  Received: { message: () => 'Task received by client' },
  'Task Setup': {
    message: fieldOr('Message', ''),
    details: ({ Message }) => ({ message: Message }),
  },
  'Downloading Artifacts': { message: () => 'Client is downloading artifacts' },
  Driver: {
    message: fieldOr('DriverMessage', ''),
    details: ({ DriverMessage }) => ({ driver_message: DriverMessage }),
  },
  Started: { message: () => 'Task started by client' },
  Terminated: {
    message: ({ ExitCode, Signal, Message }) => {
      const signal = Signal === 0 ? '' : `, Signal: ${Signal}`
      const exitMessage = Message === '' ? '' : `, Exit Message: ${quoteGo(Message)}`
      return `Exit Code: ${ExitCode}${signal}${exitMessage}`
    },
    details: ({ ExitCode, Signal, Message }, oomKilled) => ({
      exit_code: String(ExitCode),
      signal: String(Signal),
      oom_killed: String(oomKilled),
      ...(Message === '' ? {} : { exit_message: Message }),
    }),
  },
  Restarting: {
    message: ({ StartDelay, RestartReason }) => {
      const delay = `Task restarting in ${formatGoDuration(StartDelay)}`
      return RestartReason === '' || RestartReason === withinPolicyReason
        ? delay
        : `${RestartReason} - ${delay}`
    },
    details: ({ StartDelay, RestartReason }) => ({
      start_delay: String(StartDelay),
      restart_reason: RestartReason,
    }),
  },
  'Not Restarting': {
    message: fieldOr('RestartReason', 'Task exceeded restart policy'),
    details: ({ RestartReason }) => ({ restart_reason: RestartReason, fails_task: 'true' }),
  },
  'Driver Failure': {
    message: fieldOr('DriverError', 'Failed to start task'),
    details: ({ DriverError }) => ({ driver_error: DriverError }),
  },
  Killing: {
    message: ({ KillReason, KillTimeout }) => {
      if (KillReason !== '') return KillReason
      if (KillTimeout === 0) return 'Sent interrupt'
      return `Sent interrupt. Waiting ${formatGoDuration(KillTimeout)} before force killing`
    },
    details: ({ KillTimeout, KillReason }) => ({
      kill_timeout: formatGoDuration(KillTimeout),
      ...(KillReason === '' ? {} : { kill_reason: KillReason }),
    }),
  },
  Killed: { message: fieldOr('KillError', 'Task successfully killed') },
  'Sibling Task Failed': {
    message: ({ FailedSibling }) => `Task's sibling ${quoteGo(FailedSibling)} failed`,
    details: ({ FailedSibling }) => ({ failed_sibling: FailedSibling }),
  },
  'Leader Task Dead': { message: () => 'Leader Task in Group dead' },
  'Main Tasks Dead': { message: () => 'Main tasks in the group died' },
  'Restart Signaled': {
    message: fieldOr('RestartReason', 'Task signaled to restart'),
    details: ({ RestartReason }) => ({ restart_reason: RestartReason }),
  },
  // As in the reference, only the details name the signal (behaviour/scheduler#task-actions).
  Signaling: { message: () => 'Task being sent a signal' },
} as const satisfies Readonly<Record<string, EventTemplate>>

export type TaskEventType = keyof typeof eventTemplates

/** All types of events. */
export const taskEventTypes = Object.keys(eventTemplates)

const blankEvent: TaskEvent = { ...emptyValueOf(taskEventShape), GenericSource: '' }

/**
 * Returns a task event in the form of replies.
 * @param time in nanoseconds since 1970
 */
export function taskEvent(
  type: TaskEventType,
  time: number,
  fields: TaskEventFields = {},
): TaskEvent {
  const { oomKilled = false, signal, ...eventFields } = fields
  const event: TaskEvent = Object.assign({ ...blankEvent }, eventFields, { Type: type, Time: time })
  const template: EventTemplate = eventTemplates[type]
  return Object.assign(event, {
    DisplayMessage: template.message(event),
    Details: template.details?.(event, oomKilled) ?? (signal === undefined ? {} : { signal }),
  })
}

/** Adds events to a task's state. Only the last ten events are kept. */
export function withEvents(state: TaskState, events: readonly TaskEvent[]): TaskState {
  return { ...state, Events: [...(state.Events ?? []), ...events].slice(-maxTaskEvents) }
}
