import { describe, expect, test } from 'vitest'
import { envelope, error, multierrorReply, noContent, ok } from '../../routes/secrets/replies.ts'
import { requestText } from '../wire-client.ts'
import { parsedAnswer, rootLine, rootToken, startSecrets, statusAndBody } from './secrets-server.ts'

const month = 2_764_800

describe('behaviour/secrets#api-writes: PUT and POST are synonyms', () => {
  test.each(['PUT', 'POST'])('%s writes, creates and unseals', async (method) => {
    const { call } = await startSecrets()
    const write = (path: string, body: object) => call(method, path, { body })
    expect(statusAndBody(await write('kv/a', { n: 1 }))).toEqual(noContent)
    expect((await write('secret/data/a', { data: { n: 1 } })).body.data.version).toBe(1)
    expect((await write('secret/data/a', { data: { n: 2 } })).body.data.version).toBe(2)
    expect(statusAndBody(await write('sys/mounts/team', { type: 'kv' }))).toEqual(noContent)
    expect(statusAndBody(await write('sys/policies/acl/p', { policy: 'path "a" {}' }))).toEqual(
      noContent,
    )
    expect((await write('auth/token/create', { ttl: 60 })).body.auth.lease_duration).toBe(60)
    expect((await write('sys/unseal', { key: '00'.repeat(33) })).body.sealed).toBe(false)
  })
})

describe('behaviour/secrets#refusals: verbs that no path has', () => {
  const verbs = ['FOO', 'PROPFIND', 'TRACE', 'OPTIONS', 'QUERY', 'LINK', 'MKCOL']

  test('405 with an empty list of errors, wherever below /v1/', async () => {
    const { wire, call } = await startSecrets()
    for (const verb of verbs) {
      for (const path of ['kv/a', 'sys/health', 'none']) {
        const client = await wire()
        const answer = await client.exchange(requestText(verb, `/v1/${path}`, '', rootLine))
        expect([verb, path, parsedAnswer(answer)]).toEqual([verb, path, error(405)])
      }
    }
    expect((await call('GET', 'sys/health')).status).toBe(200)
  })

  test('CONNECT is 405 too, and the connection ends', async () => {
    const { wire, call } = await startSecrets()
    const client = await wire()
    expect(parsedAnswer(await client.exchange(requestText('CONNECT', '/v1/kv/a')))).toEqual(
      error(405),
    )
    expect(await client.rest()).toBe('')
    expect((await call('GET', 'sys/health')).status).toBe(200)
  })

  test('behaviour/program#names-of-requests: raw requests have names, and are in the journal of their world', async () => {
    const { wire, origin } = await startSecrets()
    const names: (string | undefined)[] = []
    for (const [verb, line] of [
      ['FOO', ''],
      ['CONNECT', ''],
      ['FOO', 'X-Mock-World: none\r\n'],
    ]) {
      const client = await wire()
      const { headers } = await client.exchange(requestText(String(verb), '/v1/kv/a', '', line))
      names.push(headers['x-mock-request'])
    }
    expect(names).toEqual(['r1', 'r2', undefined])
    const { requests } = await (await fetch(`${origin}/_mock/requests`)).json()
    expect(requests).toMatchObject([
      { id: 'r1', method: 'FOO', path: '/v1/kv/a', status: 405, outcome: 'unmatched' },
      { id: 'r2', method: 'CONNECT', path: '/v1/kv/a', status: 405, outcome: 'unmatched' },
    ])
  })

  test('the reply to requests that Node cannot parse has the headers of every reply', async () => {
    const { wire } = await startSecrets()
    for (const [at, verb] of ['FOO', 'CONNECT'].entries()) {
      const client = await wire()
      const { headers } = await client.exchange(requestText(verb, '/v1/kv/a'))
      expect([verb, headers]).toEqual([
        verb,
        {
          'cache-control': 'no-store',
          'strict-transport-security': 'max-age=31536000; includeSubDomains',
          'content-type': 'application/json',
          'content-length': '13',
          connection: 'close',
          'x-mock-request': `r${at + 1}`,
        },
      ])
    }
  })

  // choice/secrets#head
  test('HEAD is supported only for health', async () => {
    const { call } = await startSecrets()
    await call('POST', 'kv/a', { body: { n: 1 } })
    const head = async (path: string) => {
      const { status, text } = await call('HEAD', path)
      return { status, text }
    }
    expect(await head('sys/health')).toEqual({ status: 200, text: '' })
    expect(await head('sys/health?activecode=299')).toEqual({ status: 299, text: '' })
    expect(await head('sys/seal-status')).toEqual({ status: 405, text: '' })
    expect(await head('kv/a')).toEqual({ status: 405, text: '' })
    expect(await head('secret/data/a')).toEqual({ status: 405, text: '' })
  })
})

