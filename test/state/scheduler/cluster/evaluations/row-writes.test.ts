import { describe, expect, test } from 'vitest'
import type { World } from '../../../../../state/kernel/worlds/world.ts'
import { latestDeployment } from '../../../../../state/scheduler/cluster/deployments/deployments.ts'
import type { Job } from '../../../../../state/scheduler/job/job-shape.ts'
import { summaryOf } from '../../../../../state/scheduler/records/store.ts'
import { allocs, clusterWorld, register } from '../../../../support/scheduler/scheduler-cluster.ts'
import { storedGroup, storedServiceJob } from '../../../../support/scheduler/scheduler-jobs.ts'

/** Returns a service job with groups `g0`, `g1` and so on. */
function jobWithGroups(groups: number, Count: number): Job {
  const TaskGroups = Array.from({ length: groups }, (_, at) =>
    storedGroup({ Name: `g${at}`, Count }),
  )
  return { ...storedServiceJob(), TaskGroups }
}

/** Runs the pending evaluation, and returns how often the commit that places wrote each table. */
function writesOfPlacement(world: World): Record<string, number> {
  const writes = new Map<string, number>()
  const unfollow = world.store.feed.follow(({ changes }) => {
    if (!changes.some(({ table }) => table === 'scheduler.allocations')) return
    for (const { table } of changes) writes.set(table, (writes.get(table) ?? 0) + 1)
  })
  while (allocs(world).length === 0) world.jump(1000, { limit: 1 })
  unfollow()
  return Object.fromEntries(writes)
}

describe('an evaluation writes rows of the whole job once (behaviour/scheduler#cluster)', () => {
  test.each([
    [20, 3],
    [1, 60],
  ])('%i groups with count %i', (groups, count) => {
    const world = clusterWorld()
    register(world, jobWithGroups(groups, count))
    expect(writesOfPlacement(world)).toMatchObject({
      'scheduler.allocations': 60,
      'scheduler.deployments': 1,
      'scheduler.job-summaries': 1,
      'scheduler.evaluations': 1,
    })
    const states = Object.values(latestDeployment(world, 'default', 'example')?.TaskGroups ?? {})
    expect(states.map(({ PlacedAllocs }) => PlacedAllocs)).toEqual(Array(groups).fill(count))
    const counters = Object.values(summaryOf(world, 'default', 'example')?.Summary ?? {})
    expect(counters.map(({ Starting }) => Starting)).toEqual(Array(groups).fill(count))
  })
})
