import { describe, expect, test } from 'vitest'
import type { World } from '../../../../state/kernel/worlds/world.ts'
import type { Job } from '../../../../state/scheduler/job/job-shape.ts'
import {
  alloc,
  allocationOverview,
  clusterWorld,
  evalOverview,
  evals,
  eventsOf,
  forceTransition,
  messages,
  nodeId,
  register,
  taskOf,
} from '../../../support/scheduler/scheduler-cluster.ts'
import {
  storedGroup,
  storedServiceJob,
  storedTask,
} from '../../../support/scheduler/scheduler-jobs.ts'

const second = storedTask({ Name: 'second', Driver: 'exec' })

/** Returns a world with a running service of one or two tasks. */
function running(tasks = [storedTask()], change: Partial<Job> = {}): World {
  const world = clusterWorld()
  const group = { ...storedGroup(), Tasks: tasks }
  register(world, { ...storedServiceJob(), TaskGroups: [group], ...change })
  world.advance(1_000)
  return world
}

const items = (world: World, kind: string) => world.transitions.get(kind)?.items(world) ?? []

describe('scheduler.task (behaviour/program#control-plane)', () => {
  test('running tasks are listed with their reachable states', () => {
    const world = running()
    expect(items(world, 'scheduler.task')).toEqual([
      {
        id: `${alloc(world).ID}:redis`,
        state: 'running',
        to: ['exited', 'dead', 'failed', 'restarting'],
      },
    ])
  })

  test('exited: the restart policy decides', () => {
    const world = running()
    forceTransition(world, 'scheduler.task', `${alloc(world).ID}:redis`, 'exited', {
      exitCode: 137,
      signal: 9,
      message: 'gone',
      oomKilled: true,
    })
    expect(messages(alloc(world)).slice(4)).toEqual([
      'Exit Code: 137, Signal: 9, Exit Message: "gone"',
      'Task restarting in 15s',
    ])
    expect(taskOf(alloc(world)).Events?.at(-2)?.Details).toMatchObject({ oom_killed: 'true' })
  })

  test.each([
    ['dead', {}, 'complete', ['Exit Code: 0']],
    ['dead', { exitCode: 137 }, 'failed', ['Exit Code: 137', 'Policy allows no restarts']],
    ['failed', {}, 'failed', ['Exit Code: 1', 'Policy allows no restarts']],
  ])('%s %o: no restart is left', (to, extras, status, expected) => {
    const world = running()
    forceTransition(world, 'scheduler.task', `${alloc(world).ID}:redis`, to, extras)
    expect(messages(alloc(world)).slice(4)).toEqual(expected)
    expect(alloc(world).ClientStatus).toBe(status)
  })

  test('restarting: it starts again', () => {
    const world = running()
    forceTransition(world, 'scheduler.task', `${alloc(world).ID}:redis`, 'restarting')
    world.advance(1_000)
    expect(messages(alloc(world)).slice(4)).toEqual([
      'User requested restart',
      'Exit Code: 0',
      'Task restarting in 0s',
      'Task started by client',
    ])
    expect(taskOf(alloc(world)).Restarts).toBe(1)
  })

  test.each([
    ['running', {}, ['Received', 'Task Setup', 'Driver', 'Started']],
    [
      'start-failed',
      { error: 'no image' },
      ['Received', 'Task Setup', 'Driver', 'Driver Failure', 'Not Restarting'],
    ],
    [
      'start-failed',
      { recoverable: true },
      ['Received', 'Task Setup', 'Driver', 'Driver Failure', 'Restarting'],
    ],
    [
      'exited',
      { exitCode: 2 },
      ['Received', 'Task Setup', 'Driver', 'Started', 'Terminated', 'Restarting'],
    ],
  ])('a task that does not run yet goes to %s %o', (to, extras, expected) => {
    const world = clusterWorld()
    register(world, storedServiceJob())
    world.advance(50)
    forceTransition(world, 'scheduler.task', `${alloc(world).ID}:redis`, to, extras)
    expect(eventsOf(alloc(world))).toEqual(expected)
  })

  test('a task that is being killed becomes dead', () => {
    const world = running()
    forceTransition(world, 'scheduler.allocation', alloc(world).ID, 'stop')
    world.advance(60)
    forceTransition(world, 'scheduler.task', `${alloc(world).ID}:redis`, 'dead', { exitCode: 143 })
    expect(messages(alloc(world)).slice(-2)).toEqual(['Exit Code: 143', 'Task successfully killed'])
    expect(alloc(world).ClientStatus).toBe('complete')
  })

  test.each([
    ['nothing:redis', 'dead', {}, 'there is no task "nothing:redis" to push'],
    ['', 'running', {}, 'a task that is running cannot become running'],
    ['', 'dead', { exitCode: 'x' }, 'exitCode must be a whole number'],
    ['', 'dead', { message: 1 }, 'message must be a text'],
    ['', 'dead', { oomKilled: 1 }, 'oomKilled must be true or false'],
  ])('refused: %s %s %o', (id, to, extras, message) => {
    const world = running()
    const target = id === '' ? `${alloc(world).ID}:redis` : id
    expect(() => forceTransition(world, 'scheduler.task', target, to, extras)).toThrow(message)
  })
})

