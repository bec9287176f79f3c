import { describe, expect, test } from 'vitest'
import type { World } from '../../../../state/kernel/worlds/world.ts'
import { removeDependentData } from '../../../../state/platform/modules/dependent-data.ts'
import type { PlatformOptions } from '../../../../state/platform/options.ts'
import { createTestRun } from '../../../../state/platform/test-runs/creation.ts'
import {
  type TestRun,
  testRunsOf,
  testRunWithId,
} from '../../../../state/platform/test-runs/test-runs.ts'
import { cancelTestRun, testRunKind } from '../../../../state/platform/test-runs/timing.ts'
import { firstModule, kindOf, platformWorld, refusalOf, setTiming } from '../platform-world.ts'

const none = { passed: 0, failed: 0, errored: 0, skipped: 0 }
const now = platformWorld().clock.now()

function create(world: World, variables: Readonly<Record<string, string>> = {}): TestRun {
  const entries = Object.entries(variables).map(([key, value]) => ({ key, value }))
  const origin = { user: 'user-x', source: 'ent-api' } as const
  return createTestRun(world, firstModule(world), { variables: entries }, origin)
}

function runOf(world: World, { id }: TestRun): TestRun {
  const run = testRunWithId(world, id)
  if (run === undefined) throw new Error('there is no such run')
  return run
}

/** Returns a world with a run, and a function that forces its transitions. */
function withRun(options: Partial<PlatformOptions> = {}) {
  const world = platformWorld(options)
  const run = create(world)
  const kind = kindOf(world, testRunKind)
  return {
    world,
    kind,
    id: run.id,
    read: () => runOf(world, run),
    push: (to: string, extra: Readonly<Record<string, unknown>> = {}) =>
      kind.force(world, run.id, to, extra),
  }
}

describe('behaviour/program#control-plane: forced transitions of kind platform.test-run', () => {
  test('possible targets of a forced transition in each state', () => {
    const { world, kind, id, push } = withRun({ holdTestRuns: true })
    setTiming(world, testRunKind, 'manual')
    const ahead = ['queued', 'running', 'finished', 'errored', 'canceled']
    expect(kind.items(world)).toEqual([{ id, state: 'pending', to: ahead }])
    push('queued')
    expect(kind.items(world)).toEqual([{ id, state: 'queued', to: ahead.slice(1) }])
    push('running')
    expect(kind.items(world)).toEqual([{ id, state: 'running', to: ahead.slice(2) }])
    push('finished')
    expect(kind.items(world)).toEqual([{ id, state: 'finished', to: [] }])
  })

  // choice/platform#test-run-push-canceled
  test.each([
    ['finished', { queued_at: now, started_at: now, finished_at: now }],
    ['errored', { queued_at: now, started_at: now, errored_at: now }],
    ['canceled', { canceled_at: now }],
  ] as const)('from pending straight to %s, through the states in between', (to, reached) => {
    const { read, push } = withRun({ holdTestRuns: true })
    push(to)
    expect(read()).toMatchObject({ status: to, reached })
    expect(Object.keys(read().reached)).toEqual(Object.keys(reached))
    expect(read().log).not.toBeNull()
  })

  // choice/platform#test-run-push-canceled
  test('a running run is canceled as if a client had canceled it, and no job remains scheduled', () => {
    const { world, read, push } = withRun()
    world.advance(250)
    push('canceled')
    expect(read()).toMatchObject({ status: 'canceled', cancel_asked_at: now + 250 })
    expect(world.agenda.next()).toBeUndefined()
    const cancelRequested = withRun()
    cancelRequested.world.advance(250)
    cancelTestRun(cancelRequested.world, cancelRequested.read())
    cancelRequested.world.advance(100)
    cancelRequested.push('canceled')
    expect(cancelRequested.read()).toMatchObject({
      status: 'canceled',
      cancel_asked_at: now + 250,
      reached: { canceled_at: now + 350 },
    })
  })

  test('after a forced transition, a run continues with its timing', () => {
    const { world, read, push } = withRun()
    push('running')
    world.advance(1_999)
    expect(read().status).toBe('running')
    world.advance(1)
    expect(read()).toMatchObject({ status: 'finished', results: { ...none, passed: 1 } })
  })

  // choice/platform#test-run-outcome
  test.each([
    [{ results: { passed: 2, failed: 3, errored: 4, skipped: 5 } }, [2, 3, 4, 5]],
    [{ results: { failed: 1 } }, [0, 1, 0, 0]],
    [{ results: {} }, [0, 0, 0, 0]],
    [{ outcome: 'pass' }, [1, 0, 0, 0]],
    [{ outcome: 'fail' }, [0, 1, 0, 0]],
    [{}, [1, 0, 0, 0]],
  ])('to finished with %j', (extra, [passed, failed, errored, skipped]) => {
    for (const wait of [0, 250]) {
      const { world, read, push } = withRun()
      world.advance(wait)
      push('finished', extra)
      expect(read()).toMatchObject({
        status: 'finished',
        results: { passed, failed, errored, skipped },
      })
    }
  })

  test('an outcome given with a transition to running applies when the run finishes', () => {
    for (const [extra, status, results] of [
      [{ outcome: 'fail' }, 'finished', { ...none, failed: 1 }],
      [{ results: { passed: 7 } }, 'finished', { ...none, passed: 7 }],
      [{ outcome: 'error' }, 'errored', null],
    ] as const) {
      const { world, read, push } = withRun()
      push('running', extra)
      world.advance(2_000)
      expect(read()).toMatchObject({ status, results })
    }
  })

  test('a run with the planned outcome errored finishes with the results of the options', () => {
    const { read, push } = withRun({ testOutcome: 'errored', testResults: { passed: 9 } })
    push('finished')
    expect(read()).toMatchObject({ status: 'finished', results: { ...none, passed: 9 } })
  })

  test.each([
    ['finished', { results: 5 }, 'results must be an object of counts: '],
    ['finished', { results: [] }, 'results must be an object of counts: '],
    ['finished', { results: null }, 'results must be an object of counts: '],
    ['finished', { results: { passed: -1 } }, 'results must be an object of counts: '],
    ['finished', { results: { passed: 0.5 } }, 'results must be an object of counts: '],
    ['finished', { results: { passed: '1' } }, 'results must be an object of counts: '],
    ['finished', { results: { lost: 1 } }, 'results must be an object of counts: '],
    ['finished', { outcome: 'lost' }, 'outcome must be one of pass, fail, error'],
    ['finished', { outcome: 'error' }, 'a test run that is finished cannot have such an outcome'],
    [
      'errored',
      { results: { passed: 1 } },
      'a test run that is errored cannot have such an outcome',
    ],
    ['canceled', { outcome: 'pass' }, 'a test run that is canceled cannot have such an outcome'],
  ])('to %s with %j is rejected and changes nothing', (to, extra, message) => {
    const { read, push } = withRun()
    const before = read()
    const refusal = refusalOf(() => push(to, extra))
    expect(refusal?.kind).toBe('invalid')
    expect(refusal?.message.startsWith(message)).toBe(true)
    expect(read()).toBe(before)
  })

  test('no transition leads back or out of a final state; unknown ids are absent', () => {
    const { world, kind, push } = withRun()
    push('running')
    expect(refusalOf(() => push('queued'))).toEqual({
      kind: 'conflict',
      message: 'a test run that is running cannot become queued',
    })
    push('finished')
    expect(refusalOf(() => push('canceled'))?.kind).toBe('conflict')
    expect(refusalOf(() => kind.force(world, 'trun-x', 'running', {}))).toEqual({
      kind: 'absent',
      message: 'there is no test run "trun-x"',
    })
  })
})

