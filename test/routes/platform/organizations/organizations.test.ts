import { describe, expect, test } from 'vitest'
import { users } from '../../../../state/platform/accounts/users.ts'
import { modules } from '../../../../state/platform/modules/modules.ts'
import { organizations } from '../../../../state/platform/organizations/organizations.ts'
import { teams } from '../../../../state/platform/organizations/teams.ts'
import { storeSettings } from '../../../../state/platform/settings/settings.ts'
import { variables } from '../../../../state/platform/variables/variables.ts'
import { type PlatformClient, platform, testsOfModule } from '../../../support/platform/platform.ts'
import { addCallers, extraTokens } from '../../../support/platform/platform-callers.ts'
import { failure, invalid } from '../../../support/platform/platform-errors.ts'

const section = 'behaviour/platform#surroundings'
const permissionNames = [
  'can-update',
  'can-destroy',
  'can-create-module',
  'can-create-team',
  'can-create-workspace',
  'can-create-workspace-migration',
  'can-create-project',
  'can-create-provider',
  'can-manage-run-tasks',
  'can-read-run-tasks',
  'can-manage-users',
  'can-manage-tags',
  'can-manage-varsets',
  'can-traverse',
  'can-update-api-token',
  'can-update-oauth',
  'can-update-sentinel',
  'can-update-ssh-keys',
  'can-update-agent-pools',
  'can-deploy-no-code-modules',
  'can-manage-no-code-modules',
  'can-enable-stacks',
  'can-access-via-teams',
  'can-read-varsets',
  'can-manage-public-modules',
  'can-manage-public-providers',
]
const allPermissions = Object.fromEntries(permissionNames.map((name) => [name, true]))
/** Further attributes that callers can set, with their defaults. */
const settable = {
  'owners-team-saml-role-id': null,
  'assessments-enforced': false,
  'allow-force-delete-workspaces': false,
  'speculative-plan-management-enabled': true,
  'aggregated-commit-status-enabled': true,
  'send-passing-statuses-for-untriggered-speculative-plans': false,
  'user-tokens-enabled': true,
  'stacks-enabled': false,
  'enforce-hyok': false,
  'max-ttl-enabled': false,
}
const noPermissions = Object.fromEntries(
  Object.keys(allPermissions).map((name) => [
    name,
    name === 'can-traverse' || name === 'can-access-via-teams',
  ]),
)

function body(attributes: object, type = 'organizations') {
  return { data: { type, attributes } }
}

const acme = { name: 'acme', email: 'admin@acme.example.com' }

async function names(api: PlatformClient): Promise<string[]> {
  return (await api.get('organizations')).body.data.map(({ id }: { id: string }) => id)
}

