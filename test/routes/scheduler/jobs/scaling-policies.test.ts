import { describe, expect, test } from 'vitest'
import {
  aclScheduler,
  apiHeaders,
  exampleJob,
  failureOf,
  frozenScheduler,
  type Members,
  readHeaders,
  register,
  requireSuccess,
  uuid,
} from '../support.ts'

const scaled = (Scaling: Members | null, change: Members = {}) => {
  const [group] = exampleJob().TaskGroups as readonly Members[]
  return exampleJob({ TaskGroups: [{ ...group, Scaling }], ...change })
}

const target = { Namespace: 'default', Job: 'example', Group: 'cache' }

/** Registers a job at index 11 whose group has a policy. */
async function withPolicy(change: Members = {}) {
  const served = await frozenScheduler()
  const { scheduler: api } = served
  await register(api, scaled({ Max: 5, ...change }))
  const list = async (query = '') =>
    (await requireSuccess(api.get(`scaling/policies${query}`))).body
  const [{ ID }] = await list()
  return { ...served, api, list, ID: String(ID) }
}

describe('scaling policies (behaviour/scheduler#deployments)', () => {
  test('are listed without their content; the index is 1 before the first one', async () => {
    const { scheduler: api } = await frozenScheduler()
    const none = await requireSuccess(api.get('scaling/policies'))
    expect([none.body, apiHeaders(none)]).toEqual([[], readHeaders(1)])
    await register(api, scaled({ Max: 5, ID: '00000000-0000-4000-8000-000000000000' }))
    const reply = await requireSuccess(api.get('scaling/policies'))
    expect([reply.body, apiHeaders(reply)]).toEqual([
      [
        {
          ID: expect.stringMatching(uuid),
          Type: 'horizontal',
          Target: target,
          Enabled: true,
          CreateIndex: 11,
          ModifyIndex: 11,
        },
      ],
      readHeaders(11),
    ])
    const [{ ID }] = reply.body
    expect(ID).not.toBe('00000000-0000-4000-8000-000000000000')
    expect((await api.get('job/example')).body.TaskGroups[0].Scaling.ID).toBe(ID)
  })

  test('are returned one by one with bounds and content, whose numbers are floating-point', async () => {
    const { api, ID } = await withPolicy({ Min: 1, Policy: { cooldown: '1m', limits: [1, 2.5] } })
    const { text, body } = await requireSuccess(api.get(`scaling/policy/${ID}`))
    expect(body).toEqual({
      ID,
      Type: 'horizontal',
      Target: target,
      Policy: { cooldown: '1m', limits: [1, 2.5] },
      Min: 1,
      Max: 5,
      Enabled: true,
      CreateIndex: 11,
      ModifyIndex: 11,
    })
    expect(text).toContain('"limits":[1.0,2.5]')
  })

  test.each(['x', '00000000-0000-4000-8000-000000000000'])('no policy exists %s', async (id) => {
    const { api } = await withPolicy()
    const reply = await api.get(`scaling/policy/${id}`)
    expect([reply.status, reply.text, apiHeaders(reply)]).toEqual([
      404,
      'policy not found',
      readHeaders(11),
    ])
    expect(await failureOf(api.post(`scaling/policy/${id}`))).toEqual([405, 'Invalid method'])
  })

  test('keep their IDs over versions, and their index while unchanged', async () => {
    const { api, list, ID } = await withPolicy()
    await register(api, scaled({ Max: 5 }, { Priority: 60 }))
    expect(await list()).toMatchObject([{ ID, CreateIndex: 11, ModifyIndex: 11 }])
    await register(api, scaled({ Max: 7 }, { Priority: 60 }))
    expect(await list()).toMatchObject([{ ID, CreateIndex: 11, ModifyIndex: 13 }])
  })

  test('are deleted with their block and by a purge, but not by a stop', async () => {
    const { api, list, ID } = await withPolicy()
    await requireSuccess(api.delete('job/example'))
    expect(await list()).toMatchObject([{ ID }])
    await register(api, scaled(null))
    expect(await list()).toEqual([])
    await register(api, scaled({ Max: 5 }))
    expect(await list()).toHaveLength(1)
    await requireSuccess(api.delete('job/example?purge=true'))
    expect(await list()).toEqual([])
  })

  test('are found by job, type and ID prefix', async () => {
    const { api, list, ID } = await withPolicy()
    await register(api, scaled({ Max: 5 }, { ID: 'other' }))
    const jobs = async (query: string) =>
      (await list(query)).map(({ Target }: { Target: Members }) => Target.Job)
    expect(await jobs('')).toEqual(['example', 'other'])
    expect(await jobs('?job=other')).toEqual(['other'])
    expect(await jobs('?type=horizontal')).toEqual(['example', 'other'])
    expect(await jobs('?type=vertical')).toEqual([])
    expect(await jobs('?job=other&type=h')).toEqual([])
    expect(await jobs(`?prefix=${ID.slice(0, 8)}`)).toEqual(['example'])
    expect(await jobs('?namespace=other')).toEqual([])
    expect((await jobs('?namespace=*')).sort()).toEqual(['example', 'other'])
  })

  test('block until another policy is created', async () => {
    const { api, ID } = await withPolicy()
    const waiting = api.get(`scaling/policy/${ID}?index=11`)
    await register(api, exampleJob({ ID: 'unscaled' }))
    await register(api, scaled({ Max: 8 }))
    expect((await waiting).body).toMatchObject({ Max: 8, ModifyIndex: 13 })
  })

  test('of all namespaces are filtered by access, never refused', async () => {
    const { manager, holder } = await aclScheduler()
    await requireSuccess(manager.post('namespace', { Name: 'a' }))
    await register(manager, scaled({ Max: 5 }, { Namespace: 'a' }))
    await register(manager, scaled({ Max: 5 }))
    const { client } = await holder('namespace "a" { capabilities = ["list-scaling-policies"] }')
    const { body } = await requireSuccess(client.get('scaling/policies?namespace=*'))
    expect(body).toMatchObject([{ Target: { Namespace: 'a' } }])
    const { client: other } = await holder('node { policy = "read" }')
    expect((await requireSuccess(other.get('scaling/policies?namespace=*'))).body).toEqual([])
  })

  test('of tasks are not listed', async () => {
    const { scheduler: api } = await frozenScheduler()
    const task = {
      Name: 'redis',
      Driver: 'docker',
      ScalingPolicies: [{ Type: 'vertical_cpu', Max: 500 }],
    }
    await register(api, exampleJob({ TaskGroups: [{ Name: 'cache', Tasks: [task] }] }))
    expect((await requireSuccess(api.get('scaling/policies'))).body).toEqual([])
  })
})
