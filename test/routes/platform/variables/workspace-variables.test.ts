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

const section = 'behaviour/platform#workspace-variables'
const env = { key: 'REGION', category: 'env' }

async function makeVariable(api: PlatformClient, workspace: string, attributes: object) {
  const reply = await api.post(`workspaces/${workspace}/vars`, resource('vars', attributes))
  expect(reply.status).toBe(201)
  return reply.body.data
}

describe(`${section}: create, read, change, delete`, () => {
  test.each([
    ['neutral', 'infra'],
    ['vendor', 'terraform'],
  ] as const)(
    '%s: a variable has defaults, an owner and a version that each change renews',
    async (dialect, category) => {
      const { api, id } = await withWorkspace({ dialect })
      const made = await makeVariable(api, id, { key: 'size', category })
      const self = `/api/v2/workspaces/${id}/vars/${made.id}`
      expect(made).toEqual({
        id: expect.stringMatching(/^var-/),
        type: 'vars',
        attributes: {
          key: 'size',
          value: '',
          category,
          sensitive: false,
          hcl: false,
          description: null,
          'created-at': '2026-01-01T00:00:00.000Z',
          'version-id': expect.stringMatching(/^[0-9a-f]{64}$/),
        },
        relationships: {
          configurable: {
            data: { id, type: 'workspaces' },
            links: { related: '/api/v2/organizations/example-org/workspaces/net' },
          },
        },
        links: { self },
      })
      expect((await api.get(self)).body.data).toEqual(made)
      const changes = { value: '{}', hcl: true, description: 'd' }
      const changed = await api.patch(self, resource('vars', changes))
      expect(changed.body.data.attributes).toMatchObject(changes)
      expect(changed.body.data.attributes['version-id']).not.toBe(made.attributes['version-id'])
      const same = await api.patch(self, { data: { type: 'vars' } })
      expect(same.body.data.attributes['version-id']).not.toBe(
        changed.body.data.attributes['version-id'],
      )
      expect((await api.delete(self)).status).toBe(204)
      for (const reply of [await api.get(self), await api.delete(self)]) {
        expect([reply.status, reply.body]).toEqual([404, failure(404)])
      }
    },
  )

  test('the category may have the spelling of either dialect', async () => {
    const { api, id } = await withWorkspace()
    const made = await makeVariable(api, id, { key: 'size', category: 'terraform' })
    expect(made.attributes.category).toBe('infra')
  })

  test('lists are oldest first without pages, and the workspace names its variables', async () => {
    const { api, id } = await withWorkspace()
    const ids: string[] = []
    for (let number = 0; number < 25; number += 1) {
      ids.push((await makeVariable(api, id, { key: `k${number}`, category: 'env' })).id)
    }
    const { body } = await api.get(`workspaces/${id}/vars`)
    expect(Object.keys(body)).toEqual(['data'])
    expect(body.data.map((one: { id: string }) => one.id)).toEqual(ids)
    expect((await api.get(`workspaces/${id}`)).body.data.relationships.vars).toEqual({
      data: ids.map((one) => ({ id: one, type: 'vars' })),
      links: { related: `/api/v2/workspaces/${id}/vars` },
    })
  })

  test('a sensitive value is never returned, and its key stays', async () => {
    const { api, id } = await withWorkspace()
    const made = await makeVariable(api, id, { ...env, value: 's3cret', sensitive: true })
    const path = `workspaces/${id}/vars/${made.id}`
    expect(made.attributes.value).toBeNull()
    expect((await api.get(`workspaces/${id}/vars`)).text).not.toContain('s3cret')
    for (const [attributes, fault] of [
      [{ sensitive: false }, ['sensitive', 'Sensitive cannot be changed from true to false']],
      [{ key: 'OTHER' }, ['key', 'Key cannot be changed on a sensitive variable']],
    ] as const) {
      const reply = await api.patch(path, resource('vars', attributes))
      expect([reply.status, reply.body]).toEqual([422, invalid(fault)])
    }
    expect((await api.patch(path, resource('vars', { value: 'new' }))).status).toBe(200)
  })

  test('a variable of another workspace is 404, and variables are deleted with their workspace', async () => {
    const { api, id } = await withWorkspace()
    const made = await makeVariable(api, id, env)
    const other = await makeWorkspace(api, 'other')
    expect((await api.get(`workspaces/${other.id}/vars/${made.id}`)).status).toBe(404)
    await api.delete(`workspaces/${id}`)
    expect((await api.get('vars')).body.data).toEqual([])
  })
})

