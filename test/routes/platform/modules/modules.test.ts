import { describe, expect, test } from 'vitest'
import { exportWorld } from '../../../../state/kernel/worlds/document.ts'
import { teamNamed } from '../../../../state/platform/organizations/teams.ts'
import { type PlatformClient, platform } from '../../../support/platform/platform.ts'
import { addCallers, extraTokens } from '../../../support/platform/platform-callers.ts'
import { failure, invalid } from '../../../support/platform/platform-errors.ts'

const section = 'behaviour/platform#surroundings'
const list = 'organizations/example-org/registry-modules'
const network = `${list}/private/example-org/network/cloud1`
const now = '2026-01-01T00:00:00.000Z'

function body(attributes: object, type = 'registry-modules') {
  return { data: { type, attributes } }
}

const repository = {
  identifier: 'owner/infra-random-demo',
  'display-identifier': 'owner/infra-random-demo',
}

/** Returns a module as the API sends it, without the attributes that the test gives. */
function expected(id: string, attributes: Record<string, unknown>) {
  const {
    name,
    provider,
    namespace = 'example-org',
    'registry-name': registry = 'private',
  } = attributes
  return {
    data: {
      id,
      type: 'registry-modules',
      attributes: {
        namespace: 'example-org',
        'registry-name': 'private',
        status: 'pending',
        'version-statuses': [],
        'publishing-mechanism': 'non_vcs',
        'no-code': false,
        'created-at': now,
        'updated-at': now,
        permissions: { 'can-delete': true, 'can-resync': true, 'can-retry': true },
        'test-config': null,
        ...attributes,
      },
      relationships: { organization: { data: { id: 'example-org', type: 'organizations' } } },
      links: {
        self: `/api/v2/organizations/example-org/registry-modules/${registry}/${namespace}/${name}/${provider}`,
      },
    },
  }
}

async function names(api: PlatformClient, query?: Record<string, string>): Promise<string[]> {
  const { data } = (await api.get(list, { query })).body
  return data.map(
    ({ attributes }: { attributes: { name: string; provider: string } }) =>
      `${attributes.name}/${attributes.provider}`,
  )
}

describe(`${section}: POST /organizations/:org/registry-modules`, () => {
  test('a module without a repository is pending', async () => {
    const { platform: api } = await platform()
    const reply = await api.post(list, body({ name: 'Data-base_2', provider: 'cloud2' }))
    const { id } = reply.body.data
    expect(id).toMatch(/^mod-[1-9A-HJ-NP-Za-km-z]{16}$/)
    const module = expected(id, { name: 'Data-base_2', provider: 'cloud2' })
    expect([reply.status, reply.body]).toEqual([201, module])
    expect((await api.get(module.data.links.self)).body).toEqual(module)
  })

  test('a public module has a namespace of its own', async () => {
    const { platform: api } = await platform()
    const input = {
      name: 'vpc',
      provider: 'cloud1',
      'registry-name': 'public',
      namespace: 'others',
      'no-code': true,
    }
    const reply = await api.post(list, body(input))
    const { id } = reply.body.data
    expect([reply.status, reply.body]).toEqual([201, expected(id, input)])
  })

  test.each([
    [
      {},
      [
        ['name', "Name can't be blank"],
        ['provider', "Provider can't be blank"],
      ],
    ],
    [{ name: 'a' }, [['provider', "Provider can't be blank"]]],
    [{ name: '-a', provider: 'p' }, [['name', 'Name is invalid']]],
    [{ name: 'a_', provider: 'p' }, [['name', 'Name is invalid']]],
    [{ name: 'a.b', provider: 'p' }, [['name', 'Name is invalid']]],
    [{ name: 'a'.repeat(65), provider: 'p' }, [['name', 'Name is invalid']]],
    [{ name: 'a', provider: 'P' }, [['provider', 'Provider is invalid']]],
    [{ name: 'a', provider: 'p-q' }, [['provider', 'Provider is invalid']]],
    [{ name: 'network', provider: 'cloud1' }, [['name', 'Name has already been taken']]],
    [
      { name: 'a', provider: 'p', 'registry-name': 'other' },
      [['registry-name', 'Registry name is not included in the list']],
    ],
    [
      { name: 'a', provider: 'p', 'registry-name': 'public' },
      [['namespace', "Namespace can't be blank"]],
    ],
    [
      { name: 'a', provider: 'p', 'registry-name': 'public', namespace: 'a b' },
      [['namespace', 'Namespace is invalid']],
    ],
    [{ name: 'a', provider: 'p', namespace: 'others' }, [['namespace', 'Namespace is invalid']]],
    [{ name: 1, provider: 'p' }, [['name', 'Name must be a string']]],
    [{ name: 'a', provider: 'p', 'no-code': 'y' }, [['no-code', 'No code must be true or false']]],
  ] as const)('422 for %j, and nothing is stored', async (attributes, faults) => {
    const { platform: api } = await platform()
    const reply = await api.post(list, body(attributes))
    expect([reply.status, reply.body]).toEqual([422, invalid(...faults)])
    expect(await names(api)).toEqual(['network/cloud1'])
  })

  test('the longest name has 64 characters, and other providers are other modules', async () => {
    const { platform: api } = await platform()
    for (const attributes of [
      { name: 'a'.repeat(64), provider: 'p' },
      { name: 'network', provider: 'cloud2' },
      { name: 'a', provider: 'p', 'registry-name': 'private', namespace: 'example-org' },
    ]) {
      expect((await api.post(list, body(attributes))).status).toBe(201)
    }
  })
})

