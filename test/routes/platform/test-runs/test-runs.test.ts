import { describe, expect, test } from 'vitest'
import { userNamed } from '../../../../state/platform/accounts/users.ts'
import { newModule, putModule } from '../../../../state/platform/modules/modules.ts'
import { putOrganization } from '../../../../state/platform/organizations/organizations.ts'
import { addTeam, ownersTeam } from '../../../../state/platform/organizations/teams.ts'
import { platform, type TestPlatform, testsOfModule } from '../../../support/platform/platform.ts'
import { addCallers, extraTokens } from '../../../support/platform/platform-callers.ts'
import { failure, invalid } from '../../../support/platform/platform-errors.ts'
import {
  createRun,
  createVersion,
  invalidRun,
  notFound,
  runDocument,
  runsPath,
  unauthorized,
  uploadedVersion,
} from '../../../support/platform/platform-tests.ts'

const withoutAutoCreate = { options: { autoCreateTestRunOnUpload: false } }

/**
 * Adds a second organization with a module of the same owner, and a second module to the first
 * organization.
 */
function addModules({ world }: TestPlatform): void {
  world.write(() => {
    const owner = userNamed(world, 'owner')
    putOrganization(world, { name: 'other-org', email: 'owner@example.com' })
    addTeam(world, {
      organization: 'other-org',
      name: ownersTeam,
      members: owner === undefined ? [] : [owner.id],
    })
    for (const [organization, name] of [
      ['other-org', 'network'],
      ['example-org', 'storage'],
    ] as const) {
      const named = { organization, registry_name: 'private', namespace: organization } as const
      putModule(world, newModule(world, { ...named, name, provider: 'cloud1' }))
    }
  })
}

const testsOf = (organization: string, name: string) =>
  `organizations/${organization}/tests/registry-modules/private/${organization}/${name}/cloud1`

