import { describe, expect, test } from 'vitest'
import { servedSecrets } from '../../../support/secrets/secrets.ts'
import { envelope, noContent, notFoundReply, refusedReply, statusAndBody } from './kv-replies.ts'

const defaultTtl = 2_764_800

describe('behaviour/secrets#api-kv1, GET and POST', () => {
  test('a secret comes back as it was written, with the advisory default TTL', async () => {
    const { secrets } = await servedSecrets()
    const pairs = { user: 'ada', port: 5432, on: true, none: null, list: [1, 'a'], in: { x: {} } }

    expect(statusAndBody(await secrets.post('kv/app/db', pairs))).toEqual(noContent)

    expect(statusAndBody(await secrets.get('kv/app/db'))).toEqual({
      status: 200,
      body: envelope({ lease_duration: defaultTtl, data: pairs }),
    })
  })

  test('PUT writes like POST, and a write replaces all pairs', async () => {
    const { secrets } = await servedSecrets()
    await secrets.post('kv/app', { a: '1', b: '2' })

    expect(statusAndBody(await secrets.put('kv/app', { c: '3' }))).toEqual(noContent)

    expect((await secrets.get('kv/app')).body.data).toEqual({ c: '3' })
  })

  test('behaviour/secrets#unknown-parameters: unknown parameters of a query are named', async () => {
    const { secrets } = await servedSecrets()
    await secrets.post('kv/app', { a: '1' })

    const query = { version: '2', path: 'x' }
    expect(statusAndBody(await secrets.get('kv/app', { query: { version: '2' } }))).toEqual({
      status: 200,
      body: envelope({
        lease_duration: defaultTtl,
        data: { a: '1' },
        warnings: ['Endpoint ignored these unrecognized parameters: [version]'],
      }),
    })
    expect(statusAndBody(await secrets.list('kv', { query }))).toEqual({
      status: 200,
      body: envelope({
        data: { keys: ['app'] },
        warnings: [
          'Endpoint ignored these unrecognized parameters: [version]',
          "Endpoint replaced the value of these parameters with the values captured from the endpoint's path: [path]",
        ],
      }),
    })
  })

  test('an absent secret is 404', async () => {
    const { secrets } = await servedSecrets()

    expect(statusAndBody(await secrets.get('kv/none'))).toEqual(notFoundReply)
  })

  test('a secret without pairs is refused and changes nothing', async () => {
    const { secrets } = await servedSecrets()
    await secrets.post('kv/app', { a: '1' })

    expect(statusAndBody(await secrets.post('kv/app', {}))).toEqual(
      refusedReply(400, 'missing data fields'),
    )
    expect(statusAndBody(await secrets.post('kv/app'))).toEqual(
      refusedReply(400, 'missing data fields'),
    )

    expect((await secrets.get('kv/app')).body.data).toEqual({ a: '1' })
  })

  // choice/secrets#number-literals choice/secrets#key-order
  test('numbers, odd keys and sorted keys are returned as text', async () => {
    const { secrets } = await servedSecrets()
    const input = '{"z":12345678901234567890,"a":1.10,"__proto__":{"x":1e3},"constructor":-0}'
    await secrets.post('kv/odd', input, { headers: { 'content-type': 'application/json' } })

    const { text } = await secrets.get('kv/odd')

    expect(text).toContain(
      '"data":{"__proto__":{"x":1e3},"a":1.10,"constructor":-0,"z":12345678901234567890}',
    )
  })
})

