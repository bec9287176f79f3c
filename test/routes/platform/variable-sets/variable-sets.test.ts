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

const section = 'behaviour/platform#variable-sets'
const list = 'organizations/example-org/varsets'
const env = { key: 'REGION', value: 'eu', category: 'env' }

/** Creates a variable set and returns its resource. */
async function makeSet(api: PlatformClient, attributes: object = {}, relationships: object = {}) {
  const reply = await api.post(
    list,
    resource('varsets', { name: 'common', ...attributes }, relationships),
  )
  expect([reply.status, reply.body.errors]).toEqual([201, undefined])
  return reply.body.data
}

const ids = (type: string, ...all: readonly string[]) => all.map((id) => ({ id, type }))
const withIds = (type: string, ...all: readonly string[]) => ({ data: ids(type, ...all) })
const ownedBy = (id: string) => ({ parent: { data: { id, type: 'projects' } } })

describe(`${section}: the sets`, () => {
  test.each(['neutral', 'vendor'] as const)(
    '%s: create, read, change with PATCH and PUT, delete',
    async (dialect) => {
      const { api, id: workspace } = await withWorkspace({ dialect })
      const created = await makeSet(
        api,
        {},
        {
          vars: { data: [{ type: 'vars', attributes: env }] },
          workspaces: withIds('workspaces', workspace),
        },
      )
      const [variable] = created.relationships.vars.data
      const time = expect.stringMatching(/^2\d{3}-.*Z$/)
      const owner = { data: { id: 'example-org', type: 'organizations' } }
      expect(created).toEqual({
        id: expect.stringMatching(/^varset-[1-9A-HJ-NP-Za-km-z]{16}$/),
        type: 'varsets',
        attributes: {
          name: 'common',
          description: '',
          global: false,
          priority: false,
          'created-at': time,
          'updated-at': time,
          'var-count': 1,
          'workspace-count': 1,
          'project-count': 0,
          permissions: { 'can-update': true },
        },
        relationships: {
          organization: owner,
          vars: { data: [{ id: variable.id, type: 'vars' }] },
          workspaces: withIds('workspaces', workspace),
          projects: { data: [] },
          parent: owner,
        },
        links: { self: `/api/v2/varsets/${created.id}` },
      })
      const path = `varsets/${created.id}`
      expect((await api.get(path)).body.data).toEqual(created)
      const patched = await api.patch(path, resource('varsets', { description: 'd' }))
      expect(patched.body.data.attributes).toMatchObject({ name: 'common', description: 'd' })
      const put = await api.request('PUT', path, resource('varsets', { name: 'other' }))
      expect([put.status, put.body.data.attributes.name]).toEqual([200, 'other'])
      expect((await api.delete(path)).status).toBe(204)
      expect((await api.get(path)).status).toBe(404)
      expect((await api.get(`workspaces/${workspace}/all-vars`)).body.data).toEqual([])
    },
  )

  test('turning global on clears the assignments, and global sets take none', async () => {
    const { api, id: workspace } = await withWorkspace()
    const set = await makeSet(api, {}, { workspaces: withIds('workspaces', workspace) })
    const path = `varsets/${set.id}`
    const global = await api.patch(path, resource('varsets', { global: true }))
    expect(global.body.data.relationships.workspaces.data).toEqual([])
    for (const [kind, target] of [
      ['workspaces', workspace],
      ['projects', 'prj-x'],
    ] as const) {
      const reply = await api.post(`${path}/relationships/${kind}`, withIds(kind, target))
      expect([reply.status, reply.body]).toEqual([
        422,
        failure(422, 'Global variable sets apply to all workspaces'),
      ])
    }
  })

  test('workspaces and projects are assigned and removed, twice as well as once', async () => {
    const { api, id: workspace } = await withWorkspace()
    const project = await makeProject(api, 'inner')
    const set = await makeSet(api)
    for (const [kind, target] of [
      ['workspaces', workspace],
      ['projects', project],
    ] as const) {
      const path = `varsets/${set.id}/relationships/${kind}`
      const assigned = async () =>
        (await api.get(`varsets/${set.id}`)).body.data.relationships[kind].data
      for (const _again of [1, 2]) {
        expect((await api.post(path, withIds(kind, target))).status).toBe(204)
        expect(await assigned()).toEqual(ids(kind, target))
      }
      for (const _again of [1, 2]) {
        expect((await api.delete(path, withIds(kind, target))).status).toBe(204)
        expect(await assigned()).toEqual([])
      }
      const unknown = await api.post(path, withIds(kind, target, `${target}x`))
      expect([unknown.status, await assigned()]).toEqual([404, []])
      const wrong = await api.post(path, withIds('teams', target))
      expect(wrong.body).toEqual(failure(422, `type must be ${kind}`))
    }
  })

  test('the set of a project stays in the project', async () => {
    const { api, id: outside } = await withWorkspace()
    const project = await makeProject(api, 'inner')
    const inside = await makeWorkspace(api, 'inside', {}, inProject(project))
    const set = await makeSet(api, {}, ownedBy(project))
    expect(set.relationships.parent.data).toEqual({ id: project, type: 'projects' })
    const assign = (kind: string, id: string) =>
      api.post(`varsets/${set.id}/relationships/${kind}`, withIds(kind, id))
    expect((await assign('workspaces', outside)).status).toBe(404)
    expect((await assign('projects', await makeProject(api, 'other'))).status).toBe(404)
    expect((await assign('workspaces', inside.id)).status).toBe(204)
    expect((await assign('projects', project)).status).toBe(204)
    const global = await api.patch(`varsets/${set.id}`, resource('varsets', { global: true }))
    expect(global.body).toEqual(
      invalid(['global', 'Global must be false for variable sets owned by a project']),
    )
    const parent = { parent: { data: { id: 'example-org', type: 'organizations' } } }
    const moved = await api.patch(`varsets/${set.id}`, resource('varsets', {}, parent))
    expect(moved.body).toEqual(invalid(['parent', 'Parent cannot be changed']))
    const same = await api.patch(`varsets/${set.id}`, resource('varsets', {}, ownedBy(project)))
    expect(same.status).toBe(200)
    const unknown = await api.post(list, resource('varsets', { name: 'a' }, ownedBy('prj-x')))
    expect(unknown.status).toBe(404)
  })

  // choice/platform#variable-set-owner-deleted
  test('a set is deleted with the project that owns it, and loses deleted workspaces and projects', async () => {
    const { api, id: workspace } = await withWorkspace()
    const project = await makeProject(api, 'inner')
    const owned = await makeSet(api, { name: 'owned' }, ownedBy(project))
    const set = await makeSet(
      api,
      {},
      {
        workspaces: withIds('workspaces', workspace),
        projects: withIds('projects', project),
      },
    )
    await api.delete(`workspaces/${workspace}`)
    expect((await api.delete(`projects/${project}`)).status).toBe(204)
    expect((await api.get(`varsets/${owned.id}`)).status).toBe(404)
    expect((await api.get(`varsets/${set.id}`)).body.data.attributes).toMatchObject({
      'workspace-count': 0,
      'project-count': 0,
    })
  })

  test.each([
    [{}, {}, invalid(['name', "Name can't be blank"])],
    [{ name: 'taken' }, {}, invalid(['name', 'Name has already been taken'])],
    [{ name: 5 }, {}, invalid(['name', 'Name is invalid'])],
    [{ name: 'a', global: 'yes' }, {}, invalid(['global', 'Global is invalid'])],
    [
      { name: 'a' },
      { vars: { data: [{ type: 'vars', attributes: { key: 'A' } }] } },
      invalid(
        ['category', "Category can't be blank"],
        ['category', 'Category is not included in the list'],
      ),
    ],
    [{ name: 'a' }, { workspaces: withIds('teams', 'x') }, failure(422, 'type must be workspaces')],
    [{ name: 'a' }, { vars: withIds('teams', 'x') }, failure(422, 'type must be vars')],
  ])('POST is 422 for %j with %j, and nothing is stored', async (attributes, related, body) => {
    const { api } = await withWorkspace()
    await makeSet(api, { name: 'taken' })
    const reply = await api.post(list, resource('varsets', attributes, related))
    expect([reply.status, reply.body]).toEqual([422, body])
    expect((await api.get(list)).body.meta.pagination['total-count']).toBe(1)
  })

  test('sets move with their organization and are deleted with it', async () => {
    const { api, admin } = await withWorkspace()
    const { id } = await makeSet(api)
    await api.patch('organizations/example-org', resource('organizations', { name: 'renamed' }))
    expect((await api.get('organizations/renamed/varsets')).body.data).toHaveLength(1)
    await api.delete('organizations/renamed')
    expect((await admin.get(`varsets/${id}`)).status).toBe(404)
  })
})

