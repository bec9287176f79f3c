import { describe, expect, test } from 'vitest'
import type { SchedulerClient } from '../../../support/scheduler/scheduler.ts'
import { mockJob, overview } from '../cluster/support.ts'
import { periodicJob, register, requireSuccess } from '../support.ts'
import { scheduledPlane } from './scheduler-plane.ts'

describe("in the middle of a job's life (behaviour/program#worlds)", () => {
  /** Starts a service, a batch job between two attempts, a blocked job and a stopped one. */
  async function busy() {
    const plane = await scheduledPlane()
    const { client, advance } = plane
    const constraint = { LTarget: `\${attr.kernel.name}`, RTarget: 'windows', Operand: '=' }
    await register(client, mockJob({ t: {} }, { Count: 3 }))
    await register(
      client,
      mockJob({ t: { Config: { exit_code: 1 } } }, {}, { ID: 'b', Type: 'batch' }),
    )
    await register(client, mockJob({ t: {} }, { Constraints: [constraint] }, { ID: 'c' }))
    await register(client, periodicJob())
    await register(
      client,
      mockJob({ t: {} }, {}, { ID: 'd', Meta: { constructor: 'x', __proto__x: 'y' } }),
    )
    advance(2000)
    await register(client, mockJob({ t: { Env: { a: 'b' } } }, { Count: 3 }))
    await requireSuccess(client.delete('job/d'))
    advance(100)
    return plane
  }

  const ids = ['example', 'b', 'c', 'cron', 'd']
  async function seen(client: SchedulerClient) {
    const all = []
    for (const id of ids) {
      const parts = [
        '',
        '/summary',
        '/versions',
        '/allocations?all=true',
        '/evaluations',
        '/deployments',
      ]
      for (const part of parts) all.push((await client.get(`job/${id}${part}`)).body)
    }
    all.push((await client.get('nodes')).body, (await client.get('jobs')).body)
    return all
  }

  test('a restored snapshot continues as the original would have', async () => {
    const { ask, client, advance } = await busy()
    const { id } = (await ask('POST', '/snapshots')).body
    const then = await seen(client)
    advance(4_000_000)
    const later = await seen(client)
    expect(later).not.toEqual(then)
    await ask('POST', `/snapshots/${id}/restore`)
    expect(await seen(client)).toEqual(then)
    advance(4_000_000)
    expect(await seen(client)).toEqual(later)
  })

  test('a fork continues independently', async () => {
    const { ask, client, inWorld, advance } = await busy()
    expect((await ask('POST', '/worlds', { id: 'fork', from: 'default' })).status).toBe(201)
    const fork = inWorld('fork')
    const then = await seen(client)
    expect(await seen(fork)).toEqual(then)
    await ask('POST', '/worlds/fork/clock/advance', { by: '1h10m' })
    expect(await seen(client)).toEqual(then)
    const later = await seen(fork)
    advance(4_200_000)
    expect(await seen(client)).toEqual(later)
    // Changes of the fork do not affect the original.
    await requireSuccess(fork.delete('job/example?purge=true'))
    expect([
      (await fork.get('job/example')).status,
      (await client.get('job/example')).status,
    ]).toEqual([404, 200])
  })

  test('reset removes everything', async () => {
    const { ask, client, advance } = await busy()
    await ask('POST', '/reset')
    expect((await client.get('jobs')).body).toEqual([])
    expect((await client.get('jobs')).headers['x-sched-index']).toBe('0')
    advance(100_000)
    expect((await client.get('allocations')).body).toEqual([])
    expect((await register(client, mockJob({ t: {} }))).Index).toBe(11)
  })

  test('export, import and a second export are the same bytes, and the jobs continue', async () => {
    const { ask, client, inWorld, advance } = await busy()
    const first = await ask('GET', '/state')
    const document = first.text
    expect((await ask('POST', '/worlds', { id: 'copy' })).status).toBe(201)
    expect((await ask('PUT', '/worlds/copy/state', document)).status).toBe(204)
    expect((await ask('GET', '/worlds/copy/state')).text).toBe(document)
    expect(await seen(inWorld('copy'))).toEqual(await seen(client))
    advance(4_000_000)
    await ask('POST', '/worlds/copy/clock/advance', { by: 4_000_000 })
    expect(await seen(inWorld('copy'))).toEqual(await seen(client))
    expect((await ask('GET', '/worlds/copy/state')).text).toBe((await ask('GET', '/state')).text)
  })

  test('export and import preserve objects under manual control', async () => {
    const { ask, client, inWorld, options } = await scheduledPlane({ schedulerMode: 'manual' })
    await register(client, mockJob({ t: {} }))
    await ask('POST', '/scheduler/step', { count: 2 })
    const document = (await ask('GET', '/state')).text
    await ask('POST', '/worlds', { id: 'copy' })
    await ask('PUT', '/worlds/copy/state', document)
    expect((await ask('GET', '/worlds/copy/state')).text).toBe(document)
    for (const path of ['/scheduler/step', '/worlds/copy/scheduler/step']) {
      await ask('POST', path, { count: 2 })
    }
    const copy = inWorld('copy')
    expect(await overview(copy)).toEqual(['example.g[0] v0 run/running'])
    expect(await seen(copy)).toEqual(await seen(client))
    expect((await options({ schedulerMode: 'auto' })).status).toBe(200)
  })

  test('worlds are independent of each other', async () => {
    const { ask, client, inWorld, advance } = await scheduledPlane()
    await ask('POST', '/worlds', { id: 'other' })
    const other = inWorld('other')
    await register(client, mockJob({ t: {} }))
    advance(1000)
    expect((await other.get('jobs')).body).toEqual([])
    await ask('POST', '/worlds/other/scheduler/outcomes', { exit_code: 1 })
    expect((await ask('GET', '/scheduler/outcomes')).body).toEqual({ outcomes: [] })
    expect((await ask('POST', '/worlds/other/scheduler/step', {})).body).toEqual({ steps: [] })
    await ask('PATCH', '/worlds/other/options', { scheduler: { region: 'mars' } })
    expect((await other.get('regions')).body).toEqual(['mars'])
    expect((await client.get('regions')).body).toEqual(['global'])
  })
})
