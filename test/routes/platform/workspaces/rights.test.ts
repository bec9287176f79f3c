import { describe, expect, test } from 'vitest'
import { platform } from '../../../support/platform/platform.ts'
import { addCallers, extraTokens } from '../../../support/platform/platform-callers.ts'
import { failure } from '../../../support/platform/platform-errors.ts'

const section = 'behaviour/platform#workspace-rights'
const list = 'organizations/example-org/workspaces'
const named = { data: { type: 'workspaces', attributes: { name: 'net' } } }

/** Returns a world with one workspace, in which the member's team has the given rights. */
async function withTeamRights(...rights: readonly string[]) {
  const server = await platform()
  addCallers(server.world)
  const { data } = (await server.platform.post(list, named)).body
  const teams = (await server.platform.get('organizations/example-org/teams')).body.data
  const team = teams.find(
    (one: { attributes: { name: string } }) => one.attributes.name === 'developers',
  )
  const access = Object.fromEntries(rights.map((right) => [right, true]))
  await server.platform.patch(`teams/${team.id}`, {
    data: { attributes: { 'organization-access': access } },
  })
  return { ...server, id: String(data.id), team: String(team.id) }
}

type Server = Awaited<ReturnType<typeof withTeamRights>>

/** Requests on a workspace, by the right that they need. */
const requests = {
  read: ({ as, id }: Server, token: string) => as(token).get(`workspaces/${id}`),
  readNamed: ({ as }: Server, token: string) => as(token).get(`${list}/net`),
  change: ({ as, id }: Server, token: string) =>
    as(token).patch(`workspaces/${id}`, { data: { attributes: { description: 'd' } } }),
  tag: ({ as, id }: Server, token: string) =>
    as(token).post(`workspaces/${id}/relationships/tags`, {
      data: [{ type: 'tags', attributes: { name: 'a' } }],
    }),
  versions: ({ as, id }: Server, token: string) =>
    as(token).get(`workspaces/${id}/configuration-versions`),
  newVersion: ({ as, id }: Server, token: string) =>
    as(token).post(`workspaces/${id}/configuration-versions`),
  lock: ({ as, id }: Server, token: string) => as(token).post(`workspaces/${id}/actions/lock`),
  unlock: ({ as, id }: Server, token: string) => as(token).post(`workspaces/${id}/actions/unlock`),
  forceUnlock: ({ as, id }: Server, token: string) =>
    as(token).post(`workspaces/${id}/actions/force-unlock`),
  create: ({ as }: Server, token: string) =>
    as(token).post(list, { data: { type: 'workspaces', attributes: { name: 'other' } } }),
  safeDelete: ({ as, id }: Server, token: string) =>
    as(token).post(`workspaces/${id}/actions/safe-delete`),
}

const none = {
  read: 404,
  readNamed: 404,
  change: 404,
  tag: 404,
  versions: 404,
  newVersion: 404,
  lock: 404,
  unlock: 404,
  forceUnlock: 404,
  create: 404,
  safeDelete: 404,
}
const readOnly = { ...none, read: 200, readNamed: 200, versions: 200 }
const all = {
  read: 200,
  readNamed: 200,
  change: 200,
  tag: 204,
  versions: 200,
  newVersion: 201,
  lock: 200,
  unlock: 200,
  forceUnlock: 409,
  create: 201,
  safeDelete: 204,
}

describe(`${section}: who may do what`, () => {
  test.each([
    ['a member without rights', 'member-token', [], none],
    ['read-workspaces', 'member-token', ['read-workspaces'], readOnly],
    ['manage-agent-pools', 'member-token', ['manage-agent-pools'], readOnly],
    ['manage-policies', 'member-token', ['manage-policies'], readOnly],
    ['manage-policy-overrides', 'member-token', ['manage-policy-overrides'], readOnly],
    ['manage-workspaces', 'member-token', ['manage-workspaces'], all],
    ['manage-projects', 'member-token', ['manage-projects'], all],
    ['the token of such a team', extraTokens.developersTeam, ['manage-workspaces'], all],
    ['rights about other things', 'member-token', ['manage-teams', 'manage-modules'], none],
    ['the owners team', extraTokens.ownersTeam, [], all],
    ['a site admin', 'site-admin-token', [], all],
    ['a stranger', extraTokens.outsider, [], none],
    [
      'the organization token',
      extraTokens.organization,
      [],
      {
        ...all,
        versions: 404,
        newVersion: 404,
        lock: 404,
        unlock: 404,
        forceUnlock: 404,
      },
    ],
  ] as const)('%s', async (_who, token, rights, statuses) => {
    const server = await withTeamRights(...rights)
    const seen: Record<string, number> = {}
    for (const [name, send] of Object.entries(requests)) {
      const reply = await send(server, token)
      seen[name] = reply.status
      if (reply.status === 404) expect(reply.body).toEqual(failure(404))
    }
    expect(seen).toEqual(statuses)
  })

  test('members without rights get an empty list, strangers 404', async () => {
    const { as } = await withTeamRights()
    const member = await as('member-token').get(list)
    expect([member.status, member.body.data]).toEqual([200, []])
    const stranger = await as(extraTokens.outsider).get(list)
    expect([stranger.status, stranger.body]).toEqual([404, failure(404)])
  })

  test('a configuration version of a workspace is read with the right on its runs, and archived with the right to plan', async () => {
    const { as, platform: api, id } = await withTeamRights('read-workspaces')
    const made = await api.post(`workspaces/${id}/configuration-versions`)
    const path = `configuration-versions/${made.body.data.id}`
    expect((await as('member-token').get(path)).status).toBe(200)
    expect((await as('member-token').post(`${path}/actions/archive`)).status).toBe(404)
    expect((await as(extraTokens.organization).get(path)).status).toBe(404)
    expect((await as(extraTokens.outsider).get(path)).status).toBe(404)
  })
})