describe(`${section}: rules`, () => {
  test.each([
    [
      {},
      [
        ['key', "Key can't be blank"],
        ['category', "Category can't be blank"],
        ['category', 'Category is not included in the list'],
      ],
    ],
    [{ key: 'a b', category: 'infra' }, [['key', 'Key is invalid']]],
    [{ key: 'a\nb', category: 'infra' }, [['key', 'Key is invalid']]],
    [{ key: 'a-b', category: 'env' }, [['key', 'Key is invalid']]],
    [{ key: 'a', category: 'policy-set' }, [['category', 'Category is not included in the list']]],
    [{ ...env, hcl: 'yes' }, [['hcl', 'Hcl must be true or false']]],
    [{ ...env, value: 5 }, [['value', 'Value must be a string']]],
    [{ key: 'TAKEN', category: 'env' }, [['key', 'Key has already been taken']]],
    [
      { ...env, description: 'd'.repeat(513) },
      [['description', 'Description is too long (maximum is 512 characters)']],
    ],
  ] as const)('POST is 422 for %j', async (attributes, faults) => {
    const { api, id } = await withWorkspace()
    await makeVariable(api, id, { key: 'TAKEN', category: 'env' })
    const reply = await api.post(`workspaces/${id}/vars`, resource('vars', attributes))
    expect([reply.status, reply.body]).toEqual([422, invalid(...faults)])
    expect((await api.get(`workspaces/${id}/vars`)).body.data).toHaveLength(1)
  })

  test('keys are unique in each category of a workspace', async () => {
    const { api, id } = await withWorkspace()
    await makeVariable(api, id, { key: 'a', category: 'env' })
    const second = await makeVariable(api, id, { key: 'a', category: 'infra' })
    await makeVariable(api, id, { key: 'any-text.[0]', category: 'infra' })
    const other = await makeWorkspace(api, 'other')
    await makeVariable(api, other.id, { key: 'a', category: 'env' })
    const renamed = resource('vars', { key: 'any-text.[0]' })
    const reply = await api.patch(`workspaces/${id}/vars/${second.id}`, renamed)
    expect([reply.status, reply.body]).toEqual([
      422,
      invalid(['key', 'Key has already been taken']),
    ])
  })

  test('hcl is false for env, and a category that changes must not repeat a key', async () => {
    const { api, id } = await withWorkspace()
    const made = await makeVariable(api, id, { ...env, hcl: true })
    expect(made.attributes.hcl).toBe(false)
    const path = `workspaces/${id}/vars/${made.id}`
    const changed = await api.patch(path, resource('vars', { category: 'infra', hcl: true }))
    expect(changed.body.data.attributes).toMatchObject({ category: 'infra', hcl: true })
    const kept = await api.patch(path, resource('vars', { category: 'env', hcl: true }))
    expect(kept.body.data.attributes.hcl).toBe(false)
    await makeVariable(api, id, { ...env, category: 'infra' })
    const taken = await api.patch(path, resource('vars', { category: 'infra' }))
    expect(taken.body).toEqual(invalid(['key', 'Key has already been taken']))
  })
})

describe(`${section}: rights`, () => {
  test.each([
    ['a member without rights', 'member-token', [], [404, 404, 404, 404]],
    ['read-workspaces', 'member-token', ['read-workspaces'], [200, 404, 404, 404]],
    ['manage-policies', 'member-token', ['manage-policies'], [404, 404, 404, 404]],
    ['manage-workspaces', 'member-token', ['manage-workspaces'], [200, 201, 200, 204]],
    ['the organization token', extraTokens.organization, [], [200, 201, 200, 204]],
    ['a stranger', extraTokens.outsider, [], [404, 404, 404, 404]],
  ] as const)('%s', async (_who, token, rights, statuses) => {
    const { api, as, id } = await withWorkspace()
    await giveRights(api, ...rights)
    const made = await makeVariable(api, id, env)
    const client = as(token)
    const path = `workspaces/${id}/vars/${made.id}`
    expect([
      (await client.get(path)).status,
      (await client.post(`workspaces/${id}/vars`, resource('vars', { ...env, key: 'B' }))).status,
      (await client.patch(path, resource('vars', { value: 'v' }))).status,
      (await client.delete(path)).status,
    ]).toEqual(statuses)
    expect((await client.get(`workspaces/${id}/vars`)).status).toBe(statuses[0])
  })
})

describe(`${section}: deprecated paths`, () => {
  test('POST names the workspace by relationship or by both names', async () => {
    const { api, id } = await withWorkspace()
    const related = resource('vars', env, { workspace: { data: { id, type: 'workspaces' } } })
    const filter = { organization: { name: 'example-org' }, workspace: { name: 'net' } }
    const byName = { ...resource('vars', { ...env, key: 'B' }), filter }
    for (const body of [related, byName]) {
      const reply = await api.post('vars', body)
      expect([reply.status, reply.body.data.relationships.configurable.data.id]).toEqual([201, id])
    }
    for (const body of [
      resource('vars', env),
      { ...byName, filter: { workspace: { name: 'net' } } },
      { ...byName, filter: 'x' },
    ]) {
      expect((await api.post('vars', body)).status).toBe(404)
    }
  })

  test('GET lists those of one workspace, or all that the caller may read', async () => {
    const { api, as, id } = await withWorkspace()
    const other = await makeWorkspace(api, 'other')
    await makeVariable(api, other.id, { key: 'B', category: 'env' })
    await makeVariable(api, id, { key: 'A', category: 'env' })
    const keys = async (client: PlatformClient, query: Record<string, string> = {}) =>
      (await client.get('vars', { query })).body.data.map(
        (one: { attributes: { key: string } }) => one.attributes.key,
      )
    const names = {
      'filter[organization][name]': 'example-org',
      'filter[workspace][name]': 'other',
    }
    expect(await keys(api)).toEqual(['A', 'B'])
    expect(await keys(api, names)).toEqual(['B'])
    expect(await keys(as('member-token'))).toEqual([])
    expect((await as('member-token').get('vars', { query: names })).status).toBe(404)
    for (const name of Object.keys(names)) {
      const reply = await api.get('vars', { query: { [name]: 'x' } })
      expect([reply.status, reply.body]).toEqual([
        400,
        failure(400, 'filter[organization][name] and filter[workspace][name] must be set together'),
      ])
    }
  })

  test('PATCH and DELETE need the right to write', async () => {
    const { api, as, id } = await withWorkspace()
    await giveRights(api, 'read-workspaces')
    const path = `vars/${(await makeVariable(api, id, env)).id}`
    const change = resource('vars', { value: 'v' })
    expect((await as('member-token').patch(path, change)).status).toBe(404)
    expect((await as('member-token').delete(path)).status).toBe(404)
    expect((await api.patch(path, change)).body.data.attributes.value).toBe('v')
    expect((await api.delete(path)).status).toBe(204)
    expect((await api.patch(path, change)).status).toBe(404)
  })
})
