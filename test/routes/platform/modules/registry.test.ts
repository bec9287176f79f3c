import { gunzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { readTar } from '../../../../state/kernel/archives/tar-reader.ts'
import { compareVersions } from '../../../../state/platform/modules/published.ts'
import { archiveOf } from '../../../support/platform/archives.ts'
import {
  type PlatformClient,
  type PlatformSettings,
  platform,
} from '../../../support/platform/platform.ts'
import { addCallers, extraTokens } from '../../../support/platform/platform-callers.ts'
import { localPart, upload } from '../../../support/platform/platform-tests.ts'

const section = 'behaviour/platform#beyond'
const registry = '/api/registry/v1/modules/example-org'
const list = 'organizations/example-org/registry-modules'

const bytes = archiveOf({ 'main.tf': 'x' })

async function addVersion(api: PlatformClient, version: string, arrives = true) {
  const path = `${list}/private/example-org/data/cloud1/versions`
  const { body } = await api.post(path, { data: { attributes: { version } } })
  if (arrives) await upload(api, body.data.links.upload, bytes)
}

/** Returns a server with a module that has four versions, one of them without an archive. */
async function withModule(settings: PlatformSettings = {}) {
  const mock = await platform(settings)
  await mock.platform.post(list, { data: { attributes: { name: 'data', provider: 'cloud1' } } })
  for (const version of ['1.2.0', '1.10.0', '1.10.0-beta']) await addVersion(mock.platform, version)
  await addVersion(mock.platform, '2.0.0', false)
  return mock
}

describe(`${section}: the registry protocol`, () => {
  test('versions: the published ones, newest first', async () => {
    const { platform: api } = await withModule()
    const reply = await api.get(`${registry}/data/cloud1/versions`)
    const root = { providers: [], dependencies: [] }
    const more = { root, submodules: [], deprecation: null }
    expect([reply.status, reply.headers['content-type'], reply.body]).toEqual([
      200,
      'application/json; charset=utf-8',
      {
        modules: [
          {
            source: 'example-org/data/cloud1',
            versions: ['1.10.0', '1.10.0-beta', '1.2.0'].map((version) => ({ version, ...more })),
          },
        ],
      },
    ])
  })

  // choice/platform#registry-protocol-address
  test.each([
    ['neutral', 'x-infra-get'],
    ['vendor', 'x-terraform-get'],
  ] as const)(
    'download, %s: 204 with the address in %s, HEAD and GET of it',
    async (dialect, name) => {
      const { platform: api, app } = await withModule({ dialect })
      const reply = await api.get(`${registry}/data/cloud1/1.2.0/download`)
      expect([reply.status, reply.text]).toEqual([204, ''])
      expect(reply.headers['x-ratelimit-limit']).toBeUndefined()
      const address = String(reply.headers[name])
      expect(address).toMatch(/^http:\/\/localhost:80\/v1\/object\/\w{48}\?archive=tar\.gz$/)
      const repeated = await api.get(`${registry}/data/cloud1/1.2.0/download`)
      expect(repeated.headers[name]).toBe(address)
      const url = localPart(address)
      const head = await app.inject({ method: 'HEAD', url })
      expect([head.statusCode, head.headers['content-length'], head.payload]).toEqual([
        200,
        String(bytes.length),
        '',
      ])
      const content = await app.inject({ method: 'GET', url })
      expect(content.headers['content-type']).toBe('application/octet-stream')
      expect(content.rawPayload.equals(bytes)).toBe(true)
      await api.delete(`${list}/private/example-org/data/cloud1/1.2.0`)
      expect((await app.inject({ method: 'GET', url })).statusCode).toBe(404)
    },
  )

  test('a version without an upload is an archive with an empty main.tf', async () => {
    const { platform: api, app } = await withModule()
    const reply = await api.get(`${registry}/network/cloud1/1.0.0/download`)
    const url = localPart(String(reply.headers['x-infra-get']))
    const content = await app.inject({ method: 'GET', url })
    const archive = readTar(gunzipSync(content.rawPayload))
    expect([...(archive?.files ?? [])]).toEqual([['main.tf', Buffer.alloc(0)]])
  })

  test('a download without a version is a redirect (302) to the newest version', async () => {
    const { platform: api } = await withModule()
    const reply = await api.get(`${registry}/data/cloud1/download`)
    expect([reply.status, reply.headers['location']]).toEqual([
      302,
      `http://localhost:80${registry}/data/cloud1/1.10.0/download`,
    ])
  })

  test('a module is read at its newest or at a given version', async () => {
    const { platform: api } = await withModule()
    const newest = await api.get(`${registry}/data/cloud1`)
    expect([newest.status, newest.body]).toEqual([
      200,
      {
        id: 'example-org/data/cloud1/1.10.0',
        owner: '',
        namespace: 'example-org',
        name: 'data',
        version: '1.10.0',
        provider: 'cloud1',
        provider_logo_url: '',
        description: '',
        source: '',
        tag: '',
        published_at: '2026-01-01T00:00:00.000Z',
        downloads: 0,
        verified: false,
        root: {
          path: '',
          name: 'data',
          readme: '',
          empty: false,
          inputs: [],
          outputs: [],
          dependencies: [],
          provider_dependencies: [],
          resources: [],
        },
        submodules: [],
        examples: [],
        providers: ['cloud1'],
        versions: ['1.10.0', '1.10.0-beta', '1.2.0'],
      },
    ])
    expect((await api.get(`${registry}/data/cloud1/1.2.0`)).body.version).toBe('1.2.0')
  })

  test('lists: the modules of an organization, those of a name, and a search', async () => {
    const { platform: api } = await withModule()
    for (const [name, provider] of [
      ['data', 'cloud2'],
      ['other', 'cloud2'],
      ['pending', 'cloud2'],
    ] as const) {
      await api.post(list, { data: { attributes: { name, provider } } })
      if (name === 'pending') continue
      const path = `${list}/private/example-org/${name}/${provider}/versions`
      const made = await api.post(path, { data: { attributes: { version: '1.0.0' } } })
      await upload(api, made.body.data.links.upload, bytes)
    }
    const idsIn = async (path: string) => {
      const { body } = await api.get(`/api/registry/v1/modules/${path}`)
      return [
        body.modules.map(({ id }: { id: string }) => id.replace('example-org/', '')),
        body.meta,
      ]
    }
    const meta = { limit: 15, current_offset: 0 }
    const data = ['data/cloud1/1.10.0', 'data/cloud2/1.0.0']
    const all = [...data, 'network/cloud1/1.0.0', 'other/cloud2/1.0.0']
    const own = await idsIn('example-org')
    expect(own[0].filter((id: string) => !id.startsWith('network'))).toEqual(
      all.filter((id) => !id.startsWith('network')),
    )
    expect(own[1]).toEqual(meta)
    expect(await idsIn('example-org/data')).toEqual([data, meta])
    expect(await idsIn('example-org?provider=cloud2')).toEqual([[data[1], all[3]], meta])
    expect(await idsIn('search?q=DAT')).toEqual([data, meta])
    expect(await idsIn('search?q=dat&namespace=elsewhere')).toEqual([[], meta])
    const path = '/api/registry/v1/modules/example-org/data'
    expect(await idsIn('example-org/data?limit=1')).toEqual([
      [data[0]],
      { limit: 1, current_offset: 0, next_offset: 1, next_url: `${path}?limit=1&offset=1` },
    ])
    expect(await idsIn('example-org/data?limit=1&offset=1')).toEqual([
      [data[1]],
      { limit: 1, current_offset: 1, prev_offset: 0, prev_url: `${path}?limit=1&offset=0` },
    ])
    expect((await idsIn('example-org?limit=101'))[1]).toMatchObject({ limit: 100 })
    expect((await idsIn('example-org?limit=0&offset=x'))[1]).toMatchObject(meta)
  })

  test('a search needs a text, and finds nothing of organizations of others', async () => {
    const { platform: api, as, world } = await withModule()
    addCallers(world)
    const path = '/api/registry/v1/modules/search'
    for (const query of [{}, { q: '' }]) {
      const reply = await api.get(path, { query })
      expect([reply.status, reply.body]).toEqual([400, { errors: ['bad request'] }])
    }
    const stranger = as(extraTokens.outsider)
    expect((await stranger.get(path, { query: { q: 'data' } })).body.modules).toEqual([])
    expect((await stranger.get(registry)).status).toBe(404)
    expect((await stranger.get(`${registry}/data`)).status).toBe(404)
  })

  test('members of the organization only, others get 404; without a token 401', async () => {
    const { as, world } = await withModule()
    addCallers(world)
    const path = `${registry}/data/cloud1/versions`
    for (const token of ['member-token', 'site-admin-token', extraTokens.organization]) {
      expect((await as(token).get(path)).status).toBe(200)
    }
    const stranger = await as(extraTokens.outsider).get(path)
    expect([stranger.status, stranger.body]).toEqual([404, { errors: ['not found'] }])
    for (const token of ['wrong', null]) {
      const reply = await as('').get(path, { token })
      expect([reply.status, reply.body]).toEqual([401, { errors: ['unauthorized'] }])
    }
  })

  test.each([
    'unknown/cloud1/versions',
    'data/cloud2/versions',
    'data/cloud1/2.0.0/download',
    'data/cloud1/9.9.9/download',
    'data/cloud1/9.9.9',
    'pending/cloud1/versions',
    'pending/cloud1',
    'data/cloud1/1.2.0/other',
    'pending',
    'dat',
  ])('404 for %s', async (path) => {
    const { platform: api } = await withModule()
    await api.post(list, { data: { attributes: { name: 'pending', provider: 'cloud1' } } })
    const reply = await api.get(`${registry}/${path}`)
    expect([reply.status, reply.body]).toEqual([404, { errors: ['not found'] }])
  })

  test('versions are sorted by the precedence of semantic versions', () => {
    const rising =
      '1.0.0-alpha 1.0.0-alpha.1 1.0.0-alpha.beta 1.0.0-beta 1.0.0-beta.2 1.0.0-beta.11 1.0.0-rc.1 1.0.0 1.0.1 1.2.0 1.10.0'.split(
        ' ',
      )
    expect([...rising].reverse().sort(compareVersions)).toEqual(rising)
    expect(compareVersions('1.0.0+a', '1.0.0+b')).toBe(0)
  })
})
