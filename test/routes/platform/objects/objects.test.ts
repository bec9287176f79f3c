import { gunzipSync, gzipSync } from 'node:zlib'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createUnderstudy } from '../../../../src/embedding/understudy.ts'
import { type EntryOptions, tarEnd, tarEntry } from '../../../support/platform/archives.ts'
import { type PlatformClient, platform } from '../../../support/platform/platform.ts'
import {
  createRun,
  createVersion,
  localPart,
  notAllowed,
  notFound,
  runsPath,
  upload,
  uploadedVersion,
} from '../../../support/platform/platform-tests.ts'

const hour = 60 * 60 * 1000
const forbidden = { errors: [{ status: '403', title: 'forbidden' }] }
const tooLarge = { errors: [{ status: '413', title: 'payload too large' }] }

async function statusOf(client: PlatformClient, id: string) {
  return (await client.get(`configuration-versions/${id}`)).body.data.attributes.status
}

/** Returns a tar archive with one file. */
function tarOf(name: string, content: string, form: EntryOptions = {}): Buffer {
  return Buffer.concat([tarEntry(name, content, form), tarEnd])
}

describe('behaviour/platform#uploads: PUT {upload_url}/v1/object/<object_id>', () => {
  test.each([
    ['application/octet-stream'],
    ['application/json'],
    ['application/vnd.api+json'],
    ['text/plain; charset=utf-8; x=y'],
    ['no type at all'],
    [undefined],
  ])('content type %s is accepted, and the bytes are opaque', async (type) => {
    const { platform: api } = await platform()
    const { id, attributes } = await createVersion(api)
    const headers = type === undefined ? {} : { 'content-type': type }
    const reply = await upload(api, attributes['upload-url'], '{"not": JSON', headers)
    expect([reply.status, reply.text]).toEqual([200, ''])
    expect(await statusOf(api, id)).toBe('uploaded')
  })

  test('behaviour/platform#uploads: with a limit of 0 every upload is 413, even an empty one', async () => {
    const { platform: api } = await platform({ options: { maxUploadBytes: 0 } })
    const { id, attributes } = await createVersion(api)
    for (const bytes of ['', 'x']) {
      const reply = await upload(api, attributes['upload-url'], bytes)
      expect([reply.status, reply.body]).toEqual([413, tooLarge])
    }
    expect(await statusOf(api, id)).toBe('pending')
  })

  test('tokens, valid or not, are ignored', async () => {
    const { platform: api } = await platform()
    for (const token of [null, 'nonsense', 'member-token']) {
      const { attributes } = await createVersion(api)
      const path = localPart(attributes['upload-url'])
      expect((await api.request('PUT', path, 'files', { token })).status).toBe(200)
    }
  })

  test('an unknown object is 404', async () => {
    const { platform: api } = await platform()
    const reply = await upload(api, 'http://localhost/v1/object/unknown')
    expect([reply.status, reply.body]).toEqual([404, notFound])
    expect(reply.headers['content-type']).toBe('application/vnd.api+json; charset=utf-8')
  })

  // choice/platform#object-addresses
  test('the address is valid for 25 hours, then 403', async () => {
    const { platform: api, clock } = await platform()
    const [early, late] = [await createVersion(api), await createVersion(api)]
    clock.advance(25 * hour - 1)
    expect((await upload(api, early.attributes['upload-url'])).status).toBe(200)
    clock.advance(1)
    const reply = await upload(api, late.attributes['upload-url'])
    expect([reply.status, reply.body]).toEqual([403, forbidden])
    expect(await statusOf(api, late.id)).toBe('pending')
  })

  test.each([
    ['uploaded', 'uploaded'],
    ['fetching', 'uploaded'],
  ])(
    'behaviour/platform#configuration-versions: a version that is %s accepts an upload and is %s',
    async (status, after) => {
      const { platform: api, world } = await platform({
        options: { autoCreateTestRunOnUpload: false },
      })
      const { id, attributes } = await createVersion(api)
      world.transitions.get('platform.configuration-version')?.force(world, id, status, {})
      expect((await upload(api, attributes['upload-url'])).status).toBe(200)
      expect(await statusOf(api, id)).toBe(after)
    },
  )

  test.each(['errored', 'archived'])(
    'a version that is %s rejects an upload: 409',
    async (status) => {
      const { platform: api, world } = await platform({
        options: { autoCreateTestRunOnUpload: false },
      })
      const { id, attributes } = await createVersion(api)
      const kind = world.transitions.get('platform.configuration-version')
      if (status === 'archived') kind?.force(world, id, 'uploaded', {})
      kind?.force(world, id, status, {})
      expect(await statusOf(api, id)).toBe(status)
      const reply = await upload(api, attributes['upload-url'])
      expect([reply.status, reply.body]).toEqual([409, notAllowed])
      expect(await statusOf(api, id)).toBe(status)
    },
  )

  test('more than maxUploadBytes is 413 and leaves the version pending', async () => {
    const { platform: api } = await platform({ options: { maxUploadBytes: 10 } })
    const { id, attributes } = await createVersion(api)
    const reply = await upload(api, attributes['upload-url'], 'x'.repeat(11))
    expect([reply.status, reply.body]).toEqual([413, tooLarge])
    expect(await statusOf(api, id)).toBe('pending')
    expect((await upload(api, attributes['upload-url'], 'x'.repeat(10))).status).toBe(200)
    expect(await statusOf(api, id)).toBe('uploaded')
  })

  // choice/platform#upload-order-of-checks
  test('a missing object is reported first, then the expiry, the state, and the size', async () => {
    const { platform: api, clock, world } = await platform({ options: { maxUploadBytes: 10 } })
    const large = 'x'.repeat(11)
    const { id, attributes } = await createVersion(api)
    const statusNow = async (url = attributes['upload-url']) =>
      (await upload(api, url, large)).status
    expect(await statusNow('http://localhost/v1/object/unknown')).toBe(404)
    expect(await statusNow()).toBe(413)
    world.transitions.get('platform.configuration-version')?.force(world, id, 'errored', {})
    expect(await statusNow()).toBe(409)
    clock.advance(25 * hour)
    expect(await statusNow()).toBe(403)
  })

  test('bodies may exceed the body limit of the API', async () => {
    const { platform: api } = await platform()
    const { id, attributes } = await createVersion(api)
    const reply = await upload(api, attributes['upload-url'], Buffer.alloc(33 * 1024 * 1024, 1))
    expect(reply.status).toBe(200)
    expect(await statusOf(api, id)).toBe('uploaded')
  })
})