describe.each([
  ['/organizations/:org/registry-modules/vcs', `${list}/vcs`, {}],
  ['deprecated /registry-modules', 'registry-modules', { 'organization-name': 'example-org' }],
] as const)(`${section}; behaviour/platform#api-versioning: POST %s`, (_name, path, more) => {
  // choice/platform#module-vcs-connection
  test('name and provider come from the repository, and the module is set up at once', async () => {
    const { platform: api } = await platform()
    const input = { 'vcs-repo': { ...repository, branch: 'main', ...more } }
    const reply = await api.post(path, body({ ...input, 'initial-version': '1.0.0' }))
    const { id } = reply.body.data
    const module = expected(id, {
      name: 'demo',
      provider: 'random',
      status: 'setup_complete',
      'version-statuses': [{ version: '1.0.0', status: 'ok', 'commit-sha': null }],
      'publishing-mechanism': 'branch',
      'vcs-repo': {
        ...repository,
        'oauth-token-id': '',
        branch: 'main',
        tags: false,
        'github-app-installation-id': null,
        'ingress-submodules': false,
        'repository-http-url': null,
        'service-provider': null,
        'webhook-url': expect.stringMatching(
          /^http:\/\/localhost:80\/webhooks\/vcs\/[0-9a-f-]{36}$/,
        ),
        'source-directory': null,
        'tag-prefix': null,
        'tags-regex': null,
      },
    })
    expect([reply.status, reply.body]).toEqual([201, module])
    expect((await api.get(`${list}/private/example-org/demo/random`)).body).toEqual(module)
  })

  test('behaviour/platform#surroundings: vcs-repo describes its connection and keeps its input', async () => {
    const { platform: api } = await platform()
    const client = await api.post('organizations/example-org/oauth-clients', {
      data: {
        attributes: {
          'service-provider': 'github',
          'http-url': 'https://github.com/',
          'api-url': 'https://api.github.com',
        },
      },
    })
    const [token] = client.body.data.relationships['oauth-tokens'].data
    const unknown = { ...repository, 'oauth-token-id': 'ot-1', ...more }
    const refused = await api.post(path, body({ 'vcs-repo': unknown }))
    expect([refused.status, refused.body]).toEqual([404, failure(404)])
    const kept = { 'source-directory': 'src', 'tag-prefix': 'v', 'tags-regex': '^v' }
    const input = { ...repository, 'oauth-token-id': token.id, ...kept, ...more }
    const reply = await api.post(path, body({ 'vcs-repo': input }))
    expect([reply.status, reply.body.data.attributes['vcs-repo']]).toMatchObject([
      201,
      {
        ...kept,
        'repository-http-url': 'https://github.com/owner/infra-random-demo',
        'service-provider': 'github',
      },
    ])
    const changed = await api.patch(
      `${list}/private/example-org/demo/random`,
      body({ 'vcs-repo': { 'tag-prefix': 'w' } }),
    )
    expect(changed.body.data.attributes['vcs-repo']).toMatchObject({ ...kept, 'tag-prefix': 'w' })
  })

  test('initial-version defaults to 0.0.0, and without a branch tags are published', async () => {
    const { platform: api } = await platform()
    const input = { identifier: 'owner/terraform-random-long-name', ...more }
    const reply = await api.post(path, body({ 'vcs-repo': input }))
    expect([reply.status, reply.body.data.attributes]).toMatchObject([
      201,
      {
        name: 'long-name',
        provider: 'random',
        'version-statuses': [{ version: '0.0.0', status: 'ok', 'commit-sha': null }],
        'publishing-mechanism': 'git_tag',
        'vcs-repo': {
          branch: '',
          tags: true,
          'display-identifier': 'owner/terraform-random-long-name',
          'oauth-token-id': '',
        },
      },
    ])
  })

  test('explicit name and provider take precedence; members may have underscores', async () => {
    const { platform: api } = await platform()
    const input = {
      name: 'mine',
      provider: 'cloud9',
      'vcs-repo': { identifier: 'owner/whatever', display_identifier: 'Owner/W', ...more },
      'test-config': { 'tests-enabled': true },
      'no-code': true,
    }
    const reply = await api.post(path, body(input))
    expect([reply.status, reply.body.data.attributes]).toMatchObject([
      201,
      {
        name: 'mine',
        provider: 'cloud9',
        'no-code': true,
        'vcs-repo': { 'display-identifier': 'Owner/W' },
        'test-config': {
          id: expect.stringMatching(/^tc-[1-9A-HJ-NP-Za-km-z]{16}$/),
          'tests-enabled': true,
          'agent-execution-mode': 'remote',
          'agent-pool-id': null,
          'agent-pool-name': null,
        },
      },
    ])
  })

  test.each([
    ['tests-enabled', 'agent-pool-id'],
    ['tests_enabled', 'agent_pool_id'],
    ['testsEnabled', 'agentPoolId'],
    ['TestsEnabled', 'AgentPoolID'],
  ])(
    'behaviour/platform#coercion: members of nested objects may be called %s and %s',
    async (enabled, pool) => {
      const { platform: api } = await platform()
      const input = {
        'vcs-repo': { ...repository, ...more },
        'test-config': { [enabled]: true, agentExecutionMode: 'agent', [pool]: 'apool-1' },
      }
      const reply = await api.post(path, body(input))
      expect([reply.status, reply.body.data.attributes['test-config']]).toMatchObject([
        201,
        { 'tests-enabled': true, 'agent-execution-mode': 'agent', 'agent-pool-id': 'apool-1' },
      ])
    },
  )

  // choice/platform#module-nested-errors
  test.each([
    [{ 'vcs-repo': { identifier: 'owner/demo' } }, [['name', 'Name is invalid']]],
    [{ 'vcs-repo': { identifier: 'infra-random-demo' } }, [['name', 'Name is invalid']]],
    [{ 'vcs-repo': { identifier: 'owner/other-random-demo' } }, [['name', 'Name is invalid']]],
    [
      { 'vcs-repo': { identifier: 'owner/infra-Random-demo' } },
      [['provider', 'Provider is invalid']],
    ],
    [{ 'vcs-repo': { identifier: 'o/x' }, name: 'a' }, [['provider', "Provider can't be blank"]]],
    [{ 'vcs-repo': { identifier: 'o/x' }, provider: 'a' }, [['name', "Name can't be blank"]]],
    [{ 'vcs-repo': {} }, [['vcs-repo/identifier', "Identifier can't be blank"]]],
    [{ 'vcs-repo': { identifier: ' ' } }, [['vcs-repo/identifier', "Identifier can't be blank"]]],
    [{ 'vcs-repo': { identifier: 5 } }, [['vcs-repo/identifier', 'Identifier must be a string']]],
    [
      { 'vcs-repo': repository, 'initial-version': 'one' },
      [['initial-version', 'Initial version is invalid']],
    ],
    [
      { 'vcs-repo': { ...repository, branch: 'main', tags: true } },
      [['vcs-repo/branch', 'Branch must be blank']],
    ],
    [
      { 'vcs-repo': { ...repository, identifier: 'owner/infra-cloud1-network' } },
      [['name', 'Name has already been taken']],
    ],
    [
      { 'vcs-repo': repository, 'test-config': { 'agent-execution-mode': 'agent' } },
      [['test-config/agent-pool-id', "Agent pool id can't be blank"]],
    ],
    [{ 'vcs-repo': repository, 'test-config': 5 }, [['test-config', 'Test config is invalid']]],
  ] as const)('422 for %j, and nothing is stored', async (attributes, faults) => {
    const { platform: api } = await platform()
    const input = { ...attributes, 'vcs-repo': { ...attributes['vcs-repo'], ...more } }
    const reply = await api.post(path, body(input))
    expect([reply.status, reply.body]).toEqual([422, invalid(...faults)])
    expect(await names(api)).toEqual(['network/cloud1'])
  })

  test('404 for callers who do not manage modules', async () => {
    const { as, world } = await platform()
    addCallers(world)
    const input = body({ 'vcs-repo': { ...repository, ...more } })
    for (const token of ['member-token', extraTokens.developersTeam, extraTokens.outsider]) {
      const reply = await as(token).post(path, input)
      expect([reply.status, reply.body]).toEqual([404, failure(404)])
    }
  })
})

