import { describe, expect, test } from 'vitest'
import { scheduler } from '../../../support/scheduler/scheduler.ts'
import { failureOf, register, requireSuccess } from '../support.ts'
import { allocationsOf, mockJob, overview, unknownId } from './support.ts'

const second = 1_000_000_000
const rolling = (V: string) =>
  mockJob(
    { t: { Env: { V } } },
    { Count: 3, Update: { MaxParallel: 1, MinHealthyTime: second, HealthCheck: 'manual' } },
  )

/**
 * Registers a job with three healthy allocations whose second version has replaced the first one.
 */
async function rollingOut(dialect: 'neutral' | 'vendor' = 'neutral') {
  const served = await scheduler({ dialect })
  const { scheduler: api, clock } = served
  const latest = async () => (await requireSuccess(api.get('job/example/deployment'))).body
  const health = async (healthy: readonly string[], unhealthy: readonly string[] = []) => {
    const { ID } = await latest()
    return api.put(`deployment/allocation-health/${ID}`, {
      DeploymentID: ID,
      HealthyAllocationIDs: healthy,
      UnhealthyAllocationIDs: unhealthy,
    })
  }
  await register(api, rolling('1'))
  clock.advance(10_000)
  await requireSuccess(health((await allocationsOf(api)).map(({ ID }) => ID)))
  clock.advance(10_000)
  await register(api, rolling('2'))
  clock.advance(10_000)
  const deployment = await latest()
  const pause = (Pause: boolean) =>
    api.post(`deployment/pause/${deployment.ID}`, { DeploymentID: deployment.ID, Pause })
  const fresh = async () =>
    (await allocationsOf(api)).filter(({ JobVersion }) => JobVersion === 1).map(({ ID }) => ID)
  return { ...served, api, latest, health, deployment, pause, fresh }
}

describe('pausing a deployment (behaviour/scheduler#deployments)', () => {
  test('replies without an evaluation; the deployment is paused and stays active', async () => {
    const { api, pause, latest } = await rollingOut()
    const { status, body, headers } = await pause(true)
    const { Index } = body
    expect([status, body, headers['x-sched-index']]).toEqual([
      200,
      {
        EvalID: '',
        EvalCreateIndex: 0,
        DeploymentModifyIndex: Index,
        RevertedJobVersion: null,
        Index,
      },
      String(Index),
    ])
    expect(await latest()).toMatchObject({
      Status: 'paused',
      StatusDescription: 'Deployment is paused',
      ModifyIndex: Index,
    })
    const [{ LatestDeployment }] = (await api.get('jobs/statuses')).body
    expect(LatestDeployment).toMatchObject({ Status: 'paused', IsActive: true })
    const scaled = api.post('job/example/scale', { Count: 4, Target: { Group: 'g' } })
    expect(await failureOf(scaled)).toEqual([400, 'job scaling blocked due to active deployment'])
    expect((await pause(true)).status).toBe(200)
  })

  test('a paused deployment replaces nothing, however healthy, until it is resumed', async () => {
    const { api, clock, pause, fresh, health } = await rollingOut()
    await pause(true)
    await requireSuccess(health(await fresh()))
    clock.advance(60_000)
    expect(await fresh()).toHaveLength(1)
    const resumed = (await requireSuccess(pause(false))).body
    const evaluation = (await requireSuccess(api.get(`evaluation/${resumed.EvalID}`))).body
    expect(evaluation).toMatchObject({
      TriggeredBy: 'deployment-watcher',
      CreateIndex: resumed.EvalCreateIndex,
    })
    clock.advance(1000)
    expect(await fresh()).toHaveLength(2)
  })

  test('a newer version cancels a paused deployment', async () => {
    const { api, clock, pause, deployment } = await rollingOut()
    await pause(true)
    await register(api, rolling('3'))
    clock.advance(10_000)
    expect((await api.get(`deployment/${deployment.ID}`)).body).toMatchObject({
      Status: 'cancelled',
      StatusDescription: 'Cancelled due to newer version of job',
    })
    expect((await overview(api)).filter((each) => each.includes(' v2 run/running'))).toHaveLength(1)
  })

  test('an ended deployment cannot be paused, resumed, unblocked or given health', async () => {
    const { api, pause, deployment, health } = await rollingOut()
    await requireSuccess(api.post(`deployment/fail/${deployment.ID}`))
    expect(await failureOf(pause(true))).toEqual([500, "can't pause terminal deployment"])
    expect(await failureOf(pause(false))).toEqual([500, "can't resume terminal deployment"])
    const unblock = api.post(`deployment/unblock/${deployment.ID}`, { DeploymentID: deployment.ID })
    expect(await failureOf(unblock)).toEqual([500, "can't unblock terminal deployment"])
    expect(await failureOf(health([unknownId]))).toEqual([
      500,
      "can't set health of allocations for a terminal deployment",
    ])
  })

  test.each(['pause', 'unblock', 'allocation-health'])(
    '%s validates its body first',
    async (act) => {
      const { api, deployment } = await rollingOut()
      const path = `deployment/${act}/${deployment.ID}`
      const more = { HealthyAllocationIDs: [unknownId] }
      expect(await failureOf(api.put(path))).toEqual([400, 'Request body is empty'])
      expect(await failureOf(api.put(path, {}))).toEqual([400, 'DeploymentID must be specified'])
      const other = { DeploymentID: unknownId, ...more }
      expect(await failureOf(api.put(path, other))).toEqual([400, 'Deployment ID does not match'])
      expect(await failureOf(api.put(`deployment/${act}/${unknownId}`, other))).toEqual([
        500,
        'deployment not found',
      ])
      const malformed = { DeploymentID: 'x', ...more }
      expect(await failureOf(api.put(`deployment/${act}/x`, malformed))).toEqual([
        500,
        'deployment lookup failed: index error: UUID must be 36 characters',
      ])
      expect(await failureOf(api.get(path))).toEqual([405, 'Invalid method'])
    },
  )
})

