import { formatGoDuration } from '../../../go/duration.ts'
import { quoteGo } from '../../../go/text.ts'
import { emptyValueOf } from '../../../kernel/shape/fill-defaults.ts'
import { type TaskEvent, type TaskState, taskEventShape } from '../model/allocation-shapes.ts'

/** Maximum number of events that a task keeps (behaviour/scheduler#task-events). */
const maxTaskEvents = 10

/**
 * Members of a task event that are passed to `taskEvent`. All other members of the event follow
 * from these members and from the type.
 */
export type TaskEventFields = Partial<
  Omit<TaskEvent, 'Type' | 'Time' | 'DisplayMessage' | 'Details'>
> & { readonly oomKilled?: boolean; readonly signal?: string }

/** Renderers of the display message and the `Details` of one type of task event. */
interface EventTemplate {
  readonly message: (event: TaskEvent) => string
  readonly details?: (event: TaskEvent, oomKilled: boolean) => Readonly<Record<string, string>>
}

const fieldOrDefault =
  (
    field: 'Message' | 'DriverMessage' | 'DriverError' | 'KillError' | 'RestartReason',
    fallback: string,
  ) =>
  (event: TaskEvent): string =>
    event[field] === '' ? fallback : event[field]

/** Reason of a restart that the restart policy allows. The display message omits this reason. */
export const withinPolicyReason = 'Restart within policy'

/**
 * Templates by type of event. The list contains the types in behaviour/scheduler#task-events, and
 * further types for forced transitions and lifecycle hooks.
 */
const eventTemplates = {
  Received: { message: () => 'Task received by client' },
  'Task Setup': {
    message: fieldOrDefault('Message', ''),
    details: ({ Message }) => ({ message: Message }),
  },
  'Downloading Artifacts': { message: () => 'Client is downloading artifacts' },
  Driver: {
    message: fieldOrDefault('DriverMessage', ''),
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
    message: fieldOrDefault('RestartReason', 'Task exceeded restart policy'),
    details: ({ RestartReason }) => ({ restart_reason: RestartReason, fails_task: 'true' }),
  },
  'Driver Failure': {
    message: fieldOrDefault('DriverError', 'Failed to start task'),
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
  Killed: { message: fieldOrDefault('KillError', 'Task successfully killed') },
  'Sibling Task Failed': {
    message: ({ FailedSibling }) => `Task's sibling ${quoteGo(FailedSibling)} failed`,
    details: ({ FailedSibling }) => ({ failed_sibling: FailedSibling }),
  },
  'Leader Task Dead': { message: () => 'Leader Task in Group dead' },
  'Main Tasks Dead': { message: () => 'Main tasks in the group died' },
  'Restart Signaled': {
    message: fieldOrDefault('RestartReason', 'Task signaled to restart'),
    details: ({ RestartReason }) => ({ restart_reason: RestartReason }),
  },
  // As in the reference, only the details contain the signal (behaviour/scheduler#task-actions).
  Signaling: { message: () => 'Task being sent a signal' },
} as const satisfies Readonly<Record<string, EventTemplate>>

export type TaskEventType = keyof typeof eventTemplates

export const taskEventTypes = Object.keys(eventTemplates)

const blankEvent: TaskEvent = { ...emptyValueOf(taskEventShape), GenericSource: '' }

/**
 * Creates a task event.
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

/** Appends events to a task's state and drops the oldest events beyond `maxTaskEvents`. */
export function withEvents(state: TaskState, events: readonly TaskEvent[]): TaskState {
  return { ...state, Events: [...(state.Events ?? []), ...events].slice(-maxTaskEvents) }
}
