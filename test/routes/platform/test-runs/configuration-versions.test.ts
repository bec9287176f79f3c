import { describe, expect, test } from 'vitest'
import { platform, testsOfModule } from '../../../support/platform/platform.ts'
import { addCallers, extraTokens } from '../../../support/platform/platform-callers.ts'
import {
  createRun,
  createVersion,
  localPart,
  notAllowed,
  notFound,
  runsPath,
  unauthorized,
  upload,
  uploadedVersion,
} from '../../../support/platform/platform-tests.ts'

const noAuto = { options: { autoCreateTestRunOnUpload: false } }

describe('behaviour/platform#configuration-versions: create and read a configuration version', () => {
  test('201 with all attributes; only this reply contains the upload address', async () => {
    const { platform: api } = await platform()
    const reply = await api.post(`${testsOfModule}/test-runs/configuration-versions`)
    const { id, attributes } = reply.body.data
    expect(id).toMatch(/^cv-[1-9A-HJ-NP-Za-km-z]{16}$/)
    const url = attributes['upload-url']
    expect(url).toMatch(/^http:\/\/localhost:80\/v1\/object\/[1-9A-HJ-NP-Za-km-z]{48}$/)
    const shown = {
      'auto-queue-runs': true,
      error: null,
      'error-message': null,
      source: 'ent-api',
      speculative: false,
      status: 'pending',
      'status-timestamps': {},
      'changed-files': [],
      provisional: false,
    }
    const self = `/api/v2/configuration-versions/${id}`
    const rest = {
      relationships: {
        'ingress-attributes': { data: null, links: { related: `${self}/ingress-attributes` } },
      },
      links: { self },
    }
    const type = 'configuration-versions'
    expect([reply.status, reply.body]).toEqual([
      201,
      { data: { id, type, attributes: { ...shown, 'upload-url': url }, ...rest } },
    ])
    const read = await api.get(`configuration-versions/${id}`)
    expect([read.status, read.body]).toEqual([
      200,
      { data: { id, type, attributes: shown, ...rest } },
    ])
  })

  test.each(['{', '[]', '{"data":{"type":"vars"}}'])('the body %s is ignored', async (body) => {
    const { platform: api } = await platform()
    const reply = await api.post(`${testsOfModule}/test-runs/configuration-versions`, body)
    expect(reply.status).toBe(201)
  })

  test('the source is determined as for runs: infra with the marker header; vendor words', async () => {
    const path = `${testsOfModule}/test-runs/configuration-versions`
    const headers = { 'x-infra-integration': 'cloud' }
    for (const [dialect, plain, marked] of [
      ['neutral', 'ent-api', 'infra'],
      ['vendor', 'tfe-api', 'terraform'],
    ] as const) {
      const { platform: api } = await platform({ dialect })
      const sources = [await api.post(path), await api.post(path, undefined, { headers })].map(
        ({ body }) => body.data.attributes.source,
      )
      expect(sources).toEqual([plain, marked])
    }
  })

  test('addresses use the host and world of the request, or the option uploadUrl', async () => {
    const { platform: api, worlds } = await platform()
    worlds.create({ id: 'mine' })
    const path = `/api/v2/${testsOfModule}/test-runs/configuration-versions`
    const urlOf = async (url: string, headers: Readonly<Record<string, string>>) =>
      (await api.post(url, undefined, { headers })).body.data.attributes['upload-url']
    const secret = '[1-9A-HJ-NP-Za-km-z]{48}$'
    expect(await urlOf(path, { host: 'mock.test:4600' })).toMatch(
      new RegExp(`^http://mock\\.test:4600/v1/object/${secret}`),
    )
    const inWorld = await urlOf(`/_world/mine${path}`, { host: 'mock.test' })
    expect(inWorld).toMatch(new RegExp(`^http://mock\\.test/_world/mine/v1/object/${secret}`))
    expect((await upload(api, inWorld)).status).toBe(200)
    const moved = await platform({ options: { uploadUrl: 'https://objects.test/' } })
    const version = await createVersion(moved.platform)
    expect(version.attributes['upload-url']).toMatch(
      new RegExp(`^https://objects\\.test/v1/object/${secret}`),
    )
    expect((await upload(moved.platform, version.attributes['upload-url'])).status).toBe(200)
  })

  test('only owners can see a version; without a token 401', async () => {
    const { platform: api, world, as } = await platform()
    addCallers(world)
    const { id } = await createVersion(api)
    const path = `configuration-versions/${id}`
    const { organization, developersTeam, outsider, ownersTeam } = extraTokens
    for (const token of ['owner-token', 'site-admin-token', ownersTeam]) {
      expect((await as(token).get(path)).status).toBe(200)
    }
    for (const token of ['member-token', organization, developersTeam, outsider]) {
      for (const reply of [
        await as(token).get(path),
        await as(token).get(`${path}/download`),
        await as(token).post(`${path}/actions/archive`),
      ]) {
        expect([reply.status, reply.body]).toEqual([404, notFound])
      }
    }
    const reply = await api.get(path, { token: null })
    expect([reply.status, reply.body]).toEqual([401, unauthorized])
    const unknown = await api.get('configuration-versions/cv-unknown')
    expect([unknown.status, unknown.body]).toEqual([404, notFound])
  })

  test('a version has no ingress-attributes: 404', async () => {
    const { platform: api } = await platform()
    const { id } = await createVersion(api)
    const reply = await api.get(`configuration-versions/${id}/ingress-attributes`)
    expect([reply.status, reply.body]).toEqual([404, notFound])
  })
})

