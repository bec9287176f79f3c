import { describe, expect, test } from 'vitest'
import {
  type TestRunConditions,
  type TestRunEvent,
  type TestRunState,
  type TestRunStatus,
  testRunAfterEvent,
  testRunMachine,
} from '../../../../state/platform/test-runs/test-run-machine.ts'
import { refusalOf } from '../platform-world.ts'

const events: readonly TestRunEvent[] = [
  'queue',
  'start',
  'finish',
  'fail',
  'cancel',
  'stop',
  'force-cancel',
]

type Row = Readonly<Partial<Record<TestRunEvent, TestRunStatus>>>

const running: Row = { finish: 'finished', fail: 'errored', cancel: 'running' }

/** Every state with its context, and the target of each event; all other events are rejected. */
const table: readonly (readonly [TestRunStatus, TestRunConditions, Row])[] = [false, true].flatMap(
  (mayCancelQueued) =>
    [false, true].flatMap((isCancelRequested) => {
      const subject = { isCancelRequested, mayCancelQueued }
      const early: Row = mayCancelQueued ? { cancel: 'canceled' } : {}
      const afterCancelRequest: Row = isCancelRequested
        ? { stop: 'canceled', 'force-cancel': 'canceled' }
        : {}
      return [
        ['pending', subject, { queue: 'queued', ...early }],
        ['queued', subject, { start: 'running', ...early }],
        ['running', subject, { ...running, ...afterCancelRequest }],
        ['finished', subject, {}],
        ['errored', subject, {}],
        ['canceled', subject, {}],
      ] as const
    }),
)

const cases = table.flatMap(([state, subject, row]) =>
  events.map((event) => ({ state, event, to: row[event], ...subject })),
)

describe('behaviour/platform#test-run-states: every state with every event', () => {
  test('the table is complete', () => {
    expect(new Set(table.map(([state]) => state))).toEqual(new Set(testRunMachine.states))
    expect(new Set(testRunMachine.moves.map(({ on }) => on))).toEqual(new Set(events))
  })

  test.each(cases)(
    '$state: $event (requested $isCancelRequested, early $mayCancelQueued)',
    (one) => {
      const { state, event, to, isCancelRequested, mayCancelQueued } = one
      const subject = { isCancelRequested, mayCancelQueued }
      expect(testRunMachine.allows(state, event, subject)).toBe(to !== undefined)
      if (to !== undefined) {
        expect(testRunMachine.next(state, event, subject)).toBe(to)
        return
      }
      expect(refusalOf(() => testRunMachine.next(state, event, subject))).toEqual({
        kind: 'conflict',
        message: `a test run that is ${state} cannot ${event}`,
      })
    },
  )
})

describe('behaviour/platform#test-run-states: timestamps', () => {
  const pendingRun: TestRunState = {
    status: 'pending',
    reached: {},
    cancel_asked_at: null,
    updated_at: 1,
  }

  test('each state is recorded when it is reached, and updated_at changes with it', () => {
    const queued = testRunAfterEvent(pendingRun, 'queue', 10)
    expect(queued).toEqual({
      status: 'queued',
      reached: { queued_at: 10 },
      cancel_asked_at: null,
      updated_at: 10,
    })
    const started = testRunAfterEvent(queued, 'start', 20)
    expect(started.reached).toEqual({ queued_at: 10, started_at: 20 })
    expect(testRunAfterEvent(started, 'finish', 30)).toEqual({
      status: 'finished',
      reached: { queued_at: 10, started_at: 20, finished_at: 30 },
      cancel_asked_at: null,
      updated_at: 30,
    })
    expect(testRunAfterEvent(started, 'fail', 30).reached).toEqual({
      queued_at: 10,
      started_at: 20,
      errored_at: 30,
    })
  })

  test('a cancel request is not a transition, and the time of the first one counts', () => {
    const started = { ...pendingRun, status: 'running', updated_at: 20 } as const
    const afterCancelRequest = testRunAfterEvent(started, 'cancel', 30)
    expect(afterCancelRequest).toEqual({ ...started, cancel_asked_at: 30 })
    expect(testRunAfterEvent(afterCancelRequest, 'cancel', 40)).toEqual(afterCancelRequest)
    expect(testRunAfterEvent(afterCancelRequest, 'stop', 50)).toEqual({
      ...afterCancelRequest,
      status: 'canceled',
      reached: { canceled_at: 50 },
      updated_at: 50,
    })
    expect(testRunAfterEvent(afterCancelRequest, 'force-cancel', 50).reached).toEqual({
      canceled_at: 50,
      force_canceled_at: 50,
    })
  })

  test('a run that has not started can be canceled if that is allowed', () => {
    expect(refusalOf(() => testRunAfterEvent(pendingRun, 'cancel', 5))?.kind).toBe('conflict')
    expect(testRunAfterEvent(pendingRun, 'cancel', 5, true)).toEqual({
      ...pendingRun,
      status: 'canceled',
      reached: { canceled_at: 5 },
      updated_at: 5,
    })
  })
})
