import { expect, onTestFinished, test } from 'vitest'
import { createUnderstudy } from '../../../src/embedding/index.ts'

const hosts = ['localhost:99999', '[::1', '1.2.3.999', 'a b']

test.each(hosts)('the sent address is shown for the host %j', async (host) => {
  const understudy = await createUnderstudy()
  onTestFinished(() => understudy.close())
  const headers = { host, 'x-secrets-token': 'root' }
  const health = await understudy.inject({ url: '/v1/sys/leader', headers })
  expect([health.statusCode, JSON.parse(health.body).leader_address]).toEqual([
    200,
    expect.stringContaining('localhost'),
  ])
  const payload = { role: 'dev', tenancy: 'x' }
  for (const url of ['/v1/auth/cloud/login/dev', '/_mock/cloud/login']) {
    const reply = await understudy.inject({ method: 'POST', url, headers, payload })
    expect(reply.statusCode).toBeLessThan(500)
  }
  expect((await understudy.inject({ url: '/_mock/env', headers })).statusCode).toBeLessThan(500)
})
