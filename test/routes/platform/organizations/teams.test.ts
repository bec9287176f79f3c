import { describe, expect, test } from 'vitest'
import type { World } from '../../../../state/kernel/worlds/world.ts'
import { addUser, userNamed } from '../../../../state/platform/accounts/users.ts'
import { activateMembers } from '../../../../state/platform/organizations/memberships.ts'
import { teamNamed } from '../../../../state/platform/organizations/teams.ts'
import { type PlatformClient, platform } from '../../../support/platform/platform.ts'
import { addCallers, extraTokens } from '../../../support/platform/platform-callers.ts'
import { failure, invalid } from '../../../support/platform/platform-errors.ts'

const section = 'behaviour/platform#surroundings'
const list = 'organizations/example-org/teams'
const rights = [
  'manage-policies',
  'manage-policy-overrides',
  'manage-run-tasks',
  'manage-workspaces',
  'manage-vcs-settings',
  'manage-agent-pools',
  'manage-providers',
  'manage-modules',
  'manage-projects',
  'read-projects',
  'read-workspaces',
  'manage-membership',
  'manage-teams',
  'manage-organization-access',
  'delegate-policy-overrides',
  'access-secret-teams',
]
const access = (value: boolean) => Object.fromEntries(rights.map((right) => [right, value]))
const permissions = (value: boolean) => ({
  'can-update-membership': value,
  'can-destroy': value,
  'can-update-organization-access': value,
  'can-update-api-token': value,
  'can-update-visibility': value,
})

function body(attributes: object) {
  return { data: { type: 'teams', attributes } }
}

function members(...usernames: string[]) {
  return { data: usernames.map((id) => ({ type: 'users', id })) }
}

function idOf(world: World, name: string): string {
  return teamNamed(world, 'example-org', name)?.id ?? ''
}

async function namesFor(api: PlatformClient, query?: Record<string, string>): Promise<string[]> {
  const { data } = (await api.get(list, { query })).body
  return data.map(({ attributes }: { attributes: { name: string } }) => attributes.name)
}

