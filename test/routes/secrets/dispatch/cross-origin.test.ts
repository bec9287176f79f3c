import { describe, expect, test } from 'vitest'
import {
  type AnyRequest,
  type Reply,
  servedSecrets,
  type TestSecrets,
  type TestSettings,
} from '../../../support/secrets/secrets.ts'
import { envelope, error, noContent, statusAndBody } from '../replies.ts'

const page = 'https://app.example'
const foreign = 'https://evil.example'
const methods = 'DELETE,GET,OPTIONS,POST,PUT,LIST'

/** Starts a server that allows calls from these origins. */
async function open(origins: string, settings: TestSettings = {}): Promise<TestSecrets> {
  const server = await servedSecrets(settings)
  await server.secrets.post('sys/config/cors', {
    allowed_origins: origins,
    allowed_headers: 'X-Own',
  })
  return server
}

/** Returns the CORS headers of a reply. */
function corsHeaders({ headers }: Reply): object {
  return Object.fromEntries(
    Object.entries(headers).filter(
      ([name]) => name.startsWith('access-control-') || name === 'vary',
    ),
  )
}

const allowed = { 'access-control-allow-origin': page, vary: 'Origin' }

const preflight = (path: string, method: string, origin = page): AnyRequest => ({
  method: 'OPTIONS',
  path,
  token: null,
  headers: { origin, 'access-control-request-method': method },
})

describe('behaviour/secrets#cors: requests', () => {
  test('while it is off an origin means nothing', async () => {
    const { secrets } = await servedSecrets()
    const reply = await secrets.get('sys/health', { headers: { origin: foreign } })
    expect([reply.status, corsHeaders(reply)]).toEqual([200, {}])
    const asked = await secrets.request(preflight('sys/health', 'GET'))
    expect([statusAndBody(asked), corsHeaders(asked)]).toEqual([error(405), {}])
  })

  test('requests without an origin are unaffected', async () => {
    const { secrets } = await open(page)
    for (const headers of [{}, { origin: '' }]) {
      const reply = await secrets.get('sys/health', { headers })
      expect([reply.status, corsHeaders(reply)]).toEqual([200, {}])
    }
    const asked = await secrets.request({ method: 'OPTIONS', path: 'sys/health' })
    expect([statusAndBody(asked), corsHeaders(asked)]).toEqual([error(405), {}])
  })

  // choice/secrets#cors-headers
  test('an allowed origin is named in every reply, with any status', async () => {
    const { secrets } = await open(`https://first.example,${page}`)
    const headers = { origin: page }
    const replies = [
      await secrets.get('sys/health', { headers }),
      await secrets.post('kv/a', { x: 1 }, { headers }),
      await secrets.get('kv/a', { headers }),
      await secrets.get('kv/none', { headers }),
      await secrets.get('kv/a', { headers, token: null }),
      await secrets.post('kv/a', '{', { headers }),
      await secrets.request({ method: 'TRACE', path: 'kv/a', headers }),
    ]
    expect(replies.map((reply) => [reply.status, corsHeaders(reply)])).toEqual(
      [200, 204, 200, 404, 403, 400, 405].map((status) => [status, allowed]),
    )
  })

  test.each([foreign, 'http://app.example', 'null', `${page}:8443`])(
    '%s is not: 403 before anything else, and nothing happens',
    async (origin) => {
      const { secrets } = await open(page)
      const headers = { origin }
      const refused = error(403, 'origin not allowed')
      for (const reply of [
        await secrets.get('sys/health', { headers }),
        await secrets.post('kv/a', { x: 1 }, { headers }),
        await secrets.post('kv/a', '{', { headers, token: null }),
        await secrets.request(preflight('kv/a', 'POST', origin)),
      ]) {
        expect([statusAndBody(reply), corsHeaders(reply)]).toEqual([refused, {}])
      }
      expect(statusAndBody(await secrets.get('kv/a'))).toEqual(error(404))
    },
  )

  test('with the wildcard every origin is named itself', async () => {
    const { secrets } = await open('*')
    for (const origin of [page, foreign, 'null']) {
      const reply = await secrets.get('sys/health', { headers: { origin } })
      expect(corsHeaders(reply)).toEqual({ ...allowed, 'access-control-allow-origin': origin })
    }
  })

  test('a request of a foreign origin does not use up the token', async () => {
    const { secrets, as } = await open(page)
    const created = await secrets.post('auth/token/create', { num_uses: 1 })
    const client = as(created.body.auth.client_token)
    await client.get('sys/mounts', { headers: { origin: foreign } })
    expect((await client.get('sys/mounts', { headers: { origin: page } })).status).toBe(200)
  })

  test('each world has its own setting', async () => {
    const { app, worlds } = await open(page)
    worlds.create({ id: 'other' })
    const ask = async (url: string) =>
      (await app.inject({ method: 'GET', url, headers: { origin: foreign } })).statusCode
    expect(await ask('/v1/sys/health')).toBe(403)
    expect(await ask('/_world/other/v1/sys/health')).toBe(200)
  })

  test('switched off again it is as before', async () => {
    const { secrets } = await open(page)
    await secrets.delete('sys/config/cors')
    const reply = await secrets.get('sys/health', { headers: { origin: foreign } })
    expect([reply.status, corsHeaders(reply)]).toEqual([200, {}])
  })
})

