import { describe, expect, test } from 'vitest'
import { configurationVersions } from '../../../../state/platform/configuration-versions/configuration-versions.ts'
import { testRuns } from '../../../../state/platform/test-runs/test-runs.ts'
import { variables } from '../../../../state/platform/variables/variables.ts'
import { type PlatformClient, platform, testsOfModule } from '../../../support/platform/platform.ts'
import { addCallers, extraTokens } from '../../../support/platform/platform-callers.ts'
import { failure, invalid } from '../../../support/platform/platform-errors.ts'

const section = 'behaviour/platform#surroundings'
const list = 'organizations/example-org/registry-modules'
const named = `${list}/private/example-org`

function body(attributes: object, type = 'registry-module-versions') {
  return { data: { type, attributes } }
}

/** Adds a module without a repository. */
async function addModule(api: PlatformClient, name = 'data', provider = 'cloud1') {
  const reply = await api.post(list, { data: { attributes: { name, provider } } })
  expect(reply.status).toBe(201)
  return reply.body.data
}

async function statusesOf(api: PlatformClient, path: string) {
  const { attributes } = (await api.get(path)).body.data
  return [attributes.status, attributes['version-statuses']]
}

/** Returns the path of a link in the form that the test client takes. */
function pathOf(link: string): string {
  return new URL(link).pathname
}

describe.each([
  ['new', `${named}/data/cloud1/versions`],
  ['deprecated', 'registry-modules/example-org/data/cloud1/versions'],
] as const)(
  `${section}; behaviour/platform#api-versioning: the %s way to add a version`,
  (_way, path) => {
    test('201 with a link for the archive; its upload completes version and module', async () => {
      const { platform: api, clock } = await platform()
      const module = await addModule(api)
      clock.advance(1_000)
      const reply = await api.post(path, body({ version: '1.2.3' }))
      const { id, links } = reply.body.data
      expect([reply.status, reply.body]).toEqual([
        201,
        {
          data: {
            id: expect.stringMatching(/^modver-[1-9A-HJ-NP-Za-km-z]{16}$/),
            type: 'registry-module-versions',
            attributes: {
              source: 'ent-api',
              status: 'pending',
              version: '1.2.3',
              'commit-sha': null,
              'created-at': '2026-01-01T00:00:01.000Z',
              'updated-at': '2026-01-01T00:00:01.000Z',
            },
            relationships: {
              'registry-module': { data: { id: module.id, type: 'registry-modules' } },
            },
            links: {
              upload: expect.stringMatching(
                /^http:\/\/localhost:80\/v1\/object\/[1-9A-HJ-NP-Za-km-z]{48}$/,
              ),
            },
          },
        },
      ])
      expect(id).toBeTruthy()
      expect(await statusesOf(api, module.links.self)).toEqual([
        'pending',
        [{ version: '1.2.3', status: 'pending', 'commit-sha': null }],
      ])

      const put = await api.request('PUT', pathOf(links.upload), Buffer.from('archive'), {
        token: null,
        headers: { 'content-type': 'application/octet-stream' },
      })
      expect([put.status, put.text]).toEqual([200, ''])
      expect(await statusesOf(api, module.links.self)).toEqual([
        'setup_complete',
        [{ version: '1.2.3', status: 'ok', 'commit-sha': null }],
      ])
    })

    test.each([
      [{}, "Version can't be blank"],
      [{ version: '' }, "Version can't be blank"],
      [{ version: null }, "Version can't be blank"],
      [{ version: '1' }, 'Version is invalid'],
      [{ version: '1.2' }, 'Version is invalid'],
      [{ version: 'v1.2.3' }, 'Version is invalid'],
      [{ version: '01.2.3' }, 'Version is invalid'],
      [{ version: '1.2.3-' }, 'Version is invalid'],
      [{ version: '1.0.0' }, 'Version has already been taken'],
      [{ version: 1 }, 'Version must be a string'],
    ])('422 for %j, and nothing is stored', async (attributes, detail) => {
      const { platform: api } = await platform()
      const { links } = await addModule(api)
      await api.post(path, body({ version: '1.0.0' }))
      const before = await statusesOf(api, links.self)
      const reply = await api.post(path, body(attributes))
      expect([reply.status, reply.body]).toEqual([422, invalid(['version', detail])])
      expect(await statusesOf(api, links.self)).toEqual(before)
    })

    test.each(['0.0.0', '10.20.30', '1.0.0-alpha.1', '1.0.0+build.5', '1.0.0-rc.1+x-y'])(
      '%s is a valid version',
      async (version) => {
        const { platform: api } = await platform()
        await addModule(api)
        expect((await api.post(path, body({ version }))).status).toBe(201)
      },
    )

    test('the wrong type is 422', async () => {
      const { platform: api } = await platform()
      await addModule(api)
      const reply = await api.post(path, body({ version: '1.0.0' }, 'registry-modules'))
      expect([reply.status, reply.body]).toEqual([
        422,
        failure(422, 'type must be registry-module-versions'),
      ])
    })

    test('404 for unknown modules and for callers who do not manage them', async () => {
      const { platform: api, as, world } = await platform()
      addCallers(world)
      expect((await api.post(path, body({ version: '1.0.0' }))).status).toBe(404)
      await addModule(api)
      for (const token of ['member-token', extraTokens.developersTeam, extraTokens.outsider]) {
        const reply = await as(token).post(path, body({ version: '1.0.0' }))
        expect([reply.status, reply.body]).toEqual([404, failure(404)])
      }
      for (const [index, token] of ['site-admin-token', extraTokens.ownersTeam].entries()) {
        const reply = await as(token).post(path, body({ version: `1.0.${index}` }))
        expect(reply.status).toBe(201)
      }
    })
  },
)

