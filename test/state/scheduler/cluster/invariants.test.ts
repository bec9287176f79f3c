import { describe, expect, test } from 'vitest'
import type { World } from '../../../../state/kernel/worlds/world.ts'
import { relevantAllocationsOf } from '../../../../state/scheduler/cluster/allocations/allocations.ts'
import {
  hasEnded,
  isTerminal,
} from '../../../../state/scheduler/cluster/model/allocation-status.ts'
import { jobStatus } from '../../../../state/scheduler/cluster/model/job-summaries.ts'
import {
  allocations,
  evaluations,
  taskRuntimes,
} from '../../../../state/scheduler/cluster/model/tables.ts'
import { allNodes } from '../../../../state/scheduler/cluster/nodes/nodes.ts'
import { stopAllocation } from '../../../../state/scheduler/cluster/tasks/stopping.ts'
import { summaryOf } from '../../../../state/scheduler/records/store.ts'
import {
  allocs,
  clusterWorld,
  currentJob,
  evals,
  register,
} from '../../../support/scheduler/scheduler-cluster.ts'
import {
  storedBatchGroup,
  storedBatchJob,
  storedGroup,
  storedServiceJob,
  storedTask,
} from '../../../support/scheduler/scheduler-jobs.ts'

/** Returns a random generator of the test's own, so that the world's generator is not advanced. */
function dice(seed: number): (sides: number) => number {
  let state = seed
  return (sides) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * sides)
  }
}

type Dice = ReturnType<typeof dice>

function pick<T>(roll: Dice, items: readonly T[]): T | undefined {
  return items[roll(items.length)]
}

/** Returns a random version of the job: counts, environments and update settings vary. */
function version(roll: Dice, type: 'service' | 'batch') {
  const base = type === 'service' ? storedGroup() : storedBatchGroup()
  const Tasks = [{ ...storedTask({ Driver: 'exec' }), Env: { A: String(roll(3)) } }]
  const Update =
    base.Update === null
      ? null
      : { ...base.Update, MaxParallel: roll(3), Canary: roll(2), AutoPromote: true }
  const MaxClientDisconnect = roll(2) === 0 ? null : 60e9
  const group = { ...base, Count: roll(5), Tasks, Update, MaxClientDisconnect }
  const job = type === 'service' ? storedServiceJob() : storedBatchJob()
  return { ...job, TaskGroups: [group] }
}

/** Performs a random action: a new version, a forced transition, a stop, or the passing of time. */
function happen(world: World, roll: Dice, type: 'service' | 'batch'): void {
  const what = roll(8)
  if (what === 0) register(world, version(roll, type))
  else if (what === 1) {
    const one = pick(roll, allocs(world))
    if (one !== undefined && !isTerminal(one)) stopAllocation(world, one.ID)
  } else if (what <= 4) {
    const kind = pick(roll, [...world.transitions.values()])
    const item = kind === undefined ? undefined : pick(roll, kind.items(world))
    const to = item === undefined ? undefined : pick(roll, item.to)
    if (kind !== undefined && item !== undefined && to !== undefined) {
      kind.force(world, item.id, to, {})
    }
  } else world.advance(pick(roll, [1, 60, 200, 1_000, 30_000, 600_000]) ?? 0)
}

function check(world: World): void {
  const all = allocs(world)
  const of = (status: string) => all.filter(({ ClientStatus }) => ClientStatus === status).length
  expect(summaryOf(world, 'default', 'example')?.Summary?.['cache']).toMatchObject({
    Starting: of('pending'),
    Running: of('running'),
    Lost: of('lost'),
    Unknown: of('unknown'),
  })
  const ids = (rows: Iterable<{ ID: string }>) => Array.from(rows, ({ ID }) => ID).toSorted()
  const allocated = world.table(allocations)
  const open = ids(allocated.index('open').rows())
  const idsOf = (list: readonly { ID: string }[]) => list.map(({ ID }) => ID).toSorted()
  expect(open).toEqual(idsOf(all.filter((one) => !isTerminal(one))))
  const counted = new Set(
    ids(relevantAllocationsOf(world, 'default', 'example', currentJob(world))),
  )
  expect(open.filter((id) => !counted.has(id))).toEqual([])
  expect(ids(allocated.index('onNode').rows())).toEqual(idsOf(all.filter((one) => !hasEnded(one))))
  const waiting = evals(world).filter(({ Status }) => ['pending', 'blocked'].includes(Status))
  expect(ids(world.table(evaluations).index('open').rows())).toEqual(idsOf(waiting))
  expect(waiting.filter(({ Status }) => Status === 'blocked').length).toBeLessThanOrEqual(1)
  expect(currentJob(world).Status).toBe(jobStatus(world, currentJob(world)))
}

describe('invariants hold after any history (behaviour/scheduler#versions and behaviour/scheduler#cluster)', () => {
  const cases = (['service', 'batch'] as const).flatMap((type) =>
    Array.from({ length: 12 }, (_, seed) => [type, seed + 1] as const),
  )

  test.each(cases)(
    '%s, seed %i: counters, pointers and status hold, and it comes to rest',
    (type, seed) => {
      const roll = dice(seed)
      const world = clusterWorld()
      register(world, version(roll, type))
      for (let round = 0; round < 120; round++) {
        happen(world, roll, type)
        check(world)
      }
      for (const node of allNodes(world)) {
        const items = world.transitions.get('scheduler.node')?.items(world) ?? []
        if (items.find(({ id }) => id === node.ID)?.to.includes('ready')) {
          world.transitions.get('scheduler.node')?.force(world, node.ID, 'ready', {})
        }
      }
      const last = register(world, { ...version(roll, type), Meta: { last: 'one' } })
      world.advance(4 * 3_600_000)
      check(world)
      const wanted = Number(last.TaskGroups?.[0]?.Count ?? 0)
      const current = allocs(world).filter(
        ({ JobVersion, DesiredStatus }) => JobVersion === last.Version && DesiredStatus === 'run',
      )
      const status = type === 'service' ? 'running' : 'complete'
      expect(current.map(({ ClientStatus }) => ClientStatus)).toEqual(Array(wanted).fill(status))
      const open = allocs(world).filter(
        (one) => !isTerminal(one) && one.JobVersion !== last.Version,
      )
      expect(open).toEqual([])
      expect(world.table(taskRuntimes).size).toBe(type === 'service' ? wanted : 0)
    },
  )
})
