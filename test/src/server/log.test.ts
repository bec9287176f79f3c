import Fastify from 'fastify'
import { describe, expect, test } from 'vitest'
import type { Config } from '../../../src/cli/config.ts'
import { logOptions } from '../../../src/server/log.ts'

type Settings = Pick<Config, 'logLevel' | 'logFormat'>

/** Returns the log of one request with a token in every possible place. */
async function logged(settings: Settings): Promise<string> {
  const lines: string[] = []
  const logger = await logOptions(settings, { write: (line) => void lines.push(line) })
  const app = Fastify({ logger })
  app.post('/v1/thing', async (request) => {
    request.log.warn({ headers: request.headers, body: request.body }, 'as a whole')
    return {}
  })
  await app.inject({
    method: 'POST',
    url: '/v1/thing?token=top-1&dc=dc1',
    headers: {
      'X-Secrets-Token': 'top-2',
      'x-vault-token': 'top-3',
      authorization: 'Bearer top-4',
      'x-mesh-token': 'top-5',
      'x-consul-token': 'top-6',
      'x-sched-token': 'top-7',
      'x-nomad-token': 'top-8',
      cookie: 'session=top-9',
      'x-request-id': 'seen',
    },
    payload: { password: 'top-10' },
  })
  await app.close()
  return lines.join('')
}

describe('behaviour/program#command: --log-level and --log-format', () => {
  test.each(['json', 'pretty'] as const)(
    '%s: no token and no body is logged',
    async (logFormat) => {
      const text = await logged({ logLevel: 'trace', logFormat })
      expect(text).not.toContain('top-')
      expect(text).toContain('/v1/thing?token=[hidden]&dc=dc1')
      expect(text).toContain(
        '"x-vault-token": "[hidden]"'.replace(': ', logFormat === 'json' ? ':' : ': '),
      )
      expect(text).toContain('seen')
    },
  )

  test.each([
    ['/v1/object/top-1', '/v1/object/[hidden]'],
    ['/v1/%6fbject/top-1', '/v1/object/[hidden]'],
    ['/_world/w/v1/object/top-1?offset=1', '/_world/w/v1/object/[hidden]?offset=1'],
    ['/v1/sys/leases/renew/orch/creds/a/top-1', '/v1/sys/leases/renew/[hidden]'],
    ['/v1/sys/revoke/orch/creds/a/top-1', '/v1/sys/revoke/[hidden]'],
    ['/v1/sys/leases/lookup', '/v1/sys/leases/lookup'],
    ['/v1/auth/token/lookup/top-1', '/v1/auth/token/lookup/[hidden]'],
    ['/v1/auth/token/revoke-orphan/top-1', '/v1/auth/token/revoke-orphan/[hidden]'],
    ['/v1/auth/token/lookup-self', '/v1/auth/token/lookup-self'],
    ['/v1/kv/a?%74oken=top-1&a%zz=1', '/v1/kv/a?%74oken=[hidden]&a%zz=1'],
    ['/v1/kv/a%2Fb?TOKEN=top-1&token', '/v1/kv/a%2Fb?TOKEN=[hidden]&token'],
    ['/v1/x?lease_id=top-1', '/v1/x?lease_id=[hidden]'],
  ])('%s is logged as %s', async (url, shown) => {
    const logger = await logOptions({ logLevel: 'debug', logFormat: 'json' })
    if (logger === false) throw new Error('no logger')
    const headers = { referer: 'http://page/?token=top-2', host: 'page' }
    const request = { method: 'GET', url, host: 'a', ip: '127.0.0.1', headers }
    expect(logger.serializers.req(request)).toMatchObject({
      url: shown,
      headers: { referer: '[hidden]', host: 'page' },
    })
  })

  test('json writes one document per line', async () => {
    const lines = (await logged({ logLevel: 'info', logFormat: 'json' })).trim().split('\n')
    const messages = lines.map((line) => JSON.parse(line).msg)
    expect(messages).toEqual(['incoming request', 'as a whole', 'request completed'])
    expect(JSON.parse(lines[0] ?? '').req).toEqual({
      method: 'POST',
      url: '/v1/thing?token=[hidden]&dc=dc1',
      host: 'localhost:80',
      remoteAddress: '127.0.0.1',
    })
    expect(JSON.parse(lines[2] ?? '').res).toEqual({ statusCode: 200 })
  })

  test('pretty writes lines for people, with colours only on a terminal', async () => {
    const text = await logged({ logLevel: 'warn', logFormat: 'pretty' })
    expect(text).toMatch(/^\[\d\d:\d\d:\d\d\.\d{3}\] WARN: as a whole\n/)
    expect(text).not.toContain('\u001b')
    expect(text).not.toContain('incoming request')
  })

  test('silent creates no logger', async () => {
    expect(await logOptions({ logLevel: 'silent', logFormat: 'json' })).toBe(false)
  })
})