describe('behaviour/platform#uploads: validateArchives', () => {
  const tar = tarOf('main.hcl', 'content '.repeat(1_000))

  // choice/platform#upload-valid-archive
  test.each([
    ['a gzip tar', gzipSync(tar), 'uploaded'],
    ['an empty gzip tar', gzipSync(Buffer.alloc(1024)), 'uploaded'],
    ['a tar that ends without its two empty blocks', gzipSync(tar.subarray(0, -1024)), 'uploaded'],
    ['text', Buffer.from('some files'), 'errored'],
    ['a tar without gzip', tar, 'errored'],
    ['gzip of something else', gzipSync(Buffer.alloc(2_000, 'x')), 'errored'],
    ['gzip of nothing', gzipSync(Buffer.alloc(0)), 'errored'],
    ['a wrong check sum', gzipSync(tarOf('main.hcl', 'content', { checksumOffset: 1 })), 'errored'],
    ['a truncated gzip', gzipSync(tar).subarray(0, -10), 'errored'],
    ['a truncated tar', gzipSync(tar.subarray(0, 4_000)), 'errored'],
    ['a truncated header', gzipSync(tar.subarray(0, 300)), 'errored'],
    ['a large archive', gzipSync(tarOf('big', 'y'.repeat(3_000_000)), { level: 0 }), 'uploaded'],
    ['a large text', Buffer.alloc(3_000_000, 'z'), 'errored'],
  ])('%s: 200, and then the version has the status of its check', async (_what, bytes, status) => {
    const { platform: api } = await platform({ options: { validateArchives: true } })
    const { id, attributes } = await createVersion(api)
    expect((await upload(api, attributes['upload-url'], bytes)).status).toBe(200)
    expect(await statusOf(api, id)).toBe(status)
  })

  test('an archive that unpacks to more than the upload limit is invalid (behaviour/program#bounds)', async () => {
    const options = { validateArchives: true, maxUploadBytes: 1_000_000 }
    const { platform: api } = await platform({ options })
    const input = async (size: number) => {
      const { id, attributes } = await createVersion(api)
      const bytes = gzipSync(tarOf('big', 'y'.repeat(size)))
      expect(bytes.length).toBeLessThan(10_000)
      expect((await upload(api, attributes['upload-url'], bytes)).status).toBe(200)
      return statusOf(api, id)
    }
    expect([await input(900_000), await input(1_000_000)]).toEqual(['uploaded', 'errored'])
  })

  test('without the option, any content that is not empty is uploaded', async () => {
    const { platform: api } = await platform()
    expect(await statusOf(api, await uploadedVersion(api))).toBe('uploaded')
  })
})

