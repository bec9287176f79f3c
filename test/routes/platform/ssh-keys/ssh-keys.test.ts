import { describe, expect, test } from 'vitest'
import type { PlatformClient } from '../../../support/platform/platform.ts'
import { extraTokens } from '../../../support/platform/platform-callers.ts'
import { failure, invalid } from '../../../support/platform/platform-errors.ts'
import {
  giveRights,
  makeWorkspace,
  resource,
  withWorkspace,
} from '../../../support/platform/platform-workspaces.ts'

const section = 'behaviour/platform#ssh-keys'
const list = 'organizations/example-org/ssh-keys'
const body = resource('ssh-keys', { name: 'deploy', value: 'PRIVATE' })

async function makeKey(api: PlatformClient): Promise<string> {
  const reply = await api.post(list, body)
  expect(reply.status).toBe(201)
  return reply.body.data.id
}

function assigned(id: string | null) {
  return resource('workspaces', { id })
}

describe(section, () => {
  test.each(['neutral', 'vendor'] as const)(
    '%s: create, read, change, delete; the value is never returned',
    async (dialect) => {
      const { api } = await withWorkspace({ dialect })
      const id = await makeKey(api)
      const data = {
        id: expect.stringMatching(/^sshkey-[1-9A-HJ-NP-Za-km-z]{16}$/),
        type: 'ssh-keys',
        attributes: { name: 'deploy' },
        links: { self: `/api/v2/ssh-keys/${id}` },
      }
      expect((await api.get(`ssh-keys/${id}`)).body).toEqual({ data })
      expect((await api.get(list)).body).toEqual({ data: [data] })
      const paged = await api.get(list, { query: { 'page[number]': '2' } })
      expect(paged.body).toMatchObject({ data: [], meta: { pagination: { 'total-count': 1 } } })
      const changed = await api.patch(`ssh-keys/${id}`, resource('ssh-keys', { name: 'other' }))
      expect(changed.body.data.attributes).toEqual({ name: 'other' })
      expect((await api.delete(`ssh-keys/${id}`)).status).toBe(204)
      expect((await api.get(`ssh-keys/${id}`)).status).toBe(404)
    },
  )

  test.each([
    [
      {},
      [
        ['name', "Name can't be blank"],
        ['value', "Value can't be blank"],
      ],
    ],
    [{ name: 'a', value: '' }, [['value', "Value can't be blank"]]],
    [{ name: 5, value: 'v' }, [['name', 'Name is invalid']]],
    [{ name: 'a', value: {} }, [['value', 'Value is invalid']]],
  ] as const)('POST is 422 for %j', async (attributes, faults) => {
    const { api } = await withWorkspace()
    const reply = await api.post(list, resource('ssh-keys', attributes))
    expect([reply.status, reply.body]).toEqual([422, invalid(...faults)])
    expect((await api.get(list)).body.data).toEqual([])
  })

  test('PATCH is 422 for a blank name, and changes nothing', async () => {
    const { api } = await withWorkspace()
    const id = await makeKey(api)
    const reply = await api.patch(`ssh-keys/${id}`, resource('ssh-keys', { name: '' }))
    expect([reply.status, reply.body]).toEqual([422, invalid(['name', "Name can't be blank"])])
    expect((await api.get(`ssh-keys/${id}`)).body.data.attributes.name).toBe('deploy')
  })

  test('a workspace has at most one key, which is removed with the key itself', async () => {
    const { api, id } = await withWorkspace()
    const key = await makeKey(api)
    const path = `workspaces/${id}/relationships/ssh-key`
    const keyOf = async () => (await api.get(`workspaces/${id}`)).body.data.relationships['ssh-key']
    expect(await keyOf()).toEqual({ data: null })
    const set = await api.patch(path, assigned(key))
    expect([set.status, set.body.data.relationships['ssh-key']]).toEqual([
      200,
      { data: { id: key, type: 'ssh-keys' } },
    ])
    const unknown = await api.patch(path, assigned('sshkey-unknown'))
    expect([unknown.status, unknown.body]).toEqual([404, failure(404)])
    expect((await api.patch(path, assigned(null))).body.data.relationships['ssh-key'].data).toBe(
      null,
    )
    await api.patch(path, assigned(key))
    await api.delete(`ssh-keys/${key}`)
    expect(await keyOf()).toEqual({ data: null })
  })

  test('a key of another organization is 404', async () => {
    const { api, admin, id } = await withWorkspace()
    await admin.post('organizations', resource('organizations', { name: 'acme', email: 'a@b.c' }))
    const other = (await admin.post('organizations/acme/ssh-keys', body)).body.data.id
    const reply = await api.patch(`workspaces/${id}/relationships/ssh-key`, assigned(other))
    expect(reply.status).toBe(404)
    expect((await api.get(`ssh-keys/${other}`)).status).toBe(404)
  })

  test.each([
    ['a member without rights', 'member-token', [], [404, 404, 404, 404]],
    ['manage-vcs-settings', 'member-token', ['manage-vcs-settings'], [200, 200, 201, 404]],
    ['manage-workspaces', 'member-token', ['manage-workspaces'], [200, 200, 404, 200]],
    ['read-workspaces', 'member-token', ['read-workspaces'], [404, 404, 404, 404]],
    ['the organization token', extraTokens.organization, [], [404, 404, 404, 404]],
    ['a stranger', extraTokens.outsider, [], [404, 404, 404, 404]],
  ] as const)('%s: list, read, create, assign', async (_who, token, rights, statuses) => {
    const { api, as, id } = await withWorkspace()
    await giveRights(api, ...rights)
    const key = await makeKey(api)
    const client = as(token)
    expect([
      (await client.get(list)).status,
      (await client.get(`ssh-keys/${key}`)).status,
      (await client.post(list, body)).status,
      (await client.patch(`workspaces/${id}/relationships/ssh-key`, assigned(key))).status,
    ]).toEqual(statuses)
    const manages = statuses[2] === 201
    expect((await client.delete(`ssh-keys/${key}`)).status).toBe(manages ? 204 : 404)
  })

  test('keys move with their organization and are deleted with it', async () => {
    const { api, admin } = await withWorkspace()
    const id = await makeKey(api)
    await api.patch('organizations/example-org', resource('organizations', { name: 'renamed' }))
    expect((await api.get('organizations/renamed/ssh-keys')).body.data).toHaveLength(1)
    await api.delete('organizations/renamed')
    expect((await admin.get(`ssh-keys/${id}`)).status).toBe(404)
  })
})

describe('behaviour/platform#workspace-resources', () => {
  test('a workspace without state has no resources; callers who may not read state get 404', async () => {
    const { api, as, id } = await withWorkspace()
    await giveRights(api, 'manage-policies')
    const { status, body: reply } = await api.get(`workspaces/${id}/resources`)
    expect([status, reply.data, reply.meta.pagination['total-count']]).toEqual([200, [], 0])
    expect((await as('member-token').get(`workspaces/${id}/resources`)).status).toBe(404)
    const other = await makeWorkspace(api, 'other')
    expect(
      (await as(extraTokens.organization).get(`workspaces/${other.id}/resources`)).status,
    ).toBe(404)
  })
})
