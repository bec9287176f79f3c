import { describe, expect, test } from 'vitest'
import { servedSecrets } from '../../../support/secrets/secrets.ts'
import { error, statusAndBody } from '../replies.ts'

/** Starts a server, and creates a token of a role that binds its tokens to networks. */
async function bound(networks: string, more: object = {}) {
  const server = await servedSecrets()
  const { secrets } = server
  await secrets.post('auth/token/roles/near', { token_bound_cidrs: networks, ...more })
  const { body } = await secrets.post('auth/token/create/near', { policies: ['default'] })
  const token: string = body.auth.client_token
  const ask = (peer?: string) => secrets.get('auth/token/lookup-self', { token, peer })
  return { ...server, token, ask }
}

const denied = error(403, 'permission denied')

describe('behaviour/secrets#logins: token_bound_cidrs at every use', () => {
  // choice/secrets#bound-cidrs
  test('a caller in none of the networks is refused', async () => {
    const { ask } = await bound('10.0.0.0/8,fd00::/8')
    expect((await ask('10.1.2.3')).status).toBe(200)
    expect((await ask('fd00::5')).status).toBe(200)
    expect((await ask('::ffff:10.1.2.3')).status).toBe(200)
    expect(statusAndBody(await ask())).toEqual(denied)
    expect(statusAndBody(await ask('11.0.0.1'))).toEqual(denied)
    expect(statusAndBody(await ask('fe80::5'))).toEqual(denied)
  })

  // choice/secrets#bound-cidrs
  test('a use that is refused does not count', async () => {
    const { ask } = await bound('10.0.0.1', { token_num_uses: 2 })
    expect(statusAndBody(await ask('10.0.0.2'))).toEqual(denied)
    expect((await ask('10.0.0.1')).body.data.num_uses).toBe(1)
  })

  test('help requests and child tokens are bound to the same networks', async () => {
    const { secrets, token } = await bound('10.0.0.1')
    expect(statusAndBody(await secrets.get('sys/mounts', { token, query: { help: '1' } }))).toEqual(
      denied,
    )
    await secrets.post('sys/policies/acl/default', {
      policy: 'path "*" { capabilities = ["update"] }',
    })
    const { body } = await secrets.request({
      method: 'POST',
      path: 'auth/token/create',
      payload: {},
      token,
      peer: '10.0.0.1',
    })
    const child = body.auth.client_token
    expect(statusAndBody(await secrets.post('sys/tools/hash', {}, { token: child }))).toEqual(
      denied,
    )
  })
})