describe('behaviour/program#control-plane: timings of kind platform.test-run', () => {
  // choice/platform#test-run-pace
  test('immediate: the run is over before the next request, for any wait_time', () => {
    const world = platformWorld()
    setTiming(world, testRunKind, 'immediate')
    const run = create(world, { wait_time: '5s' })
    expect(run.status).toBe('queued')
    world.runDueJobs()
    expect(runOf(world, run)).toMatchObject({
      status: 'finished',
      reached: { queued_at: now, started_at: now, finished_at: now },
    })
  })

  // choice/platform#test-run-pace
  test('after: each step takes the given time, but wait_time overrides it', () => {
    const world = platformWorld()
    setTiming(world, testRunKind, { after: '10s' })
    const [plain, waiting, stopped] = [
      create(world),
      create(world, { wait_time: '3s' }),
      create(world),
    ]
    world.advance(10_000)
    cancelTestRun(world, runOf(world, stopped))
    world.advance(2_999)
    expect(runOf(world, waiting).status).toBe('running')
    world.advance(1)
    expect(runOf(world, waiting).status).toBe('finished')
    world.advance(6_999)
    expect([plain, stopped].map((run) => runOf(world, run).status)).toEqual(['running', 'running'])
    world.advance(1)
    expect([plain, stopped].map((run) => runOf(world, run).status)).toEqual([
      'finished',
      'canceled',
    ])
  })

  test('manual: every step needs a forced transition, even after a cancel', () => {
    const { world, read, push } = withRun()
    setTiming(world, testRunKind, 'manual')
    push('running')
    world.advance(60_000)
    expect(read().status).toBe('running')
    cancelTestRun(world, read())
    world.advance(60_000)
    expect(read().status).toBe('running')
    push('canceled')
    expect(read().status).toBe('canceled')
  })

  test('overdue steps get the times at which they were due', () => {
    const { world, read } = withRun()
    world.clock.moveTo(now + 60_000)
    world.runDueJobs()
    expect(read()).toMatchObject({
      status: 'finished',
      reached: { started_at: now + 250, finished_at: now + 2_250 },
      updated_at: now + 2_250,
    })
  })

  test('snapshots keep runs in progress', () => {
    const { world, id } = withRun()
    world.advance(1_000)
    const snapshot = world.snapshot()
    world.advance(10_000)
    world.restore(snapshot)
    expect(testRunWithId(world, id)?.status).toBe('running')
    world.advance(1_250)
    expect(testRunWithId(world, id)?.status).toBe('finished')
  })
})

describe('behaviour/platform#surroundings: deleting a module deletes its runs', () => {
  test('runs, versions, files, addresses and scheduled jobs are gone', () => {
    const { world } = withRun()
    world.advance(250)
    const module = firstModule(world)
    expect(testRunsOf(world, module.id).length).toBe(1)
    world.write(() => removeDependentData(world, module.id))
    expect(testRunsOf(world, module.id).length).toBe(0)
    expect(world.agenda.next()).toBeUndefined()
    const left = [...world.store.tables.values()]
      .filter(({ id }) => /test-run|version|objects|contents/.test(id))
      .filter(({ size }) => size > 0)
    expect(left.map(({ id }) => id)).toEqual([])
  })
})
