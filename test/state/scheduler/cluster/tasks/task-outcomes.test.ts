import { describe, expect, test } from 'vitest'
import { timings } from '../../../../../state/kernel/time/transitions.ts'
import type { World } from '../../../../../state/kernel/worlds/world.ts'
import { deploymentsOf } from '../../../../../state/scheduler/cluster/deployments/deployments.ts'
import {
  addOutcomeRule,
  type OutcomeRule,
  removeOutcomeRules,
  resolveOutcome,
} from '../../../../../state/scheduler/cluster/model/task-outcomes.ts'
import { resumeSteps, step } from '../../../../../state/scheduler/cluster/step-runner.ts'
import type { Job } from '../../../../../state/scheduler/job/job-shape.ts'
import type { Task } from '../../../../../state/scheduler/job/task-shape.ts'
import { start } from '../../../../support/kernel.ts'
import {
  alloc,
  allocationOverview,
  allocs,
  clusterWorld,
  currentJob,
  evalOverview,
  forceTransition,
  messages,
  register,
  taskOf,
} from '../../../../support/scheduler/scheduler-cluster.ts'
import {
  storedBatchGroup,
  storedBatchJob,
  storedGroup,
  storedServiceJob,
  storedTask,
} from '../../../../support/scheduler/scheduler-jobs.ts'

const usual = {
  runFor: undefined,
  exitCode: 0,
  exitSignal: 0,
  exitMessage: '',
  oomKilled: false,
  startError: '',
  startErrorRecoverable: false,
  startBlockFor: 0,
  killAfter: undefined,
}

/**
 * Returns a world with a service whose task has the given members and metadata, and a function that
 * returns the outcome of an attempt.
 */
function steered(task: Partial<Task>, metas: { group?: string; job?: string } = {}) {
  const world = clusterWorld()
  const runFor = (text?: string) => (text === undefined ? null : { mock_run_for: text })
  const Tasks = [{ ...storedTask({ Driver: 'mock' }), Config: null, ...task }]
  const group = { ...storedGroup(), Tasks, Meta: runFor(metas.group) }
  register(world, { ...storedServiceJob(), TaskGroups: [group], Meta: runFor(metas.job) })
  world.advance(50)
  const outcome = (attempt = 1) => {
    const [first = storedTask()] = Tasks
    return resolveOutcome(world, alloc(world), group, first, attempt)
  }
  return { world, outcome }
}

describe('rules by restarts and reschedules, both counted from 0 (behaviour/scheduler#steering)', () => {
  test('restarts counts the starts within an allocation', () => {
    const { world, outcome } = steered({})
    addOutcomeRule(world, { restarts: 0, exit_code: 1 })
    expect([1, 2, 3].map((attempt) => outcome(attempt).exitCode)).toEqual([1, 0, 0])
  })

  test('the first allocation fails, and its replacement runs', () => {
    const world = clusterWorld()
    addOutcomeRule(world, { reschedules: 0, exit_code: 1, run_for: '1s' })
    const group = {
      ...storedGroup(),
      RestartPolicy: {
        Attempts: 0,
        Interval: 60e9,
        Delay: 1e9,
        Mode: 'fail',
        RenderTemplates: false,
      },
      ReschedulePolicy: {
        Attempts: 1,
        Interval: 3600e9,
        Delay: 5e9,
        DelayFunction: 'constant',
        MaxDelay: 0,
        Unlimited: false,
      },
    }
    register(world, { ...storedServiceJob(), TaskGroups: [group] })
    world.advance(120_000)
    expect(
      allocs(world)
        .map(({ ClientStatus }) => ClientStatus)
        .sort(),
    ).toEqual(['failed', 'running'])
  })
})