describe(`${section}: POST /organizations`, () => {
  test('returns 201 with all attributes of the organization', async () => {
    const { admin } = await platform()
    const reply = await admin.post('organizations', body(acme))
    const externalId = reply.body.data.attributes['external-id']
    expect(externalId).toMatch(/^org-[1-9A-HJ-NP-Za-km-z]{16}$/)
    expect([reply.status, reply.body]).toEqual([
      201,
      {
        data: {
          id: 'acme',
          type: 'organizations',
          attributes: {
            ...acme,
            'external-id': externalId,
            'created-at': '2026-01-01T00:00:00.000Z',
            'session-timeout': null,
            'session-remember': null,
            'collaborator-auth-policy': 'password',
            'cost-estimation-enabled': false,
            'default-execution-mode': 'remote',
            'saml-enabled': false,
            ...settable,
            'two-factor-conformant': false,
            'is-unified': false,
            'fair-run-queuing-enabled': false,
            'remaining-testable-count': 0,
            'trial-expires-at': null,
            permissions: allPermissions,
          },
          relationships: {
            'authentication-token': {
              links: { related: '/api/v2/organizations/acme/authentication-token' },
            },
            'default-project': {
              data: {
                id: expect.stringMatching(/^prj-[1-9A-HJ-NP-Za-km-z]{16}$/),
                type: 'projects',
              },
            },
            'entitlement-set': {
              data: { id: externalId, type: 'entitlement-sets' },
              links: { related: '/api/v2/organizations/acme/entitlement-set' },
            },
            'default-agent-pool': { data: null },
            'oauth-tokens': { links: { related: '/api/v2/organizations/acme/oauth-tokens' } },
            'module-producers': {
              links: { related: '/api/v2/organizations/acme/relationships/module-producers' },
            },
            subscription: { data: null },
          },
          links: { self: '/api/v2/organizations/acme' },
        },
      },
    ])
    expect((await admin.get('organizations/acme')).body).toEqual(reply.body)
  })

  test('the creator joins the new owners team', async () => {
    const { admin } = await platform()
    await admin.post('organizations', body(acme))
    const { id } = (await admin.get('account/details')).body.data
    const teams = (await admin.get('organizations/acme/teams')).body.data
    expect(teams).toHaveLength(1)
    expect(teams[0]).toMatchObject({
      attributes: { name: 'owners', 'users-count': 1 },
      relationships: { users: { data: [{ id, type: 'users' }] } },
    })
  })

  test.each([
    [
      {},
      [
        ['name', "Name can't be blank"],
        ['email', "Email can't be blank"],
      ],
    ],
    [
      { name: ' ', email: ' ' },
      [
        ['name', "Name can't be blank"],
        ['email', "Email can't be blank"],
      ],
    ],
    [
      { name: null, email: null },
      [
        ['name', "Name can't be blank"],
        ['email', "Email can't be blank"],
      ],
    ],
    [{ ...acme, name: 'a b' }, [['name', 'Name is invalid']]],
    [{ ...acme, name: 'a.b' }, [['name', 'Name is invalid']]],
    [{ ...acme, name: 'café' }, [['name', 'Name is invalid']]],
    [{ ...acme, name: 'example-org' }, [['name', 'Name has already been taken']]],
    [{ ...acme, name: 5 }, [['name', 'Name must be a string']]],
    [{ ...acme, email: [] }, [['email', 'Email must be a string']]],
    [
      { ...acme, 'cost-estimation-enabled': 'yes' },
      [['cost-estimation-enabled', 'Cost estimation enabled must be true or false']],
    ],
    [
      { ...acme, 'session-timeout': 1.5 },
      [['session-timeout', 'Session timeout must be an integer']],
    ],
    [
      { ...acme, 'session-remember': '9' },
      [['session-remember', 'Session remember is not a number']],
    ],
    [
      { ...acme, 'collaborator-auth-policy': 'none' },
      [['collaborator-auth-policy', 'Collaborator auth policy is not included in the list']],
    ],
    [
      { ...acme, 'default-execution-mode': 'cloud' },
      [['default-execution-mode', 'Default execution mode is not included in the list']],
    ],
  ] as const)('422 for %j, and nothing is stored', async (attributes, faults) => {
    const { admin } = await platform()
    const reply = await admin.post('organizations', body(attributes))
    expect([reply.status, reply.body]).toEqual([422, invalid(...faults)])
    expect(await names(admin)).toEqual(['example-org'])
  })

  test('names may have letters, digits, hyphens and underscores', async () => {
    const { admin } = await platform()
    const reply = await admin.post('organizations', body({ ...acme, name: '_Acme-1' }))
    expect([reply.status, reply.body.data.id]).toEqual([201, '_Acme-1'])
  })

  test('404 for all but site admins if limit-user-organization-creation is on', async () => {
    const { as, world } = await platform()
    addCallers(world)
    const create = (token: string, name: string) =>
      as(token).post('organizations', body({ ...acme, name }))
    for (const token of [
      'owner-token',
      'member-token',
      ...Object.values(extraTokens).slice(0, 4),
    ]) {
      const reply = await create(token, 'acme')
      expect([reply.status, reply.body]).toEqual([404, failure(404)])
    }
    world.write(() =>
      storeSettings(world, 'general', { 'limit-user-organization-creation': false }),
    )
    const stranger = await create(extraTokens.outsider, 'mine')
    expect([stranger.status, stranger.body.data.attributes.permissions]).toEqual([
      201,
      allPermissions,
    ])
    // Tokens of a team or an organization have no user who could own the new one.
    expect((await create(extraTokens.ownersTeam, 'acme')).status).toBe(404)
    expect((await create(extraTokens.organization, 'acme')).status).toBe(404)
  })

  test('the wrong type is 422, unknown attributes are ignored', async () => {
    const { admin } = await platform()
    const wrong = await admin.post('organizations', body(acme, 'teams'))
    expect([wrong.status, wrong.body]).toEqual([422, failure(422, 'type must be organizations')])
    const reply = await admin.post('organizations', body({ ...acme, 'stacks-enabled': false }))
    expect(reply.status).toBe(201)
  })
})

