import { describe, expect, test } from 'vitest'
import { activeDeployment } from '../../../../../state/scheduler/cluster/deployments/deployments.ts'
import {
  alloc,
  allocationOverview,
  allocs,
  clusterWorld,
  counters,
  currentJob,
  evalOverview,
  eventsOf,
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

/**
 * Returns a batch job with one task, which behaves as the configuration of the mock driver says.
 */
function mockJob(config: Record<string, string | number | boolean>, attempts = 0) {
  const policy = { Attempts: attempts, Interval: 86_400e9, Delay: 15e9, Mode: 'fail' }
  const group = storedBatchGroup({ ReschedulePolicy: null })
  const task = storedTask({ Driver: 'mock', Config: null, RestartPolicy: policy })
  return storedBatchJob({
    TaskGroups: [{ ...group, Tasks: [{ ...task, Config: config }] }],
  })
}

describe('the life of a task (behaviour/scheduler#task-events)', () => {
  test('a docker service comes up step by step', () => {
    const world = clusterWorld()
    register(world, storedServiceJob())
    expect(allocs(world)).toEqual([])
    world.advance(50)
    expect(alloc(world)).toMatchObject({
      Name: 'example.cache[0]',
      ClientStatus: 'pending',
      ClientDescription: '',
      DesiredStatus: 'run',
      TaskStates: null,
    })
    world.advance(50)
    expect(alloc(world).ClientDescription).toBe('No tasks have started')
    expect(messages(alloc(world))).toEqual(['Task received by client'])
    world.advance(50)
    expect(eventsOf(alloc(world))).toEqual(['Received', 'Task Setup', 'Driver'])
    expect(taskOf(alloc(world))).toMatchObject({ State: 'pending', StartedAt: null })
    world.advance(200)
    expect(alloc(world)).toMatchObject({
      ClientStatus: 'running',
      ClientDescription: 'Tasks are running',
    })
    expect(taskOf(alloc(world))).toMatchObject({
      State: 'running',
      Failed: false,
      StartedAt: '2026-01-01T00:00:00.35Z',
      FinishedAt: null,
    })
    expect(messages(alloc(world))).toEqual([
      'Task received by client',
      'Building Task Directory',
      'Downloading image redis:7',
      'Task started by client',
    ])
  })

  test('artifacts are fetched before the image', () => {
    const world = clusterWorld()
    const artifact = { GetterSource: 'a', GetterOptions: null, RelativeDest: 'local/' }
    const group = storedGroup({ Tasks: [storedTask({ Artifacts: [artifact] })] })
    register(world, storedServiceJob({ TaskGroups: [group] }))
    world.advance(450)
    expect(eventsOf(alloc(world))).toEqual([
      'Received',
      'Task Setup',
      'Downloading Artifacts',
      'Driver',
      'Started',
    ])
  })

  test('a batch task ends dead and not failed, and nothing follows', () => {
    const world = clusterWorld()
    register(world, mockJob({ exit_code: 0 }, 3))
    world.advance(60_000)
    expect(allocationOverview(world)).toEqual(['example.cache[0] v0 run/complete'])
    expect(alloc(world).ClientDescription).toBe('All tasks have completed')
    expect(taskOf(alloc(world))).toMatchObject({
      State: 'dead',
      Failed: false,
      Restarts: 0,
      FinishedAt: '2026-01-01T00:00:01.25Z',
    })
    expect(evalOverview(world)).toEqual(['job-register complete'])
    expect(currentJob(world).Status).toBe('dead')
    expect(counters(world)).toEqual({ Complete: 1 })
  })

  test('a failing task is restarted as often as its policy says', () => {
    const world = clusterWorld()
    register(world, mockJob({ run_for: '1s', exit_code: 3, exit_err_msg: 'boom' }, 1))
    world.advance(2_000)
    expect(alloc(world).ClientStatus).toBe('pending')
    expect(taskOf(alloc(world))).toMatchObject({
      State: 'pending',
      Restarts: 1,
      LastRestart: '2026-01-01T00:00:01.25Z',
    })
    expect(counters(world)).toEqual({ Starting: 1 })
    world.advance(60_000)
    expect(allocationOverview(world)).toEqual(['example.cache[0] v0 run/failed'])
    expect(messages(alloc(world))).toEqual([
      'Task received by client',
      'Building Task Directory',
      'Task started by client',
      'Exit Code: 3, Exit Message: "boom"',
      'Task restarting in 15s',
      'Task started by client',
      'Exit Code: 3, Exit Message: "boom"',
      'Exceeded allowed attempts 1 in interval 24h0m0s and mode is "fail"',
    ])
    expect(taskOf(alloc(world))).toMatchObject({ State: 'dead', Failed: true, Restarts: 1 })
    expect(counters(world)).toEqual({ Failed: 1 })
    expect(currentJob(world).Status).toBe('dead')
  })

  test.each([
    [false, 1, ['no luck', 'Error was unrecoverable']],
    [true, 1, ['no luck', 'Task restarting in 15s']],
    [false, 0, ['no luck', 'Policy allows no restarts']],
    [true, 0, ['no luck', 'Policy allows no restarts']],
  ])('a task that cannot start, recoverable: %s, attempts: %i', (recoverable, attempts, texts) => {
    const world = clusterWorld()
    const config = { start_error: 'no luck', start_error_recoverable: recoverable }
    register(world, mockJob(config, attempts))
    world.advance(1_000)
    expect(messages(alloc(world)).slice(2)).toEqual(texts)
    expect(alloc(world).ClientStatus).toBe(recoverable && attempts > 0 ? 'pending' : 'failed')
  })

  test('start_block_for delays the start', () => {
    const world = clusterWorld()
    register(world, mockJob({ start_block_for: '10s', exit_code: 0 }))
    world.advance(10_200)
    expect(taskOf(alloc(world)).State).toBe('pending')
    world.advance(50)
    expect(taskOf(alloc(world)).State).toBe('running')
  })

  // choice/scheduler#cluster-restarts
  test('a service task restarts also after exit 0', () => {
    const world = clusterWorld()
    const task = storedTask({ Driver: 'mock' })
    const group = storedGroup({ Tasks: [{ ...task, Config: { run_for: '1s' } }] })
    register(world, storedServiceJob({ TaskGroups: [group] }))
    world.advance(2_000)
    expect(messages(alloc(world)).slice(3)).toEqual(['Exit Code: 0', 'Task restarting in 15s'])
  })

  test('mode delay restarts the task in the next interval, without a limit', () => {
    const world = clusterWorld()
    const policy = { Attempts: 1, Interval: 60e9, Delay: 15e9, Mode: 'delay' }
    const task = storedTask({ Driver: 'mock', RestartPolicy: policy })
    const group = storedGroup({ Tasks: [{ ...task, Config: { run_for: '1s', exit_code: 1 } }] })
    register(world, storedServiceJob({ TaskGroups: [group] }))
    world.advance(20_000)
    expect(messages(alloc(world)).slice(-1)).toEqual([
      'Exceeded allowed attempts, applying a delay - Task restarting in 42.7s',
    ])
    world.advance(600_000)
    expect(alloc(world).DesiredStatus).toBe('run')
    expect(taskOf(alloc(world)).Restarts).toBeGreaterThan(5)
  })
})

describe('stopping (behaviour/scheduler#task-events: stop)', () => {
  test('Killing, Terminated, Killed; the allocation is complete', () => {
    const world = clusterWorld()
    const job = register(world, storedServiceJob())
    world.advance(1_000)
    register(world, { ...job, Stop: true })
    world.advance(50)
    expect(alloc(world)).toMatchObject({
      DesiredStatus: 'stop',
      DesiredDescription: 'alloc not needed due to job update',
      ClientStatus: 'running',
    })
    expect(currentJob(world).Status).toBe('dead')
    world.advance(100)
    expect(messages(alloc(world)).slice(4)).toEqual([
      'Sent interrupt. Waiting 5s before force killing',
      'Exit Code: 0',
      'Task successfully killed',
    ])
    expect(alloc(world).ClientStatus).toBe('complete')
    expect(counters(world)).toEqual({ Complete: 1 })
    expect(activeDeployment(world, 'default', 'example')).toBeUndefined()
  })

  // choice/scheduler#cluster-restarts
  test.each([
    ['2s', 2_000, 'Exit Code: 0'],
    ['1m', 5_000, 'Exit Code: 137, Signal: 9'],
  ])('kill_after %s', (killAfter, milliseconds, message) => {
    const world = clusterWorld()
    const job = register(world, mockJob({ run_for: '1h', kill_after: killAfter }))
    world.advance(1_000)
    register(world, { ...job, Stop: true })
    world.advance(50 + milliseconds - 1)
    expect(alloc(world).ClientStatus).toBe('running')
    world.advance(1)
    expect(alloc(world).ClientStatus).toBe('complete')
    expect(messages(alloc(world)).slice(-2)).toEqual([message, 'Task successfully killed'])
  })

  // choice/scheduler#cluster-restarts
  test('a task that does not run yet ends at once', () => {
    const world = clusterWorld()
    const job = register(world, storedServiceJob())
    world.advance(110)
    register(world, { ...job, Stop: true })
    world.advance(50)
    expect(eventsOf(alloc(world)).slice(-2)).toEqual(['Driver', 'Killing'])
    expect(alloc(world).ClientStatus).toBe('complete')
  })
})

describe('tasks of one allocation (behaviour/scheduler#task-events: sibling, leader)', () => {
  const runs = (Name: string, config: Record<string, string | number>, change = {}) => ({
    ...storedTask({ Name, Driver: 'mock', ...change }),
    Config: config,
    RestartPolicy: { Attempts: 0, Interval: 0, Delay: 0, Mode: 'fail' },
  })
  const group = (...Tasks: ReturnType<typeof runs>[]) =>
    storedBatchJob({ TaskGroups: [{ ...storedBatchGroup({ ReschedulePolicy: null }), Tasks }] })

  test('one fails: the others are killed', () => {
    const world = clusterWorld()
    register(
      world,
      group(runs('bad', { run_for: '1s', exit_code: 1 }), runs('good', { run_for: '1h' })),
    )
    world.advance(5_000)
    expect(messages(alloc(world), 'good').slice(3)).toEqual([
      `Task's sibling "bad" failed`,
      'Sent interrupt. Waiting 5s before force killing',
      'Exit Code: 0',
      'Task successfully killed',
    ])
    expect(alloc(world).ClientStatus).toBe('failed')
    expect(taskOf(alloc(world), 'good').Failed).toBe(false)
  })

  test('a task that had ended has one more event when its group is killed', () => {
    const world = clusterWorld()
    const prestart = { Lifecycle: { Hook: 'prestart', Sidecar: false } }
    const clean = { Lifecycle: { Hook: 'poststop', Sidecar: false } }
    const job = register(
      world,
      group(
        runs('init', { run_for: '1s' }, prestart),
        runs('main', { run_for: '1h' }),
        runs('clean', { run_for: '1s' }, clean),
      ),
    )
    world.advance(3_000)
    expect(eventsOf(alloc(world), 'init').slice(-1)).toEqual(['Terminated'])
    register(world, { ...job, Stop: true })
    world.advance(10_000)
    expect(eventsOf(alloc(world), 'init').slice(-2)).toEqual(['Terminated', 'Killing'])
    expect(eventsOf(alloc(world), 'main').slice(-3)).toEqual(['Killing', 'Terminated', 'Killed'])
    expect(eventsOf(alloc(world), 'clean').slice(-1)).toEqual(['Terminated'])
  })

  test('tasks that wait are killed with their group, each once', () => {
    const world = clusterWorld()
    const blocked = { start_block_for: '1h' }
    const tasks = [runs('a', blocked), runs('b', blocked)]
    register(world, group(runs('bad', { run_for: '1s', exit_code: 1 }), ...tasks))
    world.advance(5_000)
    expect(eventsOf(alloc(world), 'bad').slice(-3)).toEqual([
      'Terminated',
      'Not Restarting',
      'Killing',
    ])
    for (const task of ['a', 'b'])
      expect(eventsOf(alloc(world), task).slice(-3)).toEqual([
        'Task Setup',
        'Sibling Task Failed',
        'Killing',
      ])
    expect(alloc(world).ClientStatus).toBe('failed')
  })

  test('when a job stops, its sidecars stop after the main tasks', () => {
    const world = clusterWorld()
    const sidecar = { Lifecycle: { Hook: 'prestart', Sidecar: true } }
    const job = register(world, group(runs('proxy', {}, sidecar), runs('main', { run_for: '1h' })))
    world.advance(3_000)
    register(world, { ...job, Stop: true })
    world.advance(10_000)
    expect(eventsOf(alloc(world), 'proxy').slice(-4)).toEqual([
      'Main Tasks Dead',
      'Killing',
      'Terminated',
      'Killed',
    ])
    expect(eventsOf(alloc(world), 'main').slice(-4)).toEqual([
      'Killing',
      'Terminated',
      'Killed',
      'Killing',
    ])
    expect(alloc(world).ClientStatus).toBe('complete')
  })

  test('when a job stops, its leader stops first', () => {
    const world = clusterWorld()
    const leader = runs('lead', { run_for: '1h' }, { Leader: true })
    const job = register(world, group(leader, runs('rest', { run_for: '1h' })))
    world.advance(3_000)
    register(world, { ...job, Stop: true })
    world.advance(10_000)
    expect(eventsOf(alloc(world), 'rest').slice(-4)).toEqual([
      'Leader Task Dead',
      'Killing',
      'Terminated',
      'Killed',
    ])
    expect(alloc(world).ClientStatus).toBe('complete')
  })

  test('a poststart task that still runs is not stopped when the main tasks have ended', () => {
    const world = clusterWorld()
    const poststart = { Lifecycle: { Hook: 'poststart', Sidecar: false } }
    register(
      world,
      group(runs('main', { run_for: '1s' }), runs('warm', { run_for: '20s' }, poststart)),
    )
    world.advance(10_000)
    expect(taskOf(alloc(world), 'warm').State).toBe('running')
    world.advance(20_000)
    expect(eventsOf(alloc(world), 'warm').slice(-1)).toEqual(['Terminated'])
  })

  test('the leader ends: the others are killed', () => {
    const world = clusterWorld()
    register(
      world,
      group(runs('lead', { run_for: '1s' }, { Leader: true }), runs('rest', { run_for: '1h' })),
    )
    world.advance(5_000)
    expect(messages(alloc(world), 'rest').slice(3, 4)).toEqual(['Leader Task in Group dead'])
    expect(alloc(world).ClientStatus).toBe('complete')
  })

  test('hooks run before, beside and after the main task', () => {
    const world = clusterWorld()
    const hook = (Hook: string, Sidecar = false) => ({ Lifecycle: { Hook, Sidecar } })
    register(
      world,
      group(
        runs('init', { run_for: '1s' }, hook('prestart')),
        runs('proxy', {}, hook('prestart', true)),
        runs('main', { run_for: '2s' }),
        runs('warm', { run_for: '1s' }, hook('poststart')),
        runs('clean', { run_for: '1s' }, hook('poststop')),
      ),
    )
    const states = () =>
      ['init', 'proxy', 'main', 'warm', 'clean'].map((task) => taskOf(alloc(world), task).State)
    world.advance(300)
    expect(states()).toEqual(['running', 'running', 'pending', 'pending', 'pending'])
    world.advance(1_200)
    expect(states()).toEqual(['dead', 'running', 'running', 'pending', 'pending'])
    world.advance(300)
    expect(states()).toEqual(['dead', 'running', 'running', 'running', 'pending'])
    world.advance(2_000)
    expect(states()).toEqual(['dead', 'dead', 'dead', 'dead', 'running'])
    expect(messages(alloc(world), 'proxy').slice(3, 4)).toEqual(['Main tasks in the group died'])
    world.advance(1_000)
    expect(alloc(world).ClientStatus).toBe('complete')
  })
})

describe('rescheduling (behaviour/scheduler#allocations)', () => {
  /** Returns a job with a reschedule policy. Every attempt of the job fails at once. */
  function failing(
    policy: Partial<NonNullable<ReturnType<typeof storedGroup>['ReschedulePolicy']>>,
  ) {
    const group = storedGroup({ ReschedulePolicy: policy })
    const none = { Attempts: 0, Interval: 0, Delay: 0, Mode: 'fail' }
    const task = storedTask({ Driver: 'mock', RestartPolicy: none })
    const Tasks = [{ ...task, Config: { run_for: '1s', exit_code: 1 } }]
    return storedServiceJob({ TaskGroups: [{ ...group, Update: null, Tasks }] })
  }

  test('a failed allocation is replaced after the delay, and names its replacement', () => {
    const world = clusterWorld()
    register(world, failing({}))
    world.advance(1_300)
    expect(allocationOverview(world)).toEqual(['example.cache[0] v0 run/failed'])
    expect(alloc(world)).toMatchObject({ ClientDescription: 'Failed tasks', NextAllocation: '' })
    const [, tried, waiting] = evalOverview(world)
    expect([tried, waiting]).toEqual(['alloc-failure complete', 'alloc-failure pending'])
    expect(currentJob(world).Status).toBe('pending')
    world.advance(30_000)
    const [first, second] = allocs(world)
    expect(allocationOverview(world)).toEqual([
      'example.cache[0] v0 stop/failed',
      'example.cache[0] v0 run/pending',
    ])
    expect(first?.DesiredDescription).toBe('alloc was rescheduled because it failed')
    expect(first?.NextAllocation).toBe(second?.ID)
    expect(second?.PreviousAllocation).toBe(first?.ID)
    expect(second?.NodeID).not.toBe(first?.NodeID)
    expect(second?.RescheduleTracker).toEqual({
      Events: [
        {
          PrevAllocID: first?.ID,
          PrevNodeID: first?.NodeID,
          RescheduleTime: 1_767_225_631_250_000_000,
          Delay: 30e9,
        },
      ],
      LastReschedule: 'ok',
    })
    expect(first?.RescheduleTracker).toEqual({ Events: [], LastReschedule: 'ok' })
  })

  test.each([
    ['constant', [5, 5, 5, 5, 5, 5]],
    ['exponential', [5, 10, 20, 40, 60, 60]],
    ['fibonacci', [5, 5, 10, 15, 25, 40]],
  ])('%s delays', (DelayFunction, expected) => {
    const world = clusterWorld()
    register(world, failing({ DelayFunction, Delay: 5e9, MaxDelay: 60e9 }))
    world.advance(400_000)
    const delays = allocs(world).map(
      ({ RescheduleTracker }) => (RescheduleTracker?.Events?.at(-1)?.Delay ?? 0) / 1e9,
    )
    expect(delays.slice(1, 7)).toEqual(expected)
  })

  test('attempts are limited', () => {
    const world = clusterWorld()
    const limited = { Attempts: 2, Interval: 3_600e9, Delay: 5e9, Unlimited: false }
    register(world, failing({ ...limited, DelayFunction: 'constant', MaxDelay: 0 }))
    world.advance(600_000)
    expect(allocationOverview(world)).toEqual([
      'example.cache[0] v0 stop/failed',
      'example.cache[0] v0 stop/failed',
      'example.cache[0] v0 run/failed',
    ])
    expect(currentJob(world).Status).toBe('dead')
    expect(counters(world)).toEqual({ Failed: 3 })
  })

  test('an unlimited policy keeps at most six events', () => {
    const world = clusterWorld()
    register(world, failing({ Delay: 5e9, DelayFunction: 'constant' }))
    world.advance(200_000)
    const lengths = allocs(world).map(
      ({ RescheduleTracker }) => RescheduleTracker?.Events?.length ?? 0,
    )
    expect(Math.max(...lengths)).toBe(6)
  })

  test('without room for the next attempt the evaluation is blocked', () => {
    const world = clusterWorld({ nodes: [{ name: 'only' }] })
    register(world, failing({ Delay: 5e9, DelayFunction: 'constant' }))
    world.advance(2_000)
    forceTransition(world, 'scheduler.node', 'only', 'ineligible')
    world.advance(60_000)
    expect(allocationOverview(world)).toEqual(['example.cache[0] v0 run/failed'])
    expect(counters(world)).toEqual({ Queued: 1, Failed: 1 })
    expect(evalOverview(world)).toContain('queued-allocs blocked')
    forceTransition(world, 'scheduler.node', 'only', 'eligible')
    world.advance(500)
    expect(allocationOverview(world)).toEqual([
      'example.cache[0] v0 stop/failed',
      'example.cache[0] v0 run/running',
    ])
    expect(allocs(world)[1]?.RescheduleTracker?.Events).toHaveLength(1)
    expect(counters(world)).toEqual({ Running: 1, Failed: 1 })
  })

  // choice/scheduler#cluster-least-scale
  test('with timeScale 0 a failed allocation is still replaced', () => {
    const world = clusterWorld({ options: { timeScale: 0 } })
    register(world, failing({ Delay: 5e9, DelayFunction: 'constant' }))
    world.runDueJobs()
    expect(allocationOverview(world)).toEqual(['example.cache[0] v0 run/failed'])
    world.advance(50)
    expect(allocs(world)).toHaveLength(2)
  })
})