describe(`${section}: lists`, () => {
  test('by name, with q as a part of the name and with pages; projects and workspaces have those that apply', async () => {
    const { api } = await withWorkspace()
    const project = await makeProject(api, 'inner')
    const { id: workspace } = await makeWorkspace(api, 'inside', {}, inProject(project))
    await makeSet(api, { name: 'd-all', global: true })
    await makeSet(api, { name: 'c-project' }, { projects: withIds('projects', project) })
    await makeSet(api, { name: 'b-workspace' }, { workspaces: withIds('workspaces', workspace) })
    await makeSet(api, { name: 'a-none' })
    const names = async (path: string, query: Readonly<Record<string, string>> = {}) =>
      (await api.get(path, { query })).body.data.map(
        (one: { attributes: { name: string } }) => one.attributes.name,
      )
    expect(await names(list)).toEqual(['a-none', 'b-workspace', 'c-project', 'd-all'])
    expect(await names(list, { q: 'PRO' })).toEqual(['c-project'])
    expect(await names(list, { 'page[size]': '1', 'page[number]': '2' })).toEqual(['b-workspace'])
    expect(await names(`projects/${project}/varsets`)).toEqual(['c-project', 'd-all'])
    expect(await names(`workspaces/${workspace}/varsets`)).toEqual([
      'b-workspace',
      'c-project',
      'd-all',
    ])
  })

  test('include adds workspaces, projects and variables', async () => {
    const { api, id: workspace } = await withWorkspace()
    const project = await makeProject(api, 'inner')
    const { id } = await makeSet(
      api,
      {},
      {
        vars: { data: [{ type: 'vars', attributes: env }] },
        workspaces: withIds('workspaces', workspace),
        projects: withIds('projects', project),
      },
    )
    const query = { include: 'workspaces,projects,vars,stacks' }
    for (const path of [`varsets/${id}`, list]) {
      const { included } = (await api.get(path, { query })).body
      expect(included.map((one: { type: string }) => one.type)).toEqual([
        'workspaces',
        'projects',
        'vars',
      ])
    }
    const unknown = await api.get(list, { query: { include: 'teams' } })
    expect(unknown.body).toEqual(failure(400, 'Invalid include parameter'))
  })
})

