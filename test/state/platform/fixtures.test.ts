import { describe, expect, test } from 'vitest'
import { sharedValidator } from '../../../routes/http/declare/validate.ts'
import { runParts } from '../../../state/kernel/parts.ts'
import { exportWorld } from '../../../state/kernel/worlds/document.ts'
import {
  loadPlatformFixtures,
  type PlatformFixtures,
  platformFixtures,
} from '../../../state/platform/fixtures.ts'
import { modulesUnder } from '../../../state/platform/modules/modules.ts'
import { variablesOf } from '../../../state/platform/variables/variables.ts'
import { platform } from '../../support/platform/platform.ts'

const section = 'behaviour/platform#seeds'

const acme: PlatformFixtures = {
  users: [
    { username: 'ada', email: 'ada@acme.test', tokens: ['ada-1', 'ada-2'] },
    { username: 'root', siteAdmin: true, tokens: ['root-token'] },
    { username: 'owner', tokens: ['owner-2'] },
  ],
  organizations: [
    {
      name: 'acme',
      email: 'admin@acme.test',
      costEstimation: true,
      token: 'acme-token',
      teams: [
        { name: 'owners', members: ['ada'], token: 'acme-owners' },
        {
          name: 'ops',
          members: ['member'],
          visibility: 'organization',
          rights: ['manage-modules'],
        },
      ],
      modules: [
        {
          name: 'data',
          provider: 'cloud2',
          versions: ['1.0.0', '1.1.0'],
          testConfig: { testsEnabled: true, agentExecutionMode: 'agent', agentPoolId: 'apool-1' },
          variables: [
            { key: 'region', value: 'eu', description: 'where' },
            { key: 'password', value: 'secret', sensitive: true },
          ],
        },
        { name: 'plain', provider: 'cloud2' },
        { name: 'empty', provider: 'cloud2', versions: [] },
      ],
    },
  ],
}

