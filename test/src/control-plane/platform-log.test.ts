import { gzipSync } from 'node:zlib'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createUnderstudy } from '../../../src/embedding/index.ts'
import { runDocument, runsPath } from '../../support/platform/platform-tests.ts'

/** A gzip of a tar archive without files. */
const emptyArchive = gzipSync(Buffer.alloc(1024))

/** The runs of the start state's module. */
const runs = `/api/v2/${runsPath}`

describe('behaviour/program#control-plane: the log of a test run', () => {
  test.each([
    ['neutral', 'Infra '],
    ['vendor', 'Terraform '],
  ] as const)(
    'is read without a request, in the words of the %s dialect',
    async (dialect, tool) => {
      const understudy = await createUnderstudy({ dialect, clock: 'frozen@2026-01-01T00:00:00Z' })
      onTestFinished(() => understudy.close())
      const headers = {
        authorization: 'Bearer owner-token',
        'content-type': 'application/vnd.api+json',
      }
      const ask = (method: 'GET' | 'POST' | 'PUT', url: string, payload?: Buffer | string) =>
        understudy.inject({ method, url, headers, ...(payload === undefined ? {} : { payload }) })
      const version = await ask('POST', `${runs}/configuration-versions`)
      await ask('PUT', new URL(version.json().data.attributes['upload-url']).pathname, emptyArchive)
      const document = JSON.stringify(runDocument({}, version.json().data.id))
      const { id } = (await ask('POST', runs, document)).json().data
      const requests = understudy.world().requests.find({}).length
      const log = () => understudy.inject(`/_mock/platform/test-runs/${id}/log`)
      expect((await log()).body).toBe('')
      understudy.world().clock.advance('3s')
      const { statusCode, headers: received, body } = await log()
      expect([statusCode, received['content-type']]).toEqual([200, 'text/plain; charset=utf-8'])
      expect(body).toContain(`"@message":"${tool}`)
      expect(body).toContain('Success! 1 passed, 0 failed.')
      expect(understudy.world().requests.find({}).length).toBe(requests)
      expect((await understudy.inject('/_mock/platform/test-runs/other/log')).json().detail).toBe(
        'there is no test run "other"',
      )
    },
  )
})
