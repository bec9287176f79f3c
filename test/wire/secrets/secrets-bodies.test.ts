import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { error, noContent } from '../../routes/secrets/replies.ts'
import { rootLine, rootToken, startSecrets, statusAndBody } from './secrets-server.ts'

const mebibyte = 1024 * 1024
const limit = 32 * mebibyte

describe('behaviour/secrets#api-limits: requests of at most 32 MB', () => {
  test('a secret of 20 MB can be written and read', async () => {
    const { call } = await startSecrets()
    const value = Buffer.alloc(15 * mebibyte, 'secret bytes ').toString('base64')
    expect(value).toHaveLength(20 * mebibyte)
    const write = await call('POST', 'secret/data/big', { body: { data: { value } } })
    expect([write.status, write.body.data.version]).toEqual([200, 1])
    const { status, body } = await call('GET', 'secret/data/big')
    const hash = (text: string) => createHash('sha256').update(text).digest('hex')
    expect([status, hash(body.data.data.value)]).toEqual([200, hash(value)])
  })

  test('a request of exactly the limit is accepted', async () => {
    const { call } = await startSecrets()
    const body = `{"v":"${'x'.repeat(limit - '{"v":""}'.length)}"}`
    expect(statusAndBody(await call('POST', 'kv/big', { body }))).toEqual(noContent)
    expect((await call('GET', 'kv/big')).body.data.v).toHaveLength(limit - '{"v":""}'.length)
  })

  const refusals = [
    ['kv/big', 'error parsing JSON'],
    ['sys/unseal', 'failed to parse JSON input: http: request body too large'],
  ] as const

  test.each(refusals)('a larger request to %s is refused unread', async (path, text) => {
    const { wire, call } = await startSecrets()
    const client = await wire()
    const head = `POST /v1/${path} HTTP/1.1\r\nHost: a\r\n${rootLine}Content-Length: ${limit + 1}\r\n\r\n`
    const { status, body } = await client.exchange(`${head}{"key":"`)
    expect([status, JSON.parse(body)]).toEqual([413, { errors: [text] }])
    expect(await client.rest()).toBe('')
    expect(statusAndBody(await call('GET', 'kv/big'))).toEqual(error(404))
  })

  test.each(refusals)('endless chunks to %s are refused at the limit', async (path, text) => {
    const { wire, call } = await startSecrets()
    const client = await wire()
    await client.send(
      `POST /v1/${path} HTTP/1.1\r\nHost: a\r\n${rootLine}Transfer-Encoding: chunked\r\n\r\n`,
    )
    const answer = client.answer()
    const chunk = Buffer.concat([
      Buffer.from(`${mebibyte.toString(16)}\r\n`),
      Buffer.alloc(mebibyte, '{'),
      Buffer.from('\r\n'),
    ])
    // Never send the final chunk of length 0, which would end the body.
    for (let sent = 0; sent <= limit; sent += mebibyte) await client.send(chunk)
    const { status, body } = await answer
    expect([status, JSON.parse(body)]).toEqual([413, { errors: [text] }])
    expect(statusAndBody(await call('GET', 'kv/big'))).toEqual(error(404))
  })
})

describe('behaviour/secrets#body-kinds: kinds of bodies', () => {
  const form = 'application/x-www-form-urlencoded'
  const kinds: readonly (readonly [string | undefined, string, object])[] = [
    [form, 'a=1&b=x+y%26z&a=2&c', { a: ['1', '2'], b: 'x y&z', c: '' }],
    [`${form}; charset=utf-8`, 'a=1', { a: '1' }],
    [form, ' {"a":1}', { a: 1 }],
    ['application/json', '{"a":1}', { a: 1 }],
    ['text/plain', '{"a":2}', { a: 2 }],
    ['application/octet-stream', '{"a":"\\u00e4"}', { a: 'ä' }],
    [undefined, '{"a":"ä","a":"ö"}', { a: 'ö' }],
    ['nonsense', '{"a":[]}', { a: [] }],
  ]

  test('bodies with the form type are parsed as forms, and all others as JSON', async () => {
    const { call } = await startSecrets()
    for (const [type, body, data] of kinds) {
      const headers = { ...rootToken, ...(type === undefined ? {} : { 'content-type': type }) }
      expect([body, statusAndBody(await call('POST', 'kv/a', { body, headers }))]).toEqual([
        body,
        noContent,
      ])
      expect((await call('GET', 'kv/a')).body.data).toEqual(data)
    }
  })

  test('a missing body means an empty object, and a body that is not an object is refused', async () => {
    const { call } = await startSecrets()
    const headers = { ...rootToken, 'content-type': 'application/json' }
    const missing = error(400, 'missing data fields')
    expect(statusAndBody(await call('POST', 'kv/a', { headers }))).toEqual(missing)
    expect(statusAndBody(await call('POST', 'kv/a', { body: 'null', headers }))).toEqual(missing)
    for (const body of ['{', '[1]', '"a"', '1', '{a:1}', '\0']) {
      expect([body, statusAndBody(await call('POST', 'kv/a', { body, headers }))]).toEqual([
        body,
        error(400, 'error parsing JSON'),
      ])
    }
    // Data after a complete object is not read.
    expect(statusAndBody(await call('POST', 'kv/a', { body: '{"a":1}x', headers }))).toEqual(
      noContent,
    )
    expect((await call('GET', 'kv/a')).body.data).toEqual({ a: 1 })
    expect(statusAndBody(await call('POST', 'sys/unseal', { body: '[1]' }))).toEqual(
      error(
        400,
        'failed to parse JSON input: json: cannot unmarshal array into Go value of type http.UnsealRequest',
      ),
    )
  })
})

