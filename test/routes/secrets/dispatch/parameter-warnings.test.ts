import { describe, expect, test } from 'vitest'
import { type SecretsClient, servedSecrets } from '../../../support/secrets/secrets.ts'
import { noContent, ok, statusAndBody } from '../replies.ts'

describe('behaviour/secrets#unknown-parameters', () => {
  const ignored = (...names: string[]) =>
    `Endpoint ignored these unrecognized parameters: [${names.join(' ')}]`
  const replaced = (...names: string[]) =>
    `Endpoint replaced the value of these parameters with the values captured from the endpoint's path: [${names.join(' ')}]`

  test('unknown parameters of a body are named in order', async () => {
    const { secrets } = await servedSecrets()
    const { body } = await secrets.post('auth/token/create', { z: 1, a: null, ttl: '1h' })
    expect(body.warnings).toEqual([ignored('a', 'z')])
  })

  test('unknown parameters of a query are named', async () => {
    const { secrets } = await servedSecrets()
    expect(statusAndBody(await secrets.get('secret/config', { query: { b: '1', a: '' } }))).toEqual(
      ok({
        data: { cas_required: false, delete_version_after: '0s', max_versions: 0 },
        warnings: [ignored('a', 'b')],
      }),
    )
  })

  test('`list` and `help` are known', async () => {
    const { secrets } = await servedSecrets()
    const query = { list: 'false', help: '' }
    expect((await secrets.get('secret/config', { query })).body.warnings).toBeNull()
    expect((await secrets.list('sys/policies/acl')).body.warnings).toBeNull()
  })

  test('names that a longer form of the path says are replaced by nothing', async () => {
    const { secrets } = await servedSecrets()
    const { body } = await secrets.post('sys/tools/random', { source: 'zz', bytes: 1 })
    expect(body.warnings).toEqual([replaced('source')])
    const hash = await secrets.post('sys/tools/hash', { input: '', urlalgorithm: 'zz' })
    expect(hash.body.warnings).toEqual([replaced('urlalgorithm')])
  })

  test('parameters that the path replaces have their own warning', async () => {
    const { secrets } = await servedSecrets()
    const input = { path: 'x', data: {}, more: 1 }
    const { body } = await secrets.post('secret/data/a', input)
    expect(body.warnings).toEqual([ignored('more'), replaced('path')])
    expect((await secrets.get('secret/data/a')).status).toBe(200)
    expect((await secrets.get('secret/data/x')).status).toBe(404)
  })

  test('come after the warnings of the operation itself', async () => {
    const { secrets } = await servedSecrets()
    const { body } = await secrets.post('auth/token/create', { policies: ['none'], a: 1 })
    expect(body.warnings).toEqual(['Policy "none" does not exist', ignored('a')])
  })

  test('an operation with a 204 reply shows unknown parameters only with other warnings', async () => {
    const { secrets } = await servedSecrets()
    const { policy } = { policy: 'path "a" {}' }
    expect((await secrets.post('sys/policies/acl/p', { policy, zed: 1 })).status).toBe(204)
    expect((await secrets.post('sys/policies/acl/P', { policy, zed: 1 })).body.warnings).toEqual([
      'policy name was converted to p',
      'Endpoint ignored these unrecognized parameters: [zed]',
    ])
  })

  test('a 404 with a body also has warnings', async () => {
    const { secrets } = await servedSecrets()
    await secrets.post('secret/data/a', { data: {} })
    await secrets.delete('secret/data/a')
    const { status, body } = await secrets.get('secret/data/a', { query: { b: '1' } })
    expect([status, body.warnings]).toEqual([404, [ignored('b')]])
  })

  test.each<[string, (secrets: SecretsClient) => Promise<object>]>([
    [
      'writes a policy',
      (secrets) => secrets.post('sys/policies/acl/a', { policy: 'path "a" {}', x: 1 }),
    ],
    ['deletes', (secrets) => secrets.delete('secret/data/a', { query: { x: '1' } })],
    [
      'tunes',
      (secrets) => secrets.post('sys/mounts/kv/tune', { description: 'd', x: 1, path: 'y' }),
    ],
    ['configures', (secrets) => secrets.post('secret/config', { max_versions: 1, x: 1 })],
  ])('add nothing to a 204: %s', async (_, act) => {
    const { secrets } = await servedSecrets()
    expect(await act(secrets)).toMatchObject({ status: 204, text: '' })
  })

  test('do not exist where any key is data', async () => {
    const { secrets } = await servedSecrets()
    expect(statusAndBody(await secrets.post('kv/a', { path: 'x', any: 1 }))).toEqual(noContent)
    expect((await secrets.get('kv/a')).body).toMatchObject({
      data: { path: 'x', any: 1 },
      warnings: null,
    })
  })

  test('called __proto__ or constructor are names like others', async () => {
    const { secrets } = await servedSecrets()
    const headers = { 'content-type': 'application/json' }
    const input = '{"__proto__":{"ttl":1},"constructor":1}'
    const { body } = await secrets.post('auth/token/create', input, { headers })
    expect(body.warnings).toEqual([ignored('__proto__', 'constructor')])
    const read = await secrets.request({
      method: 'GET',
      path: 'secret/config?__proto__=1&__proto__=2&constructor=3',
    })
    expect(read.body.warnings).toEqual([ignored('__proto__', 'constructor')])
  })
})