describe('outcomes, the first found (behaviour/scheduler#steering)', () => {
  const everything = {
    run_for: '2s',
    exit_code: 3,
    exit_signal: 9,
    exit_err_msg: 'boom',
    start_error: 'no',
    start_error_recoverable: true,
    start_block_for: '1s',
    kill_after: '4s',
  }
  const read = {
    runFor: 2e9,
    exitCode: 3,
    exitSignal: 9,
    exitMessage: 'boom',
    oomKilled: false,
    startError: 'no',
    startErrorRecoverable: true,
    startBlockFor: 1e9,
    killAfter: 4e9,
  }

  // choice/scheduler#cluster-outcomes
  test('a rule takes precedence over the configuration', () => {
    const { world, outcome } = steered({ Config: { exit_code: 5 } })
    addOutcomeRule(world, everything)
    expect(outcome()).toEqual(read)
    removeOutcomeRules(world)
    expect(outcome()).toEqual({ ...usual, runFor: 'usual', exitCode: 5 })
  })

  test('the configuration of a mock takes precedence over metadata', () => {
    expect(steered({ Config: everything, Meta: { mock_run_for: '9s' } }).outcome()).toEqual(read)
    const vendor = { Driver: 'mock_driver', Config: { run_for: 7 } }
    expect(steered(vendor).outcome()).toEqual({ ...usual, runFor: 7 })
  })

  test('other drivers configure nothing', () => {
    expect(steered({ Driver: 'exec', Config: everything }).outcome()).toEqual(usual)
  })

  test.each([
    ['task', { mock_run_for: '1s' }, '2s', '3s', 1e9],
    ['group', null, '2s', '3s', 2e9],
    ['job', null, undefined, '3s', 3e9],
  ])('metadata of the %s', (_where, Meta, group, job, runFor) => {
    const metas = { job, ...(group === undefined ? {} : { group }) }
    expect(steered({ Meta }, metas).outcome()).toEqual({ ...usual, runFor })
  })

  // choice/scheduler#cluster-outcomes
  test('each metadata key is looked up independently', () => {
    const Meta = { mock_exit_code: '4', mock_start_error: 'no' }
    expect(steered({ Meta }, { job: '3s' }).outcome()).toEqual({
      ...usual,
      runFor: 3e9,
      exitCode: 4,
      startError: 'no',
    })
  })

  test('an invalid duration is ignored', () => {
    expect(steered({ Config: { run_for: 'long' } }).outcome()).toEqual(usual)
  })

  test('without a rule a service keeps running', () => {
    expect(steered({}).outcome()).toEqual(usual)
  })

  test('an oom kill has its exit code, signal and message', () => {
    expect(steered({ Config: { oom: true } }).outcome()).toEqual({
      ...usual,
      runFor: 'usual',
      exitCode: 137,
      exitSignal: 9,
      exitMessage: 'OOM Killed',
      oomKilled: true,
    })
  })

  test.each<[OutcomeRule, boolean]>([
    [{}, true],
    [{ namespace: 'default', job: 'example', group: 'cache', task: 'redis', attempt: 2 }, true],
    [{ namespace: 'other' }, false],
    [{ job: 'other' }, false],
    [{ group: 'other' }, false],
    [{ task: 'other' }, false],
    [{ attempt: 1 }, false],
  ])('rule %o fits: %s', (rule, fits) => {
    const { world, outcome } = steered({})
    addOutcomeRule(world, { ...rule, exit_code: 8 })
    expect(outcome(2).exitCode).toBe(fits ? 8 : 0)
  })

  // choice/scheduler#cluster-rules
  test('the first matching rule counts', () => {
    const { world, outcome } = steered({})
    addOutcomeRule(world, { job: 'other', exit_code: 1 })
    addOutcomeRule(world, { job: 'example', exit_code: 2 })
    addOutcomeRule(world, { exit_code: 3 })
    expect(outcome().exitCode).toBe(2)
  })

  // choice/scheduler#cluster-outcomes
  test('a rule for one attempt: the task fails once, then runs', () => {
    const world = clusterWorld()
    addOutcomeRule(world, { job: 'example', attempt: 1, run_for: '1s', exit_code: 1 })
    register(world, storedServiceJob())
    world.advance(60_000)
    expect(messages(alloc(world)).slice(4)).toEqual([
      'Exit Code: 1',
      'Task restarting in 15s',
      'Task started by client',
    ])
  })
})