describe('scheduler.allocation (behaviour/program#control-plane)', () => {
  test('allocations are listed with their reachable states', () => {
    const world = running()
    expect(items(world, 'scheduler.allocation')).toEqual([
      {
        id: alloc(world).ID,
        state: 'running',
        to: ['complete', 'failed', 'lost', 'unknown', 'stop', 'healthy', 'unhealthy'],
      },
    ])
  })

  test('complete: every task has done its work', () => {
    const world = running([storedTask(), second])
    forceTransition(world, 'scheduler.allocation', alloc(world).ID, 'complete')
    expect(alloc(world).ClientStatus).toBe('complete')
    expect(messages(alloc(world), 'second').at(-1)).toBe('Exit Code: 0')
  })

  test('complete before it runs', () => {
    const world = clusterWorld()
    register(world, storedServiceJob())
    world.advance(110)
    forceTransition(world, 'scheduler.allocation', alloc(world).ID, 'complete')
    expect(alloc(world).ClientStatus).toBe('complete')
  })

  test('failed: with an exit code, and the others are killed', () => {
    const world = running([storedTask(), second])
    forceTransition(world, 'scheduler.allocation', alloc(world).ID, 'failed', { exitCode: 137 })
    expect(alloc(world).ClientStatus).toBe('failed')
    expect(messages(alloc(world)).at(-3)).toBe('Exit Code: 137')
    expect(eventsOf(alloc(world)).slice(-2)).toEqual(['Not Restarting', 'Killing'])
    expect(eventsOf(alloc(world), 'second').slice(-2)).toEqual(['Sibling Task Failed', 'Killing'])
    expect(evalOverview(world)).toContain('alloc-failure pending')
  })

  test('lost: replaced', () => {
    const world = running()
    forceTransition(world, 'scheduler.allocation', alloc(world).ID, 'lost')
    world.advance(1_000)
    expect(allocationOverview(world)).toEqual([
      'example.cache[0] v0 stop/lost',
      'example.cache[0] v0 run/running',
    ])
    expect(evalOverview(world)).toContain('node-update complete')
  })

  test('unknown, and running again', () => {
    const world = running()
    forceTransition(world, 'scheduler.allocation', alloc(world).ID, 'unknown')
    expect(allocationOverview(world)).toEqual(['example.cache[0] v0 run/unknown'])
    forceTransition(world, 'scheduler.allocation', alloc(world).ID, 'running')
    expect(allocationOverview(world)).toEqual(['example.cache[0] v0 run/running'])
  })

  test('unhealthy', () => {
    const world = running()
    forceTransition(world, 'scheduler.allocation', alloc(world).ID, 'unhealthy')
    expect(alloc(world).DeploymentStatus?.Healthy).toBe(false)
  })

  test.each([
    ['x', 'lost', 'there is no allocation "x"'],
    ['', 'running', 'an allocation that is running cannot become running'],
  ])('refused: %s %s', (id, to, message) => {
    const world = running()
    expect(() =>
      forceTransition(world, 'scheduler.allocation', id === '' ? alloc(world).ID : id, to),
    ).toThrow(message)
  })

  test('an ended allocation is not listed', () => {
    const world = running()
    forceTransition(world, 'scheduler.allocation', alloc(world).ID, 'lost')
    expect(items(world, 'scheduler.allocation')).toEqual([])
    expect(() => forceTransition(world, 'scheduler.allocation', alloc(world).ID, 'failed')).toThrow(
      'an allocation that is lost cannot become failed',
    )
  })
})