describe('behaviour/platform#api-versioning: the organization of a deprecated publication', () => {
  test('is that of the connection whose token is given', async () => {
    const { platform: api } = await platform()
    const client = await api.post('organizations/example-org/oauth-clients', {
      data: {
        attributes: {
          'service-provider': 'github',
          'http-url': 'https://h',
          'api-url': 'https://a',
        },
      },
    })
    const [token] = client.body.data.relationships['oauth-tokens'].data
    const input = { 'vcs-repo': { ...repository, 'oauth-token-id': token.id } }
    const reply = await api.post('registry-modules', body(input))
    expect([reply.status, reply.body.data.relationships.organization.data.id]).toEqual([
      201,
      'example-org',
    ])
    // The client's own id is not the id of a token.
    const wrong = { 'vcs-repo': { ...repository, 'oauth-token-id': client.body.data.id } }
    expect((await api.post('registry-modules', body(wrong))).status).toBe(404)
  })

  // choice/platform#module-deprecated-order
  test('the body is checked before the organization and the caller', async () => {
    const { platform: api, as, world } = await platform()
    addCallers(world)
    for (const client of [api, as(extraTokens.outsider)]) {
      const wrong = await client.post('registry-modules', body({}, 'teams'))
      expect([wrong.status, wrong.body]).toEqual([
        422,
        failure(422, 'type must be registry-modules'),
      ])
    }
  })

  // choice/platform#module-vcs-connection
  test('an unknown OAuth token or organization is 404', async () => {
    const { platform: api } = await platform()
    for (const more of [{}, { 'organization-name': 'unknown' }]) {
      const input = body({ 'vcs-repo': { ...repository, ...more } })
      const reply = await api.post('registry-modules', input)
      expect([reply.status, reply.body]).toEqual([404, failure(404)])
    }
  })
})

