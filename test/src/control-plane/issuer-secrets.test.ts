import { expect, test } from 'vitest'
import { createUnderstudy } from '../../../src/embedding/index.ts'

test('behaviour/secrets#oidc-issuers: the journal shows no code, token or secret of a simulated issuer', async () => {
  const issuer = { clients: { app: 'client-secret' }, users: { ann: { claims: {} } }, login: 'ann' }
  const oidcIssuers = { 'https://login.example.com': issuer }
  await using understudy = await createUnderstudy({ options: { secrets: { oidcIssuers } } })
  const world = understudy.world()
  const address = '/_mock/secrets/oidc/1'
  const client = { client_id: 'app', redirect_uri: 'http://localhost:8250/oidc/callback' }
  const query = { ...client, response_type: 'code', scope: 'openid', state: 's', nonce: 'n' }
  const page = await world.inject({ url: `${address}/authorize?${new URLSearchParams(query)}` })
  const code = new URL(String(page.headers['location'])).searchParams.get('code') ?? ''
  const form = { ...client, grant_type: 'authorization_code', code, client_secret: 'client-secret' }
  const exchanged = await world.inject({
    method: 'POST',
    url: `${address}/token`,
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    payload: new URLSearchParams(form).toString(),
  })
  const { access_token, id_token } = exchanged.json()
  const headers = { authorization: `Bearer ${access_token}` }
  const user = await world.inject({ url: `${address}/userinfo`, headers })
  expect([page.statusCode, exchanged.statusCode, user.statusCode]).toEqual([302, 200, 200])
  const journal = JSON.stringify(world.requests.find({}))
  expect(world.requests.find({})).toHaveLength(3)
  for (const secret of [code, access_token, id_token, 'client-secret']) {
    expect(secret.length).toBeGreaterThan(8)
    expect(journal).not.toContain(secret)
  }
})