describe('behaviour/platform#create-test-run: create a test run', () => {
  test('a test run that is created without members replies 201 and is queued at once', async () => {
    const mock = await platform()
    const reply = await mock.platform.post(runsPath, { data: { type: 'test-runs' } })
    const { id, relationships } = reply.body.data
    const version = relationships['configuration-version'].data.id
    const user = relationships['created-by'].data.id
    expect(id).toMatch(/^trun-[1-9A-HJ-NP-Za-km-z]{16}$/)
    expect(version).toMatch(/^cv-[1-9A-HJ-NP-Za-km-z]{16}$/)
    expect(user).toBe(userNamed(mock.world, 'owner')?.id)
    expect(reply.headers['content-type']).toBe('application/vnd.api+json; charset=utf-8')
    const moduleId = reply.body.data.attributes['test-configurable-id']
    expect(moduleId).toMatch(/^mod-/)
    expect([reply.status, reply.body]).toEqual([
      201,
      {
        data: {
          id,
          type: 'test-runs',
          attributes: {
            status: 'queued',
            'status-timestamps': { 'queued-at': '2026-01-01T00:00:00+00:00' },
            'created-at': '2026-01-01T00:00:00.000Z',
            'updated-at': '2026-01-01T00:00:00.000Z',
            'test-configurable-type': 'RegistryModule',
            'test-configurable-id': moduleId,
            variables: [],
            filters: [],
            'test-directory': 'tests',
            verbose: false,
            'test-status': null,
            'tests-passed': null,
            'tests-failed': null,
            'tests-errored': null,
            'tests-skipped': null,
            source: 'ent-api',
            message: 'Queued manually via the API',
          },
          relationships: {
            'configuration-version': {
              data: { id: version, type: 'configuration-versions' },
              links: { related: `/api/v2/configuration-versions/${version}` },
            },
            'created-by': {
              data: { id: user, type: 'users' },
              links: { related: `/api/v2/users/${user}` },
            },
          },
        },
      },
    ])
  })

  // choice/platform#test-run-null-value
  test('attributes are echoed; values of variables become texts and are not checked', async () => {
    const { platform: api } = await platform()
    const { attributes } = await createRun(api, {
      verbose: true,
      'test-directory': 'checks',
      filters: ['a.test.hcl', 'b.test.hcl'],
      variables: [
        { key: 'count', value: 4 },
        { key: 'flag', value: false },
        { key: 'wait_time', value: '5s' },
        { key: 'nothing', value: null },
        { key: 'missing' },
      ],
      unknown: 'ignored',
    })
    expect(attributes).toMatchObject({
      verbose: true,
      'test-directory': 'checks',
      filters: ['a.test.hcl', 'b.test.hcl'],
      variables: [
        { key: 'count', value: '4' },
        { key: 'flag', value: 'false' },
        { key: 'wait_time', value: '5s' },
        { key: 'nothing', value: '' },
        { key: 'missing', value: '' },
      ],
    })
    expect(attributes).not.toHaveProperty('unknown')
  })

  test.each(['', '   ', null])('a blank test-directory %j is the default', async (directory) => {
    const { platform: api } = await platform()
    const { attributes } = await createRun(api, { 'test-directory': directory })
    expect(attributes['test-directory']).toBe('tests')
  })

  test('behaviour/platform#coercion: null counts as missing', async () => {
    const { platform: api } = await platform()
    const { attributes } = await createRun(api, { verbose: null, filters: null, variables: null })
    expect(attributes).toMatchObject({ verbose: false, filters: [], variables: [] })
  })

  // choice/platform#test-run-null-value
  test.each([
    ['verbose', 'yes', 'Verbose must be true or false'],
    ['verbose', 1, 'Verbose must be true or false'],
    ['test-directory', 7, 'Test directory must be a string'],
    ['filters', 'a.test.hcl', 'Filters must be an array'],
    ['filters', ['a', 1], 'Filters is invalid'],
    ['variables', {}, 'Variables is invalid'],
    ['variables', ['a'], 'Variables is invalid'],
    ['variables', [null], 'Variables is invalid'],
    ['variables', [['a']], 'Variables is invalid'],
    ['variables', [{ value: 'a' }], 'Variables is invalid'],
    ['variables', [{ key: ' ', value: 'a' }], 'Variables is invalid'],
    ['variables', [{ key: 1, value: 'a' }], 'Variables is invalid'],
    ['variables', [{ key: 'a', value: {} }], 'Variables is invalid'],
    ['parallelism', '10', 'Parallelism is not a number'],
    ['parallelism', 1.5, 'Parallelism must be an integer'],
  ])('%s %j is E422a', async (name, value, detail) => {
    const { platform: api } = await platform()
    const reply = await api.post(runsPath, runDocument({ [name]: value }))
    expect([reply.status, reply.body]).toEqual([422, invalid([name, detail])])
  })

  test('behaviour/platform#errors: one object for each invalid attribute, and no run is created', async () => {
    const { platform: api } = await platform()
    const reply = await api.post(runsPath, runDocument({ verbose: 1, variables: 1 }))
    expect([reply.status, reply.body]).toEqual([
      422,
      invalid(['verbose', 'Verbose must be true or false'], ['variables', 'Variables is invalid']),
    ])
    expect((await api.get(runsPath)).body.meta.pagination['total-count']).toBe(0)
  })

  test.each([
    ['', 'data is required'],
    ['{', 'JSON body is invalid'],
    ['[]', 'data is required'],
    [{ data: [] }, 'data is required'],
    [{ data: { attributes: [] } }, 'attributes must be an object'],
    [{ data: { type: 'vars' } }, 'type must be test-runs'],
  ])('behaviour/platform#errors: a malformed document %j is E422d', async (document, detail) => {
    const { platform: api } = await platform()
    const reply = await api.post(runsPath, document)
    expect([reply.status, reply.body]).toEqual([422, failure(422, detail)])
  })

  test('the request may name a version, even one of another module in the organization', async () => {
    const mock = await platform(withoutAutoCreate)
    addModules(mock)
    const own = await uploadedVersion(mock.platform)
    const others = await uploadedVersion(mock.platform, testsOf('example-org', 'storage'))
    for (const version of [own, others]) {
      const { relationships } = await createRun(mock.platform, {}, version)
      expect(relationships['configuration-version'].data.id).toBe(version)
    }
  })

  test('without a version, the newest uploaded version of this module is used', async () => {
    const mock = await platform(withoutAutoCreate)
    addModules(mock)
    const first = await uploadedVersion(mock.platform)
    const second = await uploadedVersion(mock.platform)
    await createVersion(mock.platform)
    await uploadedVersion(mock.platform, testsOf('example-org', 'storage'))
    const versionOfRun = async () =>
      (await createRun(mock.platform)).relationships['configuration-version'].data.id
    expect(await versionOfRun()).toBe(second)
    mock.clock.advance(10_000)
    await mock.platform.post(`configuration-versions/${second}/actions/archive`)
    expect(await versionOfRun()).toBe(first)
  })

  // choice/platform#published-version
  test('without an upload, one uploaded version represents the published source', async () => {
    const mock = await platform()
    const runs = [await createRun(mock.platform), await createRun(mock.platform)]
    const [first, second] = runs.map((run) => run.relationships['configuration-version'].data.id)
    expect(second).toBe(first)
    const { body } = await mock.platform.get(`configuration-versions/${first}`)
    expect(body.data.attributes).toMatchObject({
      status: 'uploaded',
      'status-timestamps': { 'uploaded-at': '2026-01-01T00:00:00+00:00' },
    })
    // Only uploads start runs automatically.
    expect((await mock.platform.get(runsPath)).body.meta.pagination['total-count']).toBe(2)
  })

  test('a registry-module relationship is ignored', async () => {
    const { platform: api } = await platform()
    const relationships = { 'registry-module': { data: { id: 'mod-x', type: 'registry-modules' } } }
    const reply = await api.post(runsPath, { data: { type: 'test-runs', relationships } })
    expect(reply.status).toBe(201)
  })

  test('an unknown version, or one of another organization, is 404', async () => {
    const mock = await platform(withoutAutoCreate)
    addModules(mock)
    const foreign = await uploadedVersion(mock.platform, testsOf('other-org', 'network'))
    for (const version of ['cv-unknown', foreign]) {
      const reply = await mock.platform.post(runsPath, runDocument({}, version))
      expect([reply.status, reply.body]).toEqual([404, notFound])
    }
  })

  test('a version that is not uploaded is 422', async () => {
    const mock = await platform(withoutAutoCreate)
    const { id } = await createVersion(mock.platform)
    const pending = await mock.platform.post(runsPath, runDocument({}, id))
    expect([pending.status, pending.body]).toEqual([422, invalidRun])
    const archived = await uploadedVersion(mock.platform)
    await mock.platform.post(`configuration-versions/${archived}/actions/archive`)
    const reply = await mock.platform.post(runsPath, runDocument({}, archived))
    expect([reply.status, reply.body]).toEqual([422, invalidRun])
  })

  test('requireTestsEnabled: a module whose tests are not enabled is 422', async () => {
    const mock = await platform({ options: { requireTestsEnabled: true } })
    const reply = await mock.platform.post(runsPath, runDocument())
    const detail = 'tests are not enabled for this module'
    expect([reply.status, reply.body]).toEqual([422, failure(422, detail)])
    mock.world.write(() => {
      const named = { organization: 'example-org', registry_name: 'private' } as const
      putModule(
        mock.world,
        newModule(
          mock.world,
          { ...named, namespace: 'example-org', name: 'tested', provider: 'cloud1' },
          {
            test_config: {
              id: 'tc-1',
              tests_enabled: true,
              agent_execution_mode: 'remote',
              agent_pool_id: null,
            },
          },
        ),
      )
    })
    const path = `${testsOf('example-org', 'tested')}/test-runs`
    expect((await mock.platform.post(path, runDocument())).status).toBe(201)
  })

  // choice/platform#test-run-marker-header
  test.each(['x-infra-integration', 'x-terraform-integration'])(
    'the marker header %s makes the source infra',
    async (name) => {
      const { platform: api } = await platform()
      for (const value of ['cloud', 'anything']) {
        const run = await createRun(api, {}, undefined, { headers: { [name]: value } })
        expect(run.attributes).toMatchObject({
          source: 'infra',
          message: 'Queued manually via the API',
        })
      }
    },
  )

  // choice/platform#test-run-parallelism
  test('behaviour/platform#vendor-names: vendor words, and parallelism is echoed where it was sent', async () => {
    const { platform: api } = await platform({ dialect: 'vendor' })
    const plain = await createRun(api)
    expect(plain.attributes).toMatchObject({
      source: 'tfe-api',
      message: 'Queued manually via the Terraform Enterprise API',
    })
    expect(plain.attributes).not.toHaveProperty('parallelism')
    const marked = await createRun(api, { parallelism: 10 }, undefined, {
      headers: { 'x-terraform-integration': 'cloud' },
    })
    expect(marked.attributes).toMatchObject({ source: 'terraform', parallelism: 10 })
  })

  test('neutral: parallelism is accepted but not returned', async () => {
    const { platform: api } = await platform()
    expect((await createRun(api, { parallelism: 10 })).attributes).not.toHaveProperty('parallelism')
  })

  test('behaviour/platform#media-types: strictContentType requires the media type, otherwise JSON is accepted as well', async () => {
    const headers = { 'content-type': 'application/json' }
    const lenient = await platform()
    expect((await lenient.platform.post(runsPath, runDocument(), { headers })).status).toBe(201)
    const strict = await platform({ options: { strictContentType: true } })
    const reply = await strict.platform.post(runsPath, runDocument(), { headers })
    expect([reply.status, reply.body]).toEqual([
      415,
      {
        errors: [
          {
            status: '415',
            title: 'invalid content type',
            detail: 'content-type must be application/vnd.api+json',
          },
        ],
      },
    ])
  })
})

