import { describe, expect, test } from 'vitest'
import { type PlatformClient, platform } from '../../../support/platform/platform.ts'
import { addCallers, extraTokens } from '../../../support/platform/platform-callers.ts'
import { failure, invalid } from '../../../support/platform/platform-errors.ts'
import { resource } from '../../../support/platform/platform-workspaces.ts'

const section = 'behaviour/platform#surroundings'

/** Returns the id of the user that a client acts as. */
async function idOf(api: PlatformClient): Promise<string> {
  return (await api.get('account/details')).body.data.id
}

describe(`${section}: GET /account/details`, () => {
  // choice/platform#user-auth-method
  test('returns all attributes of the caller', async () => {
    const { platform: api } = await platform()
    const reply = await api.get('account/details')
    const { id } = reply.body.data
    expect(id).toMatch(/^user-[1-9A-HJ-NP-Za-km-z]{16}$/)
    expect([reply.status, reply.body]).toEqual([
      200,
      {
        data: {
          id,
          type: 'users',
          attributes: {
            username: 'owner',
            'is-service-account': false,
            'auth-method': 'local',
            // MD5 digest of owner@example.com.
            'avatar-url':
              'https://www.gravatar.com/avatar/4cb1f144288e5d61695b0d3f9c63835c?s=100&d=mm',
            'v2-only': true,
            permissions: {
              'can-create-organizations': false,
              'can-change-email': true,
              'can-change-username': true,
            },
            'is-site-admin': false,
            'is-admin': false,
            'is-sso-login': false,
            email: 'owner@example.com',
            'unconfirmed-email': null,
            'two-factor': { enabled: false, verified: false },
          },
          relationships: {
            'authentication-tokens': {
              links: { related: `/api/v2/users/${id}/authentication-tokens` },
            },
            'authenticated-resource': {
              data: { id, type: 'users' },
              links: { related: `/api/v2/users/${id}` },
            },
          },
          links: { self: `/api/v2/users/${id}` },
        },
      },
    ])
  })

  test('authenticated-resource is the team or the organization whose token was sent', async () => {
    const { as, world } = await platform()
    addCallers(world)
    const resourceOf = async (token: string) =>
      (await as(token).get('account/details')).body.data.relationships['authenticated-resource']
    expect(await resourceOf(extraTokens.organization)).toEqual({
      data: { id: 'example-org', type: 'organizations' },
      links: { related: '/api/v2/organizations/example-org' },
    })
    const { data } = await resourceOf(extraTokens.developersTeam)
    expect(data).toEqual({ id: expect.stringMatching(/^team-/), type: 'teams' })
  })

  test('a site admin is marked as one and may create organizations', async () => {
    const { admin } = await platform()
    expect((await admin.get('account/details')).body.data.attributes).toMatchObject({
      username: 'site-admin',
      'is-site-admin': true,
      'is-admin': true,
      permissions: { 'can-create-organizations': true },
    })
  })

  test.each([
    ['organization', extraTokens.organization],
    ['team', extraTokens.ownersTeam],
  ])('a token of the kind %s acts as a service user', async (_kind, token) => {
    const { as, world } = await platform()
    addCallers(world)
    const reply = await as(token).get('account/details')
    expect([reply.status, reply.body.data.attributes]).toMatchObject([
      200,
      {
        'is-service-account': true,
        permissions: {
          'can-create-organizations': false,
          'can-change-email': false,
          'can-change-username': false,
        },
      },
    ])
  })

  test('returns 401 without a valid token', async () => {
    const { as, platform: api } = await platform()
    for (const reply of [
      await api.get('account/details', { token: null }),
      await as('unknown').get('account/details'),
    ]) {
      expect([reply.status, reply.body]).toEqual([401, failure(401)])
    }
  })
})

describe(`${section}: GET /users/:id`, () => {
  // choice/platform#user-visibility
  test('shows another user without private attributes', async () => {
    const { platform: api, admin } = await platform()
    const id = await idOf(admin)
    const reply = await api.get(`users/${id}`)
    expect([reply.status, reply.body]).toEqual([
      200,
      {
        data: {
          id,
          type: 'users',
          attributes: {
            username: 'site-admin',
            'is-service-account': false,
            'auth-method': 'local',
            'avatar-url': expect.stringMatching(
              /^https:\/\/www\.gravatar\.com\/avatar\/[0-9a-f]{32}\?s=100&d=mm$/,
            ),
            'v2-only': true,
            permissions: {
              'can-create-organizations': false,
              'can-change-email': false,
              'can-change-username': false,
            },
          },
          relationships: {
            'authentication-tokens': {
              links: { related: `/api/v2/users/${id}/authentication-tokens` },
            },
          },
          links: { self: `/api/v2/users/${id}` },
        },
      },
    ])
  })

  // choice/platform#user-visibility
  test('any caller with a valid token sees users, even without a common organization', async () => {
    const { as, world, platform: api } = await platform()
    addCallers(world)
    const id = await idOf(api)
    for (const token of ['owner-token', 'member-token', 'site-admin-token', extraTokens.outsider]) {
      expect((await as(token).get(`users/${id}`)).status).toBe(200)
    }
    expect((await as('unknown').get(`users/${id}`)).status).toBe(401)
  })

  test('an unknown user is 404', async () => {
    const { platform: api } = await platform()
    const reply = await api.get('users/user-NoTaReAlId')
    expect([reply.status, reply.body]).toEqual([404, failure(404)])
  })
})

describe(`${section}: PATCH /account/update`, () => {
  test('users change their name and address; other tokens are 404', async () => {
    const { platform: api, as, world } = await platform()
    const change = (client: PlatformClient, attributes: object) =>
      client.patch('account/update', resource('users', attributes))
    const { status, body } = await change(api, { username: 'renamed', email: 'new@example.com' })
    expect([status, body.data.attributes]).toMatchObject([
      200,
      { username: 'renamed', email: 'new@example.com' },
    ])
    expect((await api.get('account/details')).body.data.attributes).toEqual(body.data.attributes)
    expect((await change(api, {})).status).toBe(200)
    for (const [attributes, ...expected] of [
      [{ username: 'member' }, ['username', 'Username has already been taken']],
      [{ username: '' }, ['username', "Username can't be blank"]],
      [{ username: 'a b' }, ['username', 'Username is invalid']],
      [{ email: 'member@example.com' }, ['email', 'Email has already been taken']],
      [{ email: 'x' }, ['email', 'Email is invalid']],
    ] as const) {
      expect((await change(api, attributes)).body).toEqual(invalid(...expected))
    }
    addCallers(world)
    expect((await change(as(extraTokens.organization), {})).status).toBe(404)
  })
})