describe(`${section}: permissions`, () => {
  test('permissions follow from the rights of the caller', async () => {
    const { as, id } = await withTeamRights('read-workspaces')
    const shown = async (token: string) => {
      const { permissions } = (await as(token).get(`workspaces/${id}`)).body.data.attributes
      return Object.keys(permissions).filter((name) => permissions[name] === true)
    }
    expect(new Set(await shown('member-token'))).toEqual(
      new Set([
        'can-read-run',
        'can-read-assessment-results',
        'can-read-variable',
        'can-read-state-outputs',
        'can-read-state-versions',
      ]),
    )
    expect(new Set(await shown(extraTokens.organization))).toEqual(
      new Set([
        'can-update',
        'can-destroy',
        'can-manage-tags',
        'can-manage-run-tasks',
        'can-read-variable',
        'can-update-variable',
        'can-force-delete',
      ]),
    )
  })

  test('manage-projects is enough to create workspaces, also in the permissions of organization and project', async () => {
    const { as } = await withTeamRights('manage-projects')
    const organization = (await as('member-token').get('organizations/example-org')).body.data
    expect(organization.attributes.permissions).toMatchObject({ 'can-create-workspace': true })
    const [project] = (await as('member-token').get('organizations/example-org/projects')).body.data
    expect(project.attributes.permissions).toMatchObject({ 'can-create-workspace': true })
  })
})

describe(`${section}: deletion by force`, () => {
  test('admins of a workspace need allow-force-delete-workspaces: else 403; owners do not', async () => {
    const { as, platform: api, id } = await withTeamRights('manage-workspaces')
    for (const path of [`workspaces/${id}`, `${list}/net`]) {
      const refused = await as('member-token').delete(path)
      expect([refused.status, refused.body]).toEqual([
        403,
        failure(403, 'Not authorized to force delete the workspace'),
      ])
    }
    const permissions = async () =>
      (await as('member-token').get(`workspaces/${id}`)).body.data.attributes.permissions
    expect(await permissions()).toMatchObject({ 'can-destroy': true, 'can-force-delete': false })
    await api.patch('organizations/example-org', {
      data: { attributes: { 'allow-force-delete-workspaces': true } },
    })
    expect(await permissions()).toMatchObject({ 'can-force-delete': true })
    expect((await as('member-token').delete(`workspaces/${id}`)).status).toBe(204)
  })
})

describe(`${section}: locks of teams`, () => {
  test('the token of a team locks for the team, and no user can unlock', async () => {
    const { as, id, team } = await withTeamRights('manage-workspaces')
    const lock = `workspaces/${id}/actions/lock`
    const locked = await as(extraTokens.developersTeam).post(lock)
    expect(locked.body.data.relationships['locked-by']).toEqual({
      data: { id: team, type: 'teams' },
      links: { related: `/api/v2/teams/${team}` },
    })
    const refused = await as('member-token').post(`workspaces/${id}/actions/unlock`)
    expect(refused.body.errors).toEqual([
      {
        status: '409',
        title: 'conflict',
        detail: `Unable to unlock workspace. The workspace is locked by Team ${team} and may not be unlocked except by them.`,
      },
    ])
    const unlock = `workspaces/${id}/actions/unlock`
    expect((await as(extraTokens.developersTeam).post(unlock)).status).toBe(200)
  })
})

// choice/platform#organization-rights
test(`${section}: the organization token neither creates, changes nor deletes modules`, async () => {
  const { as, world, platform: api } = await platform()
  addCallers(world)
  const modules = 'organizations/example-org/registry-modules'
  const client = as(extraTokens.organization)
  const body = {
    data: {
      type: 'registry-modules',
      attributes: { name: 'x', provider: 'p', 'registry-name': 'private' },
    },
  }
  const one = `${modules}/private/example-org/network/cloud1`
  for (const reply of [
    await client.post(modules, body),
    await client.patch(one, { data: { attributes: { 'no-code': true } } }),
    await client.post(`${one}/versions`, { data: { attributes: { version: '9.0.0' } } }),
    await client.delete(one),
  ]) {
    expect([reply.status, reply.body]).toEqual([404, failure(404)])
  }
  expect((await client.get(one)).status).toBe(200)
  expect((await api.get(one)).body.data.attributes['no-code']).toBe(false)
})
