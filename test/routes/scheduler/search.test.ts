import { describe, expect, test } from 'vitest'
import { scheduler } from '../../support/scheduler.ts'

async function withJobs(names: readonly string[]) {
  const served = await scheduler()
  for (const ID of names) {
    const Job = { ID, TaskGroups: [{ Name: 'g', Tasks: [{ Name: 't', Driver: 'mock' }] }] }
    await served.scheduler.post('jobs', { Job })
  }
  served.clock.advance(1000)
  return served.scheduler
}

const empty = {
  allocs: [],
  deployment: [],
  evals: [],
  jobs: [],
  namespaces: [],
  node_pools: [],
  nodes: [],
}

describe('search by prefix (Extension of 3b-scheduler-decisions.md section 10)', () => {
  test('all kinds are searched unless one is named', async () => {
    const client = await withJobs(['web', 'worker', 'db'])
    const all = await client.post('search', { Prefix: 'w' })
    expect([all.status, all.body.Matches]).toEqual([200, { ...empty, jobs: ['web', 'worker'] }])
    expect(all.body).toMatchObject({ LastContact: 0, KnownLeader: true })
    const one = await client.post('search', { Prefix: 'de', Context: 'node_pools' })
    expect(one.body.Matches).toEqual({ node_pools: ['default'] })
    expect(one.body.Truncations).toEqual({ node_pools: false })
  })

  test('short IDs of allocations are found', async () => {
    const client = await withJobs(['web'])
    const [{ ID }] = (await client.get('job/web/allocations')).body
    const found = await client.put('search', { Prefix: ID.slice(0, 8), Context: 'allocs' })
    expect(found.body.Matches).toEqual({ allocs: [ID] })
  })

  test('twenty of a kind are told, and whether there are more', async () => {
    const names = Array.from({ length: 21 }, (_, n) => `job-${String(n).padStart(2, '0')}`)
    const { body } = await (await withJobs(names)).post('search', {
      Prefix: 'job',
      Context: 'jobs',
    })
    expect(body.Matches.jobs).toEqual(names.slice(0, 20))
    expect(body.Truncations).toEqual({ jobs: true })
  })

  test.each([
    [
      { Prefix: 'x', Context: 'cats' },
      500,
      'context must be one of [all allocs deployment evals jobs namespaces node_pools nodes]; got "cats"',
    ],
    [undefined, 400, 'Request body is empty'],
  ])('%j is refused', async (body, status, text) => {
    const reply = await (await scheduler()).scheduler.post('search', body)
    expect([reply.status, reply.text]).toEqual([status, text])
  })
})