describe(`${section}: the upload address of a version's archive`, () => {
  async function pendingVersion() {
    const server = await platform()
    const { links } = await addModule(server.platform)
    const path = `${named}/data/cloud1/versions`
    const { data } = (await server.platform.post(path, body({ version: '1.0.0' }))).body
    const upload = pathOf(data.links.upload)
    const put = () => server.platform.request('PUT', upload, Buffer.from('x'), { token: null })
    return { ...server, self: links.self, upload, put }
  }

  test('behaviour/platform#surroundings: a second archive is 200 and changes nothing about version and module', async () => {
    const { put, platform: api, self } = await pendingVersion()
    expect((await put()).status).toBe(200)
    const before = await api.get(self)
    const second = await put()
    expect([second.status, second.text]).toEqual([200, ''])
    expect((await api.get(self)).body).toEqual(before.body)
  })

  // choice/platform#module-archive
  test('the address replies with 403 after 25 hours', async () => {
    const { put, clock, platform: api, self } = await pendingVersion()
    clock.advance(25 * 3_600_000)
    const late = await put()
    expect([late.status, late.body]).toEqual([
      403,
      { errors: [{ status: '403', title: 'forbidden' }] },
    ])
    expect((await statusesOf(api, self))[0]).toBe('pending')
  })

  // choice/platform#module-archive
  test('an empty archive also makes the version ok', async () => {
    const { upload, platform: api, self } = await pendingVersion()
    expect((await api.request('PUT', upload, '', { token: null })).status).toBe(200)
    expect(await statusesOf(api, self)).toEqual([
      'setup_complete',
      [{ version: '1.0.0', status: 'ok', 'commit-sha': null }],
    ])
  })

  test('just before 25 hours an archive is accepted', async () => {
    const { put, clock } = await pendingVersion()
    clock.advance(25 * 3_600_000 - 1)
    expect((await put()).status).toBe(200)
  })

  test('the address is deleted along with its version, and cannot be read', async () => {
    const { put, upload, platform: api } = await pendingVersion()
    expect((await api.get(upload, { token: null })).status).toBe(404)
    await api.delete(`${named}/data/cloud1/1.0.0`)
    const missing = await put()
    expect([missing.status, missing.body]).toEqual([404, failure(404)])
  })

  test('the address is where the option uploadUrl says', async () => {
    const { platform: api } = await platform({ options: { uploadUrl: 'https://store.test/' } })
    await addModule(api)
    const reply = await api.post(`${named}/data/cloud1/versions`, body({ version: '1.0.0' }))
    expect(reply.body.data.links.upload).toMatch(/^https:\/\/store\.test\/v1\/object\/\w{48}$/)
  })

  test('behaviour/platform#vendor-names: the source in vendor words', async () => {
    const { platform: api } = await platform({ dialect: 'vendor' })
    await addModule(api)
    const reply = await api.post(`${named}/data/cloud1/versions`, body({ version: '1.0.0' }))
    expect(reply.body.data.attributes.source).toBe('tfe-api')
  })
})