describe(`${section}: GET /organizations/:org/registry-modules`, () => {
  // choice/platform#module-version-order
  test('lists by name, filtered, in pages', async () => {
    const { platform: api } = await platform()
    for (const attributes of [
      { name: 'zone', provider: 'cloud2' },
      { name: 'alpha', provider: 'cloud1' },
      { name: 'vpc', provider: 'random', 'registry-name': 'public', namespace: 'others' },
    ]) {
      await api.post(list, body(attributes))
    }
    expect(await names(api)).toEqual([
      'alpha/cloud1',
      'network/cloud1',
      'zone/cloud2',
      'vpc/random',
    ])
    expect(await names(api, { q: 'NET' })).toEqual(['network/cloud1'])
    expect(await names(api, { q: 'other' })).toEqual(['vpc/random'])
    expect(await names(api, { q: 'cloud2' })).toEqual(['zone/cloud2'])
    expect(await names(api, { q: 'nothing' })).toEqual([])
    expect(await names(api, { 'filter[provider]': 'cloud1' })).toEqual([
      'alpha/cloud1',
      'network/cloud1',
    ])
    expect(await names(api, { 'filter[registry_name]': 'public' })).toEqual(['vpc/random'])
    expect(await names(api, { 'filter[organization_name]': 'other' })).toEqual([])
    expect(await names(api, { 'filter[organization_name]': 'example-org', q: 'zone' })).toEqual([
      'zone/cloud2',
    ])
    const page = await api.get(list, {
      query: { 'filter[provider]': 'cloud1', 'page[size]': '1', 'page[number]': '2' },
    })
    expect(page.body).toMatchObject({
      data: [{ attributes: { name: 'network' } }],
      meta: { pagination: { 'total-count': 2, 'prev-page': 1, 'next-page': null } },
    })
  })

  test('members see the list without permissions, strangers get 404', async () => {
    const { as, world } = await platform()
    addCallers(world)
    for (const token of ['member-token', extraTokens.developersTeam]) {
      const reply = await as(token).get(list)
      expect([reply.status, reply.body.data[0].attributes.permissions]).toEqual([
        200,
        { 'can-delete': false, 'can-resync': false, 'can-retry': false },
      ])
    }
    const reply = await as(extraTokens.outsider).get(list)
    expect([reply.status, reply.body]).toEqual([404, failure(404)])
  })
})

