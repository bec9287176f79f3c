import { describe, expect, test } from 'vitest'
import { checkDocument } from '../../../../routes/control/state/documents.ts'
import type { SecretsFixtures } from '../../../../state/secrets/fixtures.ts'
import { issueAccountToken } from '../../../../state/secrets/orch/account-tokens.ts'
import { secretsService } from '../../../../state/secrets/service.ts'
import { servedSecrets } from '../../../support/secrets/secrets.ts'
import { issuer, validClaims } from './jwt.ts'

async function serverWith(secrets: SecretsFixtures) {
  const server = await servedSecrets({ document: checkDocument([secretsService], { secrets }) })
  const login = async (path: string, body: object) => {
    const reply = await server.secrets.post(`auth/${path}`, body, { token: null })
    expect(reply.status).toBe(200)
    return reply.body.auth
  }
  return { ...server, login }
}

const tokens = { token_policies: ['a'], token_ttl: '1m' }
const granted = { policies: ['a', 'default'], lease_duration: 60 }
const bound = { bound_service_account_names: ['*'], bound_service_account_namespaces: ['shop'] }

describe('behaviour/program#fixtures: login methods', () => {
  test('fixtures create AppRole with roles and secret ids', async () => {
    const secret_ids = [{ secret_id: 's', metadata: { a: 'b' }, ttl: 90, num_uses: 1 }, {}]
    const { login, secrets } = await serverWith({
      logins: {
        'auth/machines/': {
          type: 'approle',
          roles: { App: { role_id: 'r', secret_id_ttl: '1h', ...tokens, secret_ids } },
        },
      },
    })
    const role = 'auth/machines/role/app'
    expect((await secrets.list(`${role}/secret-id`)).body.data.keys).toHaveLength(2)
    expect((await secrets.get(role)).body.data).toMatchObject({ secret_id_ttl: 3600 })
    expect(await login('machines/login', { role_id: 'r', secret_id: 's' })).toMatchObject({
      ...granted,
      metadata: { a: 'b', role_name: 'app' },
    })
    expect((await secrets.list(`${role}/secret-id`)).body.data.keys).toHaveLength(1)
  })

  test('userpass, where it is mounted', async () => {
    const { login } = await serverWith({
      mounts: { 'auth/people/': { type: 'userpass' } },
      logins: { people: { type: 'userpass', users: { ada: { password: 'pw', ...tokens } } } },
    })
    expect(await login('people/login/ada', { password: 'pw' })).toMatchObject(granted)
  })

  test('fixtures create jwt with configuration and roles', async () => {
    const { login } = await serverWith({
      logins: {
        jwt: {
          type: 'jwt',
          config: { jwt_validation_pubkeys: [issuer.pem] },
          roles: {
            app: {
              user_claim: 'sub',
              bound_audiences: ['here'],
              bound_claims: { sub: ['ada'] },
              ...tokens,
            },
          },
        },
        later: { type: 'jwt' },
      },
    })
    const jwt = await issuer.sign(validClaims)
    expect(await login('jwt/login', { role: 'app', jwt })).toMatchObject(granted)
  })

  test('fixtures create orch with configuration and roles', async () => {
    const { login, world } = await serverWith({
      logins: {
        orch: {
          type: 'orch',
          config: { orch_host: 'https://orch:6443' },
          roles: { app: { ...bound, ...tokens } },
        },
        later: { type: 'orch' },
      },
    })
    const { token: jwt } = issueAccountToken(world, { namespace: 'shop', service_account: 'web' })
    expect(await login('orch/login', { role: 'app', jwt })).toMatchObject(granted)
  })

  test('mistakes are reported with their places', async () => {
    const users = { ada: { password: '' } }
    await expect(serverWith({ logins: { x: { type: 'userpass', users } } })).rejects.toThrow(
      'logins/x/users/ada: missing password',
    )
    await expect(
      serverWith({ logins: { token: { type: 'userpass', users: {} } } }),
    ).rejects.toThrow('logins/token: something else than userpass is mounted there')
    await expect(
      serverWith({ logins: { j: { type: 'jwt', roles: { app: { user_claim: 'sub' } } } } }),
    ).rejects.toThrow('logins/j/roles/app: must have at least one bound constraint')
    const secret_ids = [{}, { num_uses: -1 }]
    await expect(
      serverWith({ logins: { a: { type: 'approle', roles: { app: { secret_ids } } } } }),
    ).rejects.toThrow('logins/a/roles/app/secret_ids/1: num_uses cannot be negative')
  })
})
