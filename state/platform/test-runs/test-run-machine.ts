import { defineMachine } from '../../kernel/machine.ts'
import { instant } from '../../kernel/shape/kinds.ts'
import { optional, struct } from '../../kernel/shape/members.ts'
import type { StoredOf } from '../../kernel/shape/values.ts'

/** Times at which a test run reached its statuses. Statuses that were not reached are missing. */
export const testRunTimes = struct({
  queued_at: optional(instant),
  started_at: optional(instant),
  finished_at: optional(instant),
  errored_at: optional(instant),
  canceled_at: optional(instant),
  force_canceled_at: optional(instant),
})

type TestRunTimes = StoredOf<typeof testRunTimes>

export type TestRunEvent =
  | 'queue'
  | 'start'
  | 'finish'
  | 'fail'
  | 'cancel'
  | 'stop'
  | 'force-cancel'

/**
 * Facts about a test run, in addition to its status, that decide which transitions are possible.
 */
export interface TestRunConditions {
  /** Whether a graceful cancel was requested. */
  readonly isCancelRequested: boolean
  /**
   * Whether a run can be canceled before it starts: with the option `cancelQueued`, or by a forced
   * transition.
   */
  readonly mayCancelQueued: boolean
}

const spec = 'behaviour/platform#api-states'
const statesSpec = 'behaviour/platform#test-run-states'
const isCancelRequested = (subject: TestRunConditions): boolean => subject.isCancelRequested

/**
 * State machine of a test run. For a running test run, `cancel` only requests a stop and the status
 * stays `running`; `stop` then ends the run. For a run that has not started, `cancel` ends the run
 * at once, but only with `mayCancelQueued`.
 */
export const testRunMachine = defineMachine<TestRunConditions>()({
  name: 'test run',
  states: ['pending', 'queued', 'running', 'errored', 'canceled', 'finished'],
  moves: [
    { on: 'queue', from: 'pending', to: 'queued', spec: statesSpec },
    { on: 'start', from: 'queued', to: 'running', spec: statesSpec },
    { on: 'finish', from: 'running', to: 'finished', spec: statesSpec },
    { on: 'fail', from: 'running', to: 'errored', spec: statesSpec },
    { on: 'cancel', from: 'running', to: 'running', spec },
    {
      on: 'cancel',
      from: ['pending', 'queued'],
      to: 'canceled',
      when: ({ mayCancelQueued }) => mayCancelQueued,
      spec: 'behaviour/platform#differences',
    },
    { on: 'stop', from: 'running', to: 'canceled', when: isCancelRequested, spec: statesSpec },
    { on: 'force-cancel', from: 'running', to: 'canceled', when: isCancelRequested, spec },
  ],
})

export type TestRunStatus = (typeof testRunMachine.states)[number]

/** Members of a test run that `testRunAfterEvent` reads and changes. */
export interface TestRunState {
  readonly status: TestRunStatus
  readonly reached: TestRunTimes
  readonly cancel_asked_at: number | null
  readonly updated_at: number
}

/**
 * Members of `reached` that contain the time of each status; undefined for a status without a time.
 */
const timestampField: Readonly<Record<TestRunStatus, keyof TestRunTimes | undefined>> = {
  pending: undefined,
  queued: 'queued_at',
  running: 'started_at',
  finished: 'finished_at',
  errored: 'errored_at',
  canceled: 'canceled_at',
}

/**
 * Returns a test run after an event. Throws `conflict` if the status does not allow the event.
 * `updated_at` changes only if the status changes.
 */
export function testRunAfterEvent<R extends TestRunState>(
  run: R,
  event: TestRunEvent,
  at: number,
  mayCancelQueued = false,
): R {
  const subject = { isCancelRequested: run.cancel_asked_at !== null, mayCancelQueued }
  const status = testRunMachine.next(run.status, event, subject)
  if (status === run.status) return { ...run, cancel_asked_at: run.cancel_asked_at ?? at }
  const name = timestampField[status]
  return {
    ...run,
    status,
    reached: {
      ...run.reached,
      ...(name === undefined ? {} : { [name]: at }),
      ...(event === 'force-cancel' ? { force_canceled_at: at } : {}),
    },
    updated_at: at,
  }
}