describe(`${section}: reading one module`, () => {
  test('the names of a module, the deprecated route and the id give identical replies', async () => {
    const { platform: api } = await platform()
    const reply = await api.get(network)
    const { id } = reply.body.data
    expect([reply.status, reply.body]).toEqual([
      200,
      expected(id, {
        name: 'network',
        provider: 'cloud1',
        status: 'setup_complete',
        'version-statuses': [{ version: '1.0.0', status: 'ok', 'commit-sha': null }],
      }),
    ])
    for (const path of [
      'registry-modules/show/example-org/network/cloud1',
      `registry-modules/${id}`,
    ]) {
      const other = await api.get(path)
      expect([other.status, other.body]).toEqual([200, reply.body])
    }
  })

  test.each([
    `${list}/public/example-org/network/cloud1`,
    `${list}/other/example-org/network/cloud1`,
    `${list}/private/other/network/cloud1`,
    `${list}/private/example-org/other/cloud1`,
    `${list}/private/example-org/network/cloud2`,
    `${list}/private/example-org/network`,
    'organizations/unknown/registry-modules/private/unknown/network/cloud1',
    'registry-modules/show/unknown/network/cloud1',
    'registry-modules/show/example-org/network/cloud2',
    'registry-modules/mod-NoTaReAlId',
  ])('404 for %s', async (path) => {
    const { admin } = await platform()
    const reply = await admin.get(path)
    expect([reply.status, reply.body]).toEqual([404, failure(404)])
  })

  test('all members may read, strangers get 404 on every route', async () => {
    const { as, world, platform: api } = await platform()
    addCallers(world)
    const { id } = (await api.get(network)).body.data
    const changeBodies = [
      network,
      'registry-modules/show/example-org/network/cloud1',
      `registry-modules/${id}`,
    ]
    for (const path of changeBodies) {
      for (const token of ['member-token', extraTokens.organization, 'site-admin-token']) {
        expect((await as(token).get(path)).status).toBe(200)
      }
      expect((await as(extraTokens.outsider).get(path)).status).toBe(404)
      expect((await as('unknown').get(path)).status).toBe(401)
    }
  })
})

