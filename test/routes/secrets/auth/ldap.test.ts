import { describe, expect, test } from 'vitest'
import {
  servedSecrets,
  type TestSecrets,
  type TestSettings,
} from '../../../support/secrets/secrets.ts'
import { error, multierrorReply, noContent, ok, statusAndBody } from '../replies.ts'

const directory = {
  ldap: {
    users: {
      Alice: { password: 'alicepw', groups: ['Dev'] },
      bob: { password: 'bobpw' },
    },
    binders: { 'cn=admin': 'adminpw' },
  },
}

/** Starts a server with the method at `auth/ldap/` and a directory with two people. */
async function serverWithLdap(settings: TestSettings = {}): Promise<TestSecrets> {
  const created = await servedSecrets({ secrets: { directory }, ...settings })
  await created.secrets.post('sys/auth/ldap', { type: 'ldap' })
  await created.secrets.post('auth/ldap/groups/DEV', { policies: 'devs,Devs' })
  return created
}

const login = ({ secrets }: Pick<TestSecrets, 'secrets'>, user: string, password: string) =>
  secrets.post(`auth/ldap/login/${user}`, { password }, { token: null })

const bindFailed = error(400, 'ldap operation failed: failed to bind as user')

describe('behaviour/secrets#ldap', () => {
  test('the configuration always exists, and a write keeps members that it omits', async () => {
    const { secrets } = await serverWithLdap()
    const { data } = (await secrets.get('auth/ldap/config')).body
    expect(data).toMatchObject({
      url: 'ldap://127.0.0.1',
      request_timeout: 90,
      deny_null_bind: true,
      token_policies: [],
    })
    const change = { bindpass: 'x', userdn: 'ou=p', request_timeout: '1m', token_ttl: '1h' }
    expect(statusAndBody(await secrets.post('auth/ldap/config', change))).toEqual(noContent)
    expect(statusAndBody(await secrets.get('auth/ldap/config'))).toEqual(
      ok({ data: { ...data, userdn: 'ou=p', request_timeout: 60, token_ttl: 3600 } }),
    )
    expect((await secrets.delete('auth/ldap/config')).status).toBe(405)
  })

  test('mistakes in the configuration are refused, and one is a warning', async () => {
    const { secrets } = await serverWithLdap()
    for (const [change, why] of [
      [{ tls_min_version: 'zz' }, "invalid 'tls_min_version'"],
      [{ tls_max_version: 'zz' }, "invalid 'tls_max_version'"],
      [
        { tls_max_version: 'tls10' },
        "'tls_max_version' must be greater than or equal to 'tls_min_version'",
      ],
      [
        { certificate: 'zz' },
        'failed to parse server tls cert: failed to decode PEM block in the certificate',
      ],
      [
        { groupfilter: '(a={{.Username' },
        'invalid groupfilter: template: queryTemplate:1: unclosed action',
      ],
      [{ client_tls_key: 'x' }, 'both client_tls_cert and client_tls_key must be set'],
    ] as const) {
      const reply = await secrets.post('auth/ldap/config', change)
      expect(statusAndBody(reply)).toEqual(error(400, why))
    }
    const warnings = [
      'userfilter configured does not consider userattr and may result in colliding entity aliases on logins',
    ]
    const filter = { userfilter: '(uid={{.Username}})' }
    expect((await secrets.post('auth/ldap/config', filter)).body.warnings).toEqual(warnings)
    expect((await secrets.get('auth/ldap/config')).body.warnings).toEqual(warnings)
  })

  test('groups and users have names in lower case, unless the configuration says not', async () => {
    const { secrets } = await serverWithLdap()
    await secrets.post('auth/ldap/users/Alice', { policies: 'b,a', groups: 'ops,qa' })
    expect((await secrets.get('auth/ldap/users/ALICE')).body.data).toEqual({
      groups: 'ops,qa',
      policies: ['a', 'b'],
    })
    expect((await secrets.get('auth/ldap/groups/dev')).body.data).toEqual({ policies: ['devs'] })
    expect((await secrets.list('auth/ldap/users')).body.data).toEqual({ keys: ['alice'] })
    await secrets.post('auth/ldap/config', { case_sensitive_names: true })
    expect(statusAndBody(await secrets.get('auth/ldap/users/Alice'))).toEqual(error(404))
    expect(statusAndBody(await secrets.delete('auth/ldap/users/alice'))).toEqual(noContent)
    expect(statusAndBody(await secrets.list('auth/ldap/users'))).toEqual(error(404))
  })

  // choice/secrets#ldap-directory
  test('a login has the policies of the configuration, the user and all groups', async () => {
    const created = await serverWithLdap()
    const { secrets } = created
    await secrets.post('auth/ldap/config', { token_policies: 'all' })
    await secrets.post('auth/ldap/users/alice', { policies: 'own', groups: 'ops' })
    await secrets.post('auth/ldap/groups/ops', { policies: 'ops' })
    const { body } = await login(created, 'alice', 'alicepw')
    expect(body).toMatchObject({ data: {}, warnings: null })
    expect(body.auth).toMatchObject({
      metadata: { username: 'alice' },
      policies: ['all', 'default', 'devs', 'ops', 'own'],
      renewable: true,
    })
    const { data } = (
      await secrets.get('auth/token/lookup-self', { token: body.auth.client_token })
    ).body
    expect(data).toMatchObject({ display_name: 'ldap-alice', path: 'auth/ldap/login/alice' })
    const entity = (await secrets.get(`identity/entity/id/${body.auth.entity_id}`)).body.data
    expect(entity.aliases[0]).toMatchObject({ name: 'Alice', metadata: { name: 'alice' } })
    const without = await login(created, 'bob', 'bobpw')
    expect(without.body.warnings).toEqual([
      'no LDAP groups found in groupDN ""; only policies from locally-defined groups available',
    ])
  })

  test('bad credentials, binders and directories are refused', async () => {
    const created = await serverWithLdap()
    const { secrets, world } = created
    expect(statusAndBody(await login(created, 'alice', 'wrong'))).toEqual(bindFailed)
    expect(statusAndBody(await login(created, 'nobody', 'x'))).toEqual(bindFailed)
    expect(statusAndBody(await login(created, 'bob', ''))).toEqual(
      error(400, 'password cannot be of zero length when passwordless binds are being denied'),
    )
    await secrets.post('auth/ldap/config', { binddn: 'cn=admin', bindpass: 'wrong' })
    expect(statusAndBody(await login(created, 'bob', 'bobpw'))).toEqual(bindFailed)
    await secrets.post('auth/ldap/config', { bindpass: 'adminpw' })
    expect((await login(created, 'bob', 'bobpw')).status).toBe(200)
    world.changeOptions({ secrets: { directoryFault: 'refused' } })
    expect(statusAndBody(await login(created, 'bob', 'bobpw'))).toEqual(bindFailed)
    world.changeOptions({ secrets: { directoryFault: 'unreachable' } })
    expect(statusAndBody(await login(created, 'bob', 'bobpw'))).toEqual(
      error(
        400,
        '1 error occurred:\n\t* error connecting to host "ldap://127.0.0.1": LDAP Result Code 200 "Network Error": dial tcp: connect: connection refused\n\n',
      ),
    )
  })

  test('five bad passwords lock the user', async () => {
    const created = await serverWithLdap()
    for (let at = 0; at < 5; at++) {
      expect(statusAndBody(await login(created, 'bob', 'wrong'))).toEqual(bindFailed)
    }
    expect(statusAndBody(await login(created, 'bob', 'bobpw'))).toEqual(
      error(403, 'permission denied'),
    )
    created.clock.advance(15 * 60_000)
    expect((await login(created, 'bob', 'bobpw')).status).toBe(200)
  })

  test.each([
    ['neutral', 400],
    ['vendor', 500],
  ] as const)('a renewal asks the directory again (%s)', async (dialect, status) => {
    const created = await serverWithLdap({ dialect })
    const { secrets } = created
    const token = (await login(created, 'alice', 'alicepw')).body.auth.client_token
    expect((await secrets.post('auth/token/renew-self', {}, { token })).status).toBe(200)
    await secrets.post('auth/ldap/groups/dev', { policies: 'others' })
    expect(statusAndBody(await secrets.post('auth/token/renew-self', {}, { token }))).toEqual(
      multierrorReply(status, 'failed to renew entry: policies have changed, not renewing'),
    )
  })
})