describe(`${section}: POST /organizations/:org/teams`, () => {
  test('returns 200, not 201, with the team', async () => {
    const { platform: api } = await platform()
    const reply = await api.post(list, body({ name: 'ops_1' }))
    const { id } = reply.body.data
    expect(id).toMatch(/^team-[1-9A-HJ-NP-Za-km-z]{16}$/)
    expect([reply.status, reply.body]).toEqual([
      200,
      {
        data: {
          id,
          type: 'teams',
          attributes: {
            name: 'ops_1',
            'sso-team-id': null,
            'users-count': 0,
            'is-unified': false,
            visibility: 'secret',
            'allow-member-token-management': true,
            permissions: permissions(true),
            'organization-access': access(false),
          },
          relationships: {
            users: { data: [] },
            organization: { data: { id: 'example-org', type: 'organizations' } },
            'authentication-token': { meta: {} },
          },
          links: { self: `/api/v2/teams/${id}` },
        },
      },
    ])
    expect((await api.get(`teams/${id}`)).body).toEqual(reply.body)
  })

  test('accepts visibility, permissions and the single sign-on id', async () => {
    const { platform: api } = await platform()
    const input = {
      name: 'ops',
      visibility: 'organization',
      'sso-team-id': 'sso-1',
      'organization-access': { 'manage-modules': true, 'read-workspaces': null, other: 1 },
    }
    const reply = await api.post(list, body(input))
    expect([reply.status, reply.body.data.attributes]).toMatchObject([
      200,
      {
        visibility: 'organization',
        'sso-team-id': 'sso-1',
        'organization-access': { ...access(false), 'manage-modules': true },
      },
    ])
  })

  test.each([
    [{}, ['name', "Name can't be blank"]],
    [{ name: '' }, ['name', "Name can't be blank"]],
    [{ name: '   ' }, ['name', "Name can't be blank"]],
    [{ name: 'x'.repeat(256) }, ['name', 'Name is too long (maximum is 255 characters)']],
    [{ name: 'developers' }, ['name', 'Name has already been taken']],
    [{ name: 'a', visibility: 'public' }, ['visibility', 'Visibility is not included in the list']],
    [
      { name: 'a', 'organization-access': [] },
      ['organization-access', 'Organization access is invalid'],
    ],
    [
      { name: 'a', 'organization-access': { 'manage-modules': 'yes' } },
      ['organization-access', 'Organization access is invalid'],
    ],
    [{ name: 'a', 'sso-team-id': 1 }, ['sso-team-id', 'Sso team id must be a string']],
  ] as const)('%j is refused with 422', async (attributes, fault) => {
    const { platform: api } = await platform()
    const reply = await api.post(list, body(attributes))
    expect([reply.status, reply.body]).toEqual([422, invalid(fault)])
    expect(await namesFor(api)).toEqual(['developers', 'owners'])
  })

  test.each([
    ['foo bar', 'foo bar'],
    [' team name ', 'team name'],
    ['a/b?', 'a/b?'],
  ])('behaviour/platform#surroundings: the name %j is accepted, as %j', async (name, kept) => {
    const { platform: api } = await platform()
    const reply = await api.post(list, body({ name }))
    expect([reply.status, reply.body.data.attributes.name]).toEqual([200, kept])
    expect(await namesFor(api, { 'filter[names]': kept })).toEqual([kept])
  })

  test('behaviour/platform#coercion: permissions may have any spelling', async () => {
    const { platform: api } = await platform()
    const input = { manage_modules: true, ManageMembership: true, readProjects: true }
    const reply = await api.post(list, body({ name: 'a', 'organization-access': input }))
    expect(reply.body.data.attributes['organization-access']).toEqual({
      ...access(false),
      'manage-modules': true,
      'manage-membership': true,
      'read-projects': true,
    })
  })

  test('a name may be used again in another organization', async () => {
    const { admin } = await platform()
    await admin.post('organizations', { data: { attributes: { name: 'acme', email: 'a@b' } } })
    const reply = await admin.post('organizations/acme/teams', body({ name: 'developers' }))
    expect(reply.status).toBe(200)
  })

  test('404 for callers who do not manage teams', async () => {
    const { as, world } = await platform()
    addCallers(world)
    for (const token of ['member-token', extraTokens.developersTeam, extraTokens.outsider]) {
      const reply = await as(token).post(list, body({ name: 'a' }))
      expect([reply.status, reply.body]).toEqual([404, failure(404)])
    }
    for (const [index, token] of [
      'owner-token',
      'site-admin-token',
      extraTokens.ownersTeam,
      extraTokens.organization,
    ].entries()) {
      expect((await as(token).post(list, body({ name: `team-${index}` }))).status).toBe(200)
    }
  })
})

describe(`${section}: GET /organizations/:org/teams`, () => {
  test('is paginated, by name', async () => {
    const { platform: api } = await platform()
    for (let number = 10; number < 35; number += 1) {
      await api.post(list, body({ name: `t${number}` }))
    }
    const reply = await api.get(list)
    expect(reply.body.data).toHaveLength(20)
    expect(reply.body.meta.pagination).toEqual({
      'current-page': 1,
      'page-size': 20,
      'prev-page': null,
      'next-page': 2,
      'total-pages': 2,
      'total-count': 27,
    })
  })

  test('q finds part of a name in any case, filter[names] full names', async () => {
    const { platform: api } = await platform()
    await api.post(list, body({ name: 'Ops' }))
    expect(await namesFor(api, { q: 'OP' })).toEqual(['Ops', 'developers'])
    expect(await namesFor(api, { 'filter[names]': 'owners,Ops,unknown' })).toEqual([
      'Ops',
      'owners',
    ])
    expect(await namesFor(api, { 'filter[names]': 'ops' })).toEqual([])
  })

  // choice/platform#team-secret
  test('secret teams are only visible to their members and to callers who manage teams', async () => {
    const { as, platform: api, world } = await platform()
    addCallers(world)
    await api.post(list, body({ name: 'open', visibility: 'organization' }))
    await api.post(list, body({ name: 'hidden' }))
    const everything = ['developers', 'hidden', 'open', 'owners']
    for (const token of ['owner-token', 'site-admin-token', extraTokens.organization]) {
      expect(await namesFor(as(token))).toEqual(everything)
    }
    for (const token of ['member-token', extraTokens.developersTeam]) {
      expect(await namesFor(as(token))).toEqual(['developers', 'open'])
    }
    expect((await as(extraTokens.outsider).get(list)).status).toBe(404)
    const hidden = idOf(world, 'hidden')
    expect((await as('member-token').get(`teams/${hidden}`)).status).toBe(404)
    expect((await as('member-token').get(`teams/${idOf(world, 'open')}`)).status).toBe(200)
  })
})