describe(`${section}: variables`, () => {
  test.each(['neutral', 'vendor'] as const)(
    '%s: create, list with pages, read, change, delete',
    async (dialect) => {
      const { api } = await withWorkspace({ dialect })
      const set = await makeSet(api)
      const path = `varsets/${set.id}/relationships/vars`
      const category = dialect === 'vendor' ? 'terraform' : 'infra'
      const body = resource('vars', { key: 'a', value: 's', category, sensitive: true })
      const created = await api.post(path, body)
      expect([created.status, created.body.data]).toMatchObject([
        201,
        {
          attributes: { key: 'a', value: null, category, sensitive: true },
          relationships: { varset: { data: { id: set.id, type: 'varsets' } } },
          links: { self: `/api/v2/${path}/${created.body.data.id}` },
        },
      ])
      const one = `${path}/${created.body.data.id}`
      expect((await api.get(one)).body).toEqual(created.body)
      const changed = await api.patch(one, resource('vars', { description: 'd' }))
      expect(changed.body.data.attributes.description).toBe('d')
      const page = await api.get(path)
      expect([page.body.data, page.body.meta.pagination['total-count']]).toEqual([
        [changed.body.data],
        1,
      ])
      const again = await api.post(path, body)
      expect(again.body).toEqual(invalid(['key', 'Key has already been taken']))
      const other = await makeSet(api, { name: 'other' })
      expect(
        (await api.get(`varsets/${other.id}/relationships/vars/${created.body.data.id}`)).status,
      ).toBe(404)
      expect((await api.delete(one)).status).toBe(204)
      expect((await api.get(one)).status).toBe(404)
    },
  )

  test('two global sets cannot define the same variable in any way', async () => {
    const { api } = await withWorkspace()
    const vars = { vars: { data: [{ type: 'vars', attributes: env }] } }
    await makeSet(api, { name: 'first', global: true }, vars)
    const refused = [422, failure(422, 'REGION is already defined in global variable set first')]
    const created = await api.post(list, resource('varsets', { name: 'a', global: true }, vars))
    expect([created.status, created.body]).toEqual(refused)
    const local = await makeSet(api, { name: 'local' }, vars)
    const turned = await api.patch(`varsets/${local.id}`, resource('varsets', { global: true }))
    expect([turned.status, turned.body]).toEqual(refused)
    const second = await makeSet(api, { name: 'second', global: true })
    const path = `varsets/${second.id}/relationships/vars`
    const added = await api.post(path, resource('vars', env))
    expect([added.status, added.body]).toEqual(refused)
    expect((await api.get(path)).body.data).toEqual([])
    const { data } = (await api.post(path, resource('vars', { ...env, key: 'ZONE' }))).body
    const renamed = await api.patch(`${path}/${data.id}`, resource('vars', { key: 'REGION' }))
    expect([renamed.status, renamed.body]).toEqual(refused)
  })

  test('all-vars has the winners, with the owner of each', async () => {
    const { api, id: workspace } = await withWorkspace()
    const own = await api.post(`workspaces/${workspace}/vars`, resource('vars', env))
    const vars = (...keys: readonly string[]) => ({
      vars: { data: keys.map((key) => ({ type: 'vars', attributes: { ...env, key } })) },
    })
    const set = await makeSet(api, { global: true }, vars('REGION', 'ZONE'))
    const all = (await api.get(`workspaces/${workspace}/all-vars`)).body
    expect(all.meta).toBe(undefined)
    expect(all.data[0]).toEqual(own.body.data)
    expect(all.data[1]).toMatchObject({
      attributes: { key: 'ZONE' },
      relationships: { varset: { data: { id: set.id, type: 'varsets' } } },
    })
    expect(all.data).toHaveLength(2)
  })
})

