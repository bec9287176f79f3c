import { describe, expect, test } from 'vitest'
import { servedSecrets } from '../../support/secrets/secrets.ts'
import { error, multierrorReply, noContent, statusAndBody } from './replies.ts'

const denied = multierrorReply(403, 'permission denied')
const refused = error(403, 'permission denied')
const tooLong = 32 * 1024 * 1024 + 1

/** Starts a server with a token that has only the policy `default`. */
async function withWeakToken() {
  const server = await servedSecrets()
  const { body } = await server.secrets.post('auth/token/create', { policies: ['default'] })
  return { ...server, weak: server.as(body.auth.client_token) }
}

describe('behaviour/secrets#refusals: token and ACL', () => {
  test.each<[string, string | null]>([
    ['missing', null],
    ['empty', ''],
    ['unknown', 's.unknown'],
    ['a part of a valid one', 'roo'],
  ])('a token that is %s', async (_, token) => {
    const { secrets } = await servedSecrets()
    expect(statusAndBody(await secrets.get('secret/data/a', { token }))).toEqual(refused)
    expect(statusAndBody(await secrets.post('sys/mounts/a', {}, { token }))).toEqual(refused)
  })

  test('an expired token is refused', async () => {
    const { secrets, as, clock } = await servedSecrets()
    const { body } = await secrets.post('auth/token/create', { ttl: '60s' })
    const client = as(body.auth.client_token)
    clock.advance(59_999)
    expect((await client.get('auth/token/lookup-self')).status).toBe(200)
    clock.advance(1)
    expect(statusAndBody(await client.get('auth/token/lookup-self'))).toEqual(refused)
  })

  test('a token that was revoked', async () => {
    const { weak } = await withWeakToken()
    expect(statusAndBody(await weak.post('auth/token/revoke-self'))).toEqual(noContent)
    expect(statusAndBody(await weak.get('auth/token/lookup-self'))).toEqual(refused)
  })

  test('the ACL denies', async () => {
    const { weak } = await withWeakToken()
    expect(statusAndBody(await weak.get('secret/data/a'))).toEqual(denied)
    expect(statusAndBody(await weak.list('secret/metadata'))).toEqual(denied)
    expect(statusAndBody(await weak.post('secret/data/a', { data: {} }))).toEqual(denied)
    expect(statusAndBody(await weak.patch('secret/data/a', { data: {} }))).toEqual(denied)
    expect(statusAndBody(await weak.delete('secret/data/a'))).toEqual(denied)
  })
})

describe('behaviour/secrets#refusals: seal', () => {
  test.each(['sealed', 'initialized'])('sealed or uninitialised (%s)', async (option) => {
    const { secrets } = await servedSecrets({ secrets: { [option]: option === 'sealed' } })
    for (const path of ['secret/data/a', 'sys/mounts', 'auth/token/lookup-self', 'nothing/here']) {
      expect(statusAndBody(await secrets.get(path))).toEqual(error(503, 'Service is sealed'))
    }
  })

  test('the vendor dialect names the product', async () => {
    const { secrets } = await servedSecrets({ dialect: 'vendor', secrets: { sealed: true } })
    expect(statusAndBody(await secrets.get('sys/mounts'))).toEqual(error(503, 'Vault is sealed'))
  })
})

