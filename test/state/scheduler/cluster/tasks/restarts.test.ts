import { describe, expect, test } from 'vitest'
import {
  decideRestart,
  type TaskEnding,
} from '../../../../../state/scheduler/cluster/tasks/restarts.ts'
import { minute, second } from '../../../../support/scheduler/scheduler-jobs.ts'

const policy = { Attempts: 2, Interval: 30 * minute, Delay: 15 * second, Mode: 'fail' }
const failed: TaskEnding = {
  isSuccess: false,
  neverStarted: false,
  isRecoverable: true,
  endsByItself: false,
}
const window = 30 * 60_000

describe('restart policies (behaviour/scheduler#task-events: retry, give up)', () => {
  test('a task of a batch job that ends well is done', () => {
    const ending = { ...failed, isSuccess: true, endsByItself: true }
    expect(decideRestart(policy, { restarts: 1, since: 5 }, ending, 10, window)).toEqual({
      verdict: 'done',
      reason: '',
      delay: 0,
      exceedsAttempts: false,
      restarts: 1,
      since: 5,
    })
  })

  test.each([
    ['a service task restarts also after exit 0', { ...failed, isSuccess: true }],
    ['a task restarts after a failure', failed],
    ['a start that may be tried again', { ...failed, neverStarted: true }],
  ])('%s', (_what, ending) => {
    expect(decideRestart(policy, { restarts: 1, since: 0 }, ending, 10, window)).toEqual({
      verdict: 'restart',
      reason: 'Restart within policy',
      delay: 15 * second,
      exceedsAttempts: false,
      restarts: 2,
      since: 0,
    })
  })

  test('attempts used up within the interval', () => {
    expect(decideRestart(policy, { restarts: 2, since: 0 }, failed, 10, window)).toEqual({
      verdict: 'failed',
      reason: 'Exceeded allowed attempts 2 in interval 30m0s and mode is "fail"',
      delay: 0,
      exceedsAttempts: false,
      restarts: 3,
      since: 0,
    })
  })

  test('a new interval begins', () => {
    const later = window + 1
    expect(decideRestart(policy, { restarts: 2, since: 0 }, failed, later, window)).toMatchObject({
      verdict: 'restart',
      restarts: 0,
      since: later,
    })
  })

  test('mode delay waits for the next interval', () => {
    const patient = { ...policy, Mode: 'delay' }
    const third = window / 3
    expect(decideRestart(patient, { restarts: 2, since: 0 }, failed, third, window)).toEqual({
      verdict: 'restart',
      reason: 'Exceeded allowed attempts, applying a delay',
      delay: 20 * minute,
      exceedsAttempts: true,
      restarts: 3,
      since: 0,
    })
  })

  test.each([
    ['no attempts', { ...policy, Attempts: 0 }, failed, 'Policy allows no restarts'],
    ['no policy', null, failed, 'Policy allows no restarts'],
    [
      'a start that is hopeless',
      policy,
      { ...failed, neverStarted: true, isRecoverable: false },
      'Error was unrecoverable',
    ],
  ])('%s', (_what, policy, ending, reason) => {
    const decision = decideRestart(policy, { restarts: 0, since: 0 }, ending, 0, window)
    expect([decision.verdict, decision.reason]).toEqual(['failed', reason])
  })
})