describe(`${section}: rights that need other rights`, () => {
  const teamsError = 'Organization access manage teams requires manage membership'
  const accessError = 'Organization access manage organization access requires manage teams'

  test.each([
    [['manage-teams'], [teamsError]],
    [['manage-membership', 'manage-teams'], []],
    [['manage-organization-access', 'manage-membership'], [accessError]],
    [['manage-organization-access'], [accessError]],
    [['manage-organization-access', 'manage-teams'], [teamsError]],
    [['manage-organization-access', 'manage-teams', 'manage-membership'], []],
  ])('a team with %j has the errors %j', async (granted, errors) => {
    const { platform: api, world } = await platform()
    const input = { 'organization-access': Object.fromEntries(granted.map((name) => [name, true])) }
    const details = (reply: Awaited<ReturnType<PlatformClient['post']>>) =>
      (reply.body.errors ?? []).map((error: { detail: string }) => error.detail)
    const made = await api.post(list, body({ name: 'ops', ...input }))
    const changed = await api.patch(`teams/${idOf(world, 'developers')}`, body(input))
    expect([details(made), details(changed)]).toEqual([errors, errors])
    const isGranted = granted.length > 0 && errors.length === 0
    expect(await namesFor(api)).toEqual(['developers', ...(isGranted ? ['ops'] : []), 'owners'])
  })

  test('a right stays while others need it', async () => {
    const { platform: api, world } = await platform()
    const path = `teams/${idOf(world, 'developers')}`
    const both = { 'manage-membership': true, 'manage-teams': true }
    expect((await api.patch(path, body({ 'organization-access': both }))).status).toBe(200)
    const without = body({ 'organization-access': { 'manage-membership': false } })
    expect((await api.patch(path, without)).status).toBe(422)
    expect((await api.patch(path, body({ name: 'renamed' }))).body.data.attributes).toMatchObject({
      'organization-access': both,
    })
  })
})

describe(`${section}: a team names its token`, () => {
  test('the relationship has data while there is a token', async () => {
    const { platform: api, world } = await platform()
    const path = `teams/${idOf(world, 'developers')}`
    const relationship = async () =>
      (await api.get(path)).body.data.relationships['authentication-token']
    expect(await relationship()).toEqual({ meta: {} })
    const { id } = (await api.post(`${path}/authentication-token`)).body.data
    expect(await relationship()).toEqual({ data: { id, type: 'authentication-tokens' }, meta: {} })
    await api.delete(`${path}/authentication-token`)
    expect(await relationship()).toEqual({ meta: {} })
  })
})

describe(`behaviour/platform#include: include=users`, () => {
  test('the members are included, each once per list; otherwise they are only referenced', async () => {
    const { platform: api, world } = await platform()
    const id = idOf(world, 'developers')
    await api.post(list, body({ name: 'more', visibility: 'organization' }))
    await api.post(`teams/${idOf(world, 'more')}/relationships/users`, members('member', 'owner'))
    const one = await api.get(`teams/${id}`, { query: { include: 'users' } })
    const named = one.body.data.relationships.users.data
    expect([one.status, one.body.included]).toMatchObject([
      200,
      [{ id: named[0].id, type: 'users', attributes: { username: 'member' } }],
    ])
    expect((await api.get(`teams/${id}`)).body).toEqual({ data: one.body.data })
    const all = await api.get(list, { query: { include: 'users' } })
    const usernames = all.body.included.map(
      (user: { attributes: { username: string } }) => user.attributes.username,
    )
    expect(usernames.sort()).toEqual(['member', 'owner'])
    expect((await api.get(list)).body.included).toBeUndefined()
  })

  test('any other value is 400', async () => {
    const { platform: api, world } = await platform()
    for (const path of [list, `teams/${idOf(world, 'developers')}`]) {
      const reply = await api.get(path, { query: { include: 'users,friends' } })
      expect([reply.status, reply.body]).toEqual([400, failure(400, 'Invalid include parameter')])
    }
  })
})

