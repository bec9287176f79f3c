import { describe, expect, test } from 'vitest'
import type { Deployment } from '../../../../state/scheduler/cluster/model/placement-shapes.ts'
import { scheduler } from '../../../support/scheduler/scheduler.ts'
import { testTime } from '../../../support/secrets/secrets.ts'
import {
  apiHeaders,
  exampleJob,
  failureOf,
  readHeaders,
  register,
  requireSuccess,
} from '../support.ts'
import {
  allocationOf,
  deployments,
  listed,
  mockJob,
  overview,
  reasons,
  unknownId,
} from './support.ts'

const section = 'behaviour/scheduler#updates'
const second = 1e9

describe(`the deployment of a service (${section})`, () => {
  test('begins with the first evaluation and succeeds when all allocations are healthy', async () => {
    const { scheduler: client, clock } = await scheduler()
    await register(client, exampleJob())
    const none = await client.get('job/example/deployment')
    expect([none.status, none.body, apiHeaders(none)]).toEqual([200, null, readHeaders(0)])
    clock.advance(400)
    const running = await client.get('job/example/deployment')
    const state = {
      AutoRevert: false,
      AutoPromote: false,
      Promoted: false,
      PlacedCanaries: null,
      DesiredCanaries: 0,
      DesiredTotal: 1,
      PlacedAllocs: 1,
      HealthyAllocs: 0,
      UnhealthyAllocs: 0,
      ProgressDeadline: 600 * second,
      RequireProgressBy: '2026-01-01T00:10:00.05Z',
    }
    const expected = {
      ID: expect.stringMatching(/^[0-9a-f-]{36}$/),
      Namespace: 'default',
      JobID: 'example',
      JobVersion: 0,
      JobModifyIndex: 11,
      JobSpecModifyIndex: 11,
      JobCreateIndex: 11,
      TaskGroups: { cache: state },
      Status: 'running',
      StatusDescription: 'Deployment is running',
      EvalPriority: 50,
      IsMultiregion: false,
      CreateTime: (testTime + 50) * 1e6,
      ModifyTime: (testTime + 50) * 1e6,
      // The deployment has its own commit, before the evaluation completes.
      CreateIndex: 12,
      ModifyIndex: 13,
    }
    expect([running.body, apiHeaders(running)]).toEqual([expected, readHeaders(13)])
    expect((await client.get('job/example')).body.Stable).toBe(false)
    clock.advance(10_000)
    const { ID } = running.body
    const done = await client.get(`deployment/${ID}`)
    expect([done.body, apiHeaders(done)]).toEqual([
      {
        ...expected,
        TaskGroups: {
          cache: { ...state, HealthyAllocs: 1, RequireProgressBy: '2026-01-01T00:10:10.35Z' },
        },
        Status: 'successful',
        StatusDescription: 'Deployment completed successfully',
        ModifyTime: expect.any(Number),
        ModifyIndex: 19,
      },
      readHeaders(19),
    ])
    expect((await allocationOf(client)).DeploymentStatus).toEqual({
      Healthy: true,
      Timestamp: '2026-01-01T00:00:10.35Z',
      Canary: false,
      ModifyIndex: 18,
    })
    // A change of Stable raises only ModifyIndex (behaviour/scheduler#versions).
    expect((await client.get('job/example')).body).toMatchObject({
      Stable: true,
      ModifyIndex: 19,
      JobModifyIndex: 11,
      Version: 0,
    })
    expect(await listed(client, 'deployments')).toEqual([done.body])
    expect(await listed(client, 'job/example/deployments')).toEqual([done.body])
  })

  test.each([
    ['batch jobs', { Type: 'batch' }, {}],
    ['MaxParallel 0', {}, { Update: { MaxParallel: 0 } }],
  ])('does not exist for %s', async (_for, job, group) => {
    const { scheduler: client, clock } = await scheduler()
    await register(client, mockJob({ t: {} }, group, job))
    clock.advance(20_000)
    expect(await listed(client, 'deployments')).toEqual([])
    expect((await allocationOf(client)).JobID).toBe('example')
  })

  test('replaces a changed group MaxParallel at a time, as the new allocations become healthy', async () => {
    const { scheduler: client, clock } = await scheduler()
    const sized = (greeting: string) =>
      mockJob({ t: { Env: { greeting } } }, { Count: 3, Update: { MaxParallel: 1 } })
    await register(client, sized('a'))
    clock.advance(60_000)
    await register(client, sized('b'))
    const standing = async () => {
      const all = await overview(client)
      return [0, 1].map(
        (version) => all.filter((each) => each.includes(`v${version} run/running`)).length,
      )
    }
    clock.advance(1000)
    expect(await standing()).toEqual([2, 1])
    clock.advance(10_000)
    expect(await standing()).toEqual([1, 2])
    clock.advance(60_000)
    expect(await standing()).toEqual([0, 3])
    expect(await deployments(client)).toEqual([
      [1, 'successful', 'Deployment completed successfully'],
      [0, 'successful', 'Deployment completed successfully'],
    ])
    const old = await allocationOf(client)
    expect([old.DesiredStatus, old.DesiredDescription]).toEqual([
      'stop',
      'alloc is being updated due to job update',
    ])
    expect((await reasons(client)).slice(-1)).toEqual(['deployment-watcher complete'])
  })

  test('allocations that need no replacement are updated in place', async () => {
    const { scheduler: client, clock } = await scheduler()
    await register(client, mockJob({ t: {} }))
    clock.advance(60_000)
    const before = await allocationOf(client)
    await register(client, mockJob({ t: { KillTimeout: 9 * second } }))
    clock.advance(60_000)
    const after = await allocationOf(client)
    expect(await overview(client)).toEqual(['example.g[0] v1 run/running'])
    expect([after.ID, after.ModifyIndex > before.ModifyIndex]).toEqual([before.ID, true])
  })

  test('is canceled by a newer version, and by stopping the job', async () => {
    const { scheduler: client, clock } = await scheduler()
    await register(client, mockJob({ t: {} }))
    clock.advance(1000)
    await register(client, mockJob({ t: { Env: { a: 'b' } } }))
    clock.advance(1000)
    expect(await deployments(client)).toEqual([
      [1, 'running', 'Deployment is running'],
      [0, 'cancelled', 'Cancelled due to newer version of job'],
    ])
    await requireSuccess(client.delete('job/example'))
    clock.advance(1000)
    const [latest] = await deployments(client)
    expect(latest).toEqual([1, 'cancelled', 'Cancelled because job is stopped'])
  })

  test('fails with its progress deadline', async () => {
    const { scheduler: client, clock } = await scheduler()
    const Update = { HealthyDeadline: 20 * second, ProgressDeadline: 30 * second }
    await register(client, mockJob({ t: { Config: { start_block_for: '1h' } } }, { Update }))
    clock.advance(60_000)
    const [latest] = await deployments(client)
    expect(latest?.slice(0, 2)).toEqual([0, 'failed'])
    expect((await client.get('job/example')).body.Stable).toBe(false)
  })

  test('fails with an unhealthy allocation', async () => {
    const { scheduler: client, clock } = await scheduler()
    const restart = { Attempts: 0, Interval: 60 * second, Delay: 0, Mode: 'fail' }
    const reschedule = { Attempts: 0, Unlimited: false, Interval: 0, Delay: 30 * second }
    const Update = { ProgressDeadline: 0 }
    const job = mockJob(
      { t: { Config: { run_for: '1s', exit_code: 1 } } },
      { RestartPolicy: restart, ReschedulePolicy: reschedule, Update },
    )
    await register(client, job)
    clock.advance(10_000)
    expect(await deployments(client)).toEqual([
      [0, 'failed', 'Failed due to unhealthy allocations'],
    ])
  })

  test('is deleted when its job is purged', async () => {
    const { scheduler: client, clock } = await scheduler()
    await register(client, exampleJob())
    clock.advance(100)
    await requireSuccess(client.delete('job/example?purge=true'))
    expect(await listed(client, 'deployments')).toEqual([])
  })
})