describe('behaviour/platform#authentication and behaviour/platform#create-test-run: access, and existing resources', () => {
  /** Returns every request about test runs. */
  const calls = (run: string): readonly (readonly [string, string, object | undefined])[] => [
    ['POST', runsPath, runDocument()],
    ['GET', runsPath, undefined],
    ['GET', `${runsPath}/${run}`, undefined],
    ['POST', `${runsPath}/${run}/cancel`, undefined],
    ['POST', `${runsPath}/${run}/force-cancel`, undefined],
    ['POST', `${runsPath}/configuration-versions`, undefined],
  ]

  test('owners, the owners team token and the site admin have access', async () => {
    const { world, as } = await platform()
    addCallers(world)
    for (const token of ['owner-token', extraTokens.ownersTeam, 'site-admin-token']) {
      const run = await createRun(as(token))
      expect((await as(token).get(`${runsPath}/${run.id}`)).status).toBe(200)
      expect((await as(token).get(runsPath)).status).toBe(200)
      expect((await as(token).post(`${runsPath}/configuration-versions`)).status).toBe(201)
    }
  })

  test('members, organization tokens, other teams and strangers get 404', async () => {
    const { platform: api, world, as } = await platform()
    const { id } = await createRun(api)
    addCallers(world)
    const { organization, developersTeam, outsider } = extraTokens
    for (const token of ['member-token', organization, developersTeam, outsider]) {
      for (const [method, path, body] of calls(id)) {
        const reply = await as(token).request(method, path, body)
        expect([token, method, path, reply.status, reply.body]).toEqual([
          token,
          method,
          path,
          404,
          notFound,
        ])
      }
    }
  })

  test('every call without a valid token is 401', async () => {
    const { platform: api, world } = await platform()
    addCallers(world)
    const { id } = await createRun(api)
    for (const token of [null, 'nonsense', extraTokens.expired]) {
      for (const [method, path, body] of calls(id)) {
        const reply = await api.request(method, path, body, { token })
        expect([method, path, reply.status, reply.body]).toEqual([method, path, 401, unauthorized])
      }
    }
  })

  test.each([
    'organizations/nobody/tests/registry-modules/private/nobody/network/cloud1',
    'organizations/example-org/tests/registry-modules/private/other-org/network/cloud1',
    'organizations/example-org/tests/registry-modules/private/example-org/nothing/cloud1',
    'organizations/example-org/tests/registry-modules/private/example-org/network/cloud2',
    'organizations/example-org/tests/registry-modules/public/example-org/network/cloud1',
  ])('%s is 404, whatever the body', async (module) => {
    const { platform: api } = await platform()
    const replies = [
      await api.post(`${module}/test-runs`, '{', { headers: { 'content-type': 'text/plain' } }),
      await api.get(`${module}/test-runs`),
      await api.post(`${module}/test-runs/configuration-versions`),
    ]
    for (const reply of replies) expect([reply.status, reply.body]).toEqual([404, notFound])
  })

  // choice/platform#auto-provisioned-owner
  test('behaviour/platform#seeds: autoProvision creates organization and module on first use', async () => {
    const { platform: api, as, world } = await platform({ options: { autoProvision: true } })
    const path = `${testsOf('new-org', 'brand_new-1')}/test-runs`
    const listed = await api.get(path)
    expect([listed.status, listed.body.data]).toEqual([200, []])
    const created = await api.post(path, runDocument())
    expect(created.status).toBe(201)
    // The new organization belongs to the caller whose request created it.
    expect((await as('member-token').get(path)).status).toBe(404)
    expect((await api.get(`${testsOf('new-org', 'second')}/test-runs`)).status).toBe(200)
    const module = 'organizations/new-org/registry-modules/private/new-org/second/cloud1'
    expect((await api.get(module)).body.data.attributes['version-statuses']).toEqual([
      { version: '1.0.0', status: 'ok', 'commit-sha': null },
    ])
    // Tokens of a team or an organization have no user who could own the new one.
    addCallers(world)
    for (const token of [extraTokens.ownersTeam, extraTokens.organization]) {
      const refused = await as(token).get(`${testsOf('other-org', 'network')}/test-runs`)
      expect([refused.status, refused.body]).toEqual([404, notFound])
    }
    expect((await api.get(`${testsOf('other-org', 'network')}/test-runs`)).status).toBe(200)
  })

  test.each([
    'organizations/a.b/tests/registry-modules/private/a.b/network/cloud1',
    'organizations/new-org/tests/registry-modules/private/other/network/cloud1',
    'organizations/new-org/tests/registry-modules/private/new-org/-network/cloud1',
    'organizations/new-org/tests/registry-modules/private/new-org/network/Cloud1',
  ])('behaviour/platform#seeds: autoProvision creates nothing for %s', async (module) => {
    const { platform: api } = await platform({ options: { autoProvision: true } })
    const reply = await api.get(`${module}/test-runs`)
    expect([reply.status, reply.body]).toEqual([404, notFound])
    expect((await api.get(`${testsOf('new-org', 'network')}/test-runs`)).status).toBe(200)
  })
})

