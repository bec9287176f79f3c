import { describe, expect, test } from 'vitest'
import type { PlatformClient } from '../../../support/platform/platform.ts'
import { extraTokens } from '../../../support/platform/platform-callers.ts'
import { failure, invalid } from '../../../support/platform/platform-errors.ts'
import {
  giveRights,
  inProject,
  makeProject,
  makeWorkspace,
  resource,
  withWorkspace,
} from '../../../support/platform/platform-workspaces.ts'

const section = 'behaviour/platform#agent-pools'
const list = 'organizations/example-org/agent-pools'

/** Creates an agent pool and returns its resource. */
async function makePool(api: PlatformClient, attributes: object = {}, relationships: object = {}) {
  const body = resource('agent-pools', { name: 'builders', ...attributes }, relationships)
  const reply = await api.post(list, body)
  expect([reply.status, reply.body.errors]).toEqual([201, undefined])
  return reply.body.data
}

const withIds = (type: string, ...all: readonly string[]) => ({
  data: all.map((id) => ({ id, type })),
})
const using = (pool: string) =>
  resource('workspaces', { 'execution-mode': 'agent', 'agent-pool-id': pool })

describe(section, () => {
  test.each(['neutral', 'vendor'] as const)(
    '%s: create, read, list, change, delete',
    async (dialect) => {
      const { api } = await withWorkspace({ dialect })
      const data = await makePool(api)
      expect(data).toEqual({
        id: expect.stringMatching(/^apool-[1-9A-HJ-NP-Za-km-z]{16}$/),
        type: 'agent-pools',
        attributes: {
          name: 'builders',
          'created-at': expect.stringMatching(/^2\d{3}-.*Z$/),
          'organization-scoped': true,
          'agent-count': 0,
        },
        relationships: {
          organization: { data: { id: 'example-org', type: 'organizations' } },
          agents: { links: { related: `/api/v2/agent-pools/${data.id}/agents` } },
          'authentication-tokens': {
            links: { related: `/api/v2/agent-pools/${data.id}/authentication-tokens` },
          },
          workspaces: { data: [] },
          'allowed-workspaces': { data: [] },
          'allowed-projects': { data: [] },
          'excluded-workspaces': { data: [] },
        },
        links: { self: `/api/v2/agent-pools/${data.id}` },
      })
      const path = `agent-pools/${data.id}`
      expect((await api.get(path)).body).toEqual({ data })
      expect((await api.get(list)).body).toMatchObject({
        data: [data],
        meta: { 'status-counts': { total: 1, matching: 1 }, pagination: { 'total-count': 1 } },
      })
      const changed = await api.patch(path, resource('agent-pools', { name: 'other' }))
      expect(changed.body.data.attributes.name).toBe('other')
      expect((await api.delete(path)).status).toBe(204)
      expect((await api.get(path)).status).toBe(404)
    },
  )

  test.each([
    [{}, invalid(['name', "Name can't be blank"])],
    [{ name: 'a b' }, invalid(['name', 'Name is invalid'])],
    [{ name: 'taken' }, invalid(['name', 'Name has already been taken'])],
    [
      { name: 'a', 'organization-scoped': 'no' },
      invalid(['organization-scoped', 'Organization scoped is invalid']),
    ],
  ])('POST of %j is 422, and nothing is stored', async (attributes, body) => {
    const { api } = await withWorkspace()
    await makePool(api, { name: 'taken' })
    const reply = await api.post(list, resource('agent-pools', attributes))
    expect([reply.status, reply.body]).toEqual([422, body])
    expect((await api.get(list)).body.data).toHaveLength(1)
  })

  test('unknown workspaces and projects are 404', async () => {
    const { api, id } = await withWorkspace()
    for (const [name, type] of [
      ['allowed-workspaces', 'workspaces'],
      ['excluded-workspaces', 'workspaces'],
      ['allowed-projects', 'projects'],
    ] as const) {
      const related = { [name]: withIds(type, 'ws-unknown') }
      const reply = await api.post(list, resource('agent-pools', { name: 'a' }, related))
      expect(reply.status).toBe(404)
      const wrong = { [name]: withIds('teams', id) }
      const refused = await api.post(list, resource('agent-pools', { name: 'a' }, wrong))
      expect(refused.body).toEqual(failure(422, `type must be ${type}`))
    }
    expect((await api.get(list)).body.data).toEqual([])
  })

  test('a workspace uses a pool that is for all, or that allows the workspace or its project', async () => {
    const { api, id: outside } = await withWorkspace()
    const project = await makeProject(api, 'inner')
    const { id: inside } = await makeWorkspace(api, 'inside', {}, inProject(project))
    const closed = { 'organization-scoped': false }
    const pools = {
      open: await makePool(api, { name: 'open' }),
      excluding: await makePool(
        api,
        { name: 'excluding' },
        { 'excluded-workspaces': withIds('workspaces', outside) },
      ),
      workspace: await makePool(
        api,
        { name: 'workspace', ...closed },
        { 'allowed-workspaces': withIds('workspaces', outside) },
      ),
      project: await makePool(
        api,
        { name: 'project', ...closed },
        { 'allowed-projects': withIds('projects', project) },
      ),
    }
    const denied = invalid([
      'agent-pool',
      'Agent pool workspace does not have access to use this agent pool',
    ])
    const tried: Record<string, boolean[]> = {}
    for (const [name, { id: pool }] of Object.entries(pools)) {
      const results: boolean[] = []
      for (const workspace of [outside, inside]) {
        const reply = await api.patch(`workspaces/${workspace}`, using(pool))
        if (reply.status !== 200) expect([reply.status, reply.body]).toEqual([422, denied])
        results.push(reply.status === 200)
      }
      tried[name] = results
    }
    expect(tried).toEqual({
      open: [true, true],
      excluding: [false, true],
      workspace: [true, false],
      project: [false, true],
    })
    const named = async (query: Readonly<Record<string, string>>) =>
      (await api.get(list, { query })).body.data.map(
        (one: { attributes: { name: string } }) => one.attributes.name,
      )
    expect(await named({})).toEqual(['project', 'workspace', 'excluding', 'open'])
    expect(await named({ sort: 'created-at', q: 'OP' })).toEqual(['open'])
    expect(await named({ sort: 'name', 'filter[allowed_workspaces][name]': 'net' })).toEqual([
      'open',
      'workspace',
    ])
    expect(await named({ sort: '-name', 'filter[allowed_projects][name]': 'inner' })).toEqual([
      'project',
      'open',
      'excluding',
    ])
    expect(await named({ 'filter[allowed_workspaces][name]': 'unknown' })).toEqual([])
  })

  test('a pool that a workspace uses is not deleted; include shows the workspace', async () => {
    const { api, id } = await withWorkspace()
    const pool = await makePool(api)
    await api.patch(`workspaces/${id}`, using(pool.id))
    const path = `agent-pools/${pool.id}`
    const refused = await api.delete(path)
    expect([refused.status, refused.body]).toEqual([
      422,
      failure(422, 'Agent pool is in use by workspaces'),
    ])
    const read = await api.get(path, { query: { include: 'workspaces' } })
    expect(read.body.data.relationships.workspaces).toEqual(withIds('workspaces', id))
    expect(read.body.included.map((one: { id: string }) => one.id)).toEqual([id])
    await api.patch(`workspaces/${id}`, resource('workspaces', { 'execution-mode': 'remote' }))
    expect((await api.delete(path)).status).toBe(204)
  })

  test('a deleted workspace and project leave the lists of the pool, a deleted pool its projects', async () => {
    const { api, id } = await withWorkspace()
    const project = await makeProject(api, 'inner')
    const pool = await makePool(
      api,
      {},
      {
        'allowed-workspaces': withIds('workspaces', id),
        'excluded-workspaces': withIds('workspaces', id),
        'allowed-projects': withIds('projects', project),
      },
    )
    const following = await makeProject(api, 'following', {
      'default-execution-mode': 'agent',
      'default-agent-pool-id': pool.id,
    })
    const organization = { 'default-execution-mode': 'agent' }
    const { body: changed } = await api.patch(
      'organizations/example-org',
      resource('organizations', organization, { 'default-agent-pool': { data: { id: pool.id } } }),
    )
    expect(changed.data.relationships['default-agent-pool'].data.id).toBe(pool.id)
    await api.delete(`workspaces/${id}`)
    await api.delete(`projects/${project}`)
    const { relationships } = (await api.get(`agent-pools/${pool.id}`)).body.data
    for (const name of ['allowed-workspaces', 'excluded-workspaces', 'allowed-projects']) {
      expect(relationships[name]).toEqual({ data: [] })
    }
    await api.delete(`agent-pools/${pool.id}`)
    const { data } = (await api.get(`projects/${following}`)).body
    expect(data.relationships['default-agent-pool']).toEqual({ data: null })
    const after = (await api.get('organizations/example-org')).body.data
    expect(after.relationships['default-agent-pool']).toEqual({ data: null })
  })

  test('pools move with their organization and are deleted with it', async () => {
    const { api, admin } = await withWorkspace()
    const { id } = await makePool(api)
    await api.patch('organizations/example-org', resource('organizations', { name: 'renamed' }))
    expect((await api.get('organizations/renamed/agent-pools')).body.data).toHaveLength(1)
    await api.delete('organizations/renamed')
    expect((await admin.get(`agent-pools/${id}`)).status).toBe(404)
  })

  test.each([
    ['a member without rights', 'member-token', [], [404, 404, 404, 404]],
    ['manage-agent-pools', 'member-token', ['manage-agent-pools'], [200, 200, 201, 204]],
    ['manage-workspaces', 'member-token', ['manage-workspaces'], [200, 200, 404, 404]],
    ['read-workspaces', 'member-token', ['read-workspaces'], [404, 404, 404, 404]],
    // choice/platform#agent-pool-rights
    ['the organization token', extraTokens.organization, [], [200, 200, 201, 204]],
    ['a stranger', extraTokens.outsider, [], [404, 404, 404, 404]],
  ] as const)('%s: list, read, create, delete', async (_who, token, rights, statuses) => {
    const { api, as } = await withWorkspace()
    await giveRights(api, ...rights)
    const path = `agent-pools/${(await makePool(api)).id}`
    const client = as(token)
    expect([
      (await client.get(list)).status,
      (await client.get(path)).status,
      (await client.post(list, resource('agent-pools', { name: 'a' }))).status,
      (await client.delete(path)).status,
    ]).toEqual(statuses)
  })
})