describe('behaviour/platform#uploads: effects of an upload', () => {
  test('the version is uploaded before PUT returns, and has a download link', async () => {
    const { platform: api, clock } = await platform(noAuto)
    const { id, attributes } = await createVersion(api)
    clock.advance(1_500)
    const reply = await upload(api, attributes['upload-url'])
    expect([reply.status, reply.text, reply.headers['content-type']]).toEqual([200, '', undefined])
    const { data } = (await api.get(`configuration-versions/${id}`)).body
    expect(data.attributes).toMatchObject({
      status: 'uploaded',
      'status-timestamps': { 'uploaded-at': '2026-01-01T00:00:01+00:00' },
      error: null,
      'error-message': null,
    })
    const self = `/api/v2/configuration-versions/${id}`
    expect(data.links).toEqual({ self, download: `${self}/download` })
  })

  test('auto-creation: one run with all defaults, on behalf of the creator of the version', async () => {
    const { admin } = await platform()
    const { id, attributes } = await createVersion(admin)
    await upload(admin, attributes['upload-url'])
    const { data } = (await admin.get(runsPath)).body
    expect(data).toHaveLength(1)
    const [run] = data
    expect(run.attributes).toMatchObject({
      status: 'queued',
      source: 'ent-configuration-version',
      message: 'Queued automatically from a configuration version',
      variables: [],
      filters: [],
      'test-directory': 'tests',
      verbose: false,
    })
    expect(run.relationships['configuration-version'].data.id).toBe(id)
    const explicit = await createRun(admin, {}, id)
    expect(run.relationships['created-by']).toEqual(explicit.relationships['created-by'])
    expect((await admin.get(runsPath)).body.meta.pagination['total-count']).toBe(2)
  })

  // choice/platform#auto-created-run-tests-enabled
  test('no run with autoCreateTestRunOnUpload off, or if tests must be enabled and are not', async () => {
    for (const options of [{ autoCreateTestRunOnUpload: false }, { requireTestsEnabled: true }]) {
      const { platform: api } = await platform({ options })
      await uploadedVersion(api)
      expect((await api.get(runsPath)).body.meta.pagination['total-count']).toBe(0)
    }
  })

  test('an empty upload makes the version errored, without a run', async () => {
    const { platform: api } = await platform()
    const { id, attributes } = await createVersion(api)
    expect((await upload(api, attributes['upload-url'], '')).status).toBe(200)
    const { data } = (await api.get(`configuration-versions/${id}`)).body
    expect(data.attributes).toMatchObject({
      status: 'errored',
      error: 'invalid_archive',
      'error-message': 'The uploaded file is not an archive that can be read.',
      'status-timestamps': { 'errored-at': '2026-01-01T00:00:00+00:00' },
    })
    expect(data.links).toEqual({ self: `/api/v2/configuration-versions/${id}` })
    expect((await api.get(runsPath)).body.meta.pagination['total-count']).toBe(0)
    const download = await api.get(`configuration-versions/${id}/download`)
    expect([download.status, download.body]).toEqual([404, notFound])
  })

  test('ingestDelay: the version is pending for a while, and accepts a second upload meanwhile', async () => {
    const { platform: api, clock } = await platform({ options: { ingestDelay: '3s' } })
    const { id, attributes } = await createVersion(api)
    await upload(api, attributes['upload-url'])
    const statusOf = async () =>
      (await api.get(`configuration-versions/${id}`)).body.data.attributes.status
    clock.advance(2_999)
    expect(await statusOf()).toBe('pending')
    const second = await upload(api, attributes['upload-url'])
    expect([second.status, second.text]).toEqual([200, ''])
    clock.advance(1)
    expect(await statusOf()).toBe('uploaded')
    expect((await api.get(runsPath)).body.meta.pagination['total-count']).toBe(1)
  })
})

