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
  teamId,
  withWorkspace,
} from '../../../support/platform/platform-workspaces.ts'

const section = 'behaviour/platform#team-access'

type Kind = 'workspace' | 'project'

/** Returns the relationships of an access. */
function between(kind: Kind, target: string, team: string) {
  return {
    team: { data: { id: team, type: 'teams' } },
    [kind]: { data: { id: target, type: `${kind}s` } },
  }
}

/** Gives the team of `member-token` access to a workspace or project. Returns the access. */
async function give(api: PlatformClient, kind: Kind, target: string, attributes: object) {
  const related = between(kind, target, await teamId(api))
  const reply = await api.post(`team-${kind}s`, resource(`team-${kind}s`, attributes, related))
  expect([reply.status, reply.body.errors]).toEqual([201, undefined])
  return reply.body.data
}

/** Returns a server with a workspace in a project of its own. */
async function withProject() {
  const server = await withWorkspace()
  const project = await makeProject(server.api, 'inner')
  const { id } = await makeWorkspace(server.api, 'inside', {}, inProject(project))
  return { ...server, project, id: String(id), member: server.as('member-token') }
}

const workspaceLevels = {
  access: 'write',
  runs: 'apply',
  variables: 'write',
  'state-versions': 'write',
  'sentinel-mocks': 'read',
  'plan-outputs': 'none',
  'workspace-locking': true,
  'run-tasks': false,
  'policy-overrides': false,
}

describe(`${section}: the access`, () => {
  test.each(['neutral', 'vendor'] as const)(
    '%s: give, read, list, change, take away',
    async (dialect) => {
      const { api, id } = await withWorkspace({ dialect })
      const team = await teamId(api)
      const data = await give(api, 'workspace', id, { access: 'write' })
      expect(data).toEqual({
        id: expect.stringMatching(/^tws-[1-9A-HJ-NP-Za-km-z]{16}$/),
        type: 'team-workspaces',
        attributes: workspaceLevels,
        relationships: {
          team: { data: { id: team, type: 'teams' }, links: { related: `/api/v2/teams/${team}` } },
          workspace: {
            data: { id, type: 'workspaces' },
            links: { related: `/api/v2/workspaces/${id}` },
          },
        },
        links: { self: `/api/v2/team-workspaces/${data.id}` },
      })
      const path = `team-workspaces/${data.id}`
      expect((await api.get(path)).body).toEqual({ data })
      const query = { 'filter[workspace][id]': id }
      expect((await api.get('team-workspaces', { query })).body).toEqual({ data: [data] })
      const paged = await api.get('team-workspaces', { query: { ...query, 'page[size]': '1' } })
      expect(paged.body.meta.pagination['total-count']).toBe(1)
      const changed = await api.patch(path, resource('team-workspaces', { access: 'read' }))
      expect(changed.body.data.attributes).toMatchObject({ access: 'read', runs: 'read' })
      expect((await api.delete(path)).status).toBe(204)
      expect((await api.get(path)).status).toBe(404)
    },
  )

  test('a project has its levels in two groups, and counts its teams', async () => {
    const { api, project } = await withProject()
    const data = await give(api, 'project', project, { access: 'maintain' })
    expect(data).toMatchObject({
      id: expect.stringMatching(/^tprj-/),
      type: 'team-projects',
      attributes: {
        access: 'maintain',
        'project-access': { settings: 'read', teams: 'none', 'variable-sets': 'read' },
        'workspace-access': { create: true, move: false, locking: true, delete: true },
      },
    })
    const list = await api.get('team-projects', { query: { 'filter[project][id]': project } })
    expect([list.body.data, list.body.meta.pagination['total-count']]).toEqual([[data], 1])
    expect((await api.get(`projects/${project}`)).body.data.attributes['team-count']).toBe(1)
    expect((await api.get(`team-workspaces/${data.id}`)).status).toBe(404)
  })

  // choice/platform#team-access-custom
  test('custom levels stay while the access is custom', async () => {
    const { api, project } = await withProject()
    const { id } = await give(api, 'project', project, {
      access: 'custom',
      'project-access': { settings: 'update' },
      'workspace-access': { runs: 'plan', move: true },
    })
    const change = async (attributes: object) =>
      (await api.patch(`team-projects/${id}`, resource('team-projects', attributes))).body.data
        .attributes
    const levels = await change({ 'workspace-access': { state_versions: 'read-outputs' } })
    expect(levels).toMatchObject({
      'project-access': { settings: 'update', teams: 'none', 'variable-sets': 'none' },
      'workspace-access': { runs: 'plan', move: true, 'state-versions': 'read-outputs' },
    })
    await change({ access: 'read' })
    expect((await change({ access: 'custom' }))['workspace-access']).toMatchObject({
      runs: 'read',
      move: false,
      'state-versions': 'none',
    })
  })

  test.each([
    [{}, invalid(['access', "Access can't be blank"])],
    [{ access: 'maintain' }, invalid(['access', 'Access is not included in the list'])],
    [
      { access: 'read', runs: 'apply' },
      invalid([
        'runs',
        "Runs is read-only when access level is 'read'; use the 'custom' access level to set this attribute.",
      ]),
    ],
    [{ access: 'custom', runs: 'write' }, invalid(['runs', 'Runs is not included in the list'])],
    [
      { access: 'custom', 'workspace-locking': 'yes' },
      invalid(['workspace-locking', 'Workspace locking is invalid']),
    ],
  ])('POST of %j is 422', async (attributes, body) => {
    const { api, id } = await withWorkspace()
    const related = between('workspace', id, await teamId(api))
    const reply = await api.post(
      'team-workspaces',
      resource('team-workspaces', attributes, related),
    )
    expect([reply.status, reply.body]).toEqual([422, body])
    const query = { 'filter[workspace][id]': id }
    expect((await api.get('team-workspaces', { query })).body.data).toEqual([])
  })

  test('errors about levels of projects point into the group', async () => {
    const { api, project } = await withProject()
    const related = between('project', project, await teamId(api))
    const attributes = { access: 'write', 'project-access': { teams: 'read' } }
    const reply = await api.post('team-projects', resource('team-projects', attributes, related))
    expect(reply.body).toEqual(
      invalid([
        'project-access/teams',
        "Teams is read-only when access level is 'write'; use the 'custom' access level to set this attribute.",
      ]),
    )
  })

  test('team and target are required, known, and paired once', async () => {
    const { api, id, project } = await withProject()
    const team = await teamId(api)
    const post = (related: object) =>
      api.post('team-workspaces', resource('team-workspaces', { access: 'read' }, related))
    expect((await post({})).body).toEqual(
      invalid(['team', "Team can't be blank"], ['workspace', "Workspace can't be blank"]),
    )
    expect((await post(between('workspace', 'ws-x', team))).status).toBe(404)
    expect((await post(between('workspace', project, team))).status).toBe(404)
    expect((await post(between('workspace', id, 'team-x'))).status).toBe(404)
    await give(api, 'workspace', id, { access: 'read' })
    expect((await post(between('workspace', id, team))).body).toEqual(
      invalid(['team', 'Team has already been taken']),
    )
  })

  test('the lists need their filter', async () => {
    const { api } = await withWorkspace()
    for (const kind of ['workspace', 'project']) {
      const reply = await api.get(`team-${kind}s`)
      const detail = `filter[${kind}][id] is required`
      expect([reply.status, reply.body]).toEqual([400, failure(400, detail)])
    }
  })

  test('the access ends with its team, workspace or project', async () => {
    const { api, id, project } = await withProject()
    const first = await give(api, 'workspace', id, { access: 'read' })
    await api.delete(`workspaces/${id}`)
    expect((await api.get(`team-workspaces/${first.id}`)).status).toBe(404)
    const second = await give(api, 'project', project, { access: 'read' })
    await api.delete(`projects/${project}`)
    expect((await api.get(`team-projects/${second.id}`)).status).toBe(404)
    const other = await makeProject(api, 'other')
    const third = await give(api, 'project', other, { access: 'read' })
    await api.delete(`teams/${await teamId(api)}`)
    expect((await api.get(`team-projects/${third.id}`)).status).toBe(404)
  })
})

