import { describe, expect, test } from 'vitest'
import { platform } from '../../../support/platform/platform.ts'
import { addCallers, extraTokens } from '../../../support/platform/platform-callers.ts'
import { failure, invalid } from '../../../support/platform/platform-errors.ts'

const section = 'behaviour/platform#beyond'
const list = 'organizations/example-org/projects'

function body(attributes: object, type = 'projects') {
  return { data: { type, attributes } }
}

type Named = { readonly attributes: { readonly name: string } }

describe(`${section}: projects`, () => {
  test('each organization starts with one and references it', async () => {
    const { platform: api } = await platform()
    const reply = await api.get(list)
    const { id } = reply.body.data[0]
    expect(id).toMatch(/^prj-[1-9A-HJ-NP-Za-km-z]{16}$/)
    expect([reply.status, reply.body.data]).toEqual([
      200,
      [
        {
          id,
          type: 'projects',
          attributes: {
            name: 'Default Project',
            description: null,
            'created-at': '2026-01-01T00:00:00.000Z',
            permissions: {
              'can-read': true,
              'can-update': true,
              'can-destroy': false,
              'can-create-workspace': true,
            },
          },
          relationships: { organization: { data: { id: 'example-org', type: 'organizations' } } },
          links: { self: `/api/v2/projects/${id}` },
        },
      ],
    ])
    const organization = await api.get('organizations/example-org')
    expect(organization.body.data.relationships['default-project'].data.id).toBe(id)
    const missing = await api.delete(`projects/${id}`)
    expect([missing.status, missing.body]).toEqual([403, failure(403)])
  })

  test('POST 201, GET, PATCH 200, DELETE 204', async () => {
    const { platform: api } = await platform()
    const made = await api.post(list, body({ name: 'Net work', description: 'd' }))
    const { id } = made.body.data
    expect([made.status, made.body.data.attributes]).toMatchObject([
      201,
      { name: 'Net work', description: 'd', permissions: { 'can-destroy': true } },
    ])
    expect((await api.get(`projects/${id}`)).body).toEqual(made.body)
    const changed = await api.patch(`projects/${id}`, body({ name: 'Other' }))
    expect([changed.status, changed.body.data.attributes]).toMatchObject([
      200,
      { name: 'Other', description: 'd' },
    ])
    expect((await api.delete(`projects/${id}`)).status).toBe(204)
    expect((await api.get(`projects/${id}`)).status).toBe(404)
  })

  test('q finds part of a name in any case, filter[names] full names', async () => {
    const { platform: api } = await platform()
    await api.post(list, body({ name: 'Network' }))
    const names = async (query: Record<string, string>) =>
      (await api.get(list, { query })).body.data.map((one: Named) => one.attributes.name)
    expect(await names({ q: 'NET' })).toEqual(['Network'])
    expect(await names({ 'filter[names]': 'Network,Default Project' })).toEqual([
      'Default Project',
      'Network',
    ])
  })

  test.each([
    [{}, ['name', "Name can't be blank"]],
    [{ name: 'ab' }, ['name', 'Name is too short (minimum is 3 characters)']],
    [{ name: 'x'.repeat(41) }, ['name', 'Name is too long (maximum is 40 characters)']],
    [{ name: 'Default Project' }, ['name', 'Name has already been taken']],
    [{ name: 'abc', description: 5 }, ['description', 'Description must be a string']],
  ] as const)('422 for %j', async (attributes, fault) => {
    const { platform: api } = await platform()
    const reply = await api.post(list, body(attributes))
    expect([reply.status, reply.body]).toEqual([422, invalid(fault)])
    expect((await api.get(list)).body.data).toHaveLength(1)
  })

  // choice/platform#project-rules
  test('members may read them, callers with the permission manage them, strangers get 404', async () => {
    const { platform: api, as, world } = await platform()
    addCallers(world)
    const { id } = (await api.post(list, body({ name: 'abc' }))).body.data
    expect((await as('member-token').get(`projects/${id}`)).status).toBe(200)
    expect((await as(extraTokens.organization).patch(`projects/${id}`, body({}))).status).toBe(200)
    const trimmed = await api.patch(`projects/${id}`, body({ name: ' abc d ' }))
    expect(trimmed.body.data.attributes.name).toBe('abc d')
    for (const reply of [
      await as('member-token').post(list, body({ name: 'def' })),
      await as('member-token').patch(`projects/${id}`, body({})),
      await as('member-token').delete(`projects/${id}`),
      await as(extraTokens.outsider).get(`projects/${id}`),
      await as(extraTokens.outsider).get(list),
      await api.get('projects/prj-x'),
    ]) {
      expect([reply.status, reply.body]).toEqual([404, failure(404)])
    }
    expect((await api.get(list, { token: null })).status).toBe(401)
    const [{ id: team }] = (await api.get('organizations/example-org/teams')).body.data
    const access = { 'organization-access': { 'manage-projects': true } }
    await api.patch(`teams/${team}`, { data: { attributes: access } })
    expect((await as('member-token').delete(`projects/${id}`)).status).toBe(204)
  })

  test('projects are deleted with their organization, and move with its new name', async () => {
    const { platform: api, admin } = await platform()
    const { id } = (await api.post(list, body({ name: 'abc' }))).body.data
    await api.patch('organizations/example-org', { data: { attributes: { name: 'renamed' } } })
    const moved = await api.get(`projects/${id}`)
    expect(moved.body.data.relationships.organization.data.id).toBe('renamed')
    await admin.delete('organizations/renamed')
    expect((await admin.get(`projects/${id}`)).status).toBe(404)
  })
})
