import { describe, expect, onTestFinished, test } from 'vitest'
import { isForeignPage } from '../../../routes/http/web-pages.ts'
import { createUnderstudy } from '../../../src/embedding/index.ts'

const job = JSON.stringify({ Job: { ID: 'a', Name: 'a', Type: 'batch', Datacenters: ['dc1'] } })

describe('behaviour/program#web-pages: pages of other origins', () => {
  test.each([
    [undefined, 'localhost:4646', false],
    ['http://localhost:3000', 'localhost:4646', false],
    ['https://app.localhost', 'localhost:4646', false],
    ['http://127.0.0.1:8080', '10.0.0.2:4646', false],
    ['http://[::1]:1', 'localhost', false],
    ['http://nomad:4646', 'nomad:4646', false],
    ['http://10.0.0.2:4646', '10.0.0.2:4646', false],
    ['https://ci.example', 'localhost:4646', false],
    ['http://nomad:4647', 'nomad:4646', true],
    ['http://rebound.example:4646', 'rebound.example:4646', true],
    ['https://evil.example', 'localhost:4646', true],
    ['http://localhost.evil.example', 'localhost:4646', true],
    ['http://127.evil.example', 'localhost:4646', true],
    ['null', 'localhost:4646', true],
    ['file://', 'localhost:4646', true],
  ])('a page of %s that calls %s: foreign is %s', (origin, host, foreign) => {
    const headers = { host, ...(origin === undefined ? {} : { origin }) }
    expect(isForeignPage({ headers }, ['https://ci.example'])).toBe(foreign)
    expect(isForeignPage({ headers }, ['*'])).toBe(false)
  })

  test('foreign pages cannot register jobs or write namespaces while ACLs are off; with ACLs on, tokens decide', async () => {
    const running = await createUnderstudy({ seed: 'test' })
    onTestFinished(() => running.close())
    const ask = async (method: 'POST' | 'PUT', url: string, payload: string, origin: string) => {
      const reply = await running.inject({ method, url, payload, headers: { origin } })
      return [reply.statusCode, reply.statusCode === 200 ? '' : reply.body]
    }
    const text = (origin: string) =>
      `Requests of web pages from "${origin}" are refused while ACLs are off`
    const evil = 'https://evil.example'
    expect(await ask('POST', '/v1/jobs', job, evil)).toEqual([403, text(evil)])
    expect(await ask('PUT', '/v1/namespace', '{"Name":"a"}', 'null')).toEqual([403, text('null')])
    expect(running.world().scheduler.jobs()).toEqual([])
    const page = 'http://localhost:5173'
    expect(await ask('PUT', '/v1/namespace', '{"Name":"a"}', page)).toEqual([200, ''])
    running.world().changeOptions({
      mesh: { allowedOrigins: [evil] },
      scheduler: { aclEnabled: true },
    })
    expect(await ask('PUT', '/v1/namespace', '{"Name":"b"}', evil)).toEqual([200, ''])
    expect((await running.inject({ url: '/v1/jobs', headers: { origin: evil } })).statusCode).toBe(
      403,
    )
    const token = { 'x-sched-token': 'scheduler-management-token' }
    const reply = await running.inject({ url: '/v1/jobs', headers: { origin: evil, ...token } })
    expect([reply.statusCode, reply.json()]).toEqual([200, []])
  })
})