describe('behaviour/platform#list-test-runs: read and list', () => {
  test('reading returns the run as created, and include is ignored', async () => {
    const { platform: api } = await platform()
    const run = await createRun(api, { filters: ['a.test.hcl'] })
    const reply = await api.get(`${runsPath}/${run.id}`, { query: { include: 'created_by' } })
    expect([reply.status, reply.body]).toEqual([200, { data: run }])
  })

  test("an unknown id, or another module's run, is 404", async () => {
    const mock = await platform()
    addModules(mock)
    const { id } = await createRun(mock.platform)
    const otherModulePath = `${testsOf('example-org', 'storage')}/test-runs`
    for (const path of [`${runsPath}/trun-NoTaReAlId`, `${otherModulePath}/${id}`]) {
      const read = await mock.platform.get(path)
      expect([read.status, read.body]).toEqual([404, notFound])
      for (const action of ['cancel', 'force-cancel']) {
        const reply = await mock.platform.post(`${path}/${action}`)
        expect([reply.status, reply.body]).toEqual([404, notFound])
      }
    }
    expect((await mock.platform.get(otherModulePath)).body.data).toEqual([])
  })

  test('the list has full items, newest first, in pages of 20', async () => {
    const { platform: api } = await platform()
    const ids: string[] = []
    for (let count = 0; count < 23; count += 1) ids.unshift((await createRun(api)).id)
    const first = await api.get(`${runsPath}/`)
    expect(first.status).toBe(200)
    expect(first.body.data.map(({ id }: { id: string }) => id)).toEqual(ids.slice(0, 20))
    const read = await api.get(`${runsPath}/${ids[0]}`)
    expect(first.body.data[0]).toEqual(read.body.data)
    expect(first.body.meta.pagination).toEqual({
      'current-page': 1,
      'page-size': 20,
      'prev-page': null,
      'next-page': 2,
      'total-pages': 2,
      'total-count': 23,
    })
    const second = await api.get(runsPath, { query: { 'page[number]': '2', 'page[size]': '10' } })
    expect(second.body.data.map(({ id }: { id: string }) => id)).toEqual(ids.slice(10, 20))
    const pastLastPage = await api.get(runsPath, {
      query: { 'page[number]': '999', 'page[size]': '100' },
    })
    expect([
      pastLastPage.status,
      pastLastPage.body.data,
      pastLastPage.body.meta.pagination,
    ]).toEqual([
      200,
      [],
      {
        'current-page': 999,
        'page-size': 100,
        'prev-page': null,
        'next-page': null,
        'total-pages': 1,
        'total-count': 23,
      },
    ])
  })

  // choice/platform#query-repeated
  test('filter[source] is a list, any entry of which may match', async () => {
    const { platform: api } = await platform()
    const plain = await createRun(api)
    const headers = { 'x-infra-integration': 'cloud' }
    const marked = await createRun(api, {}, undefined, { headers })
    await uploadedVersion(api)
    const all = (await api.get(runsPath)).body.data.map(({ id }: { id: string }) => id)
    const automatic = all[0]
    expect(all).toEqual([automatic, marked.id, plain.id])
    const matching = async (filter: string) => {
      const { body } = await api.get(runsPath, { query: { 'filter[source]': filter } })
      return body.data.map(({ id }: { id: string }) => id)
    }
    expect(await matching('infra')).toEqual([marked.id])
    expect(await matching('ent-api')).toEqual([plain.id])
    expect(await matching('ent-configuration-version')).toEqual([automatic])
    expect(await matching('infra, ent-api')).toEqual([marked.id, plain.id])
    expect(await matching('nonsense')).toEqual([])
    expect(await matching('nonsense,infra')).toEqual([marked.id])
    expect(await matching('')).toEqual(all)
    const twice = await api.get(`${runsPath}?filter[source]=infra&filter[source]=ent-api`)
    expect(twice.body.data.map(({ id }: { id: string }) => id)).toEqual([marked.id, plain.id])
    const { body } = await api.get(runsPath, {
      query: { 'filter[source]': 'infra,ent-api', 'page[size]': '1', 'page[number]': '2' },
    })
    expect(body.data.map(({ id }: { id: string }) => id)).toEqual([plain.id])
    expect(body.meta.pagination['total-count']).toBe(2)
    expect(body.links.self).toBe(
      `http://localhost:80/api/v2/${runsPath}?filter%5Bsource%5D=infra%2Cent-api&page%5Bnumber%5D=2&page%5Bsize%5D=1`,
    )
  })

  test('behaviour/platform#vendor-names: filters accept the vendor words', async () => {
    const { platform: api } = await platform({ dialect: 'vendor' })
    const { id } = await createRun(api)
    for (const [filter, ids] of [
      ['tfe-api', [id]],
      ['terraform', []],
      ['ent-api', [id]],
    ] as const) {
      const { body } = await api.get(runsPath, { query: { 'filter[source]': filter } })
      expect(body.data.map((run: { id: string }) => run.id)).toEqual(ids)
    }
  })

  test('behaviour/platform#order-of-checks: a trailing slash never matters, a wrong method is 404', async () => {
    const { platform: api } = await platform()
    const created = await api.post(`${runsPath}/`, runDocument())
    expect(created.status).toBe(201)
    expect((await api.get(`${runsPath}/${created.body.data.id}/`)).status).toBe(200)
    for (const [method, path] of [
      ['PATCH', `${testsOfModule}/test-runs`],
      ['DELETE', `${runsPath}/${created.body.data.id}`],
      ['GET', `${runsPath}/${created.body.data.id}/cancel`],
    ] as const) {
      const reply = await api.request(method, path)
      expect([reply.status, reply.body]).toEqual([404, notFound])
    }
  })
})
