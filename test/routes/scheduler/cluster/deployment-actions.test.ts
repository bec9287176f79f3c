import { describe, expect, test } from 'vitest'
import type { Allocation } from '../../../../state/scheduler/cluster/model/allocation-shapes.ts'
import { scheduler } from '../../../support/scheduler/scheduler.ts'
import { failureOf } from '../support.ts'
import { unknownId } from './support.ts'

const base = {
  ID: 'web',
  TaskGroups: [
    {
      Name: 'g',
      Count: 2,
      Update: { Canary: 1, MaxParallel: 1, MinHealthyTime: 1_000_000_000 },
      Tasks: [{ Name: 't', Driver: 'mock', Env: { V: '1' } }],
    },
  ],
}

/** The job with another environment, so that its allocations must be replaced. */
const next = JSON.parse(JSON.stringify(base).replace('"V":"1"', '"V":"2"'))

/** Registers a job with two healthy allocations and a second version whose canary is placed. */
async function withCanary(seconds: number) {
  const served = await scheduler()
  await served.scheduler.post('jobs', { Job: base })
  served.clock.advance(30_000)
  await served.scheduler.post('jobs', { Job: next })
  served.clock.advance(seconds * 1000)
  const latest = await served.scheduler.get('job/web/deployment')
  return { ...served, deployment: latest.body }
}