describe(`${section}: GET /organizations`, () => {
  test('lists all organizations of the caller, unpaged without a page parameter', async () => {
    const { admin, platform: api } = await platform()
    for (let number = 10; number < 35; number += 1) {
      await admin.post('organizations', body({ ...acme, name: `org-${number}` }))
    }
    const all = await admin.get('organizations')
    expect(all.status).toBe(200)
    expect(Object.keys(all.body)).toEqual(['data'])
    expect(all.body.data).toHaveLength(26)
    expect(await names(api)).toEqual(['example-org'])
  })

  test('with a page parameter the list is paged, with links and meta', async () => {
    const { admin } = await platform()
    await admin.post('organizations', body(acme))
    const reply = await admin.get('organizations', { query: { 'page[size]': '1' } })
    expect(reply.body).toMatchObject({
      data: [{ id: 'acme' }],
      meta: { pagination: { 'current-page': 1, 'page-size': 1, 'next-page': 2, 'total-count': 2 } },
    })
    const next = await admin.get(reply.body.links.next.replace(/^http:\/\/[^/]+/, ''))
    expect(next.body.data).toMatchObject([{ id: 'example-org' }])
    const number = await admin.get('organizations', { query: { 'page[number]': '1' } })
    expect(number.body.meta.pagination['total-count']).toBe(2)
  })

  test('a caller without memberships gets an empty list', async () => {
    const { as, world } = await platform()
    addCallers(world)
    expect(await names(as(extraTokens.outsider))).toEqual([])
    expect(await names(as(extraTokens.organization))).toEqual(['example-org'])
    expect((await as('unknown').get('organizations')).status).toBe(401)
  })
})

describe(`${section}: GET /organizations/:org`, () => {
  test.each([
    ['owner', 'owner-token', allPermissions],
    ['site admin', 'site-admin-token', allPermissions],
    ['owners team', extraTokens.ownersTeam, allPermissions],
    ['member', 'member-token', noPermissions],
    ['other team', extraTokens.developersTeam, noPermissions],
    [
      'organization',
      extraTokens.organization,
      {
        ...allPermissions,
        'can-update': false,
        'can-destroy': false,
        'can-enable-stacks': false,
        'can-create-module': false,
        'can-manage-no-code-modules': false,
        'can-create-provider': false,
        'can-manage-public-modules': false,
        'can-manage-public-providers': false,
        'can-update-ssh-keys': false,
      },
    ],
  ])('shows the permissions of the caller: %s', async (_who, token, permissions) => {
    const { as, world } = await platform()
    addCallers(world)
    const reply = await as(token).get('organizations/example-org')
    expect([reply.status, reply.body.data.attributes.permissions]).toEqual([200, permissions])
  })

  // choice/platform#organization-permissions
  test('members of a team get the permissions of the team', async () => {
    const { as, platform: api } = await platform()
    const teams = (await api.get('organizations/example-org/teams')).body.data
    const [{ id }] = teams
    const access = { 'manage-workspaces': true, 'manage-modules': true }
    await api.patch(`teams/${id}`, { data: { attributes: { 'organization-access': access } } })
    const reply = await as('member-token').get('organizations/example-org')
    const granted = [
      'can-create-workspace',
      'can-create-workspace-migration',
      'can-manage-tags',
      'can-manage-varsets',
      'can-read-varsets',
      'can-manage-public-modules',
      'can-deploy-no-code-modules',
      'can-create-module',
      'can-manage-no-code-modules',
    ]
    expect(reply.body.data.attributes.permissions).toEqual({
      ...noPermissions,
      ...Object.fromEntries(granted.map((name) => [name, true])),
    })
  })

  test('strangers and unknown names get the same reply: 404', async () => {
    const { as, world, platform: api } = await platform()
    addCallers(world)
    for (const reply of [
      await as(extraTokens.outsider).get('organizations/example-org'),
      await api.get('organizations/unknown'),
    ]) {
      expect([reply.status, reply.body]).toEqual([404, failure(404)])
    }
  })

  test('saml-enabled is the value in the administrative settings', async () => {
    const { platform: api, world } = await platform()
    world.write(() => storeSettings(world, 'saml', { enabled: true }))
    const reply = await api.get('organizations/example-org')
    expect(reply.body.data.attributes['saml-enabled']).toBe(true)
  })

  test('GET .../stacks, which the reference client requests, is 404 (behaviour/platform#client-suites)', async () => {
    const { platform: api } = await platform()
    const reply = await api.get('organizations/example-org/stacks')
    expect([reply.status, reply.body]).toEqual([404, failure(404)])
  })
})

