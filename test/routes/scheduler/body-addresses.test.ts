import { describe, expect, test } from 'vitest'
import { unknownId } from './cluster/support.ts'
import {
  aclScheduler,
  exampleJob,
  failureOf,
  frozenScheduler,
  parameterizedJob,
  register,
  requireSuccess,
} from './support.ts'

const id = unknownId

/** Bodies of requests that the product also sends between its servers. */
const bodies = [
  ['deployment/pause', `deployment/pause/${id}`, { DeploymentID: id, Pause: true }],
  ['deployment/promote', `deployment/promote/${id}`, { DeploymentID: id, All: true }],
  ['deployment/unblock', `deployment/unblock/${id}`, { DeploymentID: id }],
  [
    'deployment/allocation-health',
    `deployment/allocation-health/${id}`,
    { DeploymentID: id, HealthyAllocationIDs: [id] },
  ],
  ['node/eligibility', `node/${id}/eligibility`, { Eligibility: 'eligible' }],
  ['search', 'search', { Prefix: 'ex', Context: 'jobs' }],
  ['search/fuzzy', 'search/fuzzy', { Text: 'exa', Context: 'jobs' }],
  ['signal', `client/allocation/${id}/signal`, { Signal: 'SIGHUP' }],
] as const

describe('addresses in bodies (behaviour/scheduler#bodies)', () => {
  test.for(bodies)('%s uses the region of its body', async ([, path, body]) => {
    const { scheduler: client } = await frozenScheduler()
    const post = (query: string) =>
      failureOf(client.post(path + query, { ...body, Region: 'mars' }))
    expect(await post('')).toEqual([500, 'No path to region'])
    expect((await post('?region=global'))[1]).not.toContain('region')
  })

  test.for(bodies)('%s names the embedded type of a bad address', async ([, path, body]) => {
    const { scheduler: client } = await frozenScheduler()
    const [status, text] = await failureOf(client.post(path, { ...body, Region: 1 }))
    expect(status).toBe(400)
    expect(text).toMatch(
      /Go struct field \w+\.(?:WriteRequest|QueryOptions)\.Region of type string/,
    )
  })

  test.for(bodies.filter(([name]) => /search|eligib/.test(name)))(
    '%s uses the token of its body unless a header has one',
    async ([, path, body]) => {
      const { manager, scheduler: anonymous, holder } = await aclScheduler()
      await register(manager, exampleJob())
      const AuthToken = (await requireSuccess(manager.get('acl/token/self'))).body.SecretID
      const denied = [403, 'Permission denied']
      expect(await failureOf(anonymous.post(path, body))).toEqual(denied)
      const { client: other } = await holder('namespace "other" { policy = "read" }')
      expect(await failureOf(other.post(path, { ...body, AuthToken }))).toEqual(denied)
      const [status] = await failureOf(anonymous.post(path, { ...body, AuthToken }))
      expect(status).not.toBe(403)
    },
  )

  test('a search uses the namespace of its body', async () => {
    const { scheduler: client } = await frozenScheduler()
    await requireSuccess(client.post('namespace', { Name: 'team' }))
    await register(client, exampleJob({ ID: 'example-team', Namespace: 'team' }))
    const matches = async (more: object) =>
      (await client.post('search', { Prefix: 'ex', Context: 'jobs', ...more })).body.Matches.jobs
    expect(await matches({ Namespace: 'team' })).toEqual(['example-team'])
    expect(await matches({})).toBeNull()
  })

  test('statuses ignore the address of their body', async () => {
    const { scheduler: client } = await frozenScheduler()
    await register(client, exampleJob())
    const Jobs = [{ ID: 'example', Namespace: 'default' }]
    const body = { Jobs, Region: 'mars', Namespace: 5, Filter: 5 }
    expect((await requireSuccess(client.post('jobs/statuses', body))).body).toHaveLength(1)
  })

  test('a dispatch uses the idempotency token of its body unless the query has one', async () => {
    const { scheduler: client } = await frozenScheduler()
    await register(client, parameterizedJob())
    const dispatch = async (query: string) => {
      const body = { IdempotencyToken: 'once' }
      return (await requireSuccess(client.post(`job/param/dispatch${query}`, body))).body
    }
    const first = await dispatch('')
    expect((await dispatch('')).DispatchedJobID).toBe(first.DispatchedJobID)
    const other = await dispatch('?idempotency_token=twice')
    expect(other.DispatchedJobID).not.toBe(first.DispatchedJobID)
  })
})