describe('changing deployments (behaviour/scheduler#cluster and behaviour/scheduler#beyond)', () => {
  // choice/scheduler#cluster-canaries
  test('a healthy canary can be promoted; then the rollout continues', async () => {
    const { scheduler: api, deployment, clock } = await withCanary(30)
    expect(deployment.StatusDescription).toBe('Deployment is running but requires manual promotion')
    expect(deployment.TaskGroups.g).toMatchObject({ DesiredCanaries: 1, Promoted: false })
    const promoted = await api.put(`deployment/promote/${deployment.ID}`, {
      DeploymentID: deployment.ID,
      All: true,
    })
    expect([promoted.status, promoted.body]).toEqual([
      200,
      {
        EvalID: expect.stringMatching(/^[0-9a-f-]{36}$/),
        EvalCreateIndex: promoted.body.Index,
        DeploymentModifyIndex: promoted.body.Index,
        RevertedJobVersion: null,
        Index: promoted.body.Index,
      },
    ])
    const placed = await api.get(`deployment/allocations/${deployment.ID}`)
    expect(placed.body.map(({ Name, JobVersion }: Allocation) => [Name, JobVersion])).toEqual([
      ['web.g[0]', 1],
    ])
    clock.advance(120_000)
    const after = await api.get(`deployment/${deployment.ID}`)
    expect(after.body).toMatchObject({
      Status: 'successful',
      StatusDescription: 'Deployment completed successfully',
    })
    expect((await api.get('job/web')).body.Stable).toBe(true)
  })

  test('an unhealthy canary cannot be promoted', async () => {
    const { scheduler: api, deployment } = await withCanary(0.06)
    const all = { DeploymentID: deployment.ID, All: true }
    const refused = await api.post(`deployment/promote/${deployment.ID}`, all)
    expect([refused.status, refused.text]).toEqual([
      500,
      '1 error occurred:\n\t* Task group "g" has 0/1 healthy allocations\n\n',
    ])
  })

  // choice/scheduler#cluster-canaries
  test('a deployment can be failed once', async () => {
    const { scheduler: api, deployment } = await withCanary(30)
    expect((await api.post(`deployment/fail/${deployment.ID}`)).status).toBe(200)
    expect((await api.get(`deployment/${deployment.ID}`)).body).toMatchObject({
      Status: 'failed',
      StatusDescription: 'Deployment marked as failed',
    })
    const again = await api.post(`deployment/fail/${deployment.ID}`)
    expect([again.status, again.text]).toEqual([500, "can't fail terminal deployment"])
    const promoted = await api.post(`deployment/promote/${deployment.ID}`, {
      DeploymentID: deployment.ID,
      All: true,
    })
    expect([promoted.status, promoted.text]).toEqual([500, "can't promote terminal deployment"])
  })

  // choice/scheduler#cluster-auto-revert
  test('a group with auto-revert returns the job to its stable version', async () => {
    const served = await scheduler()
    const reverting = (job: object) =>
      JSON.parse(JSON.stringify(job).replace('"Canary":1', '"AutoRevert":true'))
    await served.scheduler.post('jobs', { Job: reverting(base), Submission: { Source: 'first' } })
    served.clock.advance(30_000)
    await served.scheduler.post('jobs', { Job: reverting(next) })
    served.clock.advance(60)
    const { ID } = (await served.scheduler.get('job/web/deployment')).body
    const failed = await served.scheduler.post(`deployment/fail/${ID}`)
    expect([failed.status, failed.body.RevertedJobVersion]).toEqual([200, 0])
    const { Version, TaskGroups } = (await served.scheduler.get('job/web')).body
    expect([Version, TaskGroups[0].Tasks[0].Env]).toEqual([2, { V: '1' }])
    expect((await served.scheduler.get('job/web/submission?version=2')).body.Source).toBe('first')
    expect((await served.scheduler.get(`deployment/${ID}`)).body.StatusDescription).toContain(
      'rolling back to job version 0',
    )
  })

  test('a body selects the deployment by its ID, and all groups or some (behaviour/scheduler#beyond)', async () => {
    const { scheduler: api, deployment } = await withCanary(30)
    const path = `deployment/promote/${deployment.ID}`
    const said = async (body?: object) => {
      const { status, text } = await api.post(path, body)
      return [status, text]
    }
    expect(await said()).toEqual([400, 'Request body is empty'])
    expect(await said({ All: true })).toEqual([400, 'DeploymentID must be specified'])
    expect(await said({ DeploymentID: unknownId })).toEqual([400, 'Deployment ID does not match'])
    const promotedNow = async () =>
      (await api.get(`deployment/${deployment.ID}`)).body.TaskGroups.g.Promoted
    for (const Groups of [null, [], ['other']]) {
      const { status } = await api.post(path, { DeploymentID: deployment.ID, Groups })
      expect([status, await promotedNow()]).toEqual([200, false])
    }
    await api.post(path, { DeploymentID: deployment.ID, Groups: ['g'] })
    expect(await promotedNow()).toBe(true)
  })

  test('promoting a deployment without canaries only marks its groups (behaviour/scheduler#beyond)', async () => {
    const { scheduler: api, clock } = await scheduler()
    await api.post('jobs', { Job: base })
    clock.advance(60)
    const { ID } = (await api.get('job/web/deployment')).body
    const promoted = await api.post(`deployment/promote/${ID}`, { DeploymentID: ID, All: true })
    expect([promoted.status, promoted.body.RevertedJobVersion]).toEqual([200, null])
    const { Status, TaskGroups } = (await api.get(`deployment/${ID}`)).body
    const groups: readonly { readonly Promoted: boolean }[] = Object.values(TaskGroups)
    expect([Status, groups.map(({ Promoted }) => Promoted)]).toEqual(['running', [true]])
  })

  test('failing a deployment ignores the body (behaviour/scheduler#beyond)', async () => {
    const { scheduler: api, deployment } = await withCanary(30)
    const { status } = await api.post(`deployment/fail/${deployment.ID}`, { DeploymentID: 7 })
    expect(status).toBe(200)
  })

  test.each(['promote', 'fail'])('%s: unknown deployments and malformed IDs', async (action) => {
    const { scheduler: api } = await scheduler()
    const changed = (DeploymentID: string) =>
      failureOf(api.post(`deployment/${action}/${DeploymentID}`, { DeploymentID, All: true }))
    expect(await changed(unknownId)).toEqual([500, 'deployment not found'])
    expect(await changed('x')).toEqual([
      500,
      'deployment lookup failed: index error: UUID must be 36 characters',
    ])
  })
})
