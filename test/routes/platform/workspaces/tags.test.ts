import { describe, expect, test } from 'vitest'
import { type PlatformClient, platform } from '../../../support/platform/platform.ts'
import { failure, invalid } from '../../../support/platform/platform-errors.ts'

const section = 'behaviour/platform#tags'
const list = 'organizations/example-org/workspaces'

type Pair = readonly [key: string, value: string]

function bindings(...pairs: readonly Pair[]) {
  return pairs.map(([key, value]) => ({ type: 'tag-bindings', attributes: { key, value } }))
}

function named(...names: string[]) {
  return { data: names.map((name) => ({ type: 'tags', attributes: { name } })) }
}

async function workspaceOf(api: PlatformClient, name = 'net', relationships: object = {}) {
  const body = { data: { type: 'workspaces', attributes: { name }, relationships } }
  const reply = await api.post(list, body)
  expect(reply.status).toBe(201)
  return reply.body.data
}

/** Returns keys and values of a list of bindings. */
async function pairsAt(api: PlatformClient, path: string): Promise<Pair[]> {
  const { body } = await api.get(path)
  return body.data.map(({ attributes }: { attributes: { key: string; value: string } }) => [
    attributes.key,
    attributes.value,
  ])
}

async function namesOf(api: PlatformClient, id: string): Promise<string[]> {
  return (await api.get(`workspaces/${id}`)).body.data.attributes['tag-names']
}

describe(`${section}: flat tags`, () => {
  // choice/platform#workspace-rules
  test('added and removed by name or id, in order of adding, in lower case', async () => {
    const { platform: api } = await platform()
    const { id } = await workspaceOf(api)
    const path = `workspaces/${id}/relationships/tags`
    expect((await api.post(path, named('b', 'App:One', 'b'))).status).toBe(204)
    const tags = (await api.get(path)).body.data
    expect(tags).toEqual([
      {
        id: expect.stringMatching(/^tag-[1-9A-HJ-NP-Za-km-z]{16}$/),
        type: 'tags',
        attributes: { name: 'b', 'created-at': '2026-01-01T00:00:00.000Z', 'instance-count': 1 },
        relationships: { organization: { data: { id: 'example-org', type: 'organizations' } } },
      },
      expect.objectContaining({ attributes: expect.objectContaining({ name: 'app:one' }) }),
    ])
    expect(await namesOf(api, id)).toEqual(['b', 'app:one'])
    const { relationships } = (await api.get(`workspaces/${id}`)).body.data
    expect(relationships.tags.data).toEqual(
      tags.map((tag: { id: string }) => ({ id: tag.id, type: 'tags' })),
    )
    expect((await api.delete(path, named('missing'))).status).toBe(204)
    expect((await api.delete(path, { data: [{ type: 'tags', id: tags[0].id }] })).status).toBe(204)
    expect(await namesOf(api, id)).toEqual(['app:one'])
  })

  test('wrong types and names, unknown ids and empty lists are refused, and change nothing', async () => {
    const { platform: api } = await platform()
    const { id } = await workspaceOf(api)
    const path = `workspaces/${id}/relationships/tags`
    await api.post(path, named('kept'))
    for (const [body, status, errors] of [
      [{ data: [{ type: 'users', id: 'a' }] }, 422, failure(422, 'type must be tags')],
      [{ data: [{ type: 'tags', id: 'unknown' }] }, 404, failure(404)],
      [{ data: [] }, 422, failure(422, 'data is required')],
      [named('fine', 'not fine'), 422, invalid(['name', 'Name is invalid'])],
      [named('x'.repeat(256)), 422, invalid(['name', 'Name is invalid'])],
    ] as const) {
      const reply = await api.post(path, body)
      expect([reply.status, reply.body]).toEqual([status, errors])
    }
    expect((await api.delete(path, { data: [{ type: 'tags', id: 'unknown' }] })).status).toBe(404)
    expect(await namesOf(api, id)).toEqual(['kept'])
  })

  test('a new workspace has those of the relationship, as the command sends them, and those of tag-names', async () => {
    const { platform: api } = await platform()
    const { attributes } = await workspaceOf(api, 'one', { tags: named('b', 'A') })
    expect(attributes['tag-names']).toEqual(['b', 'a'])
    const made = await api.post(list, {
      data: { attributes: { name: 'two', 'tag-names': ['z', 'y'] } },
    })
    expect(made.body.data.attributes['tag-names']).toEqual(['z', 'y'])
    const wrong = await api.post(list, {
      data: { attributes: { name: 'three', 'tag-names': ['a b'] } },
    })
    expect([wrong.status, wrong.body]).toEqual([422, invalid(['name', 'Name is invalid'])])
  })
})

