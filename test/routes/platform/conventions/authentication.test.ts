import { describe, expect, test } from 'vitest'
import { platform, testsOfModule } from '../../../support/platform/platform.ts'
import { addCallers, extraTokens } from '../../../support/platform/platform-callers.ts'
import { failure } from '../../../support/platform/platform-errors.ts'

const section = 'behaviour/platform#authentication'
const details = 'account/details'
const admin = 'admin/general-settings'

describe(`${section}: bearer tokens`, () => {
  test.each([
    [undefined],
    [''],
    ['Bearer'],
    ['Bearer '],
    ['owner-token'],
    ['Basic owner-token'],
    ['Token owner-token'],
    ['Bearer owner-token more'],
    ['Bearer unknown'],
    ['Bearer expired-token'],
    ['Bearer OWNER-TOKEN'],
  ])('401 for %j', async (authorization) => {
    const { platform: api, world } = await platform()
    addCallers(world)
    const reply = await api.get(details, {
      token: null,
      headers: authorization === undefined ? {} : { authorization },
    })
    expect([reply.status, reply.body]).toEqual([401, failure(401)])
  })

  test.each([['Bearer owner-token'], ['bearer owner-token'], ['Bearer   owner-token ']])(
    '%j is the owner',
    async (authorization) => {
      const { platform: api } = await platform()
      const reply = await api.get(details, { token: null, headers: { authorization } })
      expect([reply.status, reply.body.data.attributes.username]).toEqual([200, 'owner'])
    },
  )

  test('the preset tokens are options of the world', async () => {
    const options = { siteAdminToken: 'a', ownerToken: 'b', memberToken: 'c' }
    const { as } = await platform({ options })
    const names = await Promise.all(
      ['a', 'b', 'c'].map(async (token) => {
        return (await as(token).get(details)).body.data.attributes.username
      }),
    )
    expect(names).toEqual(['site-admin', 'owner', 'member'])
    expect((await as('owner-token').get(details)).status).toBe(401)
  })

  test('acceptAnyToken treats unknown tokens as the site admin, but not missing ones', async () => {
    const { as, platform: api } = await platform({ options: { acceptAnyToken: true } })
    const reply = await as('whatever').get(details)
    expect([reply.status, reply.body.data.attributes.username]).toEqual([200, 'site-admin'])
    expect((await as('whatever').get(admin)).status).toBe(200)
    expect((await api.get(details)).body.data.attributes.username).toBe('owner')
    expect((await api.get(details, { token: null })).status).toBe(401)
  })
})

describe(`${section}: acceptAnyToken and known tokens`, () => {
  test('an expired token is still 401', async () => {
    const { as, world } = await platform({ options: { acceptAnyToken: true } })
    addCallers(world)
    const reply = await as(extraTokens.expired).get(details)
    expect([reply.status, reply.body]).toEqual([401, failure(401)])
  })
})

describe(`${section}: access of each caller`, () => {
  const callers = [
    // Token, then statuses for tests of a module, the organization, and administration.
    ['owner-token', 200, 200, 404],
    [extraTokens.ownersTeam, 200, 200, 404],
    ['site-admin-token', 200, 200, 200],
    ['member-token', 404, 200, 404],
    [extraTokens.developersTeam, 404, 200, 404],
    [extraTokens.organization, 404, 200, 404],
    [extraTokens.outsider, 404, 404, 404],
    [extraTokens.expired, 401, 401, 404],
    ['unknown', 401, 401, 404],
    [null, 401, 401, 404],
  ] as const

  test.each(callers)('%s: P/* %i, the organization %i, /admin/* %i', async (token, ...statuses) => {
    const { platform: api, world } = await platform()
    addCallers(world)
    const replies = [
      await api.get(`${testsOfModule}/vars`, { token }),
      await api.get('organizations/example-org', { token }),
      await api.get(admin, { token }),
    ]
    expect(replies.map(({ status }) => status)).toEqual(statuses)
    for (const { status, body } of replies) {
      if (status >= 400) expect(body).toEqual(failure(status))
    }
  })

  test('behaviour/platform#differences: in the vendor dialect invalid tokens are 401 on /admin/* as well', async () => {
    const { platform: api, world } = await platform({ options: { adminUnauthorized: true } })
    addCallers(world)
    for (const token of ['unknown', null, extraTokens.expired]) {
      const reply = await api.get(admin, { token })
      expect([reply.status, reply.body]).toEqual([401, failure(401)])
    }
    for (const token of ['owner-token', extraTokens.organization]) {
      expect((await api.get(admin, { token })).status).toBe(404)
    }
  })

  test('a token of a team or organization never acts as site admin, even if an admin created it', async () => {
    const { admin: siteAdmin, as } = await platform()
    const made = await siteAdmin.post('organizations/example-org/authentication-token')
    expect((await as(made.body.data.attributes.token).get(admin)).status).toBe(404)
  })

  test('ping and the object store need no token', async () => {
    const { platform: api } = await platform()
    expect((await api.get('ping', { token: null })).status).toBe(204)
    const unknown = await api.request('PUT', '/v1/object/unknown', 'x', { token: null })
    expect([unknown.status, unknown.body]).toEqual([404, failure(404)])
  })
})
