import { describe, expect, onTestFinished, test } from 'vitest'
import { meshApi } from '../../../routes/mesh/index.ts'
import { buildApp } from '../../../src/server/app.ts'
import { Worlds } from '../../../state/kernel/worlds/worlds.ts'
import { meshService } from '../../../state/mesh/service.ts'
import { WireClient } from '../wire-client.ts'

async function served() {
  const worlds = new Worlds({ services: [meshService], seed: 'test' })
  const api = meshApi({ dialect: 'neutral', isDedicated: true })
  const app = buildApp({ worlds, apis: [api], log: false, receiveTimeout: 100 })
  onTestFinished(async () => {
    worlds.close()
    await app.close()
  })
  const { port } = new URL(await app.listen({ port: 0, host: '127.0.0.1' }))
  return { app, open: () => WireClient.open({ port: Number(port) }) }
}

describe('behaviour/program#receiving: incomplete requests', () => {
  test('a stalled body or head gets 408, and a blocking read does not', async () => {
    const { app, open } = await served()
    const reader = await open()
    await reader.send('GET /v1/kv/a?index=1&wait=60s HTTP/1.1\r\nHost: localhost\r\n\r\n')
    for (const begun of [
      'PUT /v1/kv/b HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n\r\nab',
      'GET /v1/kv/b HTTP/1.1\r\nHost: loc',
    ]) {
      const staller = await open()
      await staller.send(begun)
      expect(await staller.rest()).toMatch(/^HTTP\/1\.1 408 Request Timeout\r\n/)
    }
    await app.inject({ method: 'PUT', url: '/v1/kv/a', payload: 'x' })
    expect((await reader.answer()).status).toBe(200)
  })

  test('the default time limits are five minutes for a request and one minute for its head', () => {
    const worlds = new Worlds({ services: [meshService] })
    const apis = [meshApi({ dialect: 'neutral', isDedicated: true })]
    const { server } = buildApp({ worlds, apis, log: false })
    expect([server.requestTimeout, server.headersTimeout]).toEqual([300_000, 60_000])
    worlds.close()
  })
})