describe('behaviour/secrets#kv1, advisory TTL', () => {
  // choice/secrets#duration-parts
  test.each([
    ['ttl in seconds', { ttl: 60 }, 60],
    ['ttl as text of seconds', { ttl: '90' }, 90],
    ['ttl as a duration', { ttl: '1h' }, 3600],
    ['ttl in days', { ttl: '2d' }, 172_800],
    ['a part of a second is cut', { ttl: '1500ms' }, 1],
    ['lease when there is no ttl', { lease: '5m' }, 300],
    ['ttl before lease', { lease: '5m', ttl: '1m' }, 60],
    ['an unreadable ttl, whatever lease says', { lease: '5m', ttl: 'soon' }, defaultTtl],
    ['a ttl that is not a duration', { ttl: [60] }, defaultTtl],
    ['a fraction of seconds is unreadable', { ttl: 1.5 }, defaultTtl],
    ['null is zero', { ttl: null }, 0],
  ])('%s', async (_, pairs, seconds) => {
    const { secrets } = await servedSecrets()
    await secrets.post('kv/app', pairs)

    expect(statusAndBody(await secrets.get('kv/app'))).toEqual({
      status: 200,
      body: envelope({ lease_duration: seconds, data: pairs }),
    })
  })
})

describe('behaviour/secrets#api-kv1, LIST', () => {
  test('names are sorted bytewise, a name and a folder of that name both appear', async () => {
    const { secrets } = await servedSecrets()
    for (const path of ['foo', 'foo/bar', 'foo/baz/x', 'Zoo', 'a-b', 'a', '\u{1f600}', '\uff5e']) {
      await secrets.post(`kv/${encodeURIComponent(path).replaceAll('%2F', '/')}`, { k: 'v' })
    }

    expect(statusAndBody(await secrets.list('kv'))).toEqual({
      status: 200,
      body: envelope({ data: { keys: ['Zoo', 'a', 'a-b', 'foo', 'foo/', '\uff5e', '\u{1f600}'] } }),
    })
    expect((await secrets.list('kv/foo')).body.data).toEqual({ keys: ['bar', 'baz/'] })
    expect((await secrets.list('kv/foo/')).body.data).toEqual({ keys: ['bar', 'baz/'] })
  })

  test('a missing or empty folder is 404', async () => {
    const { secrets } = await servedSecrets()

    expect(statusAndBody(await secrets.list('kv'))).toEqual(notFoundReply)

    await secrets.post('kv/foo', { k: 'v' })
    expect(statusAndBody(await secrets.list('kv/foo'))).toEqual(notFoundReply)
    expect(statusAndBody(await secrets.list('kv/fo'))).toEqual(notFoundReply)
  })
})

describe('behaviour/secrets#api-kv1, DELETE', () => {
  test('deletes only the named secret, and accepts a missing one', async () => {
    const { secrets } = await servedSecrets()
    await secrets.post('kv/a', { k: 'v' })
    await secrets.post('kv/a/b', { k: 'v' })

    expect(statusAndBody(await secrets.delete('kv/a'))).toEqual(noContent)
    expect(statusAndBody(await secrets.delete('kv/a'))).toEqual(noContent)

    expect(statusAndBody(await secrets.get('kv/a'))).toEqual(notFoundReply)
    expect((await secrets.list('kv')).body.data).toEqual({ keys: ['a/'] })
  })
})

describe('behaviour/secrets#kv1, unsupported requests', () => {
  const unsupported = refusedReply(405, '1 error occurred:\n\t* unsupported operation\n\n')
  const unknown = refusedReply(404, '1 error occurred:\n\t* unsupported path\n\n')

  test('PATCH is 405', async () => {
    const { secrets } = await servedSecrets()
    await secrets.post('kv/app', { a: '1' })

    expect(statusAndBody(await secrets.patch('kv/app', { a: '2' }))).toEqual(unsupported)
    expect((await secrets.get('kv/app')).body.data).toEqual({ a: '1' })
  })

  test('a path that ends in a period is 404, written or read', async () => {
    const { secrets } = await servedSecrets()

    expect(statusAndBody(await secrets.post('kv/app.', { a: '1' }))).toEqual(unknown)
    expect(statusAndBody(await secrets.get('kv/app.'))).toEqual(unknown)
  })

  test('a path that ends in a slash cannot be written', async () => {
    const { secrets } = await servedSecrets()

    expect(statusAndBody(await secrets.post('kv/app/', { a: '1' }))).toEqual(
      refusedReply(400, "cannot write to a path ending in '/'"),
    )
  })
})
