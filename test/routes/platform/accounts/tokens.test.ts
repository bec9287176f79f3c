import { describe, expect, test } from 'vitest'
import { teamNamed } from '../../../../state/platform/organizations/teams.ts'
import { type PlatformClient, platform } from '../../../support/platform/platform.ts'
import { addCallers, extraTokens } from '../../../support/platform/platform-callers.ts'
import { failure, invalid } from '../../../support/platform/platform-errors.ts'

const section = 'behaviour/platform#surroundings'
const bearer = /^[1-9A-HJ-NP-Za-km-z]{14}\.atlasv1\.[1-9A-HJ-NP-Za-km-z]{60}$/
const now = '2026-01-01T00:00:00.000Z'

async function idOf(api: PlatformClient): Promise<string> {
  return (await api.get('account/details')).body.data.id
}

function body(attributes: object, type = 'authentication-tokens') {
  return { data: { type, attributes } }
}

describe(`${section}: tokens of users`, () => {
  test('POST returns 201 with the text, which works and is never returned again', async () => {
    const { platform: api, as } = await platform()
    const user = await idOf(api)
    const list = `users/${user}/authentication-tokens`
    const made = await api.post(list, body({ description: 'api' }))
    const { id } = made.body.data
    const { token } = made.body.data.attributes
    expect(id).toMatch(/^at-[1-9A-HJ-NP-Za-km-z]{16}$/)
    expect(token).toMatch(bearer)
    const resource = {
      id,
      type: 'authentication-tokens',
      attributes: {
        'created-at': now,
        'last-used-at': null,
        description: 'api',
        token,
        'expired-at': null,
      },
      relationships: { 'created-by': { data: { id: user, type: 'users' } } },
    }
    expect([made.status, made.body]).toEqual([201, { data: resource }])

    const later = { ...resource, attributes: { ...resource.attributes, token: null } }
    const read = await api.get(`authentication-tokens/${id}`)
    expect([read.status, read.body]).toEqual([200, { data: later }])
    expect(await idOf(as(token))).toBe(user)
  })

  test('GET lists them oldest first, in pages if one is asked for', async () => {
    const { platform: api } = await platform()
    const list = `users/${await idOf(api)}/authentication-tokens`
    for (const description of ['b', 'a', 'c']) await api.post(list, body({ description }))
    const reply = await api.get(list)
    const described = reply.body.data.map(
      (item: { attributes: { description: string | null } }) => item.attributes.description,
    )
    // The preset token comes first.
    expect(described).toEqual([null, 'b', 'a', 'c'])
    expect(Object.keys(reply.body)).toEqual(['data'])
    const second = await api.get(list, { query: { 'page[number]': '2', 'page[size]': '3' } })
    expect(second.body.data).toHaveLength(1)
    expect(second.body.meta.pagination).toMatchObject({ 'total-count': 4, 'page-size': 3 })
  })

  // choice/platform#token-body
  test('a body is optional', async () => {
    const { platform: api } = await platform()
    const reply = await api.post(`users/${await idOf(api)}/authentication-tokens`)
    expect([reply.status, reply.body.data.attributes.description]).toEqual([201, null])
    const other = await api.post(
      `users/${await idOf(api)}/authentication-tokens`,
      body({ description: 'x' }, 'whatever'),
    )
    expect([other.status, other.body.data.attributes.description]).toEqual([201, 'x'])
  })

  test('DELETE returns 204, and the token is invalid afterwards', async () => {
    const { platform: api, as } = await platform()
    const list = `users/${await idOf(api)}/authentication-tokens`
    const { id, attributes } = (await api.post(list)).body.data
    const missing = await api.delete(`authentication-tokens/${id}`)
    expect([missing.status, missing.text]).toEqual([204, ''])
    expect((await as(attributes.token).get('account/details')).status).toBe(401)
    const repeated = await api.delete(`authentication-tokens/${id}`)
    expect([repeated.status, repeated.body]).toEqual([404, failure(404)])
    expect((await api.get(list)).body.data).toHaveLength(1)
  })

  // choice/platform#token-last-used
  test('last-used-at is updated on use, to the minute', async () => {
    const { platform: api, as, clock } = await platform()
    const list = `users/${await idOf(api)}/authentication-tokens`
    const { id, attributes } = (await api.post(list)).body.data
    const used = async () =>
      (await api.get(`authentication-tokens/${id}`)).body.data.attributes['last-used-at']
    expect(await used()).toBeNull()
    clock.advance(1_500)
    await as(attributes.token).get('account/details')
    expect(await used()).toBe('2026-01-01T00:00:01.500Z')
    clock.advance(59_999)
    await as(attributes.token).get('account/details')
    expect(await used()).toBe('2026-01-01T00:00:01.500Z')
    clock.advance(1)
    await as(attributes.token).get('account/details')
    expect(await used()).toBe('2026-01-01T00:01:01.500Z')
  })

  test('behaviour/platform#authentication: an expired token is 401', async () => {
    const { platform: api, as, clock } = await platform()
    const list = `users/${await idOf(api)}/authentication-tokens`
    const made = await api.post(list, body({ 'expired-at': '2026-01-01T01:00:00.000Z' }))
    const { token, 'expired-at': expiry } = made.body.data.attributes
    expect(expiry).toBe('2026-01-01T01:00:00.000Z')
    clock.advance(3_599_999)
    expect((await as(token).get('account/details')).status).toBe(200)
    clock.advance(1)
    const late = await as(token).get('account/details')
    expect([late.status, late.body]).toEqual([401, failure(401)])
    // The expired token is still listed.
    expect((await api.get(list)).body.data).toHaveLength(2)
  })

  test.each([
    [{ 'expired-at': 'tomorrow' }, ['expired-at', 'Expired at is invalid']],
    [{ 'expired-at': 5 }, ['expired-at', 'Expired at must be a string']],
    [{ description: true }, ['description', 'Description must be a string']],
  ] as const)('%j is refused with 422', async (attributes, fault) => {
    const { platform: api } = await platform()
    const list = `users/${await idOf(api)}/authentication-tokens`
    const reply = await api.post(list, body(attributes))
    expect([reply.status, reply.body]).toEqual([422, invalid(fault)])
    expect((await api.get(list)).body.data).toHaveLength(1)
  })

  // choice/platform#token-access
  test("another user's tokens are 404, even to an admin", async () => {
    const { platform: api, as, world } = await platform()
    addCallers(world)
    const user = await idOf(api)
    const list = `users/${user}/authentication-tokens`
    const { id } = (await api.post(list)).body.data
    for (const token of [
      'site-admin-token',
      'member-token',
      extraTokens.ownersTeam,
      extraTokens.organization,
      extraTokens.outsider,
    ]) {
      const other = as(token)
      for (const reply of [
        await other.get(list),
        await other.post(list),
        await other.get(`authentication-tokens/${id}`),
        await other.delete(`authentication-tokens/${id}`),
      ]) {
        expect([reply.status, reply.body]).toEqual([404, failure(404)])
      }
    }
    expect((await api.get(list)).body.data).toHaveLength(2)
  })

  test('the service user of a team has no tokens of its own', async () => {
    const { as, world } = await platform()
    addCallers(world)
    const team = as(extraTokens.ownersTeam)
    const reply = await team.post(`users/${await idOf(team)}/authentication-tokens`)
    expect([reply.status, reply.body]).toEqual([404, failure(404)])
  })
})

