import { describe, expect, onTestFinished, test } from 'vitest'
import { renderTracePage } from '../../../routes/trace/page.ts'
import { createUnderstudy, type WorldRequest } from '../../../src/embedding/index.ts'

const template = '<script type="application/octet-stream" id="trace-data"></script>'

/** Maximum size of the page without data, in bytes. A test of the built page checks this bound. */
const pageSize = 400_000

const write = (at: number): WorldRequest => ({
  method: 'POST',
  url: `/v1/secret/data/p${at}`,
  headers: { 'x-secrets-token': 'root' },
  payload: { data: { value: `value-number-${at}` } },
})

const register = (at: number): WorldRequest => ({
  method: 'POST',
  url: '/v1/jobs',
  payload: {
    Job: {
      ID: `job${at}`,
      Name: `job${at}`,
      Datacenters: ['dc1'],
      TaskGroups: [{ Name: 'g', Count: 1, Tasks: [{ Name: 't', Driver: 'docker' }] }],
    },
  },
})

describe('behaviour/program#traces: the size of a trace', () => {
  // The size grows in proportion to the requests, so a tenth of them is enough to see.
  test.each([
    ['10,000 key-value writes', 4_000_000, 1_000, write],
    ['500 registrations of jobs', 2_000_000, 50, register],
  ] as const)('with %s is at most %i bytes', async (_, limit, count, requestAt) => {
    const understudy = await createUnderstudy()
    onTestFinished(() => understudy.close())
    understudy.traces.collector.start()
    for (let at = 0; at < count; at += 1) {
      const { statusCode } = await understudy.world().inject(requestAt(at))
      expect(statusCode).toBe(200)
    }
    const { length } = await renderTracePage(await understudy.traces.packTrace(), template)
    expect(length).toBeGreaterThan(count * 50)
    expect(length).toBeLessThan((limit - pageSize) / 10)
  })
})