describe(`${section}: GET /organizations/:org/entitlement-set`, () => {
  // choice/platform#entitlements
  test('all features are available', async () => {
    const { platform: api, as } = await platform()
    const { attributes } = (await api.get('organizations/example-org')).body.data
    const id = attributes['external-id']
    const reply = await as('member-token').get('organizations/example-org/entitlement-set')
    expect([reply.status, reply.body]).toEqual([
      200,
      {
        data: {
          id,
          type: 'entitlement-sets',
          attributes: {
            agents: true,
            'audit-logging': true,
            'configuration-designer': true,
            'cost-estimation': true,
            operations: true,
            'private-module-registry': true,
            'run-tasks': true,
            sentinel: true,
            sso: true,
            'state-storage': true,
            teams: true,
            'usage-reporting': true,
            ...Object.fromEntries(
              [
                'assessments',
                'drift-detection',
                'global-run-tasks',
                'module-tests-generation',
                'no-code-modules',
                'policy-enforcement',
                'private-policy-agents',
                'private-run-tasks',
                'private-vcs',
                'self-serve-billing',
              ].map((name) => [name, true]),
            ),
            ...Object.fromEntries(
              [
                'infragraph',
                'infragraph-with-nrtu',
                'stacks',
                'waypoint-actions',
                'waypoint-templates-and-addons',
              ].map((name) => [name, false]),
            ),
            ...Object.fromEntries(
              [
                'policy-limit',
                'policy-mandatory-enforcement-limit',
                'policy-set-limit',
                'run-task-limit',
                'run-task-mandatory-enforcement-limit',
                'run-task-workspace-limit',
                'versioned-policy-set-limit',
              ].map((name) => [name, null]),
            ),
            'user-limit': null,
            'vcs-integrations': true,
          },
          links: { self: `/api/v2/entitlement-sets/${id}` },
        },
      },
    ])
  })

  test('strangers get 404, as for unknown organizations', async () => {
    const { as, world, platform: api } = await platform()
    addCallers(world)
    const path = 'organizations/example-org/entitlement-set'
    expect((await as(extraTokens.outsider).get(path)).status).toBe(404)
    expect((await api.get('organizations/unknown/entitlement-set')).status).toBe(404)
  })
})