describe('behaviour/platform#uploads: repeated uploads', () => {
  test('200: the bytes are replaced, status and times stay, and no second run starts', async () => {
    const { platform: api, clock } = await platform()
    const { id, attributes } = await createVersion(api)
    await upload(api, attributes['upload-url'], 'first')
    const before = (await api.get(`configuration-versions/${id}`)).body
    clock.advance(5_000)
    const repeated = await upload(api, attributes['upload-url'], 'second')
    expect([repeated.status, repeated.text]).toEqual([200, ''])
    expect((await api.get(`configuration-versions/${id}`)).body).toEqual(before)
    const found = await api.get(`configuration-versions/${id}/download`)
    const content = await api.get(localPart(String(found.headers['location'])), { token: null })
    expect(content.text).toBe('second')
    expect((await api.get(runsPath)).body.meta.pagination['total-count']).toBe(1)
  })

  test('a shorter upload fully replaces a longer one', async () => {
    const { platform: api } = await platform(noAuto)
    const { id, attributes } = await createVersion(api)
    await upload(api, attributes['upload-url'], Buffer.alloc(2_000_000, 'x'))
    await upload(api, attributes['upload-url'], 'short')
    const found = await api.get(`configuration-versions/${id}/download`)
    const content = await api.get(localPart(String(found.headers['location'])), { token: null })
    expect(content.text).toBe('short')
  })
})

describe('behaviour/platform#configuration-versions: archive and download', () => {
  test('archive: 202 without a body, and the files are gone', async () => {
    const { platform: api, clock } = await platform(noAuto)
    const id = await uploadedVersion(api)
    const found = await api.get(`configuration-versions/${id}/download`)
    clock.advance(1_000)
    const reply = await api.post(`configuration-versions/${id}/actions/archive`)
    expect([reply.status, reply.text, reply.headers['content-type']]).toEqual([202, '', undefined])
    const { data } = (await api.get(`configuration-versions/${id}`)).body
    expect(data.attributes).toMatchObject({
      status: 'archived',
      'status-timestamps': {
        'uploaded-at': '2026-01-01T00:00:00+00:00',
        'archived-at': '2026-01-01T00:00:01+00:00',
      },
    })
    expect(data.links).toEqual({ self: `/api/v2/configuration-versions/${id}` })
    for (const path of [
      `configuration-versions/${id}/download`,
      localPart(String(found.headers['location'])),
    ]) {
      const missing = await api.get(path)
      expect([missing.status, missing.body]).toEqual([404, notFound])
    }
  })

  test('archive is 409 unless the version is uploaded', async () => {
    const { platform: api } = await platform(noAuto)
    const pending = await createVersion(api)
    const archived = await uploadedVersion(api)
    await api.post(`configuration-versions/${archived}/actions/archive`)
    const errored = await createVersion(api)
    await upload(api, errored.attributes['upload-url'], '')
    for (const id of [pending.id, archived, errored.id]) {
      const reply = await api.post(`configuration-versions/${id}/actions/archive`)
      expect([reply.status, reply.body]).toEqual([409, notAllowed])
    }
  })

  test('archive is 409 while a run of the version is not over', async () => {
    const { platform: api, clock } = await platform()
    const id = await uploadedVersion(api)
    const archive = () => api.post(`configuration-versions/${id}/actions/archive`)
    const early = await archive()
    expect([early.status, early.body]).toEqual([409, notAllowed])
    clock.advance(2_249)
    expect((await archive()).status).toBe(409)
    clock.advance(1)
    expect((await archive()).status).toBe(202)
  })

  test('download: 302 to an address that returns the bytes without a token', async () => {
    const { platform: api, app } = await platform(noAuto)
    const bytes = Buffer.from(Array.from({ length: 2_000_000 }, (_, index) => index % 251))
    const { id, attributes } = await createVersion(api)
    await upload(api, attributes['upload-url'], bytes)
    const reply = await api.get(`configuration-versions/${id}/download`)
    expect([reply.status, reply.text]).toEqual([302, ''])
    const location = String(reply.headers['location'])
    expect(location).toMatch(/^http:\/\/localhost:80\/v1\/object\/[1-9A-HJ-NP-Za-km-z]{48}$/)
    expect(location).not.toBe(attributes['upload-url'])
    const content = await app.inject({ method: 'GET', url: localPart(location) })
    expect(content.statusCode).toBe(200)
    expect(content.headers).toMatchObject({
      'content-type': 'application/octet-stream',
      'content-length': '2000000',
    })
    expect(content.rawPayload.equals(bytes)).toBe(true)
  })

  test('a download without an upload is 404', async () => {
    const { platform: api } = await platform()
    const { id } = await createVersion(api)
    const reply = await api.get(`configuration-versions/${id}/download`)
    expect([reply.status, reply.body]).toEqual([404, notFound])
  })
})
