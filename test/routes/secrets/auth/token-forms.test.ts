import { describe, expect, test } from 'vitest'
import { servedSecrets } from '../../../support/secrets/secrets.ts'

/** Returns the parts of a signed token: prefix, signature, and the token itself. */
function decodeToken(id: string) {
  const bytes = Buffer.from(id.slice('hvs.'.length), 'base64url')
  return {
    heads: [bytes.subarray(0, 4).toString('hex'), bytes.subarray(36, 40).toString('hex')],
    inner: bytes.subarray(40).toString(),
  }
}

describe('behaviour/secrets#system and behaviour/secrets#vendor-names: tokens in the vendor dialect', () => {
  test('a service token is hvs.CAES… of 95 characters with a plain one inside', async () => {
    const { secrets, as } = await servedSecrets({ dialect: 'vendor' })
    const created = await secrets.post('auth/token/create', { policies: ['default'] })
    const id: string = created.body.auth.client_token
    expect(id).toMatch(/^hvs\.CAESI[\w-]{86}$/)
    expect(id).toHaveLength(95)
    expect(decodeToken(id)).toEqual({
      heads: ['08011220', '1a1e0a1c'],
      inner: expect.stringMatching(/^hvs\.[0-9A-Za-z]{24}$/),
    })
    expect((await as(id).get('auth/token/lookup-self')).body.data.id).toBe(id)
    expect((await secrets.post('auth/token/lookup', { token: id })).status).toBe(200)
  })

  test('only a token of the policy root alone is short', async () => {
    const { secrets } = await servedSecrets({ dialect: 'vendor' })
    const created = await secrets.post('auth/token/create', { ttl: '1h' })
    expect(created.body.auth.client_token).toMatch(/^hvs\.[0-9A-Za-z]{24}$/)
  })

  test('a wrapping token has the long form too, and can be taken out', async () => {
    const { secrets } = await servedSecrets({ dialect: 'vendor' })
    await secrets.post('kubernetes/config', { kubernetes_host: 'https://o' })
    const wrapped = await secrets.get('kubernetes/config', {
      headers: { 'x-vault-wrap-ttl': '60' },
    })
    const { token } = wrapped.body.wrap_info
    expect(token).toMatch(/^hvs\.CAES[\w-]{87}$/)
    const { body } = await secrets.post('sys/wrapping/unwrap', undefined, { token })
    expect(body.data.kubernetes_host).toBe('https://o')
  })

  test("in a namespace the inner text ends in the namespace's id", async () => {
    const { secrets } = await servedSecrets({ dialect: 'vendor' })
    const nsid = (await secrets.post('sys/namespaces/team', {})).body.data.id
    const created = await secrets.post('team/auth/token/create', { policies: ['default'] })
    const { client_token: id, accessor } = created.body.auth
    expect(decodeToken(id)).toEqual({
      heads: ['08011220', '1a240a22'],
      inner: expect.stringMatching(new RegExp(`^hvs\\.[0-9A-Za-z]{24}\\.${nsid}$`)),
    })
    expect(accessor).toMatch(new RegExp(`^[0-9A-Za-z]{24}\\.${nsid}$`))
    const self = await secrets.get('team/auth/token/lookup-self', { token: id })
    expect(self.body.data.namespace_path).toBe('team/')
  })

  test('a batch token is hvb.AAAAAQ… of 160 characters without an accessor', async () => {
    const { secrets, as } = await servedSecrets({ dialect: 'vendor' })
    const body = { type: 'batch', policies: ['default'] }
    const { auth } = (await secrets.post('auth/token/create', body)).body
    expect(auth.client_token).toMatch(/^hvb\.AAAAAQ[\w-]{150}$/)
    expect(auth.accessor).toBe('')
    expect((await as(auth.client_token).get('auth/token/lookup-self')).body.data.type).toBe('batch')
  })

  test('before 1.10, and in the neutral dialect, tokens are short', async () => {
    const old = { serviceTokenPrefix: 's.', batchTokenPrefix: 'b.', tokenForm: 'plain' } as const
    const vendor = await servedSecrets({ dialect: 'vendor', secrets: old })
    for (const { secrets } of [vendor, await servedSecrets()]) {
      const created = await secrets.post('auth/token/create', { policies: ['default'] })
      expect(created.body.auth.client_token).toMatch(/^s\.[0-9A-Za-z]{24}$/)
    }
  })
})
