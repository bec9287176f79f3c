import { describe, expect, test } from 'vitest'
import { servedSecrets } from '../../../support/secrets/secrets.ts'
import { error, multierrorReply, noContent, statusAndBody } from '../replies.ts'

const denied = multierrorReply(403, 'permission denied')

describe('behaviour/secrets#wrapping: the header', () => {
  test.each([
    ['soon', 'time: invalid duration "soon"'],
    ['5x', 'time: unknown unit "x" in duration "5x"'],
    ['-1', 'requested wrap ttl cannot be negative'],
    ['-5m', 'requested wrap ttl cannot be negative'],
  ])('%s is 400', async (ttl, why) => {
    const { secrets } = await servedSecrets()
    for (const name of ['x-secrets-wrap-ttl', 'x-vault-wrap-ttl']) {
      const options = { headers: { [name]: ttl }, token: null }
      expect(statusAndBody(await secrets.get('kv/a', options))).toEqual(
        error(400, `error parsing X-Secrets-Wrap-TTL header: ${why}`),
      )
    }
  })

  test('the vendor dialect has its own header name', async () => {
    const { secrets } = await servedSecrets({ dialect: 'vendor' })
    const headers = { 'x-vault-wrap-ttl': '-1' }
    expect(statusAndBody(await secrets.get('kv/a', { headers }))).toEqual(
      error(400, 'error parsing X-Vault-Wrap-TTL header: requested wrap ttl cannot be negative'),
    )
  })

  test('means nothing to bare endpoints', async () => {
    const { secrets } = await servedSecrets()
    const headers = { 'x-secrets-wrap-ttl': 'soon' }
    expect((await secrets.get('sys/health', { headers })).status).toBe(200)
  })

  test('is held against the bounds of the path (behaviour/secrets#policies)', async () => {
    const { secrets, as } = await servedSecrets()
    await secrets.post('kv/old', { a: 1 })
    const rule = 'capabilities = ["update"] min_wrapping_ttl = "1m" max_wrapping_ttl = "1h"'
    await secrets.post('sys/policies/acl/wraps', { policy: `path "kv/old" { ${rule} }` })
    const { body } = await secrets.post('auth/token/create', { policies: ['wraps'] })
    const client = as(body.auth.client_token)
    const write = async (ttl?: string) =>
      statusAndBody(
        await client.post(
          'kv/old',
          { a: 2 },
          ttl === undefined ? {} : { headers: { 'x-secrets-wrap-ttl': ttl } },
        ),
      )

    for (const ttl of [undefined, '', '59', '59s', '3601', '0', '2h']) {
      expect([ttl, await write(ttl)]).toEqual([ttl, denied])
    }
    for (const ttl of ['60', '1m', '90s', '1h', '3600']) {
      expect([ttl, await write(ttl)]).toEqual([ttl, noContent])
    }
  })
})