describe(`${section}: GET, PATCH, DELETE /teams/:id`, () => {
  test('members can read their team, but have no permissions over it', async () => {
    const { as, world } = await platform()
    const reply = await as('member-token').get(`teams/${idOf(world, 'developers')}`)
    expect([reply.status, reply.body.data.attributes]).toMatchObject([
      200,
      { name: 'developers', 'users-count': 1, permissions: permissions(false) },
    ])
  })

  test('the owners team has every permission', async () => {
    const { platform: api, world } = await platform()
    const reply = await api.get(`teams/${idOf(world, 'owners')}`)
    expect(reply.body.data.attributes['organization-access']).toEqual(access(true))
  })

  test('PATCH returns 200 and changes the given attributes', async () => {
    const { platform: api, world } = await platform()
    const id = idOf(world, 'developers')
    const before = (await api.get(`teams/${id}`)).body.data
    const input = { name: 'devs', 'organization-access': { 'manage-modules': true } }
    const reply = await api.patch(`teams/${id}`, body(input))
    const expected = {
      ...before,
      attributes: {
        ...before.attributes,
        name: 'devs',
        'organization-access': { ...access(false), 'manage-modules': true },
      },
    }
    expect([reply.status, reply.body.data]).toEqual([200, expected])
    const more = await api.patch(
      `teams/${id}`,
      body({ 'organization-access': { 'manage-providers': true }, visibility: 'organization' }),
    )
    expect(more.body.data.attributes).toMatchObject({
      name: 'devs',
      visibility: 'organization',
      'organization-access': { 'manage-modules': true, 'manage-providers': true },
    })
    expect(await namesFor(api)).toEqual(['devs', 'owners'])
  })

  test.each([
    [{ name: '' }, ['name', "Name can't be blank"]],
    [{ name: ' owners ' }, ['name', 'Name has already been taken']],
    [{ name: 'owners' }, ['name', 'Name has already been taken']],
    [{ visibility: 'x' }, ['visibility', 'Visibility is not included in the list']],
  ] as const)('PATCH is 422 for %j', async (attributes, fault) => {
    const { platform: api, world } = await platform()
    const id = idOf(world, 'developers')
    const before = (await api.get(`teams/${id}`)).body
    const reply = await api.patch(`teams/${id}`, body(attributes))
    expect([reply.status, reply.body]).toEqual([422, invalid(fault)])
    expect((await api.get(`teams/${id}`)).body).toEqual(before)
  })

  test('the owners team reports that it cannot be deleted, to every caller', async () => {
    const { platform: owner, admin, world } = await platform()
    for (const api of [owner, admin]) {
      const { body: reply } = await api.get(`teams/${idOf(world, 'owners')}`)
      const expected = { ...permissions(true), 'can-destroy': false }
      expect(reply.data.attributes.permissions).toEqual(expected)
    }
  })

  // choice/platform#team-owners
  test('the owners team cannot be renamed or deleted', async () => {
    const { platform: api, world } = await platform()
    const id = idOf(world, 'owners')
    const renamed = await api.patch(`teams/${id}`, body({ name: 'bosses' }))
    expect([renamed.status, renamed.body]).toEqual([
      422,
      invalid(['name', 'Name cannot be changed']),
    ])
    const missing = await api.delete(`teams/${id}`)
    expect([missing.status, missing.body]).toEqual([
      422,
      failure(422, 'the owners team cannot be deleted'),
    ])
  })

  test('DELETE returns 204, and the token of the team is invalid afterwards', async () => {
    const { platform: api, as, world } = await platform()
    addCallers(world)
    const id = idOf(world, 'developers')
    const reply = await api.delete(`teams/${id}`)
    expect([reply.status, reply.text]).toEqual([204, ''])
    const repeated = await api.delete(`teams/${id}`)
    expect([repeated.status, repeated.body]).toEqual([404, failure(404)])
    expect((await as(extraTokens.developersTeam).get('account/details')).status).toBe(401)
    // The team's only member still has a membership.
    expect((await as('member-token').get('organizations/example-org')).status).toBe(200)
    expect((await api.post(list, body({ name: 'developers' }))).status).toBe(200)
  })

  test('404 for callers who do not manage teams, and for unknown teams', async () => {
    const { as, world, platform: api } = await platform()
    addCallers(world)
    const id = idOf(world, 'developers')
    for (const token of ['member-token', extraTokens.developersTeam, extraTokens.outsider]) {
      for (const reply of [
        await as(token).patch(`teams/${id}`, body({})),
        await as(token).delete(`teams/${id}`),
        await as(token).post(`teams/${id}/relationships/users`, members('owner')),
        await as(token).delete(`teams/${id}/relationships/users`, members('member')),
      ]) {
        expect([reply.status, reply.body]).toEqual([404, failure(404)])
      }
    }
    expect((await as(extraTokens.outsider).get(`teams/${id}`)).status).toBe(404)
    expect((await api.get('teams/team-unknown')).status).toBe(404)
    expect((await api.patch('teams/team-unknown', body({}))).status).toBe(404)
  })
})