/** Returns a batch job that completes after 1 s. */
const batch = (): Job => {
  const Tasks = [{ ...storedTask({ Driver: 'mock' }), Config: null }]
  return { ...storedBatchJob(), TaskGroups: [{ ...storedBatchGroup(), Tasks }] }
}

function setTiming(world: World, kind: string, timing: 'immediate' | 'manual' | { after: string }) {
  world.write(() => world.table(timings).put(kind, { pace: timing }))
}

describe('how time runs (behaviour/scheduler#steering)', () => {
  test('timeScale multiplies every delay', () => {
    const world = clusterWorld({ options: { timeScale: 10 } })
    register(world, batch())
    const fired = world.advance(60_000).map(({ at, kind }) => [at - start, kind])
    expect(fired).toEqual([
      [500, 'scheduler.evaluation'],
      [1_000, 'scheduler.task'],
      [1_500, 'scheduler.task'],
      [2_500, 'scheduler.task'],
      [12_500, 'scheduler.task'],
    ])
  })

  test('with timeScale 0 all steps happen immediately', () => {
    const world = clusterWorld({ options: { timeScale: 0 } })
    register(world, batch())
    world.runDueJobs()
    expect(allocationOverview(world)).toEqual(['example.cache[0] v0 run/complete'])
    register(world, storedServiceJob({ ID: 'web' }))
    world.runDueJobs()
    expect(allocationOverview(world, 'web')).toEqual(['web.cache[0] v0 run/running'])
    expect(currentJob(world, 'web').Stable).toBe(true)
  })

  // choice/scheduler#cluster-paces
  test('the timing can be immediate, after a time, or manual', () => {
    const world = clusterWorld()
    setTiming(world, 'scheduler.evaluation', 'immediate')
    setTiming(world, 'scheduler.task', { after: '3s' })
    setTiming(world, 'scheduler.allocation', 'manual')
    register(world, storedServiceJob())
    const fired = world.advance(60_000).map(({ at, kind }) => [at - start, kind])
    expect(fired).toEqual([
      [0, 'scheduler.evaluation'],
      // Steps that the deployment starts continue in a commit of their own.
      [0, 'scheduler.evaluation'],
      [3_000, 'scheduler.task'],
      [6_000, 'scheduler.task'],
      [9_000, 'scheduler.task'],
      [12_000, 'scheduler.task'],
    ])
    expect(currentJob(world).Stable).toBe(false)
    expect(step(world)?.kind).toBe('scheduler.allocation')
    world.runDueJobs()
    expect(currentJob(world).Stable).toBe(true)
  })

  // choice/scheduler#cluster-paces
  test('a timing does not change the delay of a rule, unless it is immediate', () => {
    const ends = (timing: 'immediate' | { after: string }) => {
      const world = clusterWorld()
      setTiming(world, 'scheduler.task', timing)
      addOutcomeRule(world, { run_for: '10s' })
      register(world, batch())
      return world.advance(60_000).map(({ at }) => at - start)
    }
    expect(ends({ after: '3s' })).toEqual([50, 3_050, 6_050, 9_050, 19_050])
    expect(ends('immediate')).toEqual([50, 50, 50, 50, 50])
  })

  test('manual: a deployment and its placements are one step, in two commits (behaviour/scheduler#updates)', () => {
    const world = clusterWorld({ options: { schedulerMode: 'manual' } })
    register(world, storedServiceJob())
    expect(step(world)?.kind).toBe('scheduler.evaluation')
    const [made] = deploymentsOf(world, 'default', 'example')
    expect([made?.CreateIndex, made?.ModifyIndex, alloc(world).CreateIndex]).toEqual([12, 13, 13])
    expect(evalOverview(world)).toEqual(['job-register complete'])
    expect(step(world)?.kind).toBe('scheduler.task')
  })

  // choice/scheduler#cluster-steps
  test('manual: one step at a time, in order, whatever the clock shows', () => {
    const world = clusterWorld({ options: { schedulerMode: 'manual' } })
    register(world, batch())
    expect(world.advance(3_600_000)).toEqual([])
    expect(evalOverview(world)).toEqual(['job-register pending'])
    const id = `${allocs(world)[0]?.ID ?? ''}`
    expect(id).toBe('')
    expect(step(world)).toMatchObject({ kind: 'scheduler.evaluation' })
    expect(allocationOverview(world)).toEqual(['example.cache[0] v0 run/pending'])
    const seen = [1, 2, 3, 4].map(() => {
      expect(step(world)?.id).toBe(`${alloc(world).ID} redis`)
      return [taskOf(alloc(world)).State, alloc(world).ClientStatus]
    })
    expect(seen).toEqual([
      ['pending', 'pending'],
      ['pending', 'pending'],
      ['running', 'running'],
      ['dead', 'complete'],
    ])
    expect(step(world)).toBeUndefined()
  })

  test('manual: of two jobs the earlier step comes first', () => {
    const world = clusterWorld({ options: { schedulerMode: 'manual' } })
    register(world, { ...batch(), ID: 'b' })
    world.advance(10)
    register(world, { ...batch(), ID: 'a' })
    step(world)
    expect([allocs(world, 'b').length, allocs(world, 'a').length]).toEqual([1, 0])
    step(world)
    expect(allocs(world, 'a')).toHaveLength(1)
  })

  test('the mode can change from auto to manual and back', () => {
    const world = clusterWorld()
    register(world, batch())
    world.advance(100)
    world.changeOptions({ scheduler: { schedulerMode: 'manual' } })
    expect(step(world)?.kind).toBe('scheduler.task')
    world.advance(60_000)
    expect(alloc(world).ClientStatus).toBe('pending')
    world.changeOptions({ scheduler: { schedulerMode: 'auto' } })
    resumeSteps(world)
    world.advance(60_000)
    expect(alloc(world).ClientStatus).toBe('complete')
  })

  // choice/scheduler#cluster-steps
  test('frozen: only forced transitions have an effect', () => {
    const world = clusterWorld({ options: { schedulerMode: 'frozen' } })
    register(world, batch())
    world.advance(60_000)
    expect(step(world)).toBeUndefined()
    const [evaluation] = world.transitions.get('scheduler.evaluation')?.items(world) ?? []
    expect(evaluation?.state).toBe('pending')
    forceTransition(world, 'scheduler.evaluation', evaluation?.id ?? '', 'complete')
    expect(allocationOverview(world)).toEqual(['example.cache[0] v0 run/pending'])
    forceTransition(world, 'scheduler.allocation', alloc(world).ID, 'running')
    forceTransition(world, 'scheduler.task', `${alloc(world).ID}:redis`, 'dead', { exitCode: 0 })
    expect(allocationOverview(world)).toEqual(['example.cache[0] v0 run/complete'])
  })

  test("a snapshot in the middle of a task's life continues where it was", () => {
    const world = clusterWorld()
    register(world, batch())
    world.advance(200)
    const snapshot = world.snapshot()
    world.advance(60_000)
    const after = JSON.stringify([allocs(world), evalOverview(world)])
    const other = clusterWorld()
    other.restore(snapshot)
    other.advance(60_000)
    expect(JSON.stringify([allocs(other), evalOverview(other)])).toBe(after)
    expect(allocationOverview(other)).toEqual(['example.cache[0] v0 run/complete'])
  })
})