describe('behaviour/secrets#conventions: heads of other kinds', () => {
  test('HTTP/1.0 without a host, LIST included', async () => {
    const { wire, call } = await startSecrets()
    await call('POST', 'kv/a', { body: { n: 1 } })
    const ask = async (verb: string, target: string) => {
      const client = await wire()
      const answer = await client.exchange(`${verb} ${target} HTTP/1.0\r\n${rootLine}\r\n`)
      expect(await client.rest()).toBe('')
      return parsedAnswer(answer)
    }
    expect(await ask('GET', '/v1/kv/a')).toEqual(ok({ data: { n: 1 }, lease_duration: month }))
    expect(await ask('LIST', '/v1/kv')).toEqual(ok({ data: { keys: ['a'] } }))
  })

  test('a path of 100 KB, which Go takes and Node by itself does not', async () => {
    const { call, wire } = await startSecrets()
    const path = 'a'.repeat(100_000)
    expect(statusAndBody(await call('POST', `kv/${path}/b`, { body: { n: 1 } }))).toEqual(noContent)
    expect(statusAndBody(await call('GET', `kv/${path}/b`))).toEqual(
      ok({ data: { n: 1 }, lease_duration: month }),
    )
    const list = await (await wire()).exchange(requestText('LIST', `/v1/kv/${path}`, '', rootLine))
    expect(parsedAnswer(list)).toEqual(ok({ data: { keys: ['b'] } }))
  })

  // choice/process#head-size
  test('a head of more than 1 MiB is refused, as Go does', async () => {
    const { call } = await startSecrets()
    const headers = { ...rootToken, 'x-long': 'a'.repeat(1024 * 1024) }
    const { status, text } = await call('GET', 'sys/health', { headers })
    expect([status, text]).toEqual([431, ''])
  })

  test('behaviour/secrets#api-errors: the reply to a request line that is not HTTP has a body', async () => {
    const { wire } = await startSecrets()
    const client = await wire()
    await client.send(`GET /v1/secret/data/\u00e9 HTTP/1.1\r\nhost: a\r\n${rootLine}\r\n`)
    const reply = await client.rest()
    expect(reply).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/)
    expect(reply).toMatch(/\r\n\r\n\{"errors":\[\]\}$/)
  })

  test('HTTP/1.1 without a host is not a request', async () => {
    const { wire } = await startSecrets()
    const client = await wire()
    await client.send(`GET /v1/sys/health HTTP/1.1\r\n${rootLine}\r\n`)
    expect(await client.rest()).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/)
  })

  test('a target with scheme and host, as proxies get it, is answered', async () => {
    const { wire, call } = await startSecrets()
    await call('POST', 'kv/a', { body: { n: 1 } })
    const client = await wire()
    const ask = async (verb: string, target: string) =>
      parsedAnswer(await client.exchange(requestText(verb, target, '', rootLine)))
    expect(await ask('GET', 'http://mock.test/v1/kv/a')).toEqual(
      ok({ data: { n: 1 }, lease_duration: month }),
    )
    expect(await ask('LIST', 'http://mock.test/v1/kv')).toEqual(ok({ data: { keys: ['a'] } }))
    expect(await ask('PUT', 'http://mock.test')).toEqual(error(404))
  })

  test('requests that are not HTTP', async () => {
    const { wire, call } = await startSecrets()
    const client = await wire()
    await client.send('hello\r\n\r\n')
    expect(await client.rest()).toBe(
      'HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\nConnection: close\r\n\r\n',
    )
    expect((await call('GET', 'sys/health')).status).toBe(200)
  })
})

