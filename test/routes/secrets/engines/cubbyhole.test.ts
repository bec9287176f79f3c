import { describe, expect, test } from 'vitest'
import { cubbyholes } from '../../../../state/secrets/kv/cubbyhole.ts'
import { servedSecrets } from '../../../support/secrets/secrets.ts'
import { error, multierrorReply, noContent, ok, statusAndBody } from '../replies.ts'

/** Starts a server with two tokens of the policy `default`. */
async function withTokens() {
  const server = await servedSecrets()
  const createToken = async (body: object = {}) => {
    const created = await server.secrets.post('auth/token/create', {
      policies: ['default'],
      ...body,
    })
    return String(created.body.auth.client_token)
  }
  return {
    ...server,
    make: createToken,
    one: server.as(await createToken()),
    two: server.as(await createToken()),
  }
}

describe("behaviour/secrets#tokens: a token's cubbyhole", () => {
  test('keeps pairs of any JSON values, replaced as a whole', async () => {
    const { one } = await withTokens()
    const pairs = { text: 'a', list: [1, { b: null }], ttl: '1h' }
    expect(statusAndBody(await one.post('cubbyhole/a/b', pairs))).toEqual(noContent)
    expect(statusAndBody(await one.get('cubbyhole/a/b'))).toEqual(ok({ data: pairs }))
    expect(statusAndBody(await one.put('cubbyhole/a/b', { c: 1 }))).toEqual(noContent)
    expect(statusAndBody(await one.get('cubbyhole/a/b'))).toEqual(ok({ data: { c: 1 } }))
  })

  test('lists folder by folder', async () => {
    const { one } = await withTokens()
    for (const path of ['b', 'a/x', 'a']) await one.post(`cubbyhole/${path}`, { k: 1 })
    expect(statusAndBody(await one.list('cubbyhole'))).toEqual(
      ok({ data: { keys: ['a', 'a/', 'b'] } }),
    )
    expect(statusAndBody(await one.list('cubbyhole/a'))).toEqual(ok({ data: { keys: ['x'] } }))
    expect(statusAndBody(await one.list('cubbyhole/b'))).toEqual(error(404))
  })

  test('is private', async () => {
    const { one, two, secrets } = await withTokens()
    await one.post('cubbyhole/a', { k: 1 })
    for (const other of [two, secrets]) {
      expect(statusAndBody(await other.get('cubbyhole/a'))).toEqual(error(404))
      expect(statusAndBody(await other.list('cubbyhole'))).toEqual(error(404))
      expect(statusAndBody(await other.delete('cubbyhole/a'))).toEqual(noContent)
    }
    expect(statusAndBody(await one.get('cubbyhole/a'))).toEqual(ok({ data: { k: 1 } }))
  })

  test('an entry can be deleted, any number of times', async () => {
    const { one } = await withTokens()
    await one.post('cubbyhole/a', { k: 1 })
    expect(statusAndBody(await one.delete('cubbyhole/a'))).toEqual(noContent)
    expect(statusAndBody(await one.delete('cubbyhole/a'))).toEqual(noContent)
    expect(statusAndBody(await one.get('cubbyhole/a'))).toEqual(error(404))
  })

  test('is deleted with its token', async () => {
    const { secrets, make: createToken, as, world } = await withTokens()
    const token = await createToken({ ttl: '60s' })
    await as(token).post('cubbyhole/a', { k: 1 })
    expect(world.table(cubbyholes).size).toBe(1)
    await secrets.post('auth/token/revoke', { token })
    expect(world.table(cubbyholes).size).toBe(0)
  })

  test('refuses a write without pairs, or without a path', async () => {
    const { one } = await withTokens()
    expect(statusAndBody(await one.post('cubbyhole/a', {}))).toEqual(
      multierrorReply(400, 'missing data fields'),
    )
    // The default policy does not allow the root of the mount.
    expect(statusAndBody(await one.post('cubbyhole', { k: 1 }))).toEqual(
      multierrorReply(403, 'permission denied'),
    )
  })

  test('is not for batch tokens', async () => {
    const { make: createToken, as } = await withTokens()
    const batch = as(await createToken({ type: 'batch' }))
    const expected = error(400, 'cubbyhole operations are only supported by "service" type tokens')
    expect(statusAndBody(await batch.get('cubbyhole/a'))).toEqual(expected)
    expect(statusAndBody(await batch.list('cubbyhole'))).toEqual(expected)
    expect(statusAndBody(await batch.post('cubbyhole/a', { k: 1 }))).toEqual(expected)
    expect(statusAndBody(await batch.delete('cubbyhole/a'))).toEqual(expected)
  })

  test('offers no PATCH', async () => {
    const { secrets } = await servedSecrets()
    expect(statusAndBody(await secrets.patch('cubbyhole/a', { k: 1 }))).toEqual(
      multierrorReply(405, 'unsupported operation'),
    )
  })
})
