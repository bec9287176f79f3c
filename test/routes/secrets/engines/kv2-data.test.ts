import { describe, expect, test } from 'vitest'
import { type SecretsClient, servedSecrets } from '../../../support/secrets/secrets.ts'
import {
  at,
  envelope,
  keyMetadata,
  noContent,
  notFoundReply,
  refusedReply,
  statusAndBody,
  versionMetadata,
} from './kv-replies.ts'

const mismatch = refusedReply(400, 'check-and-set parameter did not match the current version')
const required = refusedReply(400, 'check-and-set parameter required for this call')
const unreadable = refusedReply(400, 'error parsing check-and-set parameter')

/** Returns the reply to a write that created a version at the test's start. */
function writeReply(version: number, changes: object = {}): object {
  return { status: 200, body: envelope({ data: versionMetadata(version, changes) }) }
}

/** Returns the reply to reading a version created at the test's start. */
function reading(data: unknown, version: number, changes: object = {}): object {
  const metadata = versionMetadata(version, changes)
  return { status: 200, body: envelope({ data: { data, metadata } }) }
}

/** Returns the reply to reading a deleted or destroyed version. */
function gone(version: number, changes: object): object {
  const metadata = versionMetadata(version, changes)
  return { status: 404, body: envelope({ data: { data: null, metadata }, errors: [] }) }
}

function write(secrets: SecretsClient, path: string, data: object, cas?: unknown) {
  return secrets.post(`secret/data/${path}`, {
    data,
    ...(cas !== undefined && { options: { cas } }),
  })
}

describe('behaviour/secrets#api-kv2, POST data', () => {
  test('each write makes a version, which reads return', async () => {
    const { secrets, clock } = await servedSecrets()
    const first = { user: 'ada', in: { deep: [1, { x: null }], none: null } }

    expect(statusAndBody(await write(secrets, 'app/db', first))).toEqual(writeReply(1))
    expect(statusAndBody(await secrets.get('secret/data/app/db'))).toEqual(reading(first, 1))

    clock.advance(1500)
    const second = await secrets.put('secret/data/app/db', { data: { user: 'bob' } })
    expect(statusAndBody(second)).toEqual(writeReply(2, { created_time: at(1500) }))
    expect(statusAndBody(await secrets.get('secret/data/app/db'))).toEqual(
      reading({ user: 'bob' }, 2, { created_time: at(1500) }),
    )
  })

  test('empty data is a version, and so is null (behaviour/secrets#key-value)', async () => {
    const { secrets } = await servedSecrets()

    expect(statusAndBody(await write(secrets, 'app', {}))).toEqual(writeReply(1))
    expect(statusAndBody(await secrets.post('secret/data/app', { data: null }))).toEqual(
      writeReply(2),
    )
    expect(statusAndBody(await secrets.get('secret/data/app'))).toEqual(reading({}, 2))
  })

  test('custom metadata comes with every answer', async () => {
    const { secrets } = await servedSecrets()
    const custom_metadata = { owner: 'ops' }
    await secrets.post('secret/metadata/app', { custom_metadata })

    expect(statusAndBody(await write(secrets, 'app', { a: 1 }))).toEqual(
      writeReply(1, { custom_metadata }),
    )
    expect(statusAndBody(await secrets.get('secret/data/app'))).toEqual(
      reading({ a: 1 }, 1, { custom_metadata }),
    )
  })

  test.each([
    ['no data', {}, 'no data provided'],
    ['only options', { options: { cas: 0 } }, 'no data provided'],
    [
      'data that is not an object',
      { data: 'x' },
      "error converting input x for field \"data\": '' expected a map, got 'string'",
    ],
    [
      'options that are not an object',
      { data: {}, options: 'x' },
      "error converting input x for field \"options\": '' expected a map, got 'string'",
    ],
  ])('%s is refused and makes nothing', async (_, body, text) => {
    const { secrets } = await servedSecrets()

    expect(statusAndBody(await secrets.post('secret/data/app', body))).toEqual(
      refusedReply(400, text),
    )
    expect(statusAndBody(await secrets.get('secret/metadata/app'))).toEqual(notFoundReply)
  })

  test('parameters it does not know are remarked on (behaviour/secrets#conventions)', async () => {
    const { secrets } = await servedSecrets()

    const reply = await secrets.post('secret/data/app', { data: {}, z: 1, b: 2, path: 'x' })

    expect(statusAndBody(reply)).toEqual({
      status: 200,
      body: envelope({
        data: versionMetadata(1),
        warnings: [
          'Endpoint ignored these unrecognized parameters: [b z]',
          "Endpoint replaced the value of these parameters with the values captured from the endpoint's path: [path]",
        ],
      }),
    })
  })

  test('fields of the path for other operations are known, and null replaces nothing', async () => {
    const { secrets } = await servedSecrets()

    const body = { data: {}, version: 1, path: null }
    expect(statusAndBody(await secrets.post('secret/data/app', body))).toEqual({
      status: 200,
      body: envelope({ data: versionMetadata(1) }),
    })
    expect((await secrets.get('secret/data/app', { query: { data: 'x' } })).body.warnings).toBe(
      null,
    )
  })

  test('a path that ends in a slash is refused', async () => {
    const { secrets } = await servedSecrets()

    expect(statusAndBody(await write(secrets, 'app/', {}))).toEqual(
      refusedReply(400, "cannot write to a path ending in '/'"),
    )
  })
})

