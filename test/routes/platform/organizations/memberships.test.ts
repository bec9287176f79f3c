import { describe, expect, test } from 'vitest'
import { platform } from '../../../support/platform/platform.ts'
import { addCallers, extraTokens } from '../../../support/platform/platform-callers.ts'
import { failure, invalid } from '../../../support/platform/platform-errors.ts'
import { giveRights, resource, teamId } from '../../../support/platform/platform-workspaces.ts'

const section = 'behaviour/platform#memberships'
const list = 'organizations/example-org/organization-memberships'
const own = 'organization-memberships'

const teams = (...ids: readonly string[]) => ({
  teams: { data: ids.map((id) => ({ type: 'teams', id })) },
})
const invitation = (email: string, relationships: object = {}) =>
  resource('organization-memberships', { email }, relationships)
const memberships = (...ids: readonly string[]) => ({
  data: ids.map((id) => ({ type: 'organization-memberships', id })),
})

/** Returns a server with a token of each kind. */
async function withCallers(settings: Parameters<typeof platform>[0] = {}) {
  const server = await platform(settings)
  addCallers(server.world)
  const { platform: api, world } = server
  return {
    ...server,
    api,
    invite: async (email: string, relationships: object = {}) =>
      (await api.post(list, invitation(email, relationships))).body.data,
    emails: async (query: Readonly<Record<string, string>> = {}) =>
      (await api.get(list, { query })).body.data.map(
        (one: { attributes: { email: string } }) => one.attributes.email,
      ),
    accept: (id: string) =>
      world.transitions.get('platform.membership')?.force(world, id, 'active', {}),
  }
}