describe('behaviour/secrets#token: how a token is sent', () => {
  const denied = error(403, 'permission denied')
  const found = ok({ data: { n: 1 }, lease_duration: month })

  const ways: readonly (readonly [string, readonly string[], object])[] = [
    ['the own header', ['X-Secrets-Token', 'root'], found],
    ["the vendor's header", ['X-Vault-Token', 'root'], found],
    ['bearer', ['Authorization', 'Bearer root'], found],
    ['bearer with spaces around', ['Authorization', 'Bearer  root '], found],
    ['an empty header and bearer', ['X-Secrets-Token', '', 'Authorization', 'Bearer root'], found],
    ['an empty header and the other', ['X-Secrets-Token', '', 'X-Vault-Token', 'root'], found],
    ['both headers', ['X-Vault-Token', 'bad', 'X-Secrets-Token', 'root'], found],
    ['one header twice', ['X-Secrets-Token', 'root', 'X-Secrets-Token', 'bad'], found],
    [
      'the second Authorization',
      ['Authorization', 'Basic eA', 'Authorization', 'Bearer root'],
      found,
    ],
    ['none', [], denied],
    ['empty', ['X-Secrets-Token', ''], denied],
    ['unknown', ['X-Secrets-Token', 's.none'], denied],
    ['a name of every object', ['X-Secrets-Token', 'constructor'], denied],
    [
      'an unknown one beats bearer',
      ['X-Secrets-Token', 'bad', 'Authorization', 'Bearer root'],
      denied,
    ],
    ['one header twice, unknown first', ['X-Vault-Token', 'bad', 'X-Vault-Token', 'root'], denied],
    ['bearer in lower case', ['Authorization', 'bearer root'], denied],
    ['bearer without a token', ['Authorization', 'Bearer '], denied],
    ['another scheme', ['Authorization', 'Basic cm9vdDo='], denied],
  ]

  // choice/secrets#repeated-headers
  test('header by header', async () => {
    const { call } = await startSecrets()
    await call('POST', 'kv/a', { body: { n: 1 } })
    for (const [name, headers, expected] of ways) {
      expect([name, statusAndBody(await call('GET', 'kv/a', { headers }))]).toEqual([
        name,
        expected,
      ])
    }
  })

  test('a wrong token does not matter for paths that need none', async () => {
    const { call } = await startSecrets()
    const headers = ['X-Secrets-Token', 'bad']
    expect((await call('GET', 'sys/seal-status', { headers })).status).toBe(200)
    expect((await call('GET', 'sys/health', { headers: [] })).status).toBe(200)
  })
})

