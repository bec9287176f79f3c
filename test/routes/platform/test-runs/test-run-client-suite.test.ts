import { describe, expect, test } from 'vitest'
import { platform, testsOfModule } from '../../../support/platform/platform.ts'
import {
  createVersion,
  localPart,
  notFound,
  runDocument,
  runsPath,
  upload,
} from '../../../support/platform/platform-tests.ts'

/** Options of the worlds in the vendor dialect (behaviour/platform#vendor-names). */
const options = {
  strictContentType: true,
  autoCreateTestRunOnUpload: false,
  cancelQueued: true,
  adminUnauthorized: true,
  storeHcl: true,
}

/** Returns the server of the suite, and a function that creates a run. */
async function suite() {
  const mock = await platform({ dialect: 'vendor', options })
  const { admin } = mock
  const create = async (attributes: object = {}) => {
    const version = await createVersion(admin)
    await upload(admin, version.attributes['upload-url'])
    const read = await admin.get(`configuration-versions/${version.id}`)
    expect(read.body.data.attributes.status).toBe('uploaded')
    const reply = await admin.post(runsPath, runDocument(attributes, version.id))
    expect(reply.status).toBe(201)
    return reply.body.data
  }
  return { ...mock, create }
}

describe('behaviour/platform#client-suites: the suite of test runs', () => {
  test('list: exactly the two runs; a page past the end is empty', async () => {
    const { admin, create } = await suite()
    const first = await create()
    const second = await create()
    for (let count = 0; count < 2; count += 1) {
      const { body } = await admin.get(runsPath)
      expect(body.data.map(({ id }: { id: string }) => id)).toEqual([second.id, first.id])
      expect(body.meta.pagination).toMatchObject({ 'current-page': 1, 'total-count': 2 })
    }
    const { body } = await admin.get(runsPath, {
      query: { 'page[number]': '999', 'page[size]': '100' },
    })
    expect(body.data).toEqual([])
    expect(body.meta.pagination).toMatchObject({ 'current-page': 999, 'total-count': 2 })
  })

  test('read: the run, and 404 for an invalid id', async () => {
    const { admin, create } = await suite()
    const run = await create()
    expect((await admin.get(`${runsPath}/${run.id}`)).body.data).toEqual(run)
    const reply = await admin.get(`${runsPath}/trun-NoTaReAlId`)
    expect([reply.status, reply.body]).toEqual([404, notFound])
  })

  test('test runs are created without options and with parallelism', async () => {
    const { create } = await suite()
    expect((await create()).attributes.source).toBe('tfe-api')
    expect((await create({ parallelism: 10 })).attributes.parallelism).toBe(10)
  })

  test('logs: polled until the run is finished; they contain Success!', async () => {
    const { admin, create, clock } = await suite()
    const { id } = await create()
    const read = async () => (await admin.get(`${runsPath}/${id}`)).body.data.attributes
    let polls = 0
    while ((await read()).status !== 'finished') {
      expect(polls).toBeLessThan(15)
      polls += 1
      clock.advance(1_000)
    }
    const log = localPart((await read())['log-read-url'])
    const parts: string[] = []
    for (let offset = 0; ; offset += 64) {
      const query = { limit: '64', offset: String(offset) }
      const { status, text } = await admin.get(log, { token: null, query })
      expect(status).toBe(200)
      if (text === '') break
      parts.push(text)
    }
    const text = parts.join('')
    expect(text).toContain('Success!')
    expect([text.at(0), text.at(-1)]).toEqual(['\u0002', '\u0003'])
  })

  test('cancel: immediately after the create, and 404 for an invalid id', async () => {
    const { admin, create } = await suite()
    const run = await create({ variables: [{ key: 'wait_time', value: '5s' }] })
    expect((await admin.post(`${runsPath}/${run.id}/cancel`)).status).toBe(202)
    expect((await admin.get(`${runsPath}/${run.id}`)).body.data.attributes.status).toBe('canceled')
    for (const action of ['cancel', 'force-cancel']) {
      const reply = await admin.post(`${testsOfModule}/test-runs/notreal/${action}`)
      expect([reply.status, reply.body]).toEqual([404, notFound])
    }
  })

  test('behaviour/platform#media-types: even a POST without a body requires the media type', async () => {
    const { admin, create } = await suite()
    const { id } = await create()
    const headers = { 'content-type': '' }
    for (const path of [`${runsPath}/${id}/cancel`, `${runsPath}/configuration-versions`]) {
      expect((await admin.post(path, undefined, { headers })).status).toBe(415)
    }
  })
})