describe('behaviour/secrets#api-kv2, POST data, options.cas', () => {
  test('cas 0 only writes a key that does not exist', async () => {
    const { secrets } = await servedSecrets()

    expect(statusAndBody(await write(secrets, 'app', { a: 1 }, 0))).toEqual(writeReply(1))
    expect(statusAndBody(await write(secrets, 'app', { a: 2 }, 0))).toEqual(mismatch)
    expect(statusAndBody(await secrets.get('secret/data/app'))).toEqual(reading({ a: 1 }, 1))
  })

  test('0 writes the first version of a key that has only metadata', async () => {
    const { secrets } = await servedSecrets()
    await secrets.post('secret/metadata/app', { max_versions: 5 })

    expect(statusAndBody(await write(secrets, 'app', {}, 0))).toEqual(writeReply(1))
  })

  test('cas must equal the current version', async () => {
    const { secrets } = await servedSecrets()
    await write(secrets, 'app', {})

    expect(statusAndBody(await write(secrets, 'app', {}, 2))).toEqual(mismatch)
    expect(statusAndBody(await write(secrets, 'app', {}, -1))).toEqual(mismatch)
    expect(statusAndBody(await write(secrets, 'app', {}, 1))).toEqual(writeReply(2))
    expect(statusAndBody(await write(secrets, 'none', {}, 1))).toEqual(mismatch)
  })

  test('cas is compared with the current version even if that is deleted or destroyed', async () => {
    const { secrets } = await servedSecrets()
    await write(secrets, 'app', {})
    await secrets.delete('secret/data/app')
    expect(statusAndBody(await write(secrets, 'app', {}, 0))).toEqual(mismatch)
    expect(statusAndBody(await write(secrets, 'app', {}, 1))).toEqual(writeReply(2))

    await secrets.post('secret/destroy/app', { versions: [2] })
    expect(statusAndBody(await write(secrets, 'app', {}, 0))).toEqual(mismatch)
    expect(statusAndBody(await write(secrets, 'app', {}, 2))).toEqual(writeReply(3))
  })

  test.each([['1'], [1.0], [true]])('%j is 1', async (cas) => {
    const { secrets } = await servedSecrets()
    await write(secrets, 'app', {})

    expect(statusAndBody(await write(secrets, 'app', {}, cas))).toEqual(writeReply(2))
  })

  test.each([['x'], [1.5], [[1]], [{}]])('%j is unreadable', async (cas) => {
    const { secrets } = await servedSecrets()
    await write(secrets, 'app', {})

    expect(statusAndBody(await write(secrets, 'app', {}, cas))).toEqual(unreadable)
  })

  test('the engine can require it', async () => {
    const { secrets } = await servedSecrets()
    await secrets.post('secret/config', { cas_required: true })

    expect(statusAndBody(await write(secrets, 'app', {}))).toEqual(required)
    expect(statusAndBody(await write(secrets, 'app', {}, 0))).toEqual(writeReply(1))
    expect(statusAndBody(await write(secrets, 'app', {}))).toEqual(required)
    expect(statusAndBody(await secrets.patch('secret/data/app', { data: {} }))).toEqual(required)
  })

  test('the key can require it', async () => {
    const { secrets } = await servedSecrets()
    await secrets.post('secret/metadata/app', { cas_required: true })

    expect(statusAndBody(await write(secrets, 'app', {}))).toEqual(required)
    expect(statusAndBody(await write(secrets, 'other', {}))).toEqual(writeReply(1))
    expect(statusAndBody(await write(secrets, 'app', {}, 0))).toEqual(writeReply(1))
  })

  test('of a thousand writers with the same cas exactly one wins each version', {
    timeout: 60_000,
  }, async () => {
    const { secrets } = await servedSecrets()
    for (const cas of [0, 1, 2]) {
      const replies = await Promise.all(
        Array.from({ length: 1000 }, (_, writer) => write(secrets, 'app', { writer }, cas)),
      )
      const winners = replies.flatMap(({ status }, writer) => (status === 200 ? [writer] : []))

      expect(winners).toHaveLength(1)
      expect(replies.filter((reply) => reply.status === 400)).toHaveLength(999)
      expect(statusAndBody(await secrets.get('secret/data/app'))).toEqual(
        reading({ writer: winners[0] }, cas + 1),
      )
    }
  })
})