describe('scheduler.evaluation (behaviour/program#control-plane)', () => {
  const waiting = () => {
    const world = clusterWorld({ nodes: [] })
    register(world, storedServiceJob())
    return { world, id: evals(world)[0]?.ID ?? '' }
  }

  test.each([
    ['complete', {}, 'complete', ''],
    ['failed', {}, 'failed', 'maximum attempts reached (5)'],
    ['failed', { description: 'no' }, 'failed', 'no'],
    ['canceled', {}, 'canceled', ''],
  ])('pending to %s %o', (to, extras, Status, StatusDescription) => {
    const { world, id } = waiting()
    forceTransition(world, 'scheduler.evaluation', id, to, extras)
    world.advance(1_000)
    const forced = evals(world).find(({ ID }) => ID === id)
    expect(forced).toMatchObject({ Status, StatusDescription })
  })

  test.each(['pending', 'complete'])('blocked to %s: it tries again', (to) => {
    const { world, id } = waiting()
    forceTransition(world, 'scheduler.evaluation', id, 'complete')
    const [blocked] = items(world, 'scheduler.evaluation')
    expect(blocked).toMatchObject({
      state: 'blocked',
      to: ['pending', 'complete', 'failed', 'canceled'],
    })
    forceTransition(world, 'scheduler.evaluation', blocked?.id ?? '', to)
    world.advance(1_000)
    expect(items(world, 'scheduler.evaluation')[0]).toEqual(blocked)
  })

  test('refused', () => {
    const { world, id } = waiting()
    expect(() => forceTransition(world, 'scheduler.evaluation', 'x', 'failed')).toThrow(
      'there is no evaluation "x"',
    )
    forceTransition(world, 'scheduler.evaluation', id, 'failed')
    expect(() => forceTransition(world, 'scheduler.evaluation', id, 'complete')).toThrow(
      'an evaluation that is failed cannot become complete',
    )
  })
})

describe('scheduler.node (behaviour/program#control-plane)', () => {
  const table = {
    ready: ['down', 'disconnected', 'ineligible', 'drained'],
    ineligible: ['ready', 'down', 'disconnected', 'eligible', 'drained'],
    down: ['ready'],
    disconnected: ['ready', 'down'],
  }

  test.each([
    ['down', 'down', table.down],
    ['disconnected', 'disconnected', table.disconnected],
    ['ineligible', 'ineligible', table.ineligible],
    // Nothing is on it, so it is drained at once.
    ['drained', 'ineligible', table.ineligible],
  ])('%s and back', (to, state, reachable) => {
    const world = clusterWorld({ nodes: [{ name: 'a' }] })
    const id = nodeId(world, 'a')
    expect(items(world, 'scheduler.node')).toEqual([{ id, state: 'ready', to: table.ready }])
    forceTransition(world, 'scheduler.node', 'a', to)
    expect(items(world, 'scheduler.node')).toEqual([{ id, state, to: reachable }])
    forceTransition(world, 'scheduler.node', id, 'ready')
    expect(items(world, 'scheduler.node')).toEqual([{ id, state: 'ready', to: table.ready }])
  })

  test('refused', () => {
    const world = clusterWorld()
    expect(() => forceTransition(world, 'scheduler.node', 'x', 'down')).toThrow(
      'there is no node "x"',
    )
    expect(() => forceTransition(world, 'scheduler.node', 'sched-client-1', 'ready')).toThrow(
      'a node that is ready cannot become ready',
    )
  })
})
