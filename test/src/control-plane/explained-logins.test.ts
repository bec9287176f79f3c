import { expect, onTestFinished, test } from 'vitest'
import { createUnderstudy } from '../../../src/embedding/index.ts'

const directory = {
  ldap: { users: { ann: { password: 'ldap-secret' } } },
  okta: { users: { ann: { password: 'okta-secret' } } },
  github: { users: { 'github-secret': { login: 'ann' } } },
}

/** Requests that are refused, with the rule and the request that passes, or makes it pass. */
const mistakes = [
  ['identity/oidc/key/k', { algorithm: 'zz' }, 'oidc-algorithm-unknown', 'identity/oidc/key/k'],
  [
    'identity/oidc/role/r',
    { key: 'k', template: 'zz' },
    'oidc-template-no-json',
    'identity/oidc/role/r',
  ],
  [
    'identity/oidc/client/c',
    { key: 'k', client_type: 'x' },
    'oidc-client-type-unknown',
    'identity/oidc/client/c',
  ],
  ['identity/oidc/config', { issuer: 'x' }, 'oidc-issuer-invalid', 'identity/oidc/config'],
  ['ssh/roles/r', { key_type: 'x' }, 'ssh-key-type-invalid', 'ssh/roles/r'],
  ['ssh/sign/s', { public_key: 'x' }, 'ssh-role-to-sign-unknown', 'ssh/roles/s'],
  ['ssh/creds/p', { ip: '10.0.0.1' }, 'ssh-role-unknown', 'ssh/roles/p'],
  ['auth/github/login', { token: 'x' }, 'github-not-configured', 'auth/github/config'],
  ['auth/github/login', { token: 'x' }, 'github-token-refused', 'auth/github/login'],
  ['auth/okta/login/ann', { password: 'x' }, 'okta-not-configured', 'auth/okta/config'],
  ['auth/okta/login/ann', { password: 'x' }, 'okta-refused', 'auth/okta/login/ann'],
  ['auth/ldap/login/ann', { password: 'x' }, 'ldap-bind-failed', 'auth/ldap/login/ann'],
] as const

const secrets = ['ldap-secret', 'okta-secret', 'github-secret']

test('behaviour/program#explanations: refused logins and roles name a request that passes', async () => {
  const understudy = await createUnderstudy({ options: { secrets: { directory } } })
  onTestFinished(() => understudy.close())
  const headers = { 'x-secrets-token': 'root', 'content-type': 'application/json' }
  const send = (url: string, payload: unknown) =>
    understudy.inject({ method: 'POST', url, headers, payload: JSON.stringify(payload) })
  await send('/v1/sys/mounts/ssh', { type: 'ssh' })
  for (const type of ['github', 'okta', 'ldap']) await send(`/v1/sys/auth/${type}`, { type })
  for (const [path, body, rule, corrected] of mistakes) {
    expect((await send(`/v1/${path}`, body)).statusCode).toBeGreaterThanOrEqual(400)
    const id = understudy.world().requests.find().at(-1)?.id ?? ''
    const explained = understudy.world().explain(id)
    expect(explained.rule).toBe(rule)
    const request = explained.wouldPass?.request
    expect(request).toMatchObject({ method: 'POST', path: `/v1/${corrected}` })
    // An explanation shows the fingerprint of a secret, which cannot be sent.
    const isSecret = /refused|failed/.test(rule)
    expect(secrets.some((secret) => JSON.stringify(explained).includes(secret))).toBe(false)
    if (!isSecret) {
      const reply = await send(request?.path ?? '', request?.body)
      expect(reply.statusCode).toBeLessThan(300)
    }
  }
})