describe(`${section}: rights on workspaces`, () => {
  const requests = (api: PlatformClient, id: string) => [
    api.get(`workspaces/${id}`),
    api.get(`workspaces/${id}/configuration-versions`),
    api.get(`workspaces/${id}/vars`),
    api.post(`workspaces/${id}/vars`, resource('vars', { key: 'A', category: 'env' })),
    api.post(`workspaces/${id}/actions/lock`),
    api.patch(`workspaces/${id}`, resource('workspaces', { description: 'd' })),
  ]

  test.each([
    ['workspace', { access: 'read' }, [200, 200, 200, 404, 404, 404]],
    ['workspace', { access: 'plan' }, [200, 200, 200, 404, 404, 404]],
    ['workspace', { access: 'write' }, [200, 200, 200, 201, 200, 404]],
    ['workspace', { access: 'admin' }, [200, 200, 200, 201, 200, 200]],
    ['workspace', { access: 'custom' }, [200, 200, 404, 404, 404, 404]],
    [
      'workspace',
      { access: 'custom', 'workspace-locking': true, variables: 'read' },
      [200, 200, 200, 404, 200, 404],
    ],
    ['project', { access: 'read' }, [200, 200, 200, 404, 404, 404]],
    ['project', { access: 'write' }, [200, 200, 200, 201, 200, 404]],
    ['project', { access: 'maintain' }, [200, 200, 200, 201, 200, 200]],
    ['project', { access: 'admin' }, [200, 200, 200, 201, 200, 200]],
    ['project', { access: 'custom' }, [200, 200, 404, 404, 404, 404]],
  ] as const)('%s %j: %j', async (kind, attributes, statuses) => {
    const { api, member, id, project } = await withProject()
    expect((await member.get(`workspaces/${id}`)).status).toBe(404)
    await give(api, kind, kind === 'project' ? project : id, attributes)
    const seen: number[] = []
    for (const reply of requests(member, id)) seen.push((await reply).status)
    expect(seen).toEqual(statuses)
    const listed = await member.get('organizations/example-org/workspaces')
    expect(listed.body.data.map((one: { id: string }) => one.id)).toEqual([id])
  })

  test.each([
    ['workspace', 'admin', 403],
    ['project', 'maintain', 403],
    ['project', 'admin', 204],
  ] as const)('%s %s: moving the workspace is %i', async (kind, access, status) => {
    const { api, member, id, project } = await withProject()
    const other = await makeProject(api, 'other')
    await give(api, 'project', other, { access: 'admin' })
    await give(api, kind, kind === 'project' ? project : id, { access })
    const path = `projects/${other}/relationships/workspaces`
    const moved = await member.post(path, { data: [{ id, type: 'workspaces' }] })
    expect(moved.status).toBe(status)
    if (status === 204) return
    const changed = await member.patch(
      `workspaces/${id}`,
      resource('workspaces', {}, inProject(other)),
    )
    expect(changed.body).toEqual(
      failure(422, 'Project not found, or you are not authorized to use it.'),
    )
  })

  test('create adds workspaces to the project alone', async () => {
    const { api, member, project } = await withProject()
    const create = (name: string, related: object) =>
      member.post('organizations/example-org/workspaces', resource('workspaces', { name }, related))
    expect((await create('a', inProject(project))).status).toBe(404)
    await give(api, 'project', project, { access: 'maintain' })
    expect((await create('a', inProject(project))).status).toBe(201)
    expect((await create('b', {})).status).toBe(422)
    const { permissions } = (await member.get(`projects/${project}`)).body.data.attributes
    expect(permissions).toMatchObject({ 'can-create-workspace': true, 'can-update': false })
  })

  test('settings, teams and variable sets of a project are managed by its admins', async () => {
    const { api, member, project } = await withProject()
    const access = await give(api, 'project', project, { access: 'maintain' })
    const parent = { parent: { data: { id: project, type: 'projects' } } }
    const requestsOnProject = async () => [
      (await member.patch(`projects/${project}`, resource('projects', { description: 'd' })))
        .status,
      (
        await member.post(
          'organizations/example-org/varsets',
          resource('varsets', { name: 'own' }, parent),
        )
      ).status,
      (await member.patch(`team-projects/${access.id}`, resource('team-projects'))).status,
      (await member.delete(`projects/${project}`)).status,
    ]
    expect(await requestsOnProject()).toEqual([404, 404, 404, 404])
    await api.patch(`team-projects/${access.id}`, resource('team-projects', { access: 'admin' }))
    // The project has a workspace, so that nobody deletes it.
    expect(await requestsOnProject()).toEqual([200, 201, 200, 403])
  })
})