describe(`${section}: modules that accept versions`, () => {
  // choice/platform#module-version-order
  test('versions are listed in creation order, whatever their numbers', async () => {
    const { platform: api } = await platform()
    await addModule(api)
    const versions = ['2.0.0', '1.0.0', '10.0.0']
    for (const version of versions) {
      await api.post(`${named}/data/cloud1/versions`, body({ version }))
    }
    const [, statuses] = await statusesOf(api, `${named}/data/cloud1`)
    expect(statuses.map((one: { version: string }) => one.version)).toEqual(versions)
  })

  // choice/platform#module-version-own
  test('behaviour/platform#module-versions: modules from tags of a repository do not (404), nor do public modules (403)', async () => {
    const { platform: api } = await platform()
    await api.post(`${list}/vcs`, {
      data: { attributes: { 'vcs-repo': { identifier: 'owner/infra-random-demo' } } },
    })
    await api.post(list, {
      data: {
        attributes: { name: 'vpc', provider: 'p', 'registry-name': 'public', namespace: 'others' },
      },
    })
    for (const [path, status] of [
      [`${named}/demo/random/versions`, 404],
      [`${list}/public/others/vpc/p/versions`, 403],
    ] as const) {
      const reply = await api.post(path, body({ version: '2.0.0' }))
      expect([reply.status, reply.body]).toEqual([status, failure(status)])
    }
  })

  test('behaviour/platform#module-versions: a module from a branch publishes versions at once, with their commits', async () => {
    const { platform: api } = await platform()
    await api.post(`${list}/vcs`, {
      data: {
        attributes: { 'vcs-repo': { identifier: 'owner/infra-random-demo', branch: 'main' } },
      },
    })
    const path = `${named}/demo/random/versions`
    const made = await api.post(path, body({ version: '2.0.0', 'commit-sha': 'abc123' }))
    expect([made.status, made.body.data.attributes, made.body.data.links]).toMatchObject([
      201,
      { version: '2.0.0', status: 'ok', 'commit-sha': 'abc123', branch: 'main' },
      {},
    ])
    const missing = await api.post(path, body({}))
    expect(missing.status).toBe(422)
    const { attributes } = (await api.get(`${named}/demo/random`)).body.data
    expect(attributes['version-statuses']).toEqual([
      { version: '0.0.0', status: 'ok', 'commit-sha': null },
      { version: '2.0.0', status: 'ok', 'commit-sha': 'abc123' },
    ])
  })
})

describe.each([
  ['DELETE', named],
  ['POST', 'registry-modules/actions/delete/example-org'],
] as const)(`${section}; behaviour/platform#api-versioning: deleting by %s`, (method, prefix) => {
  async function withModules() {
    const server = await platform()
    const { platform: api } = server
    await addModule(api, 'data', 'cloud1')
    await addModule(api, 'data', 'cloud2')
    for (const version of ['1.0.0', '2.0.0']) {
      await api.post(`${named}/data/cloud1/versions`, body({ version }))
    }
    const remove = (path: string) => api.request(method, `${prefix}/${path}`)
    const left = async () =>
      (await api.get(list)).body.data.map(
        ({ attributes }: { attributes: Record<string, string> }) =>
          `${attributes['name']}/${attributes['provider']}`,
      )
    return { ...server, remove, left }
  }

  test('deleting the last version also deletes the module', async () => {
    const { platform: api, remove, left } = await withModules()
    const first = await remove('data/cloud1/1.0.0')
    expect([first.status, first.text]).toEqual([204, ''])
    expect(await statusesOf(api, `${named}/data/cloud1`)).toEqual([
      'pending',
      [{ version: '2.0.0', status: 'pending', 'commit-sha': null }],
    ])
    const repeated = await remove('data/cloud1/1.0.0')
    expect([repeated.status, repeated.body]).toEqual([404, failure(404)])
    expect((await remove('data/cloud1/2.0.0')).status).toBe(204)
    expect(await left()).toEqual(['data/cloud2', 'network/cloud1'])
  })

  test('deleting a provider also deletes all of its versions', async () => {
    const { remove, left } = await withModules()
    expect((await remove('data/cloud1')).status).toBe(204)
    expect(await left()).toEqual(['data/cloud2', 'network/cloud1'])
    expect((await remove('data/cloud1')).status).toBe(404)
  })

  test('deleting a module also deletes all providers, runs and variables', async () => {
    const { platform: api, remove, left, world } = await withModules()
    const variable = { data: { attributes: { key: 'a', category: 'env' } } }
    await api.post(`${testsOfModule}/vars`, variable)
    await api.post(`${testsOfModule}/test-runs/configuration-versions`)
    expect((await api.post(`${testsOfModule}/test-runs`, { data: {} })).status).toBe(201)
    const { id } = (await api.get(`${named}/network/cloud1`)).body.data
    expect((await remove('network')).status).toBe(204)
    expect(await left()).toEqual(['data/cloud1', 'data/cloud2'])
    expect((await api.get(`registry-modules/${id}`)).status).toBe(404)
    for (const table of [variables, testRuns, configurationVersions]) {
      expect(world.table<object, never>(table).size).toBe(0)
    }
    expect((await remove('data')).status).toBe(204)
    expect(await left()).toEqual([])
    expect((await remove('data')).status).toBe(404)
  })

  test('404 for unknown modules and for callers who do not manage modules', async () => {
    const { as, world, remove, left } = await withModules()
    addCallers(world)
    for (const path of ['other', 'data/other', 'data/cloud1/9.9.9']) {
      const reply = await remove(path)
      expect([reply.status, reply.body]).toEqual([404, failure(404)])
    }
    for (const token of [
      'member-token',
      extraTokens.developersTeam,
      extraTokens.organization,
      extraTokens.outsider,
    ]) {
      for (const path of ['data', 'data/cloud1', 'data/cloud1/1.0.0']) {
        const reply = await as(token).request(method, `${prefix}/${path}`)
        expect([reply.status, reply.body]).toEqual([404, failure(404)])
      }
    }
    expect(await left()).toHaveLength(3)
    expect((await as(extraTokens.ownersTeam).request(method, `${prefix}/data`)).status).toBe(204)
  })
})

