import { describe, expect, test } from 'vitest'
import { teamNamed } from '../../../../state/platform/organizations/teams.ts'
import { platform } from '../../../support/platform.ts'
import { addCallers, moreTokens } from '../../../support/platform-callers.ts'
import { failure, invalid } from '../../../support/platform-errors.ts'

const where = '2-platform-decisions.md section 5.2'
const list = 'organizations/example-org/oauth-clients'
const github = {
  'service-provider': 'github',
  'http-url': 'https://github.com',
  'api-url': 'https://api.github.com',
  'oauth-token-string': 'secret',
}

function body(attributes: object, type = 'oauth-clients') {
  return { data: { type, attributes } }
}

describe(`${where}: POST /organizations/:org/oauth-clients`, () => {
  test('answers 201 with one token, and never what is secret', async () => {
    const { platform: api } = await platform()
    const reply = await api.post(list, body(github))
    const { id, attributes, relationships } = reply.body.data
    const [token] = relationships['oauth-tokens'].data
    expect([id, token.id]).toEqual([
      expect.stringMatching(/^oc-[1-9A-HJ-NP-Za-km-z]{16}$/),
      expect.stringMatching(/^ot-[1-9A-HJ-NP-Za-km-z]{16}$/),
    ])
    const callback = /auth\/([0-9a-f-]{36})\/callback$/.exec(attributes['callback-url'])?.[1]
    expect([reply.status, reply.body]).toEqual([
      201,
      {
        data: {
          id,
          type: 'oauth-clients',
          attributes: {
            'created-at': '2026-01-01T00:00:00.000Z',
            'callback-url': `http://localhost:80/auth/${callback}/callback`,
            'connect-path': `/auth/${callback}?organization_id=example-org`,
            'service-provider': 'github',
            'service-provider-display-name': 'github',
            name: null,
            'http-url': 'https://github.com',
            'api-url': 'https://api.github.com',
            key: null,
            'rsa-public-key': null,
            'organization-scoped': true,
          },
          relationships: {
            organization: {
              data: { id: 'example-org', type: 'organizations' },
              links: { related: '/api/v2/organizations/example-org' },
            },
            'oauth-tokens': { data: [{ id: token.id, type: 'oauth-tokens' }] },
          },
        },
      },
    ])
  })

  test('2-platform.md, Change history 2021-12-03: secret and rsa-public-key are taken', async () => {
    const { platform: api } = await platform()
    const sent = {
      ...github,
      name: 'Ours',
      key: 'k',
      secret: 's',
      'rsa-public-key': 'ssh-rsa AAAA',
      'organization-scoped': false,
    }
    const reply = await api.post(list, body(sent))
    expect([reply.status, reply.body.data.attributes]).toMatchObject([
      201,
      {
        name: 'Ours',
        'service-provider-display-name': 'Ours',
        key: 'k',
        'rsa-public-key': 'ssh-rsa AAAA',
        'organization-scoped': false,
      },
    ])
    expect(reply.text).not.toContain('"s"')
  })

  test.each([
    [
      {},
      [
        ['service-provider', "Service provider can't be blank"],
        ['http-url', "Http url can't be blank"],
        ['api-url', "Api url can't be blank"],
      ],
    ],
    [{ ...github, 'http-url': ' ' }, [['http-url', "Http url can't be blank"]]],
    [{ ...github, 'api-url': 1 }, [['api-url', 'Api url must be a string']]],
    [
      { ...github, 'organization-scoped': 1 },
      [['organization-scoped', 'Organization scoped must be true or false']],
    ],
  ] as const)('422 for %j', async (attributes, faults) => {
    const { platform: api } = await platform()
    const reply = await api.post(list, body(attributes))
    expect([reply.status, reply.body]).toEqual([422, invalid(...faults)])
  })

  test('the wrong type is 422', async () => {
    const { platform: api } = await platform()
    const reply = await api.post(list, body(github, 'oauth-tokens'))
    expect([reply.status, reply.body]).toEqual([422, failure(422, 'type must be oauth-clients')])
  })
})

describe(`${where}: DELETE /oauth-clients/:id`, () => {
  test('answers 204, a second time 404', async () => {
    const { platform: api } = await platform()
    const { id } = (await api.post(list, body(github))).body.data
    const reply = await api.delete(`oauth-clients/${id}`)
    expect([reply.status, reply.text]).toEqual([204, ''])
    const again = await api.delete(`oauth-clients/${id}`)
    expect([again.status, again.body]).toEqual([404, failure(404)])
  })

  test("a client is not found by its token's id", async () => {
    const { platform: api } = await platform()
    const { relationships } = (await api.post(list, body(github))).body.data
    const [token] = relationships['oauth-tokens'].data
    expect((await api.delete(`oauth-clients/${token.id}`)).status).toBe(404)
  })
})

describe(`${where}: who manages connections`, () => {
  test('owners, the organization, site admins and teams with the right; others get 404', async () => {
    const { as, world, platform: api } = await platform()
    addCallers(world)
    for (const token of [
      'owner-token',
      'site-admin-token',
      moreTokens.ownersTeam,
      moreTokens.organization,
    ]) {
      const { status, body: made } = await as(token).post(list, body(github))
      expect([status, (await as(token).delete(`oauth-clients/${made.data.id}`)).status]).toEqual([
        201, 204,
      ])
    }
    const { id } = (await api.post(list, body(github))).body.data
    for (const token of ['member-token', moreTokens.developersTeam, moreTokens.stranger]) {
      for (const reply of [
        await as(token).post(list, body(github)),
        await as(token).delete(`oauth-clients/${id}`),
      ]) {
        expect([reply.status, reply.body]).toEqual([404, failure(404)])
      }
    }
    const developers = teamNamed(world, 'example-org', 'developers')?.id
    const access = { 'organization-access': { 'manage-vcs-settings': true } }
    await api.patch(`teams/${developers}`, { data: { attributes: access } })
    expect((await as('member-token').delete(`oauth-clients/${id}`)).status).toBe(204)
    expect((await api.post('organizations/unknown/oauth-clients', body(github))).status).toBe(404)
  })
})
