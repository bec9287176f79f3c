import { describe, expect, test } from 'vitest'
import { canStart, hookOf } from '../../../../../state/scheduler/cluster/allocations/task-hooks.ts'
import { deploymentMachine } from '../../../../../state/scheduler/cluster/model/deployment-machine.ts'
import { phaseOf, taskMachine } from '../../../../../state/scheduler/cluster/model/task-machine.ts'
import { taskState } from '../../../../support/scheduler/scheduler-cluster.ts'
import { storedTask } from '../../../../support/scheduler/scheduler-jobs.ts'

const plain = { hasArtifacts: false, hasImage: false, willRestart: false }

/** Returns the state that each event leads to; `-` for a refused event. */
function reach(state: (typeof taskMachine.states)[number], plan = plain): string {
  const events = [...new Set(taskMachine.moves.map(({ on }) => on))]
  return events
    .map((event) =>
      taskMachine.allows(state, event, plan) ? taskMachine.next(state, event, plan) : '-',
    )
    .join(' ')
}

describe('a task, every phase and event (behaviour/scheduler#allocations)', () => {
  // Order of the events: receive, build, fetched, pulled, start, fail to start, exit, retry, kill,
  // end, revive.
  test.each([
    ['created', 'received - - - - - - - dead - -'],
    ['received', '- starting - - - - - - dead - -'],
    ['fetching', '- - starting - - - - - dead - -'],
    ['pulling', '- - - starting - - - - dead - -'],
    ['starting', '- - - - running dead - - dead - -'],
    ['running', '- - - - - - dead - killing - -'],
    ['restarting', '- - - - - - - starting dead - -'],
    ['killing', '- - - - - - - - - dead -'],
    ['dead', '- - - - - - - - - - restarting'],
  ] as const)('%s', (phase, expected) => {
    expect(reach(phase)).toBe(expected)
  })

  test('artifacts and images are fetched first', () => {
    const both = { ...plain, hasArtifacts: true, hasImage: true }
    expect(taskMachine.next('received', 'build', both)).toBe('fetching')
    expect(taskMachine.next('fetching', 'fetched', both)).toBe('pulling')
    expect(taskMachine.next('received', 'build', { ...plain, hasImage: true })).toBe('pulling')
  })

  test('a policy that allows it starts the task again', () => {
    const willRestart = { ...plain, willRestart: true }
    expect(taskMachine.next('running', 'exit', willRestart)).toBe('restarting')
    expect(taskMachine.next('starting', 'fail to start', willRestart)).toBe('restarting')
  })

  test('there are no other phases', () => {
    expect(phaseOf('running')).toBe('running')
    expect(() => phaseOf('walking')).toThrow('there is no task phase walking')
  })
})

describe('a deployment, every status and event (behaviour/scheduler#updates; behaviour/scheduler#deployments)', () => {
  test.each([
    ['running', ['successful', 'failed', 'cancelled', 'paused', 'running']],
    ['paused', ['successful', 'failed', 'cancelled', 'paused', 'running']],
    ['successful', [undefined, undefined, undefined, undefined, undefined]],
    ['failed', [undefined, undefined, undefined, undefined, undefined]],
    ['cancelled', [undefined, undefined, undefined, undefined, undefined]],
  ] as const)('%s', (status, expected) => {
    const reached = (['succeed', 'fail', 'cancel', 'pause', 'resume'] as const).map((event) =>
      deploymentMachine.allows(status, event, undefined)
        ? deploymentMachine.next(status, event, undefined)
        : undefined,
    )
    expect(reached).toEqual(expected)
  })
})

describe('lifecycle hooks', () => {
  const task = (Name: string, Hook: string, Sidecar = false) =>
    storedTask({ Name, Lifecycle: Hook === '' ? null : { Hook, Sidecar } })
  const init = task('init', 'prestart')
  const proxy = task('proxy', 'prestart', true)
  const main = task('main', '')
  const warm = task('warm', 'poststart')
  const clean = task('clean', 'poststop')
  const tasks = [init, proxy, main, warm, clean]
  const pending = taskState('pending')
  const running = taskState('running')
  const dead = taskState('dead')
  const fresh = { init: pending, proxy: pending, main: pending, warm: pending, clean: pending }

  const turns = (states: typeof fresh) =>
    tasks.filter((one) => canStart(one, tasks, states)).map(({ Name }) => Name)

  test.each([
    ['at first', fresh, ['init', 'proxy']],
    ['sidecar up', { ...fresh, proxy: running }, ['init', 'proxy']],
    ['preparation done', { ...fresh, init: dead, proxy: running }, ['init', 'proxy', 'main']],
    [
      'preparation failed',
      { ...fresh, init: { ...dead, Failed: true }, proxy: running },
      ['init', 'proxy'],
    ],
    [
      'main runs',
      { ...fresh, init: dead, proxy: running, main: running },
      ['init', 'proxy', 'main', 'warm'],
    ],
    [
      'main is dead',
      { ...fresh, init: dead, proxy: running, main: dead },
      ['init', 'proxy', 'main', 'clean'],
    ],
  ])('%s', (_when, states, expected) => {
    expect(turns(states)).toEqual(expected)
  })

  test('a task without a known hook is a main task', () => {
    expect(tasks.map(hookOf)).toEqual(['prestart', 'prestart', 'main', 'poststart', 'poststop'])
  })
})
