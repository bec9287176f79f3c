import { describe, expect, test } from 'vitest'
import { exportWorld } from '../../../../state/kernel/worlds/document.ts'
import { teamNamed } from '../../../../state/platform/organizations/teams.ts'
import { platform } from '../../../support/platform/platform.ts'
import { addCallers, extraTokens } from '../../../support/platform/platform-callers.ts'
import { failure, invalid } from '../../../support/platform/platform-errors.ts'

const section = 'behaviour/platform#surroundings'
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

describe(`${section}: POST /organizations/:org/oauth-clients`, () => {
  test('returns 201 with one token, and never any secrets', async () => {
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
            'connect-path': `/auth/${callback}?organization_id=1`,
            'service-provider': 'github',
            'service-provider-display-name': 'GitHub',
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
            projects: { data: [] },
            'oauth-tokens': {
              data: [{ id: token.id, type: 'oauth-tokens' }],
              links: { related: `/api/v2/oauth-clients/${id}/oauth-tokens` },
            },
            'agent-pool': { data: null },
          },
        },
      },
    ])
  })

  // choice/platform#oauth-client-rules
  test('behaviour/platform#api-versioning: secret and rsa-public-key are accepted', async () => {
    const { platform: api, world } = await platform()
    const input = {
      ...github,
      name: 'Ours',
      key: 'k',
      secret: 's',
      'oauth-token-string': 'TOKEN STRING',
      'rsa-public-key': 'ssh-rsa AAAA',
      'organization-scoped': false,
    }
    const reply = await api.post(list, body(input))
    expect([reply.status, reply.body.data.attributes]).toMatchObject([
      201,
      {
        name: 'Ours',
        'service-provider-display-name': 'GitHub',
        key: 'k',
        'rsa-public-key': 'ssh-rsa AAAA',
        'organization-scoped': false,
      },
    ])
    expect(reply.text).not.toContain('"s"')
    // Secrets are never stored.
    const [token] = reply.body.data.relationships['oauth-tokens'].data
    const keyed = { data: { attributes: { 'ssh-key': '-----BEGIN PRIVATE KEY-----' } } }
    expect((await api.patch(`oauth-tokens/${token.id}`, keyed)).status).toBe(200)
    const kept = JSON.stringify(exportWorld(world))
    expect(['"s"', 'TOKEN', 'PRIVATE'].filter((text) => kept.includes(text))).toEqual([])
  })

  test.each([
    [
      {},
      [
        ['service-provider', "Service provider can't be blank"],
        ['service-provider', 'Service provider is not included in the list'],
        ['http-url', "Http url can't be blank"],
        ['api-url', "Api url can't be blank"],
      ],
    ],
    [
      { ...github, 'service-provider': 'other' },
      [['service-provider', 'Service provider is not included in the list']],
    ],
    [{ ...github, 'http-url': ' ' }, [['http-url', "Http url can't be blank"]]],
    [{ ...github, 'api-url': 1 }, [['api-url', 'Api url must be a string']]],
    [
      { ...github, 'organization-scoped': 1 },
      [['organization-scoped', 'Organization scoped must be true or false']],
    ],
  ] as const)('%j is refused with 422', async (attributes, faults) => {
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

describe(`${section}: GET, PATCH /oauth-clients/:id and the list`, () => {
  test('GET shows the client; the list is whole unless a page is requested', async () => {
    const { platform: api } = await platform()
    const first = (await api.post(list, body(github))).body.data
    const second = (await api.post(list, body(github))).body.data
    expect((await api.get(`oauth-clients/${first.id}`)).body).toEqual({ data: first })
    expect((await api.get(list)).body).toEqual({ data: [first, second] })
    const page = await api.get(list, { query: { 'page[size]': '1' } })
    expect([page.body.data, page.body.meta.pagination['total-count']]).toEqual([[first], 2])
  })

  // choice/platform#oauth-client-rules
  test('PATCH changes the permitted attributes and ignores the rest', async () => {
    const { platform: api } = await platform()
    const made = (await api.post(list, body(github))).body.data
    const changes = {
      name: 'Ours',
      key: 'k',
      'rsa-public-key': 'ssh-rsa AAAA',
      'organization-scoped': false,
    }
    const pools = 'organizations/example-org/agent-pools'
    const { id } = (await api.post(pools, body({ name: 'builders' }, 'agent-pools'))).body.data
    const agentPool = { data: { id, type: 'agent-pools' } }
    const reply = await api.patch(`oauth-clients/${made.id}`, {
      data: {
        attributes: { ...changes, secret: 's', 'oauth-token-string': 't', 'api-url': 'other' },
        relationships: { 'agent-pool': agentPool },
      },
    })
    expect([reply.status, reply.body.data]).toEqual([
      200,
      {
        ...made,
        attributes: { ...made.attributes, ...changes },
        relationships: { ...made.relationships, 'agent-pool': agentPool },
      },
    ])
    const unset = await api.patch(`oauth-clients/${made.id}`, {
      data: { attributes: {}, relationships: { 'agent-pool': { data: null } } },
    })
    expect(unset.body.data.relationships['agent-pool']).toEqual({ data: null })
    const unknown = { 'agent-pool': { data: { id: 'apool-1', type: 'agent-pools' } } }
    for (const refused of [
      await api.post(list, { data: { ...body(github).data, relationships: unknown } }),
      await api.patch(`oauth-clients/${made.id}`, {
        data: { attributes: {}, relationships: unknown },
      }),
    ]) {
      expect(refused.body).toEqual(
        failure(422, 'the provided agent pool does not exist or you are not authorized to use it'),
      )
    }
    const wrong = await api.patch(`oauth-clients/${made.id}`, body({ name: 5 }))
    expect([wrong.status, wrong.body]).toEqual([422, invalid(['name', 'Name must be a string'])])
  })

  // choice/platform#oauth-client-rules
  test('POST and DELETE .../relationships/projects: 204; projects of other organizations are 404', async () => {
    const { platform: api } = await platform()
    const { id } = (await api.post(list, body(github))).body.data
    const [project] = (await api.get('organizations/example-org/projects')).body.data
    const path = `oauth-clients/${id}/relationships/projects`
    const input = { data: [{ type: 'projects', id: project.id }] }
    const shared = async () =>
      (await api.get(`oauth-clients/${id}`)).body.data.relationships.projects.data
    expect((await api.post(path, input)).status).toBe(204)
    expect(await shared()).toEqual([{ id: project.id, type: 'projects' }])
    expect((await api.delete(path, input)).status).toBe(204)
    expect(await shared()).toEqual([])
    const unknown = await api.post(path, { data: [{ type: 'projects', id: 'prj-x' }] })
    expect([unknown.status, unknown.body]).toEqual([404, failure(404)])
    const wrong = await api.post(path, { data: [{ type: 'teams', id: project.id }] })
    expect([wrong.status, wrong.body]).toEqual([422, failure(422, 'type must be projects')])
  })

  test('unknown clients and those of other organizations are 404', async () => {
    const { platform: api, as } = await platform()
    const { id } = (await api.post(list, body(github))).body.data
    for (const reply of [
      await api.get('oauth-clients/oc-x'),
      await as('member-token').get(`oauth-clients/${id}`),
      await as('member-token').patch(`oauth-clients/${id}`, body({})),
      await as('member-token').get(list),
    ]) {
      expect([reply.status, reply.body]).toEqual([404, failure(404)])
    }
  })
})

describe(`${section}: oauth-tokens`, () => {
  test('a token that was not given as text has a user at the provider', async () => {
    const { platform: api } = await platform()
    const { 'oauth-token-string': _, ...attributes } = github
    const { relationships } = (await api.post(list, body(attributes))).body.data
    const [{ id }] = relationships['oauth-tokens'].data
    expect((await api.get(`oauth-tokens/${id}`)).body.data.attributes.uid).toBe('1')
  })

  test('a connection to Bitbucket Data Center keeps a consumer key', async () => {
    const { platform: api } = await platform()
    const attributes = { ...github, 'service-provider': 'bitbucket_data_center', key: 'a' }
    const { id } = (await api.post(list, body(attributes))).body.data
    const change = async (key: string | null) =>
      await api.patch(`oauth-clients/${id}`, body({ key }))
    for (const blank of ['', null]) {
      expect((await change(blank)).body).toEqual(
        failure(
          422,
          'The Consumer Key for Bitbucket Data Center must be present. Please add a value for `key`.',
        ),
      )
    }
    expect((await change('b')).body.data.attributes.key).toBe('b')
  })

  // choice/platform#oauth-token-account
  test('both lists and GET return the token; PATCH gives it a key that is never returned', async () => {
    const { platform: api } = await platform()
    const { id, relationships } = (await api.post(list, body(github))).body.data
    const token = relationships['oauth-tokens'].data[0].id
    const resource = {
      id: token,
      type: 'oauth-tokens',
      attributes: {
        uid: null,
        'created-at': '2026-01-01T00:00:00.000Z',
        'service-provider-user': 'example-user',
        'has-ssh-key': false,
      },
      relationships: { 'oauth-client': { data: { id, type: 'oauth-clients' } } },
      links: { self: `/api/v2/oauth-tokens/${token}` },
    }
    expect((await api.get(`oauth-tokens/${token}`)).body).toEqual({ data: resource })
    for (const path of [
      'organizations/example-org/oauth-tokens',
      `oauth-clients/${id}/oauth-tokens`,
    ])
      expect((await api.get(path)).body).toEqual({ data: [resource] })
    const patch = (attributes: object) =>
      api.patch(`oauth-tokens/${token}`, body(attributes, 'oauth-tokens'))
    const keyed = await patch({ 'ssh-key': '-----BEGIN RSA PRIVATE KEY-----' })
    expect([keyed.status, keyed.body.data.attributes['has-ssh-key']]).toEqual([200, true])
    expect(keyed.text).not.toContain('PRIVATE')
    expect((await patch({})).body).toEqual(keyed.body)
    expect((await patch({ 'ssh-key': 'x' })).body).toEqual(
      invalid(['ssh-key', 'Ssh key is invalid']),
    )
    expect((await patch({ 'ssh-key': '' })).body.data).toEqual(resource)
  })

  test('DELETE 204 leaves the client without a token', async () => {
    const { platform: api } = await platform()
    const { id, relationships } = (await api.post(list, body(github))).body.data
    const token = relationships['oauth-tokens'].data[0].id
    expect((await api.delete(`oauth-tokens/${token}`)).status).toBe(204)
    const client = await api.get(`oauth-clients/${id}`)
    expect(client.body.data.relationships['oauth-tokens'].data).toEqual([])
    expect((await api.get('organizations/example-org/oauth-tokens')).body.data).toEqual([])
    expect((await api.delete(`oauth-tokens/${token}`)).status).toBe(404)
  })

  test('404 for callers who do not manage connections', async () => {
    const { platform: api, as } = await platform()
    const { relationships } = (await api.post(list, body(github))).body.data
    const path = `oauth-tokens/${relationships['oauth-tokens'].data[0].id}`
    for (const reply of [
      await as('member-token').get(path),
      await as('member-token').patch(path, body({}, 'oauth-tokens')),
      await as('member-token').delete(path),
      await as('member-token').get('organizations/example-org/oauth-tokens'),
    ]) {
      expect([reply.status, reply.body]).toEqual([404, failure(404)])
    }
  })
})

describe(`${section}: DELETE /oauth-clients/:id`, () => {
  test('returns 204, and 404 the second time', async () => {
    const { platform: api } = await platform()
    const { id } = (await api.post(list, body(github))).body.data
    const reply = await api.delete(`oauth-clients/${id}`)
    expect([reply.status, reply.text]).toEqual([204, ''])
    const repeated = await api.delete(`oauth-clients/${id}`)
    expect([repeated.status, repeated.body]).toEqual([404, failure(404)])
  })

  test("a client is not found by its token's id", async () => {
    const { platform: api } = await platform()
    const { relationships } = (await api.post(list, body(github))).body.data
    const [token] = relationships['oauth-tokens'].data
    expect((await api.delete(`oauth-clients/${token.id}`)).status).toBe(404)
  })
})

describe(`${section}: callers who manage connections`, () => {
  // choice/platform#organization-rights
  test('owners, the organization, site admins and teams with the permission; others get 404', async () => {
    const { as, world, platform: api } = await platform()
    addCallers(world)
    for (const token of [
      'owner-token',
      'site-admin-token',
      extraTokens.ownersTeam,
      extraTokens.organization,
    ]) {
      const { status, body: made } = await as(token).post(list, body(github))
      expect([status, (await as(token).delete(`oauth-clients/${made.data.id}`)).status]).toEqual([
        201, 204,
      ])
    }
    const { id } = (await api.post(list, body(github))).body.data
    for (const token of ['member-token', extraTokens.developersTeam, extraTokens.outsider]) {
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