describe(`${section}: fixtures of the platform`, () => {
  test('add users, organizations, teams, tokens and modules to the start state', async () => {
    const { as, admin } = await platform({ document: { platform: acme } })
    expect((await as('ada-2').get('account/details')).body.data.attributes).toMatchObject({
      username: 'ada',
      email: 'ada@acme.test',
      'is-site-admin': false,
    })
    expect((await as('root-token').get('admin/general-settings')).status).toBe(200)
    // The preset user has an additional token and is otherwise unchanged.
    expect((await as('owner-2').get('account/details')).body).toEqual(
      (await as('owner-token').get('account/details')).body,
    )
    const organizations = await admin.get('organizations')
    expect(organizations.body.data).toMatchObject([
      { id: 'acme', attributes: { email: 'admin@acme.test', 'cost-estimation-enabled': true } },
      { id: 'example-org' },
    ])
    const teams = (await as('ada-1').get('organizations/acme/teams')).body.data
    expect(teams).toMatchObject([
      {
        attributes: {
          name: 'ops',
          'users-count': 1,
          visibility: 'organization',
          'organization-access': { 'manage-modules': true, 'manage-teams': false },
        },
      },
      { attributes: { name: 'owners', 'users-count': 1 } },
    ])
    for (const token of ['acme-token', 'acme-owners']) {
      const reply = await as(token).get('account/details')
      expect(reply.body.data.attributes['is-service-account']).toBe(true)
      expect((await as(token).get('organizations/acme')).status).toBe(200)
      expect((await as(token).get('organizations/example-org')).status).toBe(404)
    }
    expect((await as('acme-owners').patch('organizations/acme', { data: {} })).status).toBe(200)
    expect((await as('owner-token').get('organizations/acme')).status).toBe(404)
  })

  test('modules have versions, test configuration and variables', async () => {
    const { as, world } = await platform({ document: { platform: acme } })
    const ada = as('ada-1')
    const modules = (await ada.get('organizations/acme/registry-modules')).body.data
    expect(modules).toMatchObject([
      {
        attributes: {
          name: 'data',
          status: 'setup_complete',
          'version-statuses': [
            { version: '1.0.0', status: 'ok' },
            { version: '1.1.0', status: 'ok' },
          ],
          'test-config': {
            'tests-enabled': true,
            'agent-execution-mode': 'agent',
            'agent-pool-id': 'apool-1',
          },
        },
      },
      { attributes: { name: 'empty', status: 'pending', 'version-statuses': [] } },
      {
        attributes: {
          name: 'plain',
          status: 'setup_complete',
          'version-statuses': [{ version: '1.0.0', status: 'ok' }],
          'test-config': null,
        },
      },
    ])
    const vars = 'organizations/acme/tests/registry-modules/private/acme/data/cloud2/vars'
    expect((await ada.get(vars)).body.data).toMatchObject([
      { attributes: { key: 'region', value: 'eu', description: 'where', sensitive: false } },
      { attributes: { key: 'password', value: null, sensitive: true } },
    ])
    const [data] = modulesUnder(world, 'acme')
    expect(variablesOf(world, data?.id ?? '').map(({ value }) => value)).toEqual(['eu', 'secret'])
  })

  test('existing objects are changed by the members in the document', async () => {
    const document: PlatformFixtures = {
      organizations: [
        {
          name: 'example-org',
          teams: [{ name: 'developers', members: ['owner', 'member'] }],
          modules: [
            { name: 'network', provider: 'cloud1', versions: ['1.0.0', '2.0.0'] },
            { name: 'network', provider: 'cloud1', testConfig: { testsEnabled: true } },
          ],
        },
      ],
    }
    const { platform: api } = await platform({ document: { platform: document } })
    const fresh = await platform()
    const path = 'organizations/example-org'
    const before = (await fresh.platform.get(path)).body.data.attributes
    expect((await api.get(path)).body.data.attributes).toEqual(before)
    const module = (await api.get(`${path}/registry-modules`)).body.data
    expect(module).toMatchObject([
      {
        attributes: {
          'version-statuses': [{ version: '1.0.0' }, { version: '2.0.0' }],
          'test-config': { 'tests-enabled': true },
        },
      },
    ])
    const teams = (await api.get(`${path}/teams`)).body.data
    expect(teams).toMatchObject([
      { attributes: { name: 'developers', 'users-count': 2 } },
      { attributes: { name: 'owners', 'users-count': 1 } },
    ])
  })

  // choice/platform#fixtures-owners
  test('an organization without owners gets the owner of the start state', async () => {
    const document: PlatformFixtures = { organizations: [{ name: 'acme' }] }
    const { platform: api } = await platform({ document: { platform: document } })
    const reply = await api.get('organizations/acme')
    expect([reply.status, reply.body.data.attributes]).toMatchObject([
      200,
      { email: 'owner@acme.example.com', permissions: { 'can-destroy': true } },
    ])
  })

  test.each([
    [
      { users: [{ username: 'a', tokens: ['owner-token'] }] },
      '/platform/users/0: the token owner-token is there already',
    ],
    [{ organizations: [{ name: 'a b' }] }, '/platform/organizations/0: Name is invalid'],
    [
      { organizations: [{ name: 'a', token: 'owner-token' }] },
      '/platform/organizations/0: the token owner-token is there already',
    ],
    [
      { organizations: [{ name: 'a', teams: [{ name: ' ' }] }] },
      '/platform/organizations/0/teams/0: Name is invalid',
    ],
    [
      { organizations: [{ name: 'a', teams: [{ name: 'b', members: ['x'] }] }] },
      '/platform/organizations/0/teams/0: user x was not found',
    ],
    [
      { organizations: [{ name: 'a', modules: [{ name: '-', provider: 'p' }] }] },
      '/platform/organizations/0/modules/0: Name is invalid',
    ],
    [
      { organizations: [{ name: 'a', modules: [{ name: 'm', provider: 'P' }] }] },
      '/platform/organizations/0/modules/0: Provider is invalid',
    ],
    [
      { organizations: [{ name: 'a', modules: [{ name: 'm', provider: 'p', versions: ['1'] }] }] },
      '/platform/organizations/0/modules/0: Version is invalid',
    ],
    [
      {
        organizations: [
          {
            name: 'a',
            modules: [
              { name: 'm', provider: 'p', testConfig: { agentExecutionMode: 'agent' } } as const,
            ],
          },
        ],
      },
      "/platform/organizations/0/modules/0: test-config/agent-pool-id can't be blank",
    ],
    [
      {
        organizations: [
          { name: 'a', modules: [{ name: 'm', provider: 'p', variables: [{ key: '1' }] }] },
        ],
      },
      '/platform/organizations/0/modules/0: key is invalid',
    ],
  ] satisfies [PlatformFixtures, string][])(
    'an error names its place in the document: %j',
    async (document, message) => {
      const { world } = await platform()
      const before = JSON.stringify(exportWorld(world))
      expect(() => world.write(() => runParts(loadPlatformFixtures(world, document)))).toThrow(
        message,
      )
      const after = exportWorld(world)
      expect(JSON.stringify({ ...after, world: null })).toBe(
        JSON.stringify({ ...JSON.parse(before), world: null }),
      )
    },
  )

  test('a version that is listed twice is added once', async () => {
    const modules = [{ name: 'data', provider: 'p', versions: ['1.0.0', '1.1.0', '1.0.0'] }]
    const { world } = await platform({
      document: { platform: { organizations: [{ name: 'acme', modules }] } },
    })
    const [module] = modulesUnder(world, 'acme')
    expect(module?.versions.map(({ version }) => version)).toEqual(['1.0.0', '1.1.0'])
  })

  test('the schemas accept the documents above and reject unknown members', () => {
    const validator = sharedValidator
    const schema = { type: 'object', additionalProperties: false, properties: platformFixtures }
    expect(validator.check(schema, acme, 'platform')).toEqual([])
    for (const wrong of [
      { users: [{}] },
      { users: [{ username: '' }] },
      { users: [{ username: 'a', token: 'x' }] },
      { users: {} },
      { organizations: [{}] },
      { organizations: [{ name: 'a', teams: [{ name: 'b', rights: ['fly'] }] }] },
      { organizations: [{ name: 'a', teams: [{ name: 'b', visibility: 'public' }] }] },
      { organizations: [{ name: 'a', modules: [{ name: 'b' }] }] },
      { organizations: [{ name: 'a', modules: [{ name: 'b', provider: 'p', versions: [1] }] }] },
      { other: [] },
    ]) {
      expect(validator.check(schema, wrong, 'platform')).not.toEqual([])
    }
  })
})

describe('behaviour/program#fresh-world: a document of the platform', () => {
  test('export, import and export again give the same bytes', async () => {
    const { world, platform: api } = await platform({ document: { platform: acme } })
    await api.post('organizations/example-org/oauth-clients', {
      data: { attributes: { 'service-provider': 'x', 'http-url': 'y', 'api-url': 'z' } },
    })
    await api.post('organizations/example-org/authentication-token')
    const document = JSON.parse(JSON.stringify(exportWorld(world)))
    const repeated = await platform({ document })
    expect(JSON.stringify(exportWorld(repeated.world))).toBe(JSON.stringify(document))
  })
})