describe('behaviour/secrets#api-kv2, GET data', () => {
  test('a version by number; 0 and below are the latest', async () => {
    const { secrets } = await servedSecrets()
    for (const n of [1, 2, 3]) await write(secrets, 'app', { n })
    const read = (version: string) => secrets.get('secret/data/app', { query: { version } })

    expect(statusAndBody(await read('1'))).toEqual(reading({ n: 1 }, 1))
    expect(statusAndBody(await read('2'))).toEqual(reading({ n: 2 }, 2))
    expect(statusAndBody(await read('0'))).toEqual(reading({ n: 3 }, 3))
    expect(statusAndBody(await read('-1'))).toEqual(reading({ n: 3 }, 3))
    expect(statusAndBody(await read('4'))).toEqual(notFoundReply)
    expect(statusAndBody(await read('x'))).toEqual(
      refusedReply(
        400,
        'Field validation failed: error converting input x for field "version": cannot parse \'\' as int: strconv.ParseInt: parsing "x": invalid syntax',
      ),
    )
  })

  test('an absent key, and one that has only metadata, is 404', async () => {
    const { secrets } = await servedSecrets()
    await secrets.post('secret/metadata/app', { max_versions: 5 })

    expect(statusAndBody(await secrets.get('secret/data/app'))).toEqual(notFoundReply)
    expect(statusAndBody(await secrets.get('secret/data/none'))).toEqual(notFoundReply)
    expect(statusAndBody(await secrets.get('secret/data/app/'))).toEqual(notFoundReply)
  })

  test('a deleted version is 404 with its metadata, older ones are readable', async () => {
    const { secrets, clock } = await servedSecrets()
    await write(secrets, 'app', { n: 1 })
    await write(secrets, 'app', { n: 2 })
    clock.advance(10)
    await secrets.delete('secret/data/app')

    expect(statusAndBody(await secrets.get('secret/data/app'))).toEqual(
      gone(2, { deletion_time: at(10) }),
    )
    expect(
      statusAndBody(await secrets.get('secret/data/app', { query: { version: '1' } })),
    ).toEqual(reading({ n: 1 }, 1))
  })

  test('a destroyed version is 404 with its metadata', async () => {
    const { secrets } = await servedSecrets()
    await write(secrets, 'app', {})
    await secrets.post('secret/destroy/app', { versions: [1] })

    expect(statusAndBody(await secrets.get('secret/data/app'))).toEqual(
      gone(1, { destroyed: true }),
    )
  })
})