describe.each([
  ['organizations/example-org', () => 'organizations/example-org'],
  [
    'teams/:id',
    (world: Parameters<typeof teamNamed>[0]) =>
      `teams/${teamNamed(world, 'example-org', 'owners')?.id}`,
  ],
] as const)(`${section}: the token of %s`, (_name, ownerPath) => {
  test('POST creates the token, GET returns it without its text, DELETE revokes it', async () => {
    const { platform: api, as, world } = await platform()
    const path = `${ownerPath(world)}/authentication-token`
    expect((await api.get(path)).status).toBe(404)
    const made = await api.post(path, body({ description: 'ci' }, 'authentication-token'))
    const { id, attributes, relationships } = made.body.data
    expect([made.status, attributes]).toEqual([
      201,
      {
        'created-at': now,
        'last-used-at': null,
        description: 'ci',
        token: expect.stringMatching(bearer),
        'expired-at': null,
      },
    ])
    const service = as(attributes.token)
    expect((await service.get('account/details')).body.data).toMatchObject({
      attributes: { 'is-service-account': true },
    })
    // The user who created the token or, for a team's token, the team.
    const [kind, owner] = ownerPath(world).split('/')
    expect(relationships).toEqual({
      'created-by': { data: { id: await idOf(api), type: 'users' } },
      ...(kind === 'teams' ? { team: { data: { id: owner, type: 'teams' } } } : {}),
    })
    const read = await api.get(path)
    expect([read.status, read.body.data]).toEqual([
      200,
      { ...made.body.data, attributes: { ...attributes, token: null, 'last-used-at': now } },
    ])

    const missing = await api.delete(path)
    expect([missing.status, missing.text]).toEqual([204, ''])
    expect((await service.get('account/details')).status).toBe(401)
    expect([(await api.get(path)).status, (await api.delete(path)).status]).toEqual([404, 404])
    // The user token routes do not find a further token of a team.
    expect((await api.get(`authentication-tokens/${id}`)).status).toBe(404)
  })

  // choice/platform#service-users
  test('POST replaces the token: the previous token becomes invalid, the service user stays', async () => {
    const { platform: api, as, world } = await platform()
    const path = `${ownerPath(world)}/authentication-token`
    const before = (await api.post(path)).body.data
    const details = async (token: string) => (await as(token).get('account/details')).body.data
    const service = await details(before.attributes.token)
    const [kind, owner] = ownerPath(world).split('/')
    const { attributes } = (await api.get('organizations/example-org')).body.data
    expect(service.attributes.username).toBe(
      `api-${kind === 'teams' ? owner : attributes['external-id']}`,
    )
    const after = (await api.post(path)).body.data
    expect(after.id).not.toBe(before.id)
    expect((await details(after.attributes.token)).id).toBe(service.id)
    expect(after.relationships).toEqual(before.relationships)
    expect((await as(before.attributes.token).get('account/details')).status).toBe(401)
    expect((await as(after.attributes.token).get('account/details')).status).toBe(200)
  })

  test('the token can have an expiry time, which must be valid', async () => {
    const { platform: api, world } = await platform()
    const path = `${ownerPath(world)}/authentication-token`
    const reply = await api.post(path, body({ 'expired-at': 'soon' }))
    expect([reply.status, reply.body]).toEqual([
      422,
      invalid(['expired-at', 'Expired at is invalid']),
    ])
    const made = await api.post(path, body({ 'expired-at': '2027-01-01T00:00:00Z' }))
    expect(made.body.data.attributes['expired-at']).toBe('2027-01-01T00:00:00.000Z')
  })

  test('members outside the owners team, strangers and unknown callers get 404', async () => {
    const { as, world, platform: api } = await platform()
    addCallers(world)
    const path = `${ownerPath(world)}/authentication-token`
    await api.post(path)
    for (const token of ['member-token', extraTokens.developersTeam, extraTokens.outsider]) {
      const other = as(token)
      for (const reply of [
        await other.post(path),
        await other.get(path),
        await other.delete(path),
      ]) {
        expect([reply.status, reply.body]).toEqual([404, failure(404)])
      }
    }
    expect((await api.post('organizations/unknown/authentication-token')).status).toBe(404)
    expect((await api.post('teams/team-unknown/authentication-token')).status).toBe(404)
  })

  // choice/platform#token-access
  test('owners, the owners team, the site admin and the organization itself manage it', async () => {
    const { as, world } = await platform()
    addCallers(world)
    const path = `${ownerPath(world)}/authentication-token`
    for (const token of ['owner-token', 'site-admin-token', extraTokens.ownersTeam]) {
      expect((await as(token).get(path)).status).toBe(200)
    }
    expect((await as(extraTokens.organization).get(path)).status).toBe(200)
    const made = await as(extraTokens.organization).post(path)
    expect(made.status).toBe(201)
  })
})