describe('behaviour/secrets#refusals: routing', () => {
  test.each(['nothing/here', 'nothing', 'auth/nothing/login', 'a"b/c'])(
    'no mount at %s',
    async (path) => {
      const { secrets } = await servedSecrets()
      const shown = JSON.stringify(path)
      expect(statusAndBody(await secrets.get(encodeURI(path)))).toEqual(
        error(404, `no handler for route ${shown}. route entry not found.`),
      )
    },
  )

  test.each([
    'sys/nothing',
    'auth/token/nothing',
    'sys/mounts/a.',
    'auth/token/roles/a b',
    'identity/oidc/nothing',
  ])('a path unknown in its mount, or a bad name: %s', async (path) => {
    const { secrets } = await servedSecrets()
    expect(statusAndBody(await secrets.get(encodeURI(path)))).toEqual(
      multierrorReply(404, 'unsupported path'),
    )
  })

  test.each([
    ['DELETE', 'sys/mounts'],
    ['POST', 'sys/policies/acl'],
    ['DELETE', 'secret/config'],
    ['GET', 'sys/rotate'],
    ['DELETE', 'auth/token/lookup-self'],
  ])('a method that is not offered: %s %s', async (method, path) => {
    const { secrets } = await servedSecrets()
    expect(statusAndBody(await secrets.request({ method, path }))).toEqual(
      multierrorReply(405, 'unsupported operation'),
    )
  })

  test.each([
    ['POST', 'sys/health'],
    ['PUT', 'sys/seal-status'],
    ['DELETE', 'sys/init'],
    ['GET', 'sys/unseal'],
    ['PATCH', 'sys/leader'],
    ['OPTIONS', 'sys/health'],
    ['OPTIONS', 'secret/data/a'],
    ['TRACE', 'secret/data/a'],
  ])('bare endpoints and unknown verbs: %s %s', async (method, path) => {
    const { secrets } = await servedSecrets()
    const request = { method, path, token: null }
    expect(statusAndBody(await secrets.request(request))).toEqual(error(405))
  })

  // choice/secrets#head
  test('only health accepts HEAD', async () => {
    const { secrets } = await servedSecrets()
    const head = async (path: string) =>
      (await secrets.request({ method: 'HEAD', path, token: null })).status
    expect(await head('sys/health')).toBe(200)
    for (const path of ['sys/leader', 'sys/seal-status', 'secret/data/a']) {
      expect([path, await head(path)]).toEqual([path, 405])
    }
  })

  test('an empty list, an absent object', async () => {
    const { secrets } = await servedSecrets()
    const paths = [
      'kv/a',
      'secret/data/a',
      'secret/metadata/a',
      'sys/policies/acl/a',
      'cubbyhole/a',
    ]
    for (const path of paths) expect(statusAndBody(await secrets.get(path))).toEqual(error(404))
    expect(statusAndBody(await secrets.list('kv'))).toEqual(error(404))
  })

  test.each(['/v2/sys/health', '/sys/health', '/v1'])('a path outside /v1/: %s', async (url) => {
    const { app } = await servedSecrets()
    const { statusCode, body } = await app.inject({ url })
    expect([statusCode, body]).toEqual([404, '{"errors":[]}'])
  })
})