describe('behaviour/secrets#api-kv2, user data is data', () => {
  const json = { headers: { 'content-type': 'application/json' } }

  // choice/secrets#number-literals choice/secrets#key-order
  test('numbers come back as they were sent, keys sorted', async () => {
    const { secrets } = await servedSecrets()
    const input = '{"big":12345678901234567890,"price":1.10,"e":1E+3,"list":[-0,0.10],"a":1}'
    await secrets.post('secret/data/app', `{"data":${input}}`, json)

    const { text } = await secrets.get('secret/data/app')

    expect(text).toContain(
      '"data":{"data":{"a":1,"big":12345678901234567890,"e":1E+3,"list":[-0,0.10],"price":1.10},',
    )
  })

  // choice/secrets#html-characters
  test('characters of HTML come back as they are', async () => {
    const { secrets } = await servedSecrets()
    await secrets.post('secret/data/app', '{"data":{"a":"<b>&"}}', json)

    const { text } = await secrets.get('secret/data/app')

    expect(text).toContain('"data":{"data":{"a":"<b>&"},')
  })

  test('numbers survive a patch of something else', async () => {
    const { secrets } = await servedSecrets()
    await secrets.post('secret/data/app', '{"data":{"big":12345678901234567890,"x":1}}', json)
    await secrets.patch('secret/data/app', '{"data":{"x":2.50}}')

    const { text } = await secrets.get('secret/data/app')

    expect(text).toContain('"data":{"data":{"big":12345678901234567890,"x":2.50},')
  })

  test('keys such as __proto__ and constructor are written, read, patched and removed', async () => {
    const { secrets } = await servedSecrets()
    const input = '{"__proto__":{"a":1},"constructor":{"prototype":{"b":2}},"toString":"t"}'
    await secrets.post('secret/data/app', `{"data":${input}}`, json)
    expect((await secrets.get('secret/data/app')).text).toContain(`"data":{"data":${input},`)

    await secrets.patch('secret/data/app', '{"data":{"__proto__":{"c":3},"constructor":null}}')

    expect((await secrets.get('secret/data/app')).text).toContain(
      '"data":{"data":{"__proto__":{"a":1,"c":3},"toString":"t"},',
    )
    expect((await secrets.get('secret/subkeys/app')).text).toContain(
      '"subkeys":{"__proto__":{"a":null,"c":null},"toString":null}',
    )
    expect(Object.hasOwn(Object.prototype, 'c')).toBe(false)
  })

  test('a path such as __proto__ is a key like others', async () => {
    const { secrets } = await servedSecrets()
    await write(secrets, '__proto__', { a: 1 })
    await secrets.post('secret/metadata/constructor', { max_versions: 1 })

    expect(statusAndBody(await secrets.get('secret/data/__proto__'))).toEqual(reading({ a: 1 }, 1))
    expect((await secrets.list('secret/metadata')).body.data).toEqual({
      keys: ['__proto__', 'constructor'],
    })
  })

  // choice/secrets#json-depth
  test('10,000 levels of nesting can be written, read, patched and looked into', async () => {
    const { secrets } = await servedSecrets()
    // The body and its `data` add two levels.
    const deep = `${'{"a":'.repeat(9_998)}1${'}'.repeat(9_998)}`
    const nulls = deep.replace('1', 'null')

    const reply = await secrets.post('secret/data/app', `{"data":{"top":${deep}}}`, json)

    expect(reply.status).toBe(200)
    expect((await secrets.get('secret/data/app')).text).toContain(`"data":{"data":{"top":${deep}},`)
    expect((await secrets.get('secret/subkeys/app')).text).toContain(`"subkeys":{"top":${nulls}}`)
    const patched = await secrets.patch('secret/data/app', `{"data":{"top":${nulls},"b":1}}`)
    expect(patched.status).toBe(200)
    const { text } = await secrets.get('secret/data/app')
    expect(text).toContain(`"data":{"data":{"b":1,"top":${deep.replace('"a":1', '')}},`)
  })

  // choice/secrets#json-depth
  test('deeper nesting is invalid JSON', async () => {
    const { secrets } = await servedSecrets()
    const deep = `${'['.repeat(9_999)}${']'.repeat(9_999)}`

    expect(
      statusAndBody(await secrets.post('secret/data/app', `{"data":{"top":${deep}}}`, json)),
    ).toEqual(refusedReply(400, 'error parsing JSON'))
  })
})

