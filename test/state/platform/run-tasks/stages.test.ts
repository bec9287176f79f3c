import { describe, expect, test } from 'vitest'
import { stageMachine, taskResultMachine } from '../../../../state/platform/run-tasks/stages.ts'

describe('behaviour/platform#task-stages: every status and every event', () => {
  test.each([
    ['start', { pending: 'running' }],
    ['pass', { running: 'passed' }],
    ['fail', { running: 'failed', awaiting_override: 'failed' }],
    ['await', { running: 'awaiting_override' }],
    ['override', { awaiting_override: 'passed' }],
    ['close', { pending: 'unreachable', running: 'canceled', awaiting_override: 'canceled' }],
  ] as const)('the event %s of a stage is allowed in exactly these statuses', (event, expected) => {
    const allowed = stageMachine.states.filter((status) =>
      stageMachine.allows(status, event, undefined),
    )
    expect(
      Object.fromEntries(
        allowed.map((status) => [status, stageMachine.next(status, event, undefined)]),
      ),
    ).toEqual(expected)
  })

  test.each([
    ['running', ['pending', 'running']],
    ['passed', ['pending', 'running']],
    ['failed', ['pending', 'running']],
    ['errored', ['pending', 'running']],
    ['canceled', ['pending', 'running']],
    ['unreachable', ['pending']],
  ] as const)('a task result becomes %s only from %s', (event, expected) => {
    const allowed = taskResultMachine.states.filter((status) =>
      taskResultMachine.allows(status, event, undefined),
    )
    expect(allowed).toEqual(expected)
    for (const status of allowed) {
      expect(taskResultMachine.next(status, event, undefined)).toBe(event)
    }
  })
})