describe(`${section}: rights`, () => {
  test.each([
    ['a member who sees no workspace', 'member-token', [], [404, 404, 404, 404]],
    ['read-workspaces', 'member-token', ['read-workspaces'], [200, 200, 404, 404]],
    ['manage-policies', 'member-token', ['manage-policies'], [200, 200, 404, 404]],
    ['manage-workspaces', 'member-token', ['manage-workspaces'], [200, 200, 201, 200]],
    ['manage-projects', 'member-token', ['manage-projects'], [200, 200, 201, 200]],
    ['the organization token', extraTokens.organization, [], [200, 200, 201, 200]],
    ['a stranger', extraTokens.outsider, [], [404, 404, 404, 404]],
  ] as const)('%s: list, read, create, change', async (_who, token, rights, statuses) => {
    const { api, as } = await withWorkspace()
    await giveRights(api, ...rights)
    const set = await makeSet(api)
    const path = `varsets/${set.id}`
    const client = as(token)
    expect([
      (await client.get(list)).status,
      (await client.get(path)).status,
      (await client.post(list, resource('varsets', { name: 'other' }))).status,
      (await client.patch(path, resource('varsets', { description: 'd' }))).status,
    ]).toEqual(statuses)
    const manages = statuses[3] === 200
    const variable = await client.post(`${path}/relationships/vars`, resource('vars', env))
    expect(variable.status).toBe(manages ? 201 : 404)
    expect((await client.delete(path)).status).toBe(manages ? 204 : 404)
  })
})
