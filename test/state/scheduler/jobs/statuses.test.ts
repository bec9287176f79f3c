import { describe, expect, test } from 'vitest'
import type { World } from '../../../../state/kernel/worlds/world.ts'
import { forceLaunch } from '../../../../state/scheduler/jobs/launches.ts'
import { jobStatuses, type StatusesQuery } from '../../../../state/scheduler/jobs/statuses.ts'
import { childrenOf } from '../../../../state/scheduler/records/store.ts'
import { frozenWorld, inputBatchJob, inputJob, job, register } from './support.ts'

function statuses(world: World, query: Partial<StatusesQuery> = {}) {
  return jobStatuses(world, { namespaces: new Set(['default']), ...query })
}

const ids = (world: World, query: Partial<StatusesQuery> = {}) =>
  statuses(world, query).items.map(({ ID }) => ID)

/**
 * Returns a world with the jobs a, b and c, of which a was registered again last, and a periodic
 * job with a child.
 */
function world(): World {
  const world = frozenWorld()
  for (const ID of ['a', 'b', 'c']) register(world, inputJob({ ID }))
  register(world, inputJob({ ID: 'a', Priority: 60 }))
  register(world, inputBatchJob({ ID: 'cron', Periodic: { Spec: '@daily' } }))
  forceLaunch(world, 'default', 'cron')
  return world
}

describe('behaviour/scheduler#job-statuses', () => {
  test('the job that changed last comes first; children only when asked for', () => {
    const [child] = childrenOf(world(), 'default', 'cron')
    expect(ids(world())).toEqual(['cron', 'a', 'c', 'b'])
    expect(ids(world(), { includeChildren: true })).toEqual([child?.ID, 'cron', 'a', 'c', 'b'])
    expect(ids(world(), { reverse: true })).toEqual(['b', 'c', 'a', 'cron'])
    expect(ids(world(), { namespaces: new Set() })).toEqual([])
  })

  test('of only the given jobs, each once', () => {
    const only = ['b', 'none', 'a', 'a'].map((id) => ({ namespace: 'default', id }))
    expect(ids(world(), { requested: only })).toEqual(['a', 'b'])
    expect(ids(world(), { requested: only, reverse: true })).toEqual(['b', 'a'])
  })

  test('of only the given jobs, all on one page that begins with the ModifyIndex of the token', () => {
    const here = world()
    const requested = ['b', 'a', 'c'].map((id) => ({ namespace: 'default', id }))
    const page = statuses(here, { requested, perPage: 1 })
    expect([page.items.map(({ ID }) => ID), page.nextToken]).toEqual([['a', 'c', 'b'], undefined])
    const nextToken = String(job(here, 'c').ModifyIndex)
    expect(ids(here, { requested, nextToken })).toEqual(['c', 'b'])
    expect(ids(here, { requested, nextToken, reverse: true })).toEqual(['c', 'a'])
    expect(ids(here, { requested, nextToken: 'x' })).toEqual([])
  })

  test.each([false, true])('pages begin with a ModifyIndex (reverse: %s)', (reverse) => {
    const here = world()
    const whole = ids(here, { reverse })
    const first = statuses(here, { perPage: 3, reverse })
    const last = whole[3] ?? ''
    expect(first.items.map(({ ID }) => ID)).toEqual(whole.slice(0, 3))
    expect(first.nextToken).toBe(String(job(here, last).ModifyIndex))
    expect(
      ids(here, { perPage: 3, reverse, ...(first.nextToken && { nextToken: first.nextToken }) }),
    ).toEqual([last])
  })

  test('a filter applies before counting', () => {
    expect(ids(world(), { perPage: 1, filter: ({ Priority }) => Priority === 50 })).toEqual([
      'cron',
    ])
  })

  test('the status of a job without allocations has all members', () => {
    const here = world()
    const stored = job(here, 'a')
    expect(statuses(here).items[1]).toEqual({
      ID: 'a',
      Namespace: 'default',
      Name: 'a',
      Type: 'service',
      NodePool: 'default',
      Datacenters: ['*'],
      Priority: 60,
      Version: 1,
      SubmitTime: stored.SubmitTime,
      ModifyIndex: stored.ModifyIndex,
      Allocs: null,
      GroupCountSum: 1,
      ChildStatuses: null,
      ParentID: '',
      LatestDeployment: null,
      Stop: false,
      IsPack: false,
      Status: 'pending',
    })
    expect(statuses(here).items[0]).toMatchObject({ ID: 'cron', ChildStatuses: ['pending'] })
  })
})