describe('behaviour/secrets#cors: preflight', () => {
  // choice/secrets#cors-headers
  test.each([
    ['neutral', 'X-Secrets-'],
    ['vendor', 'X-Vault-'],
  ] as const)('%s: 200 without a token or a body, methods, headers, age', async (dialect, own) => {
    const { secrets } = await open(page, { dialect })
    for (const path of ['kv/a', 'sys/health', 'no/such/path']) {
      const reply = await secrets.request(preflight(path, 'POST'))
      expect([reply.status, reply.text]).toEqual([200, ''])
      expect(corsHeaders(reply)).toEqual({
        ...allowed,
        'access-control-allow-methods': methods,
        'access-control-allow-headers': `Content-Type,X-Requested-With,${dialect === 'vendor' ? 'X-Vault-AWS-IAM-Server-ID,' : ''}${own}MFA,${own}No-Request-Forwarding,${own}Wrap-Format,${own}Wrap-TTL,${own}Policy-Override,Authorization,${own}Token,X-Own`,
        'access-control-max-age': '300',
      })
      expect(reply.headers).toMatchObject({
        'cache-control': 'no-store',
        'strict-transport-security': 'max-age=31536000; includeSubDomains',
      })
    }
  })

  test.each(methods.split(','))('about %s: 200', async (method) => {
    const { secrets } = await open(page)
    expect((await secrets.request(preflight('kv/a', method))).status).toBe(200)
  })

  // choice/secrets#cors-headers
  test.each(['PATCH', 'HEAD', 'TRACE', 'get', ''])('about %j: 405', async (method) => {
    const { secrets } = await open(page)
    const reply = await secrets.request(preflight('kv/a', method))
    expect([statusAndBody(reply), corsHeaders(reply)]).toEqual([error(405), {}])
  })

  test('a preflight without a verb is 405', async () => {
    const { secrets } = await open(page)
    const headers = { origin: page }
    expect(
      statusAndBody(await secrets.request({ method: 'OPTIONS', path: 'kv/a', headers })),
    ).toEqual(error(405))
  })

  test('a sealed server and a required X-Secrets-Request header do not affect the preflight', async () => {
    const { secrets, world } = await open(page)
    await secrets.post('sys/seal')
    expect((await secrets.request(preflight('kv/a', 'GET'))).status).toBe(200)
    world.changeOptions({ secrets: { require_request_header: true } })
    expect((await secrets.request(preflight('kv/a', 'GET'))).status).toBe(200)
  })

  test('the request after it is answered', async () => {
    const { secrets } = await open(page)
    expect((await secrets.request(preflight('kv/a', 'POST'))).status).toBe(200)
    const headers = { origin: page, 'x-own': '1' }
    expect(statusAndBody(await secrets.post('kv/a', { x: 1 }, { headers }))).toEqual(noContent)
    expect(statusAndBody(await secrets.get('kv/a', { headers }))).toEqual({
      status: 200,
      body: envelope({ lease_duration: 2_764_800, data: { x: 1 } }),
    })
  })
})