describe('behaviour/secrets#refusals: bodies', () => {
  test.each(['{', '[]', '"text"', '5', 'true', '{"a":}', 'a=b', '{"a":1'])(
    'a body that is not a JSON object is refused: %s',
    async (payload) => {
      const { secrets } = await servedSecrets()
      for (const path of ['kv/a', 'sys/mounts/a', 'nothing/here']) {
        expect(statusAndBody(await secrets.post(path, payload))).toEqual(
          error(400, 'error parsing JSON'),
        )
      }
      const bare = await secrets.post('sys/unseal', payload)
      expect([bare.status, Object.keys(bare.body), bare.body.errors.length]).toEqual([
        400,
        ['errors'],
        1,
      ])
      expect(bare.body.errors[0]).toMatch(/^failed to parse JSON input: .+/)
    },
  )

  test("bare endpoints return the parser's text", async () => {
    const { secrets } = await servedSecrets()
    expect(statusAndBody(await secrets.post('sys/unseal', '[]'))).toEqual(
      error(
        400,
        'failed to parse JSON input: json: cannot unmarshal array into Go value of type http.UnsealRequest',
      ),
    )
  })

  // choice/secrets#null-body
  test.each([undefined, '', 'null', ' \n\t\r', '{} x', '{}{', 'null 5'])(
    'an empty body, white space, and an object with something behind it: %j',
    async (payload) => {
      const { secrets } = await servedSecrets()
      expect(statusAndBody(await secrets.post('secret/data/a', payload))).toEqual(
        error(400, 'no data provided'),
      )
      const headers = { 'content-type': 'application/json' }
      expect(statusAndBody(await secrets.post('secret/data/a', payload, { headers }))).toEqual(
        error(400, 'no data provided'),
      )
    },
  )

  test.each([
    'text/plain',
    'application/octet-stream',
    'nonsense',
    'a/b/c',
    'application/json; charset=x',
  ])('content type %s is read as JSON', async (type) => {
    const { secrets } = await servedSecrets()
    const headers = { 'content-type': type }
    expect(statusAndBody(await secrets.post('kv/a', '{"b":1}', { headers }))).toEqual(noContent)
    expect((await secrets.get('kv/a')).body.data).toEqual({ b: 1 })
  })

  // choice/secrets#form-repeated-names
  test.each<[string, object]>([
    ['b=1&c=x%20y', { b: '1', c: 'x y' }],
    ['b=1&b=2', { b: ['1', '2'] }],
    ['{"b":1}', { b: 1 }],
    [' {"b":1}', { b: 1 }],
  ])('a form is one unless it begins like JSON: %s', async (payload, stored) => {
    const { secrets } = await servedSecrets()
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    expect(statusAndBody(await secrets.post('kv/a', payload, { headers }))).toEqual(noContent)
    expect((await secrets.get('kv/a')).body.data).toEqual(stored)
  })

  test('a JSON list in a body of the type of forms is refused', async () => {
    const { secrets } = await servedSecrets()
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    expect(statusAndBody(await secrets.post('kv/a', '["b"]', { headers }))).toEqual(
      error(400, 'error parsing JSON'),
    )
  })

  test.each([
    ['kv/a', 'error parsing JSON'],
    ['sys/unseal', 'failed to parse JSON input: http: request body too large'],
    ['sys/init', 'failed to parse JSON input: http: request body too large'],
  ])('a body of more than 32 MB to %s', async (path, text) => {
    const { secrets } = await servedSecrets()
    const headers = { 'content-length': String(tooLong) }
    expect(statusAndBody(await secrets.post(path, '{}', { headers }))).toEqual(error(413, text))
    expect(statusAndBody(await secrets.post(path, '{}', { headers, token: null }))).toEqual(
      error(413, text),
    )
  })

  test('a body of exactly 32 MB is taken', async () => {
    const { secrets, world } = await servedSecrets()
    const frame = '{"b":""}'
    const payload = `{"b":"${'x'.repeat(tooLong - 1 - frame.length)}"}`
    expect(payload.length).toBe(tooLong - 1)
    expect(statusAndBody(await secrets.post('kv/a', payload))).toEqual(noContent)
    expect(statusAndBody(await secrets.post('kv/b', `${payload} `))).toEqual(
      error(413, 'error parsing JSON'),
    )
    world.reset()
  })

  test.each<[string, () => Promise<object>]>([
    [
      'a write',
      async () =>
        statusAndBody(
          await (await servedSecrets()).secrets.post('sys/leases/renew', { increment: 'soon' }),
        ),
    ],
    [
      'a query',
      async () =>
        statusAndBody(
          await (await servedSecrets()).secrets.get('secret/subkeys/a', { query: { depth: 'x' } }),
        ),
    ],
  ])('a field of %s that does not convert', async (_, act) => {
    expect(await act()).toMatchObject({
      status: 400,
      body: {
        errors: [
          expect.stringMatching(
            /^Field validation failed: error converting input (soon|x) for field "(increment|depth)": .+/,
          ),
        ],
      },
    })
  })

  test('a field that does not convert, in full', async () => {
    const { secrets } = await servedSecrets()
    const body = { max_versions: 'many' }
    const why =
      'error converting input many for field "max_versions": cannot parse \'\' as int: strconv.ParseInt: parsing "many": invalid syntax'
    expect(statusAndBody(await secrets.post('secret/config', body))).toEqual(
      error(400, `Field validation failed: ${why}`),
    )
    // The path has an existence check, which converts the fields first.
    expect(statusAndBody(await secrets.post('secret/metadata/a', body))).toEqual(error(400, why))
  })
})

describe('behaviour/secrets#refusals: paths', () => {
  test.each(['kv/a/', 'secret/data/', 'sys/mounts/a/', 'nothing/', 'auth/token/create/'])(
    'a write to %s, which ends in a slash',
    async (path) => {
      const { secrets } = await servedSecrets()
      const text = "cannot write to a path ending in '/'"
      expect(statusAndBody(await secrets.post(path, {}))).toEqual(error(400, text))
      expect(statusAndBody(await secrets.put(path, {}))).toEqual(error(400, text))
    },
  )

  test.each(['secret/data/..%2Fx', 'kv/..%2f', 'kv/a%2F..%2Fb', '..%2fsys/health'])(
    'a relative path: %s',
    async (path) => {
      const { secrets } = await servedSecrets()
      expect(statusAndBody(await secrets.get(path))).toEqual(
        error(400, 'relative paths not supported'),
      )
    },
  )

  test('two periods within a name are allowed', async () => {
    const { secrets } = await servedSecrets()
    expect(statusAndBody(await secrets.post('kv/a..b', { c: 1 }))).toEqual(noContent)
    expect(statusAndBody(await secrets.post('kv/..a', { c: 1 }))).toEqual(noContent)
  })
})

