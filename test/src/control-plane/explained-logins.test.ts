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

test('behaviour/program#explanations: a refused second factor names the code, without showing it', async () => {
  const key = 'JBSWY3DPEHPK3PXP'
  const understudy = await createUnderstudy({
    fixtures: {
      secrets: {
        logins: { userpass: { type: 'userpass', users: { ann: { password: 'pw' } } } },
        identity: { entities: { ann: { aliases: { 'auth/userpass/': 'ann' } } } },
        mfa: {
          methods: { phone: { type: 'totp', issuer: 'acme', secrets: { ann: key } } },
          enforcements: { all: { mfa_method_ids: ['phone'], identity_entity_ids: ['ann'] } },
        },
      },
    },
  })
  onTestFinished(() => understudy.close())
  const world = understudy.world()
  const send = (url: string, payload: object, headers: Readonly<Record<string, string>> = {}) =>
    understudy.inject({ method: 'POST', url, headers, payload })
  const login = '/v1/auth/userpass/login/ann'
  const { auth } = (await send(login, { password: 'pw' })).json()
  const { mfa_request_id } = auth.mfa_requirement
  const wrong = { mfa_request_id, mfa_payload: { phone: ['000000'] } }
  expect((await send('/v1/sys/mfa/validate', wrong)).statusCode).toBe(403)
  const explained = world.explain(world.requests.find().at(-1)?.id ?? '')
  expect(explained.rule).toBe('mfa-unsatisfied')
  expect(explained.wouldPass?.request?.body).toMatchObject({ mfa_payload: expect.anything() })
  await send(login, { password: 'pw' }, { 'x-secrets-mfa': 'phone:123456' })
  const ofHeader = world.explain(world.requests.find().at(-1)?.id ?? '')
  expect(ofHeader.because).toContain('does not satisfy the enforcement all: 2 errors occurred')
  const journal = JSON.stringify(world.requests.find())
  for (const hidden of ['000000', '123456', mfa_request_id]) expect(journal).not.toContain(hidden)
})