describe(section, () => {
  test.each(['neutral', 'vendor'] as const)(
    '%s: an invited person has neither a username nor access until the membership is active',
    async (dialect) => {
      const { api, invite, accept, as } = await withCallers({ dialect })
      const team = await teamId(api)
      const reply = await api.post(list, invitation('new@example.com', teams(team)))
      const { data } = reply.body
      const user = data.relationships.user.data.id
      expect([reply.status, data]).toEqual([
        201,
        {
          id: expect.stringMatching(/^ou-[1-9A-HJ-NP-Za-km-z]{16}$/),
          type: 'organization-memberships',
          attributes: {
            email: 'new@example.com',
            status: 'invited',
            'created-at': expect.stringMatching(/^2\d{3}-.*Z$/),
          },
          relationships: {
            user: { data: { id: user, type: 'users' } },
            organization: { data: { id: 'example-org', type: 'organizations' } },
            teams: { data: [{ id: team, type: 'teams' }] },
          },
          links: { self: `/api/v2/organization-memberships/${data.id}` },
        },
      ])
      expect(reply.body.included).toMatchObject([{ id: user, attributes: { username: null } }])
      const path = `${own}/${data.id}`
      expect((await api.get(path)).body).toEqual({ data })
      const members = async () =>
        (await api.get(`teams/${team}`)).body.data.relationships.users.data
      expect(await members()).not.toContainEqual({ id: user, type: 'users' })

      accept(data.id)
      const read = await api.get(path, { query: { include: 'user,teams' } })
      expect(read.body.data.attributes.status).toBe('active')
      expect(read.body.included).toMatchObject([{ attributes: { username: 'new' } }, { id: team }])
      expect(await members()).toContainEqual({ id: user, type: 'users' })
      expect(() => accept(data.id)).toThrow('the membership is active already')
      expect(() => accept('ou-unknown')).toThrow('there is no membership "ou-unknown"')

      const { id: stranger } = await invite('stranger@example.com')
      const outsider = as(extraTokens.outsider)
      expect((await outsider.get('organizations/example-org')).status).toBe(404)
      expect((await outsider.get(`${own}/${stranger}`)).status).toBe(200)
      accept(stranger)
      expect((await outsider.get('organizations/example-org')).status).toBe(200)
      const { body } = await outsider.get(own)
      expect([body.data.map(({ id }: { id: string }) => id), body.meta]).toEqual([
        [stranger],
        undefined,
      ])
      expect((await api.delete(`${own}/${stranger}`)).status).toBe(204)
      expect((await outsider.get('organizations/example-org')).status).toBe(404)
    },
  )

  test('the list is newest first, and takes part of a name or address, a status and addresses', async () => {
    const { emails, invite, api } = await withCallers()
    await invite('new@other.org')
    expect(await emails()).toEqual(['new@other.org', 'member@example.com', 'owner@example.com'])
    expect(await emails({ q: 'MEMB' })).toEqual(['member@example.com'])
    expect(await emails({ q: 'other.org' })).toEqual(['new@other.org'])
    expect(await emails({ 'filter[status]': 'invited' })).toEqual(['new@other.org'])
    expect(await emails({ 'filter[status]': 'gone' })).toEqual([])
    expect(await emails({ 'filter[email]': 'Owner@example.com,new@other.org,x@y' })).toEqual([
      'new@other.org',
      'owner@example.com',
    ])
    expect((await api.get(list, { query: { include: 'x' } })).status).toBe(400)
  })

  test.each([
    [undefined, 'Email is invalid'],
    ['', 'Email is invalid'],
    ['nobody', 'Email is invalid'],
    [5, 'Email must be a string'],
    ['MEMBER@example.com', 'Email has already been taken'],
  ])('an invitation of %j is 422, and nothing is stored', async (email, detail) => {
    const { api, emails } = await withCallers()
    const reply = await api.post(list, resource('organization-memberships', { email }))
    expect([reply.status, reply.body]).toEqual([422, invalid(['email', detail])])
    expect(await emails()).toHaveLength(2)
  })

  test('teams that are unknown or that the caller does not manage are 404', async () => {
    const { api, as, emails } = await withCallers()
    await giveRights(api, 'manage-membership')
    const owners = await teamId(api, 'owners')
    for (const id of ['team-unknown', owners]) {
      const reply = await as('member-token').post(list, invitation('a@b.c', teams(id)))
      expect([reply.status, reply.body]).toEqual([404, failure(404)])
    }
    expect(await emails()).toHaveLength(2)
    const reply = await api.post(list, invitation('a@b.c', teams(owners)))
    expect(reply.status).toBe(201)
  })

  test('owners do not remove themselves, nor does a manager of members remove an owner', async () => {
    const { api, as, emails } = await withCallers()
    await giveRights(api, 'manage-membership')
    const { data } = (await api.get(list)).body
    const [member, owner] = data.map(({ id }: { id: string }) => `${own}/${id}`)
    const refused = await api.delete(owner)
    expect([refused.status, refused.body]).toEqual([
      403,
      failure(403, 'You cannot remove yourself from organizations which you own'),
    ])
    expect((await as('member-token').delete(owner)).status).toBe(404)
    expect(await emails()).toHaveLength(2)
    expect((await as('member-token').delete(member)).status).toBe(204)
    expect((await as('member-token').get('organizations/example-org')).status).toBe(404)
    expect((await as('site-admin-token').delete(owner)).status).toBe(204)
    expect((await api.get(list)).status).toBe(404)
  })

  test('memberships are added to teams and taken out; an invitation keeps its teams', async () => {
    const { api, invite, accept } = await withCallers()
    const { id: team } = (
      await api.post('organizations/example-org/teams', resource('teams', { name: 'ops' }))
    ).body.data
    const { id: invited } = await invite('new@example.com')
    const { data } = (await api.get(list, { query: { q: 'owner' } })).body
    const path = `teams/${team}/relationships/organization-memberships`
    expect((await api.post(path, memberships(data[0].id, 'ou-unknown'))).status).toBe(404)
    const inTeam = async () => {
      const read = await api.get(`teams/${team}`, {
        query: { include: 'organization_memberships' },
      })
      const related = read.body.data.relationships['organization-memberships'].data
      expect(read.body.included).toHaveLength(related.length)
      return related.map(({ id }: { id: string }) => id)
    }
    expect(await inTeam()).toEqual([])
    expect((await api.post(path, memberships(data[0].id, invited))).status).toBe(204)
    expect((await api.post(path, memberships(data[0].id, invited))).status).toBe(204)
    expect(await inTeam()).toEqual([data[0].id, invited])
    expect((await api.delete(path, memberships(data[0].id))).status).toBe(204)
    expect(await inTeam()).toEqual([invited])
    accept(invited)
    expect(await inTeam()).toEqual([invited])
    expect((await api.delete(path, memberships(invited, data[0].id))).status).toBe(204)
    expect(await inTeam()).toEqual([])
    await api.post(path, memberships(invited))
    await api.delete(`${own}/${invited}`)
    expect((await api.get(`teams/${team}`)).body.data.relationships.users.data).toEqual([])
  })

  test('an invited user is added to a team by name, and joins it later; a deleted team is forgotten', async () => {
    const { api, invite, accept } = await withCallers()
    const { id } = await invite('stranger@example.com')
    const team = await teamId(api)
    const stranger = { data: [{ type: 'users', id: 'stranger' }] }
    const path = `teams/${team}/relationships/users`
    expect((await api.post(path, stranger)).status).toBe(204)
    expect((await api.post(path, stranger)).status).toBe(400)
    const named = async () => (await api.get(`${own}/${id}`)).body.data.relationships.teams.data
    expect(await named()).toEqual([{ id: team, type: 'teams' }])
    await api.delete(`teams/${team}`)
    expect(await named()).toEqual([])
    accept(id)
    expect(await named()).toEqual([])
  })

  test('memberships move with their organization and are deleted with it', async () => {
    const { api, admin } = await withCallers()
    const { data } = (await api.get(list)).body
    await api.patch('organizations/example-org', resource('organizations', { name: 'renamed' }))
    const moved = (await api.get('organizations/renamed/organization-memberships')).body.data
    const idsOf = (all: readonly { id: string }[]) => all.map(({ id }) => id)
    expect(idsOf(moved)).toEqual(idsOf(data))
    await api.delete('organizations/renamed')
    expect((await admin.get(`${own}/${data[0].id}`)).status).toBe(404)
    expect((await api.get(own)).body.data).toEqual([])
  })

  test.each([
    ['a member without rights', 'member-token', [], [200, 200, 404, 404, 404]],
    ['manage-membership', 'member-token', ['manage-membership'], [200, 200, 201, 204, 204]],
    ['the organization token', extraTokens.organization, [], [200, 200, 201, 204, 204]],
    ['a stranger', extraTokens.outsider, [], [404, 404, 404, 404, 404]],
  ] as const)(
    '%s: list, read, invite, add to a team, delete',
    async (_who, token, rights, statuses) => {
      const { api, as, invite } = await withCallers()
      await giveRights(api, ...rights)
      const { id } = await invite('new@example.com')
      const team = `teams/${await teamId(api)}/relationships/organization-memberships`
      const client = as(token)
      expect([
        (await client.get(list)).status,
        (await client.get(`${own}/${id}`)).status,
        (await client.post(list, invitation('other@example.com'))).status,
        (await client.post(team, memberships(id))).status,
        (await client.delete(`${own}/${id}`)).status,
      ]).toEqual(statuses)
      expect((await client.get(own)).status).toBe(200)
    },
  )
})