describe(`${section}: callers who manage a team's token`, () => {
  test('members of a team create its token, and it acts as the team', async () => {
    const { as, world } = await platform()
    const team = teamNamed(world, 'example-org', 'developers')
    const path = `teams/${team?.id}/authentication-token`
    const made = await as('member-token').post(path)
    expect(made.status).toBe(201)
    const service = as(made.body.data.attributes.token)
    expect((await service.get('organizations/example-org')).status).toBe(200)
    expect((await service.get(`teams/${team?.id}`)).status).toBe(200)
    expect((await service.delete('organizations/example-org')).status).toBe(404)
  })
})

describe(`${section}: default of expired-at`, () => {
  const made = async (tokenLifetime: string, attributes: object = {}) => {
    const { platform: api } = await platform({ options: { tokenLifetime } })
    const user = `users/${await idOf(api)}/authentication-tokens`
    const replies = [
      await api.post(user, body(attributes)),
      await api.post('organizations/example-org/authentication-token', body(attributes)),
    ]
    return replies.map((reply) => reply.body.data.attributes['expired-at'])
  }

  test.each([
    ['never', null],
    ['2y', '2028-01-01T00:00:00.000Z'],
    ['1h30m', '2026-01-01T01:30:00.000Z'],
  ])('the option tokenLifetime %s', async (lifetime, end) => {
    expect(await made(lifetime)).toEqual([end, end])
  })

  test('a given value is kept, even null', async () => {
    expect(await made('2y', { 'expired-at': '2030-01-01T00:00:00.000Z' })).toEqual(
      Array(2).fill('2030-01-01T00:00:00.000Z'),
    )
    expect(await made('2y', { 'expired-at': null })).toEqual([null, null])
  })
})