test('behaviour/scheduler#deployments: unblocking has no effect without several regions', async () => {
  const { api, deployment } = await rollingOut()
  const { status, body, headers } = await api.put(`deployment/unblock/${deployment.ID}`, {
    DeploymentID: deployment.ID,
  })
  expect([status, body, headers['x-sched-index']]).toEqual([
    200,
    {
      EvalID: '',
      EvalCreateIndex: 0,
      DeploymentModifyIndex: 0,
      RevertedJobVersion: null,
      Index: 0,
    },
    '0',
  ])
})

describe('setting the health of allocations (behaviour/scheduler#deployments)', () => {
  test('is shown by the allocation and counted by the deployment, with an evaluation', async () => {
    const { api, fresh, health, latest } = await rollingOut('vendor')
    const [id = ''] = await fresh()
    const { status, body, headers } = await health([id])
    expect([status, body.RevertedJobVersion, headers['x-nomad-index']]).toEqual([
      200,
      null,
      String(body.Index),
    ])
    expect((await api.get(`evaluation/${body.EvalID}`)).body.TriggeredBy).toBe('deployment-watcher')
    expect((await api.get(`allocation/${id}`)).body.DeploymentStatus).toMatchObject({
      Healthy: true,
      ModifyIndex: body.Index,
    })
    expect((await latest()).TaskGroups.g).toMatchObject({ HealthyAllocs: 1, UnhealthyAllocs: 0 })
  })

  test('an unhealthy allocation ends the deployment', async () => {
    const { api, fresh, health, latest } = await rollingOut()
    const [id = ''] = await fresh()
    await requireSuccess(health([], [id]))
    expect((await api.get(`allocation/${id}`)).body.DeploymentStatus.Healthy).toBe(false)
    expect(await latest()).toMatchObject({
      Status: 'failed',
      StatusDescription: 'Failed due to unhealthy allocations',
    })
  })

  test('all allocations must belong to the deployment; otherwise nothing changes', async () => {
    const { api, health, fresh, deployment } = await rollingOut()
    expect(await failureOf(health([]))).toEqual([
      500,
      'must specify at least one healthy/unhealthy allocation ID',
    ])
    const [own = ''] = await fresh()
    expect(await failureOf(health([own, unknownId]))).toEqual([500, `unknown alloc "${unknownId}"`])
    expect(await failureOf(health(['x']))).toEqual([
      500,
      'alloc "x" lookup failed: index error: UUID must be 36 characters',
    ])
    const old = (await allocationsOf(api)).find(({ JobVersion }) => JobVersion === 0)?.ID ?? ''
    expect(await failureOf(health([old]))).toEqual([
      500,
      `alloc "${old}" is not part of deployment "${deployment.ID}"`,
    ])
    expect((await api.get(`allocation/${own}`)).body.DeploymentStatus).toBeNull()
  })
})