describe('behaviour/secrets#response-headers: response headers', () => {
  const common = {
    'cache-control': 'no-store',
    'strict-transport-security': 'max-age=31536000; includeSubDomains',
  }

  test('every reply, with a body or without', async () => {
    const { call } = await startSecrets()
    const headersOf = async (...request: Parameters<typeof call>) => {
      const { status, headers, text } = await call(...request)
      const { date, connection, 'x-mock-request': name, 'x-mock-hint': _, ...rest } = headers
      expect([Date.parse(date ?? ''), connection]).toEqual([expect.any(Number), 'close'])
      // Headers of the mock itself (behaviour/program#names-of-requests,
      // behaviour/program#journal).
      expect(name).toMatch(/^r\d+$/)
      return [status, text === '' ? 'no body' : 'body', rest]
    }
    const withBody = async (status: number, ...request: Parameters<typeof call>) => {
      const { text } = await call(...request)
      const length = String(Buffer.byteLength(text))
      const type = 'application/json'
      expect(await headersOf(...request)).toEqual([
        status,
        'body',
        { ...common, 'content-type': type, 'content-length': length },
      ])
    }
    expect(await headersOf('POST', 'kv/a', { body: { ä: 'ß' } })).toEqual([
      204,
      'no body',
      { ...common, 'content-type': 'application/json' },
    ])
    await withBody(200, 'GET', 'kv/a')
    await withBody(200, 'LIST', 'kv')
    await withBody(200, 'GET', 'sys/health')
    await withBody(400, 'POST', 'kv/a', { body: '{' })
    await withBody(403, 'GET', 'kv/a', { headers: [] })
    await withBody(404, 'GET', 'kv/none')
    await withBody(400, 'GET', 'kv/%2e%2e/a')
    await withBody(405, 'PATCH', 'kv/a', {
      body: {},
      headers: { ...rootToken, 'content-type': 'application/merge-patch+json' },
    })
    await withBody(405, 'PROPFIND', 'kv/a')
    await withBody(415, 'PATCH', 'kv/a', { headers: { ...rootToken, 'content-type': 'text/x' } })
    await call('POST', 'sys/seal')
    await withBody(503, 'GET', 'kv/a')
  })

  test.each([
    ['neutral', 'x-secrets-namespace'],
    ['vendor', 'x-vault-namespace'],
  ])('dialect %s echoes the namespace as %s, by header or by path', async (dialect, name) => {
    const { call } = await startSecrets(`--dialect=${dialect}`)
    for (const sent of ['X-Secrets-Namespace', 'X-Vault-Namespace']) {
      const headers = ['X-Vault-Token', 'root', sent, 'team/']
      const { status, headers: got, body } = await call('GET', 'kv/a', { headers })
      expect([status, body]).toEqual([404, { errors: ['namespace not found'] }])
      const echoed = Object.entries(got).filter(
        ([header]) => header.startsWith('x-') && header !== 'x-mock-request',
      )
      expect(echoed).toEqual([[name, 'team/']])
    }
  })
})

describe('behaviour/secrets#vendor-names: the vendor dialect over the wire', () => {
  test('the vendor dialect has prefixes of tokens, words, and both spellings of headers', async () => {
    const { call } = await startSecrets('--dialect=vendor')
    const created = await call('POST', 'auth/token/create', { body: { ttl: '1h' } })
    const id: string = created.body.auth.client_token
    expect(id).toMatch(/^hvs\.[0-9A-Za-z]{24}$/)
    const limited = { type: 'batch', policies: ['default'] }
    const batch = await call('POST', 'auth/token/create', { body: limited })
    expect(batch.body.auth.client_token).toMatch(/^hvb\.AAAAAQ[\w-]{150}$/)
    for (const header of ['X-Vault-Token', 'X-Secrets-Token']) {
      const { status } = await call('GET', 'auth/token/lookup-self', { headers: [header, id] })
      expect(status).toBe(200)
    }
    const warning =
      "Invalid path for a versioned K/V secrets engine. See the API docs for the appropriate API endpoints to use. If using the Vault CLI, use 'vault kv get' for this operation."
    expect(statusAndBody(await call('GET', 'secret/a'))).toEqual({
      status: 404,
      body: envelope({ warnings: [warning], errors: [] }),
    })
    const one = { secret_shares: 1, secret_threshold: 1 }
    expect(statusAndBody(await call('POST', 'sys/init', { body: one }))).toEqual(
      error(400, 'Vault is already initialized'),
    )
    expect(statusAndBody(await call('POST', 'sys/seal'))).toEqual(noContent)
    expect(statusAndBody(await call('GET', 'kv/a'))).toEqual(error(503, 'Vault is sealed'))
  })
})