describe('behaviour/platform#beyond: several tokens of a team', () => {
  async function withTeam() {
    const mock = await platform()
    addCallers(mock.world)
    const id = teamNamed(mock.world, 'example-org', 'developers')?.id
    return { ...mock, team: `teams/${id}`, list: `teams/${id}/authentication-tokens` }
  }

  test('POST returns 201 with a text that works, GET lists it, /authentication-tokens/:id finds it', async () => {
    const { platform: api, as, list, team } = await withTeam()
    const reply = await api.post(list, body({ description: 'ci' }))
    const { id, attributes, relationships } = reply.body.data
    expect([reply.status, attributes.token]).toEqual([201, expect.stringMatching(bearer)])
    expect(relationships.team.data).toEqual({ id: team.slice('teams/'.length), type: 'teams' })
    expect((await as(attributes.token).get(team)).status).toBe(200)
    const all = await api.get(list)
    expect([all.status, all.body.data.map((one: { id: string }) => one.id)]).toEqual([
      200,
      [expect.stringMatching(/^at-/), id],
    ])
    const read = await api.get(`authentication-tokens/${id}`)
    expect([read.status, read.body.data.attributes]).toMatchObject([
      200,
      { description: 'ci', token: null },
    ])
    expect((await api.delete(`authentication-tokens/${id}`)).status).toBe(204)
    expect((await as(attributes.token).get(team)).status).toBe(401)
  })

  test('GET /organizations/:org/team-tokens lists the tokens of all teams, as the Go client requests it', async () => {
    const { platform: api, as, list } = await withTeam()
    await api.post(list, body({ description: 'ci', 'expired-at': '2030-01-01T00:00:00.000Z' }))
    const { data: team } = (
      await api.post('organizations/example-org/teams', body({ name: 'auditors' }, 'teams'))
    ).body
    await api.post(`teams/${team.id}/authentication-tokens`, body({ description: 'audit' }))
    const all = 'organizations/example-org/team-tokens'
    type Listed = { attributes: { description: string | null; token: null } }
    const described = async (query: Record<string, string> = {}, client = api) => {
      const reply = await client.get(all, { query })
      expect(reply.body.data?.every((one: Listed) => one.attributes.token === null)).toBe(true)
      return reply.body.data.map((one: Listed) => one.attributes.description)
    }
    // The tokens of the teams auditors, developers and owners.
    expect(await described()).toEqual(['audit', null, 'ci', null])
    expect(await described({ sort: '-team-name' })).toEqual([null, 'ci', null, 'audit'])
    expect((await described({ sort: '-expired-at' }))[0]).toBe('ci')
    expect(await described({ q: 'AUDIT' })).toEqual(['audit'])
    expect(await described({ 'page[size]': '1', 'page[number]': '3' })).toEqual(['ci'])
    // Callers who manage the tokens of their own team see only those.
    expect(await described({}, as('member-token'))).toEqual([null, 'ci'])
    const other = await api.get('organizations/none/team-tokens')
    expect([other.status, other.body]).toEqual([404, failure(404)])
  })

  // choice/platform#team-tokens
  test("replacing the team's own token does not affect the others", async () => {
    const { platform: api, list, team } = await withTeam()
    await api.post(list, body({ description: 'ci' }))
    await api.post(`${team}/authentication-token`)
    const described = (await api.get(list)).body.data.map(
      (one: { attributes: { description: string | null } }) => one.attributes.description,
    )
    expect(described).toEqual(['ci', null])
    expect((await api.delete(`${team}/authentication-token`)).status).toBe(204)
    expect((await api.get(`${team}/authentication-token`)).status).toBe(404)
  })

  test.each([
    [{}, ['description', "Description can't be blank"]],
    [{ description: 'x', 'expired-at': 'soon' }, ['expired-at', 'Expired at is invalid']],
  ] as const)('%j is refused with 422', async (attributes, fault) => {
    const { platform: api, list } = await withTeam()
    await api.post(list, body({ description: 'ci' }))
    const reply = await api.post(list, body(attributes))
    expect([reply.status, reply.body]).toEqual([422, invalid(fault)])
    const { errors } = (await api.post(list, body({ description: 'ci' }))).body
    expect(errors).toEqual([
      {
        status: '422',
        title: 'invalid attributes',
        detail: 'Validation failed: Description has already been taken',
      },
    ])
  })

  // choice/platform#token-access
  test('members manage them while allow-member-token-management is on; other callers get 404', async () => {
    const { platform: api, as, list, team } = await withTeam()
    const { id } = (await api.post(list, body({ description: 'ci' }))).body.data
    const one = `authentication-tokens/${id}`
    expect((await as('member-token').get(list)).status).toBe(200)
    expect((await as('member-token').get(one)).status).toBe(200)
    for (const path of [list, one]) {
      expect((await as(extraTokens.outsider).get(path)).status).toBe(404)
    }
    await api.patch(team, { data: { attributes: { 'allow-member-token-management': false } } })
    for (const path of [list, one, `${team}/authentication-token`]) {
      expect((await as('member-token').get(path)).status).toBe(404)
    }
    expect((await api.get(one)).status).toBe(200)
  })
})
