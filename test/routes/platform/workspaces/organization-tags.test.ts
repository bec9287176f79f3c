import { describe, expect, test } from 'vitest'
import type { PlatformClient } from '../../../support/platform/platform.ts'
import { extraTokens } from '../../../support/platform/platform-callers.ts'
import { failure } from '../../../support/platform/platform-errors.ts'
import {
  giveRights,
  makeWorkspace,
  withWorkspace,
} from '../../../support/platform/platform-workspaces.ts'

const section = 'behaviour/platform#organization-tags'
const path = 'organizations/example-org/tags'

interface Tag {
  readonly id: string
  readonly attributes: { readonly name: string; readonly 'instance-count': number }
}

async function tagsIn(
  api: PlatformClient,
  query: Record<string, string> = {},
): Promise<readonly Tag[]> {
  return (await api.get(path, { query })).body.data
}

async function counts(api: PlatformClient, query: Record<string, string> = {}) {
  const tags = await tagsIn(api, query)
  return tags.map(({ attributes }) => `${attributes.name} ${attributes['instance-count']}`)
}

/** Returns the id of a tag by its name. */
async function tagId(api: PlatformClient, name: string): Promise<string> {
  return (await tagsIn(api)).find(({ attributes }) => attributes.name === name)?.id ?? ''
}

function identifiers(type: string, ...ids: readonly string[]) {
  return { data: ids.map((id) => ({ type, id })) }
}

describe(section, () => {
  test('a tag is listed while a workspace has it, with the number of its workspaces', async () => {
    const { api } = await withWorkspace()
    const { id } = await makeWorkspace(api, 'a', { 'tag-names': ['z', 'app'] })
    await makeWorkspace(api, 'b', { 'tag-names': ['app'] })
    expect(await counts(api)).toEqual(['app 2', 'z 1'])
    expect(await counts(api, { q: 'AP' })).toEqual(['app 2'])
    expect(await counts(api, { 'filter[exclude][taggable][id]': id })).toEqual([])
    const app = await tagId(api, 'app')
    await api.delete(`workspaces/${id}`)
    expect(await counts(api)).toEqual(['app 1'])
    expect(await tagId(api, 'app')).toBe(app)
    await api.patch('organizations/example-org/workspaces/b', {
      data: { attributes: { 'tag-names': [] } },
    })
    expect(await counts(api)).toEqual([])
  })

  test('tags with a value are not among them; flat bindings are, as they are spelled', async () => {
    const { api, id } = await withWorkspace()
    const binding = (key: string, value: string) => ({
      type: 'tag-bindings',
      attributes: { key, value },
    })
    await api.patch(`workspaces/${id}/tag-bindings`, {
      data: [binding('Team', 'x'), binding('App', '')],
    })
    expect(await counts(api)).toEqual(['App 1'])
    await api.patch(`workspaces/${id}/tag-bindings`, { data: [binding('App', 'x')] })
    expect(await counts(api)).toEqual([])
  })

  test('DELETE takes tags from all workspaces; an unknown id is 404, and all stay', async () => {
    const { api, id } = await withWorkspace()
    await makeWorkspace(api, 'a', { 'tag-names': ['one', 'two'] })
    await api.patch(`workspaces/${id}`, { data: { attributes: { 'tag-names': ['one'] } } })
    const one = await tagId(api, 'one')
    const refused = await api.delete(path, identifiers('tags', one, 'tag-unknown'))
    expect([refused.status, refused.body]).toEqual([404, failure(404)])
    expect(await counts(api)).toEqual(['one 2', 'two 1'])
    expect((await api.delete(path, identifiers('tags', one))).status).toBe(204)
    expect(await counts(api)).toEqual(['two 1'])
    expect((await api.get(`workspaces/${id}`)).body.data.attributes['tag-names']).toEqual([])
    const wrong = await api.delete(path, identifiers('users', one))
    expect([wrong.status, wrong.body]).toEqual([422, failure(422, 'type must be tags')])
    const none = await api.delete(path, { data: 5 })
    expect([none.status, none.body]).toEqual([422, failure(422, 'data must be an array')])
  })

  test('all workspaces get a tag, or none with 404', async () => {
    const { api, id } = await withWorkspace()
    const other = await makeWorkspace(api, 'other', { 'tag-names': ['app'] })
    const tag = `tags/${await tagId(api, 'app')}/relationships/workspaces`
    const refused = await api.post(tag, identifiers('workspaces', id, 'ws-unknown'))
    expect([refused.status, refused.body]).toEqual([404, failure(404)])
    expect(await counts(api)).toEqual(['app 1'])
    expect((await api.post(tag, identifiers('workspaces', id, other.id))).status).toBe(204)
    expect(await counts(api)).toEqual(['app 2'])
    const unknown = await api.post('tags/tag-x/relationships/workspaces', identifiers('workspaces'))
    expect(unknown.status).toBe(404)
  })

  // choice/platform#tag-rights
  test('every member sees them; manage-workspaces and the organization token delete them', async () => {
    const { api, as, id } = await withWorkspace()
    const member = as('member-token')
    await api.patch(`workspaces/${id}`, { data: { attributes: { 'tag-names': ['one', 'two'] } } })
    expect(await counts(member)).toEqual(['one 1', 'two 1'])
    expect((await as(extraTokens.outsider).get(path)).status).toBe(404)
    const body = identifiers('tags', await tagId(api, 'one'))
    const tagged = `tags/${await tagId(api, 'one')}/relationships/workspaces`
    expect((await member.delete(path, body)).status).toBe(404)
    expect((await member.post(tagged, identifiers('workspaces', id))).status).toBe(404)
    expect((await as(extraTokens.outsider).post(tagged, identifiers('workspaces'))).status).toBe(
      404,
    )
    await giveRights(api, 'manage-workspaces')
    expect((await member.post(tagged, identifiers('workspaces', id))).status).toBe(204)
    expect((await member.delete(path, body)).status).toBe(204)
    const rest = identifiers('tags', await tagId(api, 'two'))
    expect((await as(extraTokens.organization).delete(path, rest)).status).toBe(204)
  })

  test('tags keep their ids when the organization gets another name', async () => {
    const { api, id } = await withWorkspace()
    await api.patch(`workspaces/${id}`, { data: { attributes: { 'tag-names': ['one'] } } })
    const before = await tagId(api, 'one')
    await api.patch('organizations/example-org', { data: { attributes: { name: 'renamed' } } })
    const [tag] = (await api.get('organizations/renamed/tags')).body.data
    expect(tag).toMatchObject({ id: before, attributes: { name: 'one', 'instance-count': 1 } })
  })

  test('behaviour/platform#tags: a workspace takes tags of others by id, also when it is made', async () => {
    const { api, id } = await withWorkspace()
    await api.patch(`workspaces/${id}`, { data: { attributes: { 'tag-names': ['one'] } } })
    const tags = { data: [{ type: 'tags', id: await tagId(api, 'one') }] }
    const made = await makeWorkspace(api, 'made', {}, { tags })
    expect(made.attributes['tag-names']).toEqual(['one'])
    const other = await makeWorkspace(api, 'other')
    expect((await api.post(`workspaces/${other.id}/relationships/tags`, tags)).status).toBe(204)
    expect(await counts(api)).toEqual(['one 3'])
  })
})