describe('behaviour/platform#order-of-checks and behaviour/platform#configuration-versions: other requests below /v1/object', () => {
  // choice/platform#object-addresses
  test('other methods, other kinds of objects and other paths are 404', async () => {
    const { platform: api, clock } = await platform()
    const version = await createVersion(api)
    const { id } = await createRun(api)
    clock.advance(250)
    const { body } = await api.get(`${runsPath}/${id}`)
    const log = localPart(body.data.attributes['log-read-url'])
    const uploadPath = localPart(version.attributes['upload-url'])
    for (const [method, path] of [
      ['GET', uploadPath],
      ['POST', uploadPath],
      ['PATCH', uploadPath],
      ['DELETE', uploadPath],
      ['PUT', log],
      ['POST', log],
      ['DELETE', log],
      ['GET', '/v1/object'],
      ['PUT', '/v1/object'],
      ['GET', '/v1/object/'],
      ['GET', `${log}/more`],
    ] as const) {
      const reply = await api.request(method, path, method === 'GET' ? undefined : 'body')
      expect([method, path, reply.status, reply.body]).toEqual([method, path, 404, notFound])
    }
    expect((await api.request('HEAD', log)).status).toBe(404)
    expect((await api.get(`${log}/`)).status).toBe(200)
  })

  test('objects are only found in their own world', async () => {
    const { platform: api, worlds } = await platform()
    worlds.create({ id: 'mine' })
    const { attributes } = await createVersion(api)
    const path = localPart(attributes['upload-url'])
    const elsewhere = await upload(api, `http://localhost/_world/mine${path}`)
    expect([elsewhere.status, elsewhere.body]).toEqual([404, notFound])
    const nowhere = await upload(api, `http://localhost/_world/nowhere${path}`)
    expect([nowhere.status, nowhere.body]).toEqual([404, notFound])
    expect((await upload(api, attributes['upload-url'])).status).toBe(200)
  })

  // choice/platform#published-version choice/platform#object-addresses
  test('the version of the published source downloads as an empty archive', async () => {
    const { platform: api, app, clock } = await platform()
    const { relationships } = await createRun(api)
    const id = relationships['configuration-version'].data.id
    const { headers } = await api.get(`configuration-versions/${id}/download`)
    // The address never expires and may be used any number of times.
    clock.advance(1_000 * hour)
    const reply = await app.inject({ method: 'GET', url: localPart(String(headers['location'])) })
    expect(reply.statusCode).toBe(200)
    expect(reply.headers['x-ratelimit-limit']).toBeUndefined()
    expect(gunzipSync(reply.rawPayload).equals(Buffer.alloc(1024))).toBe(true)
  })
})

describe('behaviour/program#http: the shared port', () => {
  test('/v1/object belongs to the platform, for every method', async () => {
    const mock = await createUnderstudy({ seed: 'test' })
    onTestFinished(() => mock.close())
    for (const url of ['/v1/object', '/v1/object/x', '/v1/object/x/y', '/v1/object/x?list=true']) {
      for (const method of ['GET', 'PUT', 'POST', 'DELETE', 'PATCH', 'HEAD', 'OPTIONS'] as const) {
        const reply = await mock.inject({ method, url })
        expect([method, url, reply.statusCode, reply.headers['content-type']]).toEqual([
          method,
          url,
          404,
          'application/vnd.api+json; charset=utf-8',
        ])
      }
    }
    expect((await mock.inject({ method: 'GET', url: '/v1/objects' })).headers['content-type']).toBe(
      'application/json',
    )
  })
})

describe('behaviour/platform#log: methods of the object store', () => {
  test.each(['LIST', 'HELP'])('%s of a log is not treated as GET: 404', async (verb) => {
    const { app, platform: api, clock } = await platform()
    const run = await createRun(api)
    clock.advance(hour)
    const { attributes } = (await api.get(`${runsPath}/${run.id}`)).body.data
    const url = localPart(attributes['log-read-url'])
    expect((await api.get(url)).status).toBe(200)
    const reply = await app.inject({ method: verb as 'GET', validate: false, url })
    expect([reply.statusCode, reply.json()]).toEqual([404, notFound])
  })

  test('a question mark in the query of a log is an ordinary character', async () => {
    const { platform: api, clock } = await platform()
    const run = await createRun(api)
    clock.advance(hour)
    const { attributes } = (await api.get(`${runsPath}/${run.id}`)).body.data
    const reply = await api.get(`${localPart(attributes['log-read-url'])}?x=?&limit=3&offset=1`)
    expect([reply.status, reply.text]).toEqual([200, '{"@'])
  })
})