describe('behaviour/secrets#refusals: PATCH', () => {
  async function patch(type: string | undefined, path = 'secret/data/a') {
    const { secrets } = await servedSecrets()
    await secrets.post('secret/data/a', { data: { a: 1 } })
    const headers = type === undefined ? {} : { 'content-type': type }
    return statusAndBody(
      await secrets.request({ method: 'PATCH', path, payload: '{"data":{"b":2}}', headers }),
    )
  }

  test.each(['secret/data/a', 'secret/metadata/a', 'kv/a', 'sys/mounts'])(
    'of %s without a content type',
    async (path) => {
      expect(await patch(undefined, path)).toEqual(error(400, 'mime: no media type'))
    },
  )

  test.each(['application/json', 'text/plain', 'application/x-www-form-urlencoded', 'nonsense'])(
    'with content type %s',
    async (type) => {
      expect(await patch(type)).toEqual(
        error(415, `PATCH requires Content-Type of application/merge-patch+json, provided ${type}`),
      )
    },
  )

  test.each(['application/merge-patch+json', 'Application/Merge-Patch+JSON; charset=utf-8'])(
    'with content type %s is taken',
    async (type) => {
      expect(await patch(type)).toMatchObject({ status: 200, body: { data: { version: 2 } } })
    },
  )
})

describe('behaviour/secrets#conventions: options that refuse', () => {
  test.each([undefined, '', 'false', 'True', '1', 'true,true'])(
    'require_request_header: X-Secrets-Request %j is 412',
    async (value) => {
      const { secrets } = await servedSecrets({ secrets: { require_request_header: true } })
      const headers = value === undefined ? {} : { 'x-secrets-request': value }
      const wanted = error(412, 'missing "X-Secrets-Request" header')
      for (const path of ['sys/health', 'kv/a']) {
        expect(statusAndBody(await secrets.get(path, { headers }))).toEqual(wanted)
      }
    },
  )

  test('require_request_header: true passes in either spelling', async () => {
    const { secrets } = await servedSecrets({ secrets: { require_request_header: true } })
    for (const name of ['x-secrets-request', 'x-vault-request']) {
      expect((await secrets.get('sys/mounts', { headers: { [name]: 'true' } })).status).toBe(200)
    }
  })

  // choice/secrets#request-header-order
  test('require_request_header: after the body, before the seal, for every kind of call', async () => {
    const { secrets } = await servedSecrets({ secrets: { require_request_header: true } })
    const headers = { 'x-secrets-request': 'true' }
    const wanted = error(412, 'missing "X-Secrets-Request" header')
    expect(statusAndBody(await secrets.post('kv/a', '{'))).toEqual(error(400, 'error parsing JSON'))
    expect((await secrets.post('kv/a', { x: 1 }, { headers })).status).toBe(204)
    for (const reply of [
      await secrets.post('kv/a', { x: 2 }),
      await secrets.list('kv'),
      await secrets.delete('kv/a', { token: null }),
      await secrets.get('no/such', { token: 'wrong' }),
      await secrets.get('kv/a', { query: { help: '1' } }),
      await secrets.post('sys/wrapping/lookup', { token: 'x' }, { token: null }),
    ]) {
      expect(statusAndBody(reply)).toEqual(wanted)
    }
    expect((await secrets.get('kv/a', { headers })).body.data).toEqual({ x: 1 })
    await secrets.post('sys/seal', undefined, { headers })
    expect(statusAndBody(await secrets.get('kv/a'))).toEqual(wanted)
  })

  test('without the option the header is ignored', async () => {
    const { secrets } = await servedSecrets()
    const headers = { 'x-secrets-request': 'false' }
    expect((await secrets.get('sys/mounts', { headers })).status).toBe(200)
  })

  test('edition community: a namespace is 403', async () => {
    const { secrets } = await servedSecrets({ secrets: { edition: 'community' } })
    for (const name of ['team', '/team/', 'a/b']) {
      const headers = { 'x-secrets-namespace': name }
      expect(statusAndBody(await secrets.get('kv/a', { headers, token: null }))).toEqual(
        error(403, 'namespaces feature not enabled'),
      )
    }
  })

  test.each(['', '/', 'root', 'root/'])(
    'edition community: the root namespace as %j needs no feature',
    async (name) => {
      const { secrets } = await servedSecrets({ secrets: { edition: 'community' } })
      const headers = { 'x-secrets-namespace': name }
      expect(statusAndBody(await secrets.get('kv/a', { headers }))).toEqual(error(404))
    },
  )
})
