import { describe, expect, test } from 'vitest'
import { servedSecrets } from '../../../support/secrets/secrets.ts'
import { error, multierrorReply, noContent, ok, statusAndBody } from '../replies.ts'

const open = { token: null }

const github = {
  organizations: { acme: { id: 77 } },
  users: {
    'tok-alice': { login: 'Alice', organizations: ['acme'], teams: { acme: ['Dev Team'] } },
    'tok-eve': { login: 'eve' },
  },
}

describe('behaviour/secrets#github', () => {
  test.each(['neutral', 'vendor'] as const)('a member of the organization, %s', async (dialect) => {
    const { secrets, world } = await servedSecrets({ dialect, secrets: { directory: { github } } })
    const status = dialect === 'vendor' ? 500 : 400
    await secrets.post('sys/auth/github', { type: 'github' })
    const login = (token: string) => secrets.post('auth/github/login', { token }, open)
    expect(statusAndBody(await login('tok-alice'))).toEqual(
      error(status, 'configuration has not been set'),
    )
    expect(statusAndBody(await secrets.get('auth/github/config'))).toEqual(error(404))
    expect(statusAndBody(await secrets.post('auth/github/config', {}))).toEqual(
      error(400, 'organization is a required parameter'),
    )
    expect(
      statusAndBody(await secrets.post('auth/github/config', { organization: 'none' })),
    ).toEqual(
      multierrorReply(
        status,
        'unable to fetch the organization_id, you must manually set it in the config: GET https://api.github.com/orgs/none: 404 Not Found []',
      ),
    )
    const config = {
      organization: 'Acme',
      base_url: 'https://git.test/api',
      token_policies: 'all',
      ttl: '1h',
    }
    expect(statusAndBody(await secrets.post('auth/github/config', config))).toEqual(noContent)
    expect((await secrets.get('auth/github/config')).body.data).toMatchObject({
      base_url: 'https://git.test/api/',
      organization: 'Acme',
      organization_id: 77,
      token_policies: ['all'],
      token_ttl: 3600,
      ttl: 3600,
    })
    expect(statusAndBody(await secrets.list('auth/github/map/teams'))).toEqual(ok({ data: {} }))
    expect(statusAndBody(await secrets.get('auth/github/map/teams/x'))).toEqual(ok({ data: null }))
    await secrets.post('auth/github/map/teams/Dev-Team', { value: 'devs' })
    await secrets.post('auth/github/map/users/alice', { value: 'ali' })
    expect((await secrets.get('auth/github/map/teams/DEV-TEAM')).body.data).toEqual({
      key: 'Dev-Team',
      value: 'devs',
    })
    expect((await secrets.get('auth/github/map/teams')).body.data).toEqual({ keys: ['dev-team'] })
    const { body } = await login('tok-alice')
    expect(body.auth).toMatchObject({
      metadata: { org: 'acme', username: 'Alice' },
      token_policies: ['ali', 'all', 'default', 'devs'],
    })
    expect(body.warnings).toEqual([
      'the organization name has changed to "acme". It is recommended to verify and update the organization name in the config: organization_id=77',
    ])
    const token = body.auth.client_token
    const { data } = (await secrets.get('auth/token/lookup-self', { token })).body
    expect(data.display_name).toBe('github-Alice')
    expect(statusAndBody(await login('none'))).toEqual(
      error(status, 'GET https://git.test/api/user: 401 Bad credentials []'),
    )
    expect(statusAndBody(await login('tok-eve'))).toEqual(
      error(status, 'user is not part of required org'),
    )
    const renew = () => secrets.post('auth/token/renew-self', {}, { token })
    expect((await renew()).status).toBe(200)
    await secrets.delete('auth/github/map/users/alice')
    expect(statusAndBody(await renew())).toEqual(
      multierrorReply(status, 'failed to renew entry: policies have changed, not renewing'),
    )
    world.changeOptions({ secrets: { directoryFault: 'unreachable' } })
    expect((await login('tok-alice')).body.errors[0]).toContain('connection refused')
  })
})

const okta = {
  users: {
    'ann@x': { password: 'pw', groups: ['Dev'] },
    'out@x': { password: 'pw', status: 'LOCKED_OUT' },
    'no@x': { password: 'pw', factor: 'push-denied' },
    'code@x': { password: 'pw', factor: 'totp' },
  },
}

describe('behaviour/secrets#okta', () => {
  test('people log in by password and second factor', async () => {
    const { secrets, world } = await servedSecrets({ secrets: { directory: { okta } } })
    await secrets.post('sys/auth/okta', { type: 'okta' })
    const login = (user: string, body: object = {}) =>
      secrets.post(`auth/okta/login/${user}`, { password: 'pw', ...body }, open)
    const refused = async (user: string, body?: object) => (await login(user, body)).body.errors[0]
    expect(await refused('ann@x')).toBe('Okta auth method not configured')
    expect(statusAndBody(await secrets.post('auth/okta/config', {}))).toEqual(
      error(400, 'org_name is missing'),
    )
    const config = { organization: 'acme', api_token: 'secret', ttl: '1h', max_ttl: '2h' }
    expect(statusAndBody(await secrets.post('auth/okta/config', config))).toEqual(noContent)
    const shown = (await secrets.get('auth/okta/config')).body.data
    expect(shown).toMatchObject({ org_name: 'acme', organization: 'acme', bypass_okta_mfa: false })
    expect(shown).toMatchObject({ ttl: 3600, token_ttl: 3600, max_ttl: 7200 })
    expect(JSON.stringify(shown)).not.toContain('secret')
    await secrets.post('auth/okta/groups/DEV', { policies: 'devs' })
    await secrets.post('auth/okta/users/ann@x', { policies: 'own', groups: 'Ops' })
    expect((await secrets.get('auth/okta/users/ann@x')).body.data).toEqual({
      groups: ['Ops'],
      policies: ['own'],
    })
    expect((await secrets.list('auth/okta/groups')).body.data.keys).toEqual(['dev'])
    const { auth, warnings } = (await login('ann@x')).body
    expect(warnings).toBeNull()
    expect(auth).toMatchObject({
      metadata: { policies: 'devs,own', username: 'ann@x' },
      token_policies: ['default', 'devs', 'own'],
      lease_duration: 3600,
    })
    expect(await refused('ann@x', { password: 'x' })).toContain('(code=E0000004)')
    expect(await refused('out@x')).toBe('okta authentication failed')
    expect(await refused('no@x')).toBe('multi-factor authentication denied')
    expect(await refused('code@x')).toBe("'totp' passcode parameter is required to perform MFA")
    expect((await login('code@x', { totp: '1' })).body.warnings).toEqual([
      'no Okta groups found; only policies from locally-defined groups available',
    ])
    const bypass = await secrets.post('auth/okta/config', { bypass_okta_mfa: true })
    expect(bypass.body.warnings[0]).toContain('MFA bypass')
    expect((await login('out@x')).status).toBe(200)
    expect(statusAndBody(await secrets.get('auth/okta/verify/n', open))).toEqual(error(404))
    world.changeOptions({ secrets: { directoryFault: 'refused' } })
    expect(await refused('ann@x')).toContain('(code=E0000011)')
  })
})
