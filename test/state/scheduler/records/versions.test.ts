import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { World } from '../../../../state/kernel/worlds/world.ts'
import { dataIndex, lastIndex } from '../../../../state/scheduler/indexes.ts'
import type { Job } from '../../../../state/scheduler/job/job-shape.ts'
import { versionsOf as diffsOf } from '../../../../state/scheduler/jobs/versions.ts'
import {
  childrenOf,
  deleteJob,
  findJob,
  findJobVersion,
  jobVersionsOf,
  putVersion,
  setStable,
  upsertJob,
} from '../../../../state/scheduler/records/store.ts'
import { jobs as jobTable } from '../../../../state/scheduler/records/tables.ts'
import { type Change, storedServiceJob } from '../../../support/scheduler/scheduler-jobs.ts'
import { frozenWorld, startNanoseconds } from '../jobs/support.ts'

function upsert(world: World, change: Change<Job> = {}): Job {
  return world.write(() => upsertJob(world, storedServiceJob(change)))
}

const versionsOf = (world: World) =>
  jobVersionsOf(world, 'default', 'example').map(({ Version }) => Version)

describe('behaviour/scheduler#versions: tagged versions', () => {
  const tag = (world: World, version: number, Name: string) =>
    world.write(() => {
      const tagged = findJobVersion(world, 'default', 'example', version)
      if (tagged === undefined) throw new Error(`no version ${version}`)
      putVersion(world, { ...tagged, VersionTag: { Name, Description: '', TaggedTime: 1 } })
    })

  test('are neither counted nor dropped', () => {
    const world = frozenWorld()
    for (let Priority = 1; Priority <= 3; Priority++) upsert(world, { Priority })
    tag(world, 0, 'first')
    tag(world, 2, 'third')
    for (let Priority = 4; Priority <= 10; Priority++) upsert(world, { Priority })
    expect(versionsOf(world)).toEqual([9, 8, 7, 6, 5, 4, 2, 0])
  })

  test('keep their tags: a sent or copied job has none', () => {
    const world = frozenWorld()
    const VersionTag = { Name: 'sent', Description: '', TaggedTime: 1 }
    expect(upsert(world, { VersionTag })).toHaveProperty('VersionTag', null)
  })

  test('can be compared with, before a number (behaviour/scheduler#jobs)', () => {
    const world = frozenWorld()
    for (let Priority = 1; Priority <= 3; Priority++) upsert(world, { Priority })
    tag(world, 0, 'first')
    const compared = diffsOf(world, 'default', 'example', {
      diffs: true,
      diffVersion: 2,
      diffTag: 'first',
    }).Diffs
    const old = compared?.map(({ Fields }) => Fields?.find(({ Name }) => Name === 'Priority')?.Old)
    expect(old).toEqual(['1', '1', undefined])
    expect(() => diffsOf(world, 'default', 'example', { diffs: true, diffTag: 'none' })).toThrow(
      'tag "none" not found',
    )
  })
})

describe('behaviour/scheduler#versions: version and indexes of a written job', () => {
  test('a new job has version 0 and the same three indexes; SubmitTime is now in nanoseconds', () => {
    const world = frozenWorld()
    const stored = upsert(world)
    const index = lastIndex(world)
    expect(stored).toEqual({
      ...storedServiceJob(),
      SubmitTime: startNanoseconds,
      CreateIndex: index,
      ModifyIndex: index,
      JobModifyIndex: index,
    })
    expect(findJob(world, 'default', 'example')).toBe(stored)
    expect(findJobVersion(world, 'default', 'example', 0)).toBe(stored)
    expect(dataIndex(world, 'jobs')).toBe(index)
    expect(dataIndex(world, 'versions')).toBe(index)
  })

  test('the next version is one higher; CreateIndex stays', () => {
    const world = frozenWorld()
    const first = upsert(world)
    const second = upsert(world, { Priority: 60 })
    expect(second).toMatchObject({
      Version: 1,
      CreateIndex: first.CreateIndex,
      ModifyIndex: first.CreateIndex + 1,
      JobModifyIndex: first.CreateIndex + 1,
    })
  })

  test.each([
    { sent: 0, next: 4 },
    { sent: 3, next: 4 },
    { sent: 4, next: 4 },
    { sent: 9, next: 9 },
  ])('after version 3, a job sent with $sent becomes $next', ({ sent, next }) => {
    const world = frozenWorld()
    upsert(world, { Version: 3 })
    expect(upsert(world, { Version: sent }).Version).toBe(next)
  })
})