describe(`${section}: tags with values`, () => {
  test('PATCH adds and changes, and replies with the sent ones in their order', async () => {
    const { platform: api } = await platform()
    const { id } = await workspaceOf(api)
    const path = `workspaces/${id}/tag-bindings`
    const reply = await api.patch(path, { data: bindings(['team', 'foo'], ['env', 'prod']) })
    expect(reply.status).toBe(200)
    expect(reply.body).toEqual({
      data: [
        {
          id: expect.stringMatching(/^tb-/),
          type: 'tag-bindings',
          attributes: { key: 'team', value: 'foo', 'created-at': '2026-01-01T00:00:00.000Z' },
          links: {},
        },
        expect.objectContaining({ attributes: expect.objectContaining({ key: 'env' }) }),
      ],
    })
    await api.patch(path, { data: bindings(['env', 'test']) })
    expect(await pairsAt(api, path)).toEqual([
      ['team', 'foo'],
      ['env', 'test'],
    ])
    const read = (await api.get(path)).body
    expect(Object.keys(read)).toEqual(['data'])
    expect(read.data[0]).toEqual({
      ...reply.body.data[0],
      links: { target: `/api/v2/workspaces/${id}` },
    })
  })

  test('a flat tag is one with an empty value; tags with values are not in tag-names', async () => {
    const { platform: api } = await platform()
    const { id } = await workspaceOf(api)
    await api.post(`workspaces/${id}/relationships/tags`, named('app'))
    await api.patch(`workspaces/${id}/tag-bindings`, {
      data: bindings(['team', 'foo'], ['Spelled', '']),
    })
    expect(await namesOf(api, id)).toEqual(['app', 'Spelled'])
    expect(await pairsAt(api, `workspaces/${id}/tag-bindings`)).toEqual([
      ['app', ''],
      ['team', 'foo'],
      ['Spelled', ''],
    ])
    const found = await api.get(list, { query: { 'search[tags]': 'team,app' } })
    expect(found.body.data).toHaveLength(1)
  })

  test('the relationship sets exactly these; an empty list removes all', async () => {
    const { platform: api } = await platform()
    const sent = (...pairs: readonly Pair[]) => ({ 'tag-bindings': { data: bindings(...pairs) } })
    const { id } = await workspaceOf(api, 'net', sent(['a', '1'], ['b', '2']))
    const path = `workspaces/${id}`
    const patch = (relationships: object) => api.patch(path, { data: { relationships } })
    await patch(sent(['b', '3'], ['c', '4']))
    expect(await pairsAt(api, `${path}/tag-bindings`)).toEqual([
      ['b', '3'],
      ['c', '4'],
    ])
    await patch({})
    expect(await pairsAt(api, `${path}/tag-bindings`)).toHaveLength(2)
    await patch(sent())
    expect(await pairsAt(api, `${path}/tag-bindings`)).toEqual([])
  })

  test('a workspace inherits those of its project unless it has the key itself', async () => {
    const { platform: api } = await platform()
    const { id, relationships } = await workspaceOf(api)
    const project = relationships.project.data.id
    const made = await api.patch(`projects/${project}/tag-bindings`, {
      data: bindings(['team', 'foo'], ['env', 'prod']),
    })
    expect(made.status).toBe(200)
    expect(await pairsAt(api, `projects/${project}/tag-bindings`)).toHaveLength(2)
    expect(await pairsAt(api, `projects/${project}/effective-tag-bindings`)).toHaveLength(2)
    await api.patch(`workspaces/${id}/tag-bindings`, { data: bindings(['env', 'test']) })
    const effective = (await api.get(`workspaces/${id}/effective-tag-bindings`)).body.data
    expect(effective).toMatchObject([
      { type: 'effective-tag-bindings', attributes: { key: 'env', value: 'test' } },
      {
        attributes: { key: 'team', value: 'foo' },
        links: { 'inherited-from': `/api/v2/projects/${project}` },
      },
    ])
    expect(effective[0].links).toBeUndefined()
    const tagged = async (filter: string) =>
      (await api.get(`organizations/example-org/projects?${filter}`)).body.data.length
    expect(await tagged('filter[tagged][0][key]=team&filter[tagged][0][value]=')).toBe(1)
    expect(await tagged('filter[tagged][0][key]=team&filter[tagged][0][value]=bar')).toBe(0)
    await api.patch(`projects/${project}`, {
      data: { relationships: { 'tag-bindings': { data: [] } } },
    })
    expect(await pairsAt(api, `projects/${project}/tag-bindings`)).toEqual([])
  })

  test.each([
    [[['a b', '']], ['key', 'Key is invalid']],
    [[['hc:a', '1']], ['key', 'Key is invalid']],
    [[['hcp:a', '1']], ['key', 'Key is invalid']],
    [[['x'.repeat(129), '1']], ['key', 'Key is invalid']],
    [[['', '1']], ['key', "Key can't be blank"]],
    [[['a', 'b c']], ['value', 'Value is invalid']],
    [[['a', 'x'.repeat(257)]], ['value', 'Value is invalid']],
    [
      Array.from({ length: 11 }, (_, index) => [`k${index}`, '1']),
      ['tag-bindings', 'Tag bindings cannot exceed 10 bindings per resource'],
    ],
  ] as [Pair[], readonly [string, string]][])('%j is 422', async (pairs, fault) => {
    const { platform: api } = await platform()
    const { id, relationships } = await workspaceOf(api)
    const data = bindings(['kept', '1'], ...pairs)
    for (const path of [`workspaces/${id}`, `projects/${relationships.project.data.id}`]) {
      for (const reply of [
        await api.patch(`${path}/tag-bindings`, { data }),
        await api.patch(path, { data: { relationships: { 'tag-bindings': { data } } } }),
      ]) {
        expect([reply.status, reply.body]).toEqual([422, invalid(fault)])
      }
      expect(await pairsAt(api, `${path}/tag-bindings`)).toEqual([])
    }
  })

  test('tags of a project need the right to manage projects', async () => {
    const { platform: api, as } = await platform()
    const [project] = (await api.get('organizations/example-org/projects')).body.data
    const path = `projects/${project.id}/tag-bindings`
    const reply = await as('member-token').patch(path, { data: bindings(['a', '1']) })
    expect([reply.status, reply.body]).toEqual([404, failure(404)])
    expect((await as('member-token').get(path)).status).toBe(200)
  })
})