describe(`${section}: rights on the access`, () => {
  // choice/platform#team-access-readers
  test.each([
    ['a member without rights', 'member-token', [], [404, 404, 404]],
    ['manage-policies', 'member-token', ['manage-policies'], [200, 404, 404]],
    ['manage-workspaces', 'member-token', ['manage-workspaces'], [200, 201, 204]],
    ['the organization token', extraTokens.organization, [], [200, 201, 204]],
    ['a stranger', extraTokens.outsider, [], [404, 404, 404]],
  ] as const)('%s: list, give, take away', async (_who, token, rights, statuses) => {
    const { api, as, id } = await withWorkspace()
    await giveRights(api, ...rights)
    const client = as(token)
    const query = { 'filter[workspace][id]': id }
    const related = between('workspace', id, await teamId(api))
    const body = resource('team-workspaces', { access: 'read' }, related)
    const listed = (await client.get('team-workspaces', { query })).status
    const made = await client.post('team-workspaces', body)
    const access = made.body.data ?? (await give(api, 'workspace', id, { access: 'plan' }))
    const removed = await client.delete(`team-workspaces/${access.id}`)
    expect([listed, made.status, removed.status]).toEqual(statuses)
  })

  test('the access of a secret team is hidden from those who do not see the team', async () => {
    const { api, as, id } = await withWorkspace()
    await giveRights(api, 'read-workspaces')
    const secret = await api.post(
      'organizations/example-org/teams',
      resource('teams', { name: 'hidden', visibility: 'secret' }),
    )
    const related = between('workspace', id, secret.body.data.id)
    const made = await api.post(
      'team-workspaces',
      resource('team-workspaces', { access: 'read' }, related),
    )
    const query = { 'filter[workspace][id]': id }
    const member = as('member-token')
    expect((await member.get('team-workspaces', { query })).body.data).toEqual([])
    expect((await member.get(`team-workspaces/${made.body.data.id}`)).status).toBe(404)
    expect((await api.get('team-workspaces', { query })).body.data).toHaveLength(1)
  })
})