describe('behaviour/scheduler#versions: retained versions', () => {
  test('six are kept, the highest first; the seventh drops the oldest', () => {
    const world = frozenWorld()
    for (let count = 0; count < 6; count++) upsert(world)
    expect(versionsOf(world)).toEqual([5, 4, 3, 2, 1, 0])
    upsert(world)
    expect(versionsOf(world)).toEqual([6, 5, 4, 3, 2, 1])
  })

  test.each([
    { stable: [0], kept: [6, 5, 4, 3, 2, 0], why: 'the newest stable one is the oldest: spared' },
    { stable: [0, 3], kept: [6, 5, 4, 3, 2, 1], why: 'a newer one is stable too' },
    { stable: [1], kept: [6, 5, 4, 3, 2, 1], why: 'the stable one is not the oldest' },
  ])('with stable versions $stable: $why', ({ stable, kept }) => {
    const world = frozenWorld()
    for (let count = 0; count < 6; count++) upsert(world)
    world.write(() => {
      for (const version of stable) setStable(world, 'default', 'example', version, true)
    })
    upsert(world)
    expect(versionsOf(world)).toEqual(kept)
  })

  test('versions that jump stay in the order of numbers', () => {
    const world = frozenWorld()
    for (const Version of [0, 9, 10, 100]) upsert(world, { Version })
    expect(versionsOf(world)).toEqual([100, 10, 9, 0])
  })
})

describe('behaviour/scheduler#versions: Stable', () => {
  test('of the current version: ModifyIndex changes on the job and on the kept copy, no other index does', () => {
    const world = frozenWorld()
    const before = upsert(world)
    world.write(() => setStable(world, 'default', 'example', 0, true))
    const after = { ...before, Stable: true, ModifyIndex: before.ModifyIndex + 1 }
    expect(findJob(world, 'default', 'example')).toEqual(after)
    expect(findJobVersion(world, 'default', 'example', 0)).toEqual(after)
  })

  test('of an older version: the current one stays as it is', () => {
    const world = frozenWorld()
    upsert(world)
    const current = upsert(world, { Priority: 60 })
    world.write(() => setStable(world, 'default', 'example', 0, true))
    expect(findJob(world, 'default', 'example')).toBe(current)
    expect(findJobVersion(world, 'default', 'example', 0)).toMatchObject({
      Stable: true,
      ModifyIndex: lastIndex(world),
    })
  })

  test.each([
    { version: 0, stable: false, why: 'it is so already' },
    { version: 7, stable: true, why: 'there is no such version' },
  ])('nothing is written when $why', ({ version, stable }) => {
    const world = frozenWorld()
    upsert(world)
    const index = lastIndex(world)
    world.write(() => setStable(world, 'default', 'example', version, stable))
    expect(lastIndex(world)).toBe(index)
  })
})

describe('references between jobs', () => {
  test('children are found by their parent, in the order of IDs, until they get another parent', () => {
    const world = frozenWorld()
    upsert(world, { ID: 'b', ParentID: 'p' })
    upsert(world, { ID: 'a', ParentID: 'p' })
    upsert(world, { ID: 'c', ParentID: 'pp' })
    const children = () => Array.from(childrenOf(world, 'default', 'p'), ({ ID }) => ID)
    expect(children()).toEqual(['a', 'b'])
    upsert(world, { ID: 'a', ParentID: '' })
    expect(children()).toEqual(['b'])
  })

  test('each job appears once in the order of changes, at its ModifyIndex', () => {
    const operation = fc.record({
      id: fc.constantFrom('a', 'b', 'c'),
      kind: fc.constantFrom('upsert', 'stable', 'drop'),
    })
    fc.assert(
      fc.property(fc.array(operation, { maxLength: 20 }), (operations) => {
        const world = frozenWorld()
        const ids = new Set<string>()
        for (const { id, kind } of operations) {
          if (kind === 'upsert') upsert(world, { ID: id })
          const job = findJob(world, 'default', id)
          if (job === undefined) continue
          world.write(() => {
            if (kind === 'stable') setStable(world, 'default', id, job.Version, !job.Stable)
            if (kind === 'drop') deleteJob(world, job)
          })
          if (kind === 'drop') ids.delete(id)
          else ids.add(id)
        }
        const jobs = Array.from(ids, (id) => findJob(world, 'default', id))
        const expected = jobs
          .sort((a, b) => (a?.ModifyIndex ?? 0) - (b?.ModifyIndex ?? 0))
          .map((job) => job?.ID)
        expect(Array.from(world.table(jobTable).index('byChange').rows(), ({ ID }) => ID)).toEqual(
          expected,
        )
      }),
      { numRuns: 50 },
    )
  })
})