describe(`${section}: deleting a public module`, () => {
  // choice/platform#module-version-own
  test('a public module can only be deleted for all providers at once', async () => {
    const { platform: api } = await platform()
    const attributes = {
      name: 'vpc',
      provider: 'p',
      'registry-name': 'public',
      namespace: 'others',
    }
    await api.post(list, { data: { attributes } })
    const path = `${list}/public/others/vpc`
    expect((await api.delete(`${path}/p`)).status).toBe(404)
    expect((await api.delete(`${path}/p/1.0.0`)).status).toBe(404)
    expect((await api.delete(path)).status).toBe(204)
    expect((await api.get(`${path}/p`)).status).toBe(404)
  })
})

describe(`${section}: the deprecated delete route`, () => {
  test('finds private and public modules with a name', async () => {
    const { platform: api } = await platform()
    const publicOne = { 'registry-name': 'public', namespace: 'others', provider: 'p' }
    for (const attributes of [
      { name: 'vpc', provider: 'p' },
      { name: 'vpc', ...publicOne },
      { name: 'net', ...publicOne },
    ]) {
      expect((await api.post(list, { data: { attributes } })).status).toBe(201)
    }
    const remove = (path: string) => api.post(`registry-modules/actions/delete/example-org/${path}`)
    expect((await remove('net/p')).status).toBe(204)
    expect((await remove('vpc')).status).toBe(204)
    const left = (await api.get(list)).body.data
    expect(left.map((one: { attributes: { name: string } }) => one.attributes.name)).toEqual([
      'network',
    ])
    expect((await remove('vpc')).status).toBe(404)
  })
})

describe(`${section}: GET .../:provider/version`, () => {
  const path = `${named}/data/cloud1/version`

  test('the version has its upload address, even after the upload', async () => {
    const { platform: api } = await platform()
    await addModule(api)
    const made = await api.post(`${named}/data/cloud1/versions`, body({ version: '1.0.0' }))
    const query = { module_version: '1.0.0' }
    const reply = await api.get(path, { query })
    expect([reply.status, reply.body]).toEqual([200, made.body])
    const upload = pathOf(made.body.data.links.upload)
    await api.request('PUT', upload, Buffer.from('x'), { token: null })
    const later = await api.get(path, { query })
    expect(later.body.data).toMatchObject({
      attributes: { status: 'ok' },
      links: made.body.data.links,
    })
  })

  test('a version that accepts no upload has no address', async () => {
    const { platform: api } = await platform()
    const query = { module_version: '1.0.0' }
    const reply = await api.get(`${named}/network/cloud1/version`, { query })
    expect([reply.status, reply.body.data.links]).toEqual([200, {}])
  })

  test('404 for unknown and missing versions, and for callers who do not manage modules', async () => {
    const { platform: api, as } = await platform()
    const network = `${named}/network/cloud1/version`
    for (const reply of [
      await api.get(network, { query: { module_version: '9.9.9' } }),
      await api.get(network),
      await as('member-token').get(network, { query: { module_version: '1.0.0' } }),
    ]) {
      expect([reply.status, reply.body]).toEqual([404, failure(404)])
    }
  })
})