describe(`${section}: POST, DELETE /teams/:id/relationships/users`, () => {
  test('users are added and removed by username, with 204', async () => {
    const { platform: api, as, world } = await platform()
    addCallers(world)
    const path = `teams/${idOf(world, 'owners')}/relationships/users`
    world.write(() =>
      activateMembers(world, 'example-org', [userNamed(world, 'stranger')?.id ?? '']),
    )
    const added = await api.post(path, members('member', 'stranger'))
    expect([added.status, added.text]).toEqual([204, ''])
    const patched = await as(extraTokens.outsider).patch('organizations/example-org', {
      data: { attributes: {} },
    })
    expect(patched.status).toBe(200)
    const removed = await api.delete(path, members('stranger', 'member'))
    expect([removed.status, removed.text]).toEqual([204, ''])
    const again = await as(extraTokens.outsider).patch('organizations/example-org', {
      data: { attributes: {} },
    })
    expect(again.status).toBe(404)
  })

  // choice/platform#team-membership-errors
  test.each([
    ['POST', ['stranger', 'nobody'], 'user nobody was not found'],
    ['POST', ['owner', 'member'], 'user member is already a team member'],
    ['POST', ['owner', 'owner'], 'user owner is already a team member'],
    ['POST', ['owner', 'stranger'], 'stranger is not a member of the organization'],
    ['POST', ['api-service'], 'user api-service was not found'],
    ['DELETE', ['member', 'nobody'], 'user nobody was not found'],
    ['DELETE', ['member', 'owner'], 'user owner is not a team member'],
  ] as const)(
    '%s of %j is 400, and no member is added or removed',
    async (method, usernames, detail) => {
      const { platform: api, world } = await platform()
      addCallers(world)
      world.write(() => addUser(world, { username: 'api-service', service_account: true }))
      const id = idOf(world, 'developers')
      const before = (await api.get(`teams/${id}`)).body
      const reply = await api.request(
        method,
        `teams/${id}/relationships/users`,
        members(...usernames),
      )
      expect([reply.status, reply.body]).toEqual([400, failure(400, detail)])
      expect((await api.get(`teams/${id}`)).body).toEqual(before)
    },
  )

  test.each([
    [undefined, 'data is required'],
    ['{', 'JSON body is invalid'],
    [{ data: { type: 'users', id: 'owner' } }, 'data must be an array'],
    [{ data: [{ type: 'teams', id: 'owner' }] }, 'type must be users'],
    [{ data: [{ type: 'users' }] }, 'id is required'],
    [{ data: [{ type: 'users', id: 5 }] }, 'id is required'],
    [{ data: ['owner'] }, 'id is required'],
  ])('behaviour/platform#errors: %j is 422', async (payload, detail) => {
    const { platform: api, world } = await platform()
    const path = `teams/${idOf(world, 'developers')}/relationships/users`
    const reply = await api.post(path, payload)
    expect([reply.status, reply.body]).toEqual([422, failure(422, detail)])
  })

  // choice/platform#team-owners
  test('a team with the permission to manage membership can do so, except for the owners team', async () => {
    const { platform: api, as, world } = await platform()
    const developers = idOf(world, 'developers')
    await api.patch(
      `teams/${developers}`,
      body({ 'organization-access': { 'manage-membership': true } }),
    )
    await api.post(list, body({ name: 'other' }))
    const member = as('member-token')
    const users = (name: string) => `teams/${idOf(world, name)}/relationships/users`
    expect((await member.post(users('other'), members('member'))).status).toBe(204)
    expect((await member.post(users('owners'), members('member'))).status).toBe(404)
    expect((await member.post(list, body({ name: 'mine' }))).status).toBe(404)
  })
})