describe(`${section}: PATCH /organizations/:org`, () => {
  test('behaviour/platform#surroundings: attributes that clients use are stored by POST and PATCH, and returned', async () => {
    const { admin } = await platform()
    const turned = {
      ...Object.fromEntries(Object.entries(settable).map(([name, value]) => [name, !value])),
      'owners-team-saml-role-id': 'role',
      'user-tokens-enabled': true,
    }
    const made = await admin.post('organizations', body({ ...acme, ...turned }))
    expect(made.body.data.attributes).toMatchObject(turned)
    const back = await admin.patch('organizations/acme', body(settable))
    expect(back.body.data.attributes).toMatchObject(settable)
    const nothing = await admin.patch('organizations/acme', body({ 'stacks-enabled': null }))
    expect(nothing.body).toEqual(back.body)
  })

  // choice/platform#organization-user-tokens
  test('behaviour/platform#surroundings: without user-tokens-enabled users get 401, teams and organizations keep access', async () => {
    const { platform: api, as, world } = await platform()
    addCallers(world)
    const path = 'organizations/example-org'
    const { id } = (await api.get(`${path}/teams`)).body.data[0]
    const off = await api.patch(path, body({ 'user-tokens-enabled': false }))
    expect([off.status, off.body.data.attributes['user-tokens-enabled']]).toEqual([200, false])
    for (const token of ['owner-token', 'site-admin-token']) {
      for (const each of [
        path,
        `${path}/teams`,
        `${path}/registry-modules`,
        `${testsOfModule}/test-runs`,
        `teams/${id}`,
      ]) {
        const reply = await as(token).get(each)
        expect([reply.status, reply.body]).toEqual([401, failure(401)])
      }
    }
    expect((await api.get('account/details')).status).toBe(200)
    expect(await names(api)).toEqual(['example-org'])
    expect((await as(extraTokens.organization).get(path)).status).toBe(200)
    const on = await as(extraTokens.ownersTeam).patch(path, body({ 'user-tokens-enabled': true }))
    expect(on.status).toBe(200)
    expect((await api.get(path)).status).toBe(200)
  })

  test('changes the given attributes and keeps the rest', async () => {
    const { platform: api } = await platform()
    const before = (await api.get('organizations/example-org')).body.data
    const changes = {
      email: 'new@example.com',
      'cost-estimation-enabled': true,
      'session-timeout': 60,
      'session-remember': 120,
      'collaborator-auth-policy': 'two_factor_mandatory',
      'default-execution-mode': 'agent',
    }
    const reply = await api.patch('organizations/example-org', body(changes))
    const expected = { ...before, attributes: { ...before.attributes, ...changes } }
    expect([reply.status, reply.body.data]).toEqual([200, expected])
    const unchanged = await api.patch('organizations/example-org', body({}))
    expect([unchanged.status, unchanged.body.data]).toEqual([200, expected])
  })

  test.each([
    [{ name: '' }, ['name', "Name can't be blank"]],
    [{ name: 'a/b' }, ['name', 'Name is invalid']],
    [{ name: 'acme' }, ['name', 'Name has already been taken']],
    [{ email: '' }, ['email', "Email can't be blank"]],
    [
      { 'collaborator-auth-policy': 'x' },
      ['collaborator-auth-policy', 'Collaborator auth policy is not included in the list'],
    ],
  ] as const)('%j is refused with 422', async (attributes, fault) => {
    const { platform: api, admin } = await platform()
    await admin.post('organizations', body(acme))
    const before = (await api.get('organizations/example-org')).body
    const reply = await api.patch('organizations/example-org', body(attributes))
    expect([reply.status, reply.body]).toEqual([422, invalid(fault)])
    expect((await api.get('organizations/example-org')).body).toEqual(before)
  })

  // choice/platform#organization-rename
  test('a new name moves everything in the organization', async () => {
    const { platform: api, as, world } = await platform()
    addCallers(world)
    const variable = { data: { type: 'vars', attributes: { key: 'a', category: 'env' } } }
    const { id } = (await api.post(`${testsOfModule}/vars`, variable)).body.data
    const module = (
      await api.get('organizations/example-org/registry-modules/private/example-org/network/cloud1')
    ).body.data
    const client = await api.post('organizations/example-org/oauth-clients', {
      data: {
        attributes: {
          'service-provider': 'github',
          'http-url': 'https://github.com',
          'api-url': 'https://api.github.com',
        },
      },
    })

    const reply = await api.patch('organizations/example-org', body({ name: 'renamed' }))
    expect([reply.status, reply.body.data.id, reply.body.data.links.self]).toEqual([
      200,
      'renamed',
      '/api/v2/organizations/renamed',
    ])
    expect((await api.get('organizations/example-org')).status).toBe(404)
    expect((await api.get('organizations/renamed/teams')).body.data).toHaveLength(2)
    expect((await as(extraTokens.organization).get('organizations/renamed')).status).toBe(200)
    expect((await as(extraTokens.ownersTeam).get('organizations/renamed')).status).toBe(200)
    const path = 'organizations/renamed/registry-modules/private/renamed/network/cloud1'
    const moved = (await api.get(path)).body.data
    expect(moved).toMatchObject({
      id: module.id,
      attributes: { namespace: 'renamed', 'version-statuses': [{ version: '1.0.0' }] },
      relationships: { organization: { data: { id: 'renamed' } } },
      links: { self: `/api/v2/${path}` },
    })
    const tests = 'organizations/renamed/tests/registry-modules/private/renamed/network/cloud1'
    expect((await api.get(`${tests}/vars/${id}`)).status).toBe(200)
    expect((await api.delete(`oauth-clients/${client.body.data.id}`)).status).toBe(204)
  })

  test('a configuration version is still found after a rename', async () => {
    const { platform: api } = await platform()
    const { id } = (await api.post(`${testsOfModule}/test-runs/configuration-versions`)).body.data
    await api.patch('organizations/example-org', body({ name: 'renamed' }))
    expect((await api.get(`configuration-versions/${id}`)).status).toBe(200)
  })

  // choice/platform#organization-rights
  test('all callers except owners and site admins get 404, even for an invalid body', async () => {
    const { as, world } = await platform()
    addCallers(world)
    for (const token of [
      'member-token',
      extraTokens.organization,
      extraTokens.developersTeam,
      extraTokens.outsider,
    ]) {
      const reply = await as(token).patch('organizations/example-org', '{')
      expect([reply.status, reply.body]).toEqual([404, failure(404)])
    }
    for (const token of ['owner-token', 'site-admin-token', extraTokens.ownersTeam]) {
      const reply = await as(token).patch('organizations/example-org', body({}))
      expect(reply.status).toBe(200)
    }
  })
})

