import { describe, expect, test } from 'vitest'
import { allocationOf, mockJob, overview } from '../cluster/support.ts'
import { register } from '../support.ts'
import { scheduledPlane } from './scheduler-plane.ts'

describe('behaviour/program#control-plane: timings of the scheduler', () => {
  test('immediate: all transitions happen at once', async () => {
    const { ask, client, advance } = await scheduledPlane()
    const paces = {
      'scheduler.evaluation': 'immediate',
      'scheduler.task': 'immediate',
      'scheduler.allocation': 'immediate',
    }
    expect((await ask('PUT', '/transitions', paces)).status).toBe(200)
    await register(client, mockJob({ t: {} }))
    advance(0)
    expect(await overview(client)).toEqual(['example.g[0] v0 run/running'])
  })

  test('after a duration: each transition takes its time', async () => {
    const { ask, client, advance } = await scheduledPlane()
    await ask('PUT', '/transitions', { 'scheduler.evaluation': { after: '10s' } })
    await register(client, mockJob({ t: {} }))
    advance(9999)
    expect(await overview(client)).toEqual([])
    advance(1)
    expect(await overview(client)).toEqual(['example.g[0] v0 run/pending'])
  })

  test('manual: objects wait for forced transitions, and continue after a return to automatic', async () => {
    const { ask, client, advance, push } = await scheduledPlane()
    await ask('PUT', '/transitions', { 'scheduler.task': 'manual' })
    await register(client, mockJob({ t: {} }, { Count: 2 }))
    advance(60_000)
    expect(await overview(client)).toEqual([
      'example.g[0] v0 run/pending',
      'example.g[1] v0 run/pending',
    ])
    const { ID } = await allocationOf(client)
    await push('task', `${ID}:t`, 'running')
    expect((await overview(client))[0]).toBe('example.g[0] v0 run/running')
    await ask('PUT', '/transitions', { 'scheduler.task': { after: '20ms' } })
    advance(1000)
    expect((await overview(client))[1]).toBe('example.g[1] v0 run/running')
  })

  test('nodes never change their state by themselves', async () => {
    const { ask } = await scheduledPlane()
    const reply = await ask('PUT', '/transitions', { 'scheduler.node': 'immediate' })
    expect(reply.body.problems).toEqual([
      '/scheduler.node never moves by itself, so it can only be manual',
    ])
  })
})

describe('behaviour/program#fresh-world: options of the scheduler', () => {
  test('are listed and changed', async () => {
    const { ask, options } = await scheduledPlane()
    const shown = (await ask('GET', '/options')).body.scheduler
    expect(shown).toEqual({
      aclEnabled: false,
      allowedOrigins: [],
      initialManagementToken: 'scheduler-management-token',
      bootstrap: 'done',
      schedulerMode: 'auto',
      timeScale: 1,
      evalDelay: '50ms',
      receivedDelay: '50ms',
      setupDelay: '50ms',
      imageDelay: '100ms',
      startedDelay: '100ms',
      batchRunTime: '1s',
      killDelay: '100ms',
      jobGCThreshold: '4h',
      eventBufferSize: 100,
      jobMaxCount: 0,
      noLeader: false,
      rejectJobRegistration: false,
      secretsEnabled: true,
      version: '1.9.7',
      waitJitter: false,
      region: 'global',
    })
    const changed = await options({ timeScale: 0, evalDelay: '1m30s' })
    expect([changed.status, changed.body.scheduler]).toEqual([
      200,
      { ...shown, timeScale: 0, evalDelay: '1m30s' },
    ])
  })

  test.each([
    { timeScale: -1 },
    { schedulerMode: 'fast' },
    { evalDelay: 'soon' },
    { evalDelay: '-1s' },
    { jobMaxCount: 1.5 },
    { eventBufferSize: -1 },
    { aclEnabled: 'yes' },
    { unknown: 1 },
  ])('%o is refused', async (change) => {
    const { ask, options } = await scheduledPlane()
    const before = (await ask('GET', '/options')).text
    expect((await options(change)).status).toBe(400)
    expect((await ask('GET', '/options')).text).toBe(before)
  })

  test('timeScale stretches every delay; 0 removes them', async () => {
    for (const [timeScale, after] of [
      [10, 2500],
      [0.1, 25],
      [0, 0],
    ] as const) {
      const { client, advance } = await scheduledPlane({ timeScale })
      await register(client, mockJob({ t: {} }))
      if (after > 0) {
        advance(after - 1)
        expect(await overview(client)).not.toContain('example.g[0] v0 run/running')
      }
      advance(after > 0 ? 1 : 0)
      expect(await overview(client)).toEqual(['example.g[0] v0 run/running'])
    }
  })

  // choice/scheduler#validation-count-limit
  test('jobMaxCount and rejectJobRegistration (behaviour/scheduler#conventions and behaviour/scheduler#validation)', async () => {
    const { client, options } = await scheduledPlane()
    const Job = mockJob({ t: {} }, { Count: 99_999 })
    expect((await client.post('validate/job', { Job })).body.ValidationErrors).toBeNull()
    await options({ jobMaxCount: 2 })
    const both = mockJob({ t: {} }, { Count: 3 }, { Priority: 999 })
    expect((await client.post('validate/job', { Job: both })).body.ValidationErrors).toEqual([
      'job priority must be between [1, 100]',
      'total count was greater than configured job_max_count: 3 > 2',
    ])
    const many = await client.post('jobs', { Job: mockJob({ t: {} }, { Count: 3 }) })
    expect([many.status, many.text]).toEqual([
      500,
      '1 error occurred:\n\t* total count was greater than configured job_max_count: 3 > 2\n\n',
    ])
    await options({ rejectJobRegistration: true })
    // With ACLs off nobody is refused.
    expect((await client.post('jobs', { Job: mockJob({ t: {} }) })).status).toBe(200)
  })
})