describe(`${section}: PATCH of a module`, () => {
  // choice/platform#module-test-config-null
  test('test-config is created, merged and kept', async () => {
    const { platform: api, clock } = await platform()
    clock.advance(1_000)
    const config = async (members: object) =>
      (await api.patch(network, body({ 'test-config': members }))).body.data.attributes
    const first = await config({ 'tests-enabled': true })
    const { id } = first['test-config']
    const off = {
      id,
      'tests-enabled': true,
      'agent-execution-mode': 'remote',
      'agent-pool-id': null,
      'agent-pool-name': null,
    }
    expect(first['test-config']).toEqual(off)
    expect(first['updated-at']).toBe('2026-01-01T00:00:01.000Z')
    const agent = await config({ 'agent-execution-mode': 'agent', 'agent-pool-id': 'apool-1' })
    expect(agent['test-config']).toEqual({
      ...off,
      'agent-execution-mode': 'agent',
      'agent-pool-id': 'apool-1',
    })
    expect((await config({ 'tests-enabled': false }))['test-config']).toMatchObject({
      'tests-enabled': false,
      'agent-pool-id': 'apool-1',
    })
    // The pool is cleared along with the mode that requires it.
    expect((await config({ 'agent-execution-mode': 'remote' }))['test-config']).toEqual({
      ...off,
      'tests-enabled': false,
    })
    const untouched = await api.patch(network, body({ 'test-config': null }))
    expect(untouched.body.data.attributes['test-config']).toMatchObject({ id })
    const same = await api.patch(network, body({ 'vcs-repo': null }))
    expect([same.status, same.body]).toEqual([200, untouched.body])
  })

  test.each([
    ['PATCH', network, { 'test-config': { 'agent-execution-mode': 'agent' } }],
    ['PATCH', network, { 'vcs-repo': { branch: 'x' }, 'test-config': { 'tests-enabled': true } }],
    ['POST', `${list}/vcs`, { 'vcs-repo': { identifier: 'a/b' }, 'test-config': {} }],
  ])(
    'a rejected %s of %s leaves the world unchanged, including its next ids',
    async (...request) => {
      const { platform: api, world } = await platform()
      await api.get(network)
      const before = JSON.stringify(exportWorld(world))
      const [method, path, attributes] = request
      expect((await api.request(method, path, body(attributes))).status).toBe(422)
      expect(JSON.stringify(exportWorld(world))).toBe(before)
    },
  )

  // choice/platform#module-branch-and-tags
  test('PATCH changes the no-code setting, the branch and the tags', async () => {
    const { platform: api } = await platform()
    await api.post(`${list}/vcs`, body({ 'vcs-repo': repository }))
    const path = `${list}/private/example-org/demo/random`
    const patch = async (attributes: object) =>
      (await api.patch(path, body(attributes))).body.data.attributes
    expect(await patch({ 'no-code': true })).toMatchObject({ 'no-code': true })
    expect(await patch({ 'vcs-repo': { branch: 'main' } })).toMatchObject({
      'no-code': true,
      'publishing-mechanism': 'branch',
      'vcs-repo': { branch: 'main', tags: false, identifier: repository.identifier },
    })
    expect(await patch({})).toMatchObject({ 'vcs-repo': { branch: 'main' } })
    expect(await patch({ 'vcs-repo': { tags: true } })).toMatchObject({
      'publishing-mechanism': 'git_tag',
      'vcs-repo': { branch: '', tags: true },
    })
  })

  // choice/platform#module-branch-and-tags
  test.each([
    [
      { 'test-config': { 'agent-execution-mode': 'agent' } },
      ['test-config/agent-pool-id', "Agent pool id can't be blank"],
    ],
    [
      { 'test-config': { 'agent-pool-id': 'apool-1' } },
      ['test-config/agent-pool-id', 'Agent pool id must be blank'],
    ],
    [
      { 'test-config': { 'agent-execution-mode': 'other' } },
      ['test-config/agent-execution-mode', 'Agent execution mode is not included in the list'],
    ],
    [
      { 'test-config': { 'tests-enabled': 1 } },
      ['test-config/tests-enabled', 'Tests enabled must be true or false'],
    ],
    [{ 'test-config': [] }, ['test-config', 'Test config is invalid']],
    [{ 'vcs-repo': { branch: 'main' } }, ['vcs-repo', 'Vcs repo is invalid']],
    [{ 'vcs-repo': 'x' }, ['vcs-repo', 'Vcs repo is invalid']],
    [{ 'no-code': 0 }, ['no-code', 'No code must be true or false']],
  ] as const)('422 for %j, and nothing is stored', async (attributes, fault) => {
    const { platform: api } = await platform()
    const before = (await api.get(network)).body
    const reply = await api.patch(network, body(attributes))
    expect([reply.status, reply.body]).toEqual([422, invalid(fault)])
    expect((await api.get(network)).body).toEqual(before)
  })

  test('404 for callers who do not manage modules, until their team gets the permission', async () => {
    const { as, world, platform: api } = await platform()
    addCallers(world)
    for (const token of ['member-token', extraTokens.developersTeam, extraTokens.outsider]) {
      for (const reply of [
        await as(token).patch(network, body({})),
        await as(token).post(list, body({ name: 'a', provider: 'p' })),
      ]) {
        expect([reply.status, reply.body]).toEqual([404, failure(404)])
      }
    }
    const developers = teamNamed(world, 'example-org', 'developers')?.id
    const access = { 'organization-access': { 'manage-modules': true } }
    await api.patch(`teams/${developers}`, { data: { attributes: access } })
    for (const token of ['member-token', extraTokens.developersTeam]) {
      const reply = await as(token).patch(network, body({ 'no-code': true }))
      expect([reply.status, reply.body.data.attributes.permissions['can-delete']]).toEqual([
        200,
        true,
      ])
    }
  })
})