/** Returns JSON with this number of nested objects or arrays. */
function nested(levels: number, kind: 'object' | 'array'): string {
  const [open, close] = kind === 'object' ? ['{"d":', '}'] : ['[', ']']
  return open.repeat(levels) + '1' + close.repeat(levels)
}

describe('behaviour/secrets#conventions: nesting, up to the 10,000 levels that Go parses', () => {
  // choice/secrets#json-depth
  test.each(['object', 'array'] as const)('10,000 levels of %s are accepted', async (kind) => {
    const { call } = await startSecrets()
    const plain = nested(9_999, kind)
    expect(statusAndBody(await call('POST', 'kv/deep', { body: `{"v":${plain}}` }))).toEqual(
      noContent,
    )
    expect((await call('GET', 'kv/deep')).text).toContain(`"data":{"v":${plain}},`)

    const value = nested(9_998, kind)
    const write = await call('POST', 'secret/data/deep', { body: `{"data":{"v":${value}}}` })
    expect([write.status, write.body.data.version]).toEqual([200, 1])
    const read = await call('GET', 'secret/data/deep')
    expect(read.text).toContain(`"data":{"data":{"v":${value}},"metadata":`)
    const leaf = kind === 'object' ? value.replace('1', 'null') : 'null'
    expect((await call('GET', 'secret/subkeys/deep')).text).toContain(`"subkeys":{"v":${leaf}}`)
    const patch = await call('PATCH', 'secret/data/deep', {
      body: `{"data":{"v":${value.replace('1', '2')}}}`,
      headers: { ...rootToken, 'content-type': 'application/merge-patch+json' },
    })
    expect([patch.status, patch.body.data.version]).toEqual([200, 2])
    expect((await call('GET', 'secret/data/deep')).text).toContain(value.replace('1', '2'))
  })

  // choice/secrets#json-depth
  test.each([
    ['one level more', 10_000],
    ['100,000 levels', 100_000],
    ['millions of levels', 2_500_000],
  ])('%s are refused everywhere without an effect', async (_name, levels) => {
    const { call } = await startSecrets()
    const headers = { ...rootToken, 'content-type': 'application/merge-patch+json' }
    const refused = error(400, 'error parsing JSON')
    for (const kind of ['object', 'array'] as const) {
      const value = nested(levels, kind)
      const body = `{"data":${value}}`
      expect(statusAndBody(await call('POST', 'kv/a', { body }))).toEqual(refused)
      expect(statusAndBody(await call('POST', 'secret/data/a', { body }))).toEqual(refused)
      expect(statusAndBody(await call('PATCH', 'secret/data/a', { body, headers }))).toEqual(
        refused,
      )
      expect(statusAndBody(await call('POST', 'none/a', { body }))).toEqual(refused)
      expect(statusAndBody(await call('POST', 'sys/unseal', { body }))).toEqual(
        error(
          400,
          `failed to parse JSON input: invalid character '${value[0]}' exceeded max depth`,
        ),
      )
    }
    expect(statusAndBody(await call('LIST', 'kv'))).toEqual(error(404))
    expect(statusAndBody(await call('LIST', 'secret/metadata'))).toEqual(error(404))
  })
})