describe('behaviour/secrets#api-kv2, PATCH data', () => {
  test('merges into a new version (RFC 7396)', async () => {
    const { secrets, clock } = await servedSecrets()
    await write(secrets, 'app', { keep: 1, change: 1, drop: 1, list: [1, 2], in: { a: 1, b: 2 } })
    clock.advance(1)

    const patch = { change: 2, drop: null, list: [3], in: { a: null, c: { d: null, e: 3 } } }
    const reply = await secrets.patch('secret/data/app', { data: patch })

    expect(statusAndBody(reply)).toEqual(writeReply(2, { created_time: at(1) }))
    expect(statusAndBody(await secrets.get('secret/data/app'))).toEqual(
      reading({ keep: 1, change: 2, list: [3], in: { b: 2, c: { e: 3 } } }, 2, {
        created_time: at(1),
      }),
    )
    expect((await secrets.get('secret/metadata/app')).body.data.updated_time).toBe(at(1))
  })

  test('no data is refused before the key is looked for', async () => {
    const { secrets } = await servedSecrets()

    expect(statusAndBody(await secrets.patch('secret/data/none', {}))).toEqual(
      refusedReply(400, 'no data provided'),
    )
  })

  test('a missing key is 404 with any cas', async () => {
    const { secrets } = await servedSecrets()

    expect(statusAndBody(await secrets.patch('secret/data/none', { data: {} }))).toEqual(
      notFoundReply,
    )
    expect(
      statusAndBody(await secrets.patch('secret/data/none', { data: {}, options: { cas: 7 } })),
    ).toEqual(notFoundReply)
  })

  test('a key that has only metadata is 404 once cas holds', async () => {
    const { secrets } = await servedSecrets()
    await secrets.post('secret/metadata/app', { max_versions: 5 })
    const patch = (options: object) => secrets.patch('secret/data/app', { data: {}, options })

    expect(statusAndBody(await patch({}))).toEqual(notFoundReply)
    expect(statusAndBody(await patch({ cas: 1 }))).toEqual(mismatch)
    expect(statusAndBody(await patch({ cas: 0 }))).toEqual(mismatch)
  })

  test('cas must be above zero and the current version', async () => {
    const { secrets } = await servedSecrets()
    await write(secrets, 'app', { a: 1 })
    const patch = (cas: unknown) =>
      secrets.patch('secret/data/app', { data: { b: 2 }, options: { cas } })

    expect(statusAndBody(await patch(0))).toEqual(mismatch)
    expect(statusAndBody(await patch(2))).toEqual(mismatch)
    expect(statusAndBody(await patch('x'))).toEqual(unreadable)
    expect(statusAndBody(await patch('1'))).toEqual(writeReply(2))
    expect(statusAndBody(await secrets.get('secret/data/app'))).toEqual(reading({ a: 1, b: 2 }, 2))
  })

  test('a deleted or destroyed version is 404 with its metadata and stays', async () => {
    const { secrets } = await servedSecrets()
    await write(secrets, 'app', { a: 1 })
    await secrets.delete('secret/data/app')
    const deletion_time = at()

    expect(statusAndBody(await secrets.patch('secret/data/app', { data: {} }))).toEqual({
      status: 404,
      body: envelope({ data: versionMetadata(1, { deletion_time }), errors: [] }),
    })

    await secrets.post('secret/destroy/app', { versions: [1] })
    expect(statusAndBody(await secrets.patch('secret/data/app', { data: {} }))).toEqual({
      status: 404,
      body: envelope({ data: versionMetadata(1, { deletion_time, destroyed: true }), errors: [] }),
    })
    expect((await secrets.get('secret/metadata/app')).body.data.current_version).toBe(1)
  })
})

describe('behaviour/secrets#api-kv2, DELETE data', () => {
  test('deletes the latest version, and always replies 204', async () => {
    const { secrets, clock } = await servedSecrets()
    await write(secrets, 'app', { n: 1 })
    await write(secrets, 'app', { n: 2 })

    expect(statusAndBody(await secrets.delete('secret/data/app'))).toEqual(noContent)
    clock.advance(1000)
    expect(statusAndBody(await secrets.delete('secret/data/app'))).toEqual(noContent)
    expect(statusAndBody(await secrets.delete('secret/data/none'))).toEqual(noContent)

    const version = { created_time: at(), deletion_time: '', destroyed: false }
    expect((await secrets.get('secret/metadata/app')).body.data).toEqual(
      keyMetadata({
        current_version: 2,
        versions: { 1: version, 2: { ...version, deletion_time: at() } },
      }),
    )
    expect(statusAndBody(await secrets.get('secret/metadata/none'))).toEqual(notFoundReply)
  })

  test('passes over a destroyed version and a key that has only metadata', async () => {
    const { secrets } = await servedSecrets()
    await secrets.post('secret/metadata/bare', { max_versions: 1 })
    await write(secrets, 'app', {})
    await secrets.post('secret/destroy/app', { versions: [1] })

    expect(statusAndBody(await secrets.delete('secret/data/bare'))).toEqual(noContent)
    expect(statusAndBody(await secrets.delete('secret/data/app'))).toEqual(noContent)

    expect(statusAndBody(await secrets.get('secret/data/app'))).toEqual(
      gone(1, { destroyed: true }),
    )
  })
})