describe(`${section}: include=no-code-modules`, () => {
  test('no-code modules include an additional resource', async () => {
    const { platform: api } = await platform()
    const made = await api.post(list, body({ name: 'a', provider: 'p', 'no-code': true }))
    const { id } = made.body.data
    const reply = await api.get(list, { query: { include: 'no-code-modules' } })
    const more = reply.body.included[0].id
    const related = reply.body.data.map(
      (one: { relationships: Record<string, unknown> }) => one.relationships['no-code-modules'],
    )
    expect([reply.status, related, reply.body.included]).toEqual([
      200,
      [{ data: [{ id: more, type: 'no-code-modules' }] }, { data: [] }],
      [
        {
          id: more,
          type: 'no-code-modules',
          attributes: { enabled: true, 'version-pin': '' },
          relationships: {
            organization: {
              data: { id: 'example-org', type: 'organizations' },
              links: { related: '/api/v2/organizations/example-org' },
            },
            'registry-module': {
              data: { id, type: 'registry-modules' },
              links: { related: `/api/v2/registry-modules/${id}` },
            },
            'variable-options': { data: [] },
          },
          links: { self: `/api/v2/no-code-modules/${more}` },
        },
      ],
    ])
    for (const include of ['zz', 'no-code-modules,zz']) {
      const refused = await api.get(list, { query: { include } })
      expect([refused.status, refused.body]).toEqual([
        400,
        failure(400, 'Invalid include parameter'),
      ])
    }
    const plain = await api.get(list)
    expect([Object.keys(plain.body), Object.keys(plain.body.data[0].relationships)]).toEqual([
      ['data', 'links', 'meta'],
      ['organization'],
    ])
  })
})