describe(`${section}: DELETE /organizations/:org`, () => {
  // choice/platform#service-users
  test('deletes teams, tokens and modules with everything that depends on them', async () => {
    const { platform: api, as, world, admin } = await platform()
    const token = (await api.post('organizations/example-org/authentication-token')).body.data
    const [team] = (await api.get('organizations/example-org/teams')).body.data
    const variable = { data: { attributes: { key: 'a', category: 'env' } } }
    await api.post(`${testsOfModule}/vars`, variable)
    const module = (await api.get('organizations/example-org/registry-modules')).body.data[0]

    const reply = await api.delete('organizations/example-org')
    expect([reply.status, reply.text]).toEqual([204, ''])
    expect((await api.delete('organizations/example-org')).status).toBe(404)
    expect((await as(token.attributes.token).get('ping')).status).toBe(204)
    expect((await as(token.attributes.token).get('account/details')).status).toBe(401)
    expect((await admin.get(`teams/${team.id}`)).status).toBe(404)
    expect((await admin.get(`registry-modules/${module.id}`)).status).toBe(404)
    expect((await admin.get('organizations')).body).toEqual({ data: [] })
    const left = [organizations, teams, modules, variables]
    for (const table of left) expect(world.table<object, never>(table).size).toBe(0)
    // The users stay; only the service user of the organization is deleted.
    const usernames = Array.from(world.table(users).rows(), ({ username }) => username)
    expect(usernames.sort()).toEqual(['member', 'owner', 'site-admin'])
  })

  test('the name is free again, for a new organization', async () => {
    const { platform: api, admin } = await platform()
    const before = (await api.get('organizations/example-org')).body.data.attributes
    await api.delete('organizations/example-org')
    const reply = await admin.post('organizations', body({ ...acme, name: 'example-org' }))
    expect(reply.status).toBe(201)
    expect(reply.body.data.attributes['external-id']).not.toBe(before['external-id'])
    expect((await api.get('organizations/example-org')).status).toBe(404)
  })

  test('only owners and site admins are not refused with 404', async () => {
    const { as, world, admin } = await platform()
    addCallers(world)
    for (const token of [
      'member-token',
      extraTokens.organization,
      extraTokens.developersTeam,
      extraTokens.outsider,
    ]) {
      const reply = await as(token).delete('organizations/example-org')
      expect([reply.status, reply.body]).toEqual([404, failure(404)])
    }
    expect((await admin.delete('organizations/example-org')).status).toBe(204)
  })
})