describe('behaviour/secrets#conventions: paths as they are sent', () => {
  test('escapes are decoded once, whatever they stand for', async () => {
    const { call } = await startSecrets()
    const names = [
      ['a%00b', 'a\0b'],
      ['c%2Fd', 'c/d'],
      ['e%252Ff', 'e%2Ff'],
      ['g%20h+i', 'g h+i'],
      ['%C3%A4', 'ä'],
      ['j%3Fk%23l', 'j?k#l'],
    ]
    for (const [sent, name] of names) {
      expect(statusAndBody(await call('PUT', `kv/${sent}`, { body: { name } }))).toEqual(noContent)
      expect((await call('GET', `kv/${sent}`)).body.data).toEqual({ name })
    }
    expect((await call('LIST', 'kv')).body.data.keys).toEqual([
      'a\0b',
      'c/',
      'e%2Ff',
      'g h+i',
      'j?k#l',
      'ä',
    ])
    expect((await call('GET', 'kv/c/d')).body.data).toEqual({ name: 'c/d' })
    expect(statusAndBody(await call('GET', 'kv/a'))).toEqual(error(404))
  })

  const bad: readonly (readonly [string, object])[] = [
    ['kv/%2e%2e/a', error(400, 'relative paths not supported')],
    ['secret/data/a/%2E%2E/b', error(400, 'relative paths not supported')],
    ['kv/a%2F..%2Fb', error(400, 'relative paths not supported')],
    ['kv/...', multierrorReply(404, 'unsupported path')],
    ['kv/%zz', error(400, "'/v1/kv/%zz' is not a valid url component")],
    ['kv/%', error(400, "'/v1/kv/%' is not a valid url component")],
    ['kv/%c0%af', error(400, "'/v1/kv/%c0%af' is not a valid url component")],
    ['kv/%ed%a0%80', error(400, "'/v1/kv/%ed%a0%80' is not a valid url component")],
  ]

  test('behaviour/secrets#conventions: `.`, `..` and `//` lead to the clean path, LIST with the query it had', async () => {
    const { wire } = await startSecrets()
    const client = await wire()
    for (const [verb, path, location] of [
      ['GET', 'kv/..', '/v1'],
      ['GET', 'kv/./a/../b/', '/v1/kv/b/'],
      ['LIST', 'kv//a?x=1', '/v1/kv/a?x=1'],
      ['POST', 'secret/data/../../../x', '/x'],
    ] as const) {
      const answer = await client.exchange(requestText(verb, `/v1/${path}`, '', rootLine))
      expect([path, answer.status, answer.headers['location']]).toEqual([path, 301, location])
    }
  })

  test('behaviour/secrets#refusals: LIST of a bare endpoint is another verb', async () => {
    const { wire } = await startSecrets()
    const client = await wire()
    for (const path of ['sys/health', 'sys/seal', 'sys/rekey/init']) {
      const answer = await client.exchange(requestText('LIST', `/v1/${path}`, '', rootLine))
      expect([path, parsedAnswer(answer)]).toEqual([path, error(405)])
    }
  })

  // choice/secrets#url-escapes
  test('paths with bad escapes are refused', async () => {
    const { wire } = await startSecrets()
    const client = await wire()
    for (const [path, expected] of bad) {
      const answer = await client.exchange(requestText('GET', `/v1/${path}`, '', rootLine))
      expect([path, parsedAnswer(answer)]).toEqual([path, expected])
    }
  })

  test.each([
    ['kv/', 'kv/', 204, { n: 1 }],
    ['secret/data/', 'secret/metadata/', 200, { data: { n: 1 } }],
  ])('paths of 10 KB below %s, of many folders or of one name', async (at, list, status, body) => {
    const { call } = await startSecrets()
    const folder = 'p/'.repeat(5000)
    const name = 'q'.repeat(10_000)
    for (const path of [`${folder}x`, name]) {
      expect((await call('PUT', at + path, { body })).status).toBe(status)
      expect((await call('GET', at + path)).status).toBe(200)
    }
    expect((await call('LIST', list)).body.data).toEqual({ keys: ['p/', name] })
    expect((await call('LIST', list + folder)).body.data).toEqual({ keys: ['x'] })
  })
})
