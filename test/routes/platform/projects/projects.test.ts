import { describe, expect, test } from 'vitest'
import { platform } from '../../../support/platform/platform.ts'
import { addCallers, extraTokens } from '../../../support/platform/platform-callers.ts'
import { failure, invalid } from '../../../support/platform/platform-errors.ts'

const section = 'behaviour/platform#projects'
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
            'default-execution-mode': 'remote',
            'setting-overwrites': { 'default-execution-mode': false, 'default-agent-pool': false },
            'auto-destroy-activity-duration': null,
            'workspace-count': 0,
            'team-count': 0,
            'is-unified': false,
            permissions: {
              'can-read': true,
              'can-update': true,
              'can-destroy': false,
              'can-create-workspace': true,
              'can-move-workspace': true,
              'can-move-stack': false,
              'can-deploy-no-code-modules': true,
              'can-read-teams': true,
              'can-manage-teams': true,
            },
          },
          relationships: {
            organization: { data: { id: 'example-org', type: 'organizations' } },
            'default-agent-pool': { data: null },
            'tag-bindings': { links: { related: `/api/v2/projects/${id}/tag-bindings` } },
            'effective-tag-bindings': {
              links: { related: `/api/v2/projects/${id}/effective-tag-bindings` },
            },
          },
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
    expect(await names({ 'filter[names]': 'NETWORK,Default Project' })).toEqual([
      'Network',
      'Default Project',
    ])
    await api.post(list, body({ name: 'Beta' }))
    expect(await names({ sort: 'name' })).toEqual(['Beta', 'Default Project', 'Network'])
    expect(await names({ sort: '-name' })).toEqual(['Network', 'Default Project', 'Beta'])
    expect(await names({ sort: 'other' })).toEqual(['Beta', 'Network', 'Default Project'])
  })

  test('filter[permissions] leaves the projects in which the caller may do something', async () => {
    const { platform: api, as } = await platform()
    for (const filter of ['create-workspace', 'update']) {
      const query = { [`filter[permissions][${filter}]`]: 'true' }
      expect((await api.get(list, { query })).body.data).toHaveLength(1)
      expect((await as('member-token').get(list, { query })).body.data).toEqual([])
    }
  })

  test('settings are stored; the execution mode follows the organization until the project has one', async () => {
    const { platform: api } = await platform()
    const made = await api.post(list, body({ name: 'abc' }))
    const path = `projects/${made.body.data.id}`
    const mode = async () => (await api.get(path)).body.data.attributes['default-execution-mode']
    await api.patch('organizations/example-org', {
      data: { attributes: { 'default-execution-mode': 'local' } },
    })
    expect(await mode()).toBe('local')
    const changed = await api.patch(
      path,
      body({ 'default-execution-mode': 'remote', 'auto-destroy-activity-duration': '14d' }),
    )
    expect([changed.status, changed.body.data.attributes]).toMatchObject([
      200,
      {
        'default-execution-mode': 'remote',
        'setting-overwrites': { 'default-execution-mode': true },
        'auto-destroy-activity-duration': '14d',
      },
    ])
    await api.patch(path, body({ 'setting-overwrites': { 'default-execution-mode': false } }))
    expect(await mode()).toBe('local')
  })

  test('a project with workspaces is not deleted: 403', async () => {
    const { platform: api } = await platform()
    const { id } = (await api.post(list, body({ name: 'abc' }))).body.data
    const relationships = { project: { data: { id, type: 'projects' } } }
    const workspace = await api.post('organizations/example-org/workspaces', {
      data: { attributes: { name: 'net' }, relationships },
    })
    expect((await api.get(`projects/${id}`)).body.data.attributes['workspace-count']).toBe(1)
    const refused = await api.delete(`projects/${id}`)
    expect([refused.status, refused.body]).toEqual([
      403,
      failure(403, 'Project cannot be deleted because it contains workspaces'),
    ])
    await api.delete(`workspaces/${workspace.body.data.id}`)
    expect((await api.delete(`projects/${id}`)).status).toBe(204)
  })

  test('all workspaces move to a project, or none with 403', async () => {
    const { platform: api, as } = await platform()
    const { id } = (await api.post(list, body({ name: 'abc' }))).body.data
    const workspaces: { id: string; type: string }[] = []
    for (const name of ['one', 'two']) {
      const made = await api.post('organizations/example-org/workspaces', body({ name }, ''))
      workspaces.push({ id: made.body.data.id, type: 'workspaces' })
    }
    const path = `projects/${id}/relationships/workspaces`
    const count = async () =>
      (await api.get(`projects/${id}`)).body.data.attributes['workspace-count']
    const unknown = [...workspaces, { id: 'ws-x', type: 'workspaces' }]
    const refusal = 'Workspace(s) not found, or you are not authorized to move them:'
    const refused = await api.post(path, { data: [...unknown, { id: 'ws-y', type: 'workspaces' }] })
    expect([refused.status, refused.body]).toEqual([403, failure(403, `${refusal} ws-x, ws-y`)])
    const [one, two] = workspaces
    const forbidden = await as('member-token').post(path, { data: workspaces })
    expect([forbidden.status, forbidden.body]).toEqual([
      403,
      failure(403, `${refusal} ${one?.id}, ${two?.id}`),
    ])
    expect(await count()).toBe(0)
    expect((await api.post(path, { data: workspaces })).status).toBe(204)
    expect(await count()).toBe(2)
    const noList = await api.post(path, { data: { id } })
    expect([noList.status, noList.body]).toEqual([422, failure(422, 'data must be an array')])
  })

  const wrongCharacters =
    'Name may only contain letters, numbers, spaces, hyphens and underscores, and no space at its ends'

  test.each([
    [
      { name: 'abc', 'default-execution-mode': 'agent' },
      [
        'default-agent-pool',
        "Default agent pool must be specified when using 'agent' execution mode",
      ],
    ],
    [{}, ['name', "Name can't be blank"]],
    [{ name: 'ab' }, ['name', 'Name is too short (minimum is 3 characters)']],
    [{ name: 'x'.repeat(41) }, ['name', 'Name is too long (maximum is 40 characters)']],
    [{ name: 'Default Project' }, ['name', 'Name has already been taken']],
    [{ name: ' abc' }, ['name', wrongCharacters]],
    [{ name: 'abc ' }, ['name', wrongCharacters]],
    [{ name: 'a.b/c' }, ['name', wrongCharacters]],
    [
      { name: 'abc', description: 'x'.repeat(257) },
      ['description', 'Description is too long (maximum is 256 characters)'],
    ],
    [
      { name: 'abc', 'default-execution-mode': 'cloud' },
      ['default-execution-mode', 'Default execution mode is not included in the list'],
    ],
    [
      { name: 'abc', 'auto-destroy-activity-duration': '0d' },
      [
        'auto-destroy-activity-duration',
        "Auto destroy activity duration has an incorrect format, we expect up to 4 numeric digits and 1 unit ('d' or 'h')",
      ],
    ],
    [{ name: 'abc', description: 5 }, ['description', 'Description must be a string']],
  ] as const)('%j is refused with 422', async (attributes, fault) => {
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

describe(`${section}: settings and lists`, () => {
  test('overwrites of the mode and of the pool are equal if both are sent', async () => {
    const { platform: api } = await platform()
    const overwrites = { 'default-execution-mode': true, 'default-agent-pool': false }
    const attributes = { name: 'inner', 'setting-overwrites': overwrites }
    expect((await api.post(list, body(attributes))).body).toEqual(
      failure(
        422,
        'If agent-pool and execution-mode are both included in setting-overwrites, their values must be the same.',
      ),
    )
  })

  test('the list is newest first', async () => {
    const { platform: api } = await platform()
    expect((await api.post(list, body({ name: 'inner' }))).status).toBe(201)
    const { data } = (await api.get(list)).body
    expect(data.map((one: Named) => one.attributes.name)).toEqual(['inner', 'Default Project'])
  })
})