describe('deployments (behaviour/scheduler#beyond)', () => {
  test('are listed in order of creation, by pages', async () => {
    const { scheduler: client, clock } = await scheduler()
    for (const ID of ['c', 'b', 'a']) {
      await register(client, exampleJob({ ID }))
      clock.advance(50)
    }
    const all = await listed<Deployment>(client, 'deployments')
    expect(all.map(({ JobID }) => JobID)).toEqual(['c', 'b', 'a'])
    const page = await client.get('deployments?per_page=2')
    const token = `${all[2]?.CreateIndex}.${all[2]?.ID}`
    expect([page.body, page.headers['x-sched-nexttoken']]).toEqual([all.slice(0, 2), token])
    expect(await listed(client, `deployments?next_token=${token}`)).toEqual(all.slice(2))
    expect(await listed(client, `deployments?filter=JobID+==+"b"`)).toEqual([all[1]])
    expect(await listed(client, `deployments?prefix=${all[1]?.ID.slice(0, 9)}`)).toEqual([all[1]])
  })

  test('malformed and unknown IDs', async () => {
    const { scheduler: client } = await scheduler()
    expect(await failureOf(client.get('deployment/x'))).toEqual([
      500,
      'deployment lookup failed: index error: UUID must be 36 characters',
    ])
    const reply = await client.get(`deployment/${unknownId}`)
    expect([reply.status, reply.text, apiHeaders(reply)]).toEqual([
      404,
      'deployment not found',
      readHeaders(0),
    ])
  })

  test('an unknown job has no deployments', async () => {
    const { scheduler: client } = await scheduler()
    expect(await listed(client, 'job/absent/deployments')).toEqual([])
    expect((await client.get('job/absent/deployment')).text).toBe('null')
  })

  test('the latest deployment of a job supports blocking reads', async () => {
    const { scheduler: client, clock } = await scheduler({ options: { waitJitter: false } })
    await register(client, exampleJob())
    const reading = client.get('job/example/deployment?index=1')
    await new Promise((resolve) => setImmediate(resolve))
    clock.advance(50)
    expect((await reading).body).toMatchObject({ Status: 'running' })
  })
})
