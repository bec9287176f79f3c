import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { World } from '../../../../state/kernel/worlds/world.ts'
import type { Job } from '../../../../state/scheduler/job/job-shape.ts'
import {
  type JobListQuery,
  jobStub,
  listJobs,
  sortNamespaces,
} from '../../../../state/scheduler/jobs/listing.ts'
import { summaryOf, upsertJob } from '../../../../state/scheduler/records/store.ts'
import { storedServiceJob } from '../../../support/scheduler/scheduler-jobs.ts'
import { frozenWorld, inputBatchJob, job, register } from './support.ts'

/** Returns a world with jobs, each given as `<namespace>.<id>`. */
function worldWith(...tokens: readonly string[]): World {
  const world = frozenWorld()
  world.write(() => {
    for (const token of tokens) {
      const [Namespace = '', ID = ''] = token.split(/\.(.*)/s)
      upsertJob(world, storedServiceJob({ Namespace, ID }))
    }
  })
  return world
}

function list(world: World, query: Partial<JobListQuery> = {}) {
  const { items, nextToken } = listJobs(world, { namespaces: ['a', 'b'], ...query })
  return { ids: items.map(({ Namespace, ID }) => `${Namespace}.${ID}`), nextToken }
}

describe('behaviour/scheduler#list-jobs', () => {
  test('jobs are listed by namespace, then ID; namespaces that the caller may not list are omitted', () => {
    const world = worldWith('b.1', 'a.2', 'a.10', 'c.0', 'a.Z', 'ab.0')
    expect(list(world)).toEqual({ ids: ['a.10', 'a.2', 'a.Z', 'b.1'], nextToken: undefined })
    expect(list(world, { namespaces: [] }).ids).toEqual([])
  })

  test('reverse turns the order', () => {
    const world = worldWith('b.1', 'a.2', 'a.10')
    expect(list(world, { reverse: true }).ids).toEqual(['b.1', 'a.2', 'a.10'])
  })

  test('prefix is that of the ID, case-sensitive', () => {
    const world = worldWith('a.web', 'a.web/1', 'a.Web', 'b.webb', 'b.we')
    expect(list(world, { prefix: 'web' }).ids).toEqual(['a.web', 'a.web/1', 'b.webb'])
  })

  test('a page token names the first entry of its page; the last page has no next token', () => {
    const world = worldWith('a.1', 'a.2', 'a.3', 'b.1')
    expect(list(world, { perPage: 2 })).toEqual({ ids: ['a.1', 'a.2'], nextToken: 'a.3' })
    expect(list(world, { perPage: 2, nextToken: 'a.3' })).toEqual({
      ids: ['a.3', 'b.1'],
      nextToken: undefined,
    })
    expect(list(world, { perPage: 0 }).ids).toHaveLength(4)
  })

  test('a page token of a deleted job continues at the next job', () => {
    const world = worldWith('a.1', 'a.3', 'b.1')
    expect(list(world, { nextToken: 'a.2' }).ids).toEqual(['a.3', 'b.1'])
    expect(list(world, { nextToken: 'a.9' }).ids).toEqual(['b.1'])
    expect(list(world, { nextToken: 'b' }).ids).toEqual(['b.1'])
    expect(list(world, { nextToken: 'z' }).ids).toEqual([])
  })

  test('a token is compared as a text: one without an ID is before all of its namespace', () => {
    const world = worldWith('a.1', 'b.1', 'b.2')
    expect(list(world, { nextToken: 'b.' }).ids).toEqual(['b.1', 'b.2'])
    expect(list(world, { nextToken: 'b.', reverse: true }).ids).toEqual(['a.1'])
    expect(list(world, { nextToken: 'b', reverse: true }).ids).toEqual(['a.1'])
  })

  test('filter and prefix apply before counting', () => {
    const world = worldWith('a.x1', 'a.x2', 'a.x3', 'a.x4', 'a.y')
    const filter = ({ ID }: Job) => Number(ID.slice(1)) % 2 === 0
    expect(list(world, { filter, prefix: 'x', perPage: 1 })).toEqual({
      ids: ['a.x2'],
      nextToken: 'a.x4',
    })
  })

  // choice/scheduler#scheduler-tokens-and-namespaces
  test('all pages together contain the whole list, in both directions', () => {
    const token = fc
      // The namespace `a` is a prefix of `a-b`, and `-` sorts before the separator `.`.
      .tuple(fc.constantFrom('a', 'a-b', 'b'), fc.stringMatching(/^[a-c./-]{1,3}$/))
      .map((parts) => parts.join('.'))
    fc.assert(
      fc.property(
        fc.uniqueArray(token, { maxLength: 12 }),
        fc.integer({ min: 1, max: 4 }),
        fc.boolean(),
        (tokens, perPage, reverse) => {
          const world = worldWith(...tokens)
          const namespaces = ['a', 'a-b', 'b']
          const whole = list(world, { namespaces, reverse }).ids
          expect(whole.length).toBe(tokens.length)
          const pages: string[] = []
          let nextToken: string | undefined = ''
          while (nextToken !== undefined) {
            const page = list(world, { namespaces, reverse, perPage, nextToken })
            pages.push(...page.ids)
            nextToken = page.nextToken
          }
          expect(pages).toEqual(whole)
        },
      ),
      { numRuns: 60 },
    )
  })

  test('namespaces are in the order of their jobs', () => {
    expect(sortNamespaces(['b', 'a-b', 'a', 'B'])).toEqual(['B', 'a', 'a-b', 'b'])
  })
})

describe('behaviour/scheduler#jobs: stubs', () => {
  test('a stub has the members of the specification and the added ones', () => {
    const world = frozenWorld()
    register(world, inputBatchJob({ Meta: { a: '1' }, ParameterizedJob: {} }))
    const stored = job(world, 'batch')
    const stub = {
      ID: 'batch',
      ParentID: '',
      Name: 'batch',
      Namespace: 'default',
      Datacenters: ['*'],
      NodePool: 'default',
      Multiregion: null,
      Type: 'batch',
      Priority: 50,
      Periodic: false,
      ParameterizedJob: true,
      Stop: false,
      Status: 'running',
      StatusDescription: '',
      JobSummary: summaryOf(world, 'default', 'batch'),
      CreateIndex: stored.CreateIndex,
      ModifyIndex: stored.ModifyIndex,
      JobModifyIndex: stored.JobModifyIndex,
      SubmitTime: stored.SubmitTime,
    }
    expect(jobStub(stored, stub.JobSummary)).toEqual(stub)
    expect(jobStub(stored, stub.JobSummary, { meta: true })).toEqual({ ...stub, Meta: { a: '1' } })
    expect(stub.JobSummary?.Summary?.['app']).toEqual({
      Queued: 0,
      Complete: 0,
      Failed: 0,
      Running: 0,
      Starting: 0,
      Lost: 0,
      Unknown: 0,
    })
  })

  test('Meta is null when empty', () => {
    const world = frozenWorld()
    register(world, inputBatchJob({ Periodic: { Spec: '@daily' } }))
    expect(jobStub(job(world, 'batch'), undefined, { meta: true })).toMatchObject({
      Periodic: true,
      ParameterizedJob: false,
      Meta: null,
    })
  })
})
