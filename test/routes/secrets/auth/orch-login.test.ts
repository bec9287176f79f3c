import type { JWTPayload } from 'jose'
import { describe, expect, test } from 'vitest'
import { issueAccountToken } from '../../../../state/secrets/orch/account-tokens.ts'
import {
  type RequestOptions,
  servedSecrets,
  type TestSettings,
} from '../../../support/secrets/secrets.ts'
import { error, multierrorReply, noContent, ok, statusAndBody } from '../replies.ts'
import { createSigner, issuer, now } from './jwt.ts'

const config = 'auth/orch/config'
const role = 'auth/orch/role/app'
const bound = {
  bound_service_account_names: 'web',
  bound_service_account_namespaces: 'shop',
}
const denied = error(403, 'permission denied')
const dialects = [
  ['neutral', 400, 'orch'],
  ['vendor', 500, 'kubernetes'],
] as const

/** Starts a server with the configured login method and its role `app`. */
async function orchServer(
  roleChanges: object = {},
  configChanges: object = {},
  settings: TestSettings = {},
) {
  const server = await servedSecrets(settings)
  const { secrets, world } = server
  const write = async (path: string, body: object) =>
    expect(statusAndBody(await secrets.post(path, body))).toEqual(noContent)
  await write('sys/auth/orch', { type: 'orch' })
  await write(config, { orch_host: 'https://orch:6443', ...configChanges })
  await write(role, { ...bound, ...roleChanges })
  const login = (jwt: string, body: object = {}, options: RequestOptions = {}) =>
    secrets.post('auth/orch/login', { role: 'app', jwt, ...body }, { token: null, ...options })
  const token = (request: { ttl?: string; audiences?: string[]; account?: string } = {}) => {
    const { account: service_account = 'web', ...rest } = request
    return issueAccountToken(world, { namespace: 'shop', service_account, ...rest })
  }
  return { ...server, login, token, write }
}

/** Claims of an account of another orchestrator. */
const foreign = {
  iss: 'else',
  aud: ['api'],
  exp: now + 60,
  'kubernetes.io': { namespace: 'shop', serviceaccount: { name: 'web', uid: 'u-1' } },
} satisfies JWTPayload
const accountKeys = { pem_keys: [issuer.pem] }
const unreviewed = { secrets: { orchReview: 'off' } } as const

describe('behaviour/secrets#orch-login', () => {
  test('gives a token with the name of the account', async () => {
    for (const alias_name_source of ['serviceaccount_uid', 'serviceaccount_name']) {
      const { login, token, as, secrets } = await orchServer({
        token_policies: 'a',
        alias_name_source,
      })
      const { token: jwt, uid } = token()
      const { auth } = (await login(jwt, { role: 'APP' })).body
      expect(auth).toMatchObject({
        policies: ['a', 'default'],
        metadata: {
          service_account_uid: uid,
          service_account_name: 'web',
          service_account_namespace: 'shop',
          service_account_secret_name: '',
          role: 'APP',
        },
        renewable: true,
      })
      const { data } = (await as(auth.client_token).get('auth/token/lookup-self')).body
      expect(data).toMatchObject({ path: 'auth/orch/login', display_name: 'orch-shop-web' })
      const entity = await secrets.get(`identity/entity/id/${auth.entity_id}`)
      // The alias has no metadata of the role.
      const { role: _, ...account } = auth.metadata
      expect(entity.body.data.aliases[0].metadata).toEqual(account)
    }
  })

  test('missing settings are refused in this order', async () => {
    for (const [dialect, status] of dialects) {
      const { login, token, secrets, write } = await orchServer({}, {}, { dialect })
      const { token: jwt } = token()
      expect(statusAndBody(await login('', { role: '' }))).toEqual(error(400, 'missing role'))
      expect(statusAndBody(await login(''))).toEqual(error(400, 'missing jwt'))
      expect(statusAndBody(await login(jwt, { role: 'No"' }))).toEqual(
        error(400, 'invalid role name "No\\""'),
      )
      await write('sys/auth/bare', { type: 'orch' })
      await write('auth/bare/role/app', { ...bound, token_bound_cidrs: '10.0.0.0/8' })
      const bare = (options: RequestOptions) =>
        secrets.post('auth/bare/login', { role: 'app', jwt }, { token: null, ...options })
      expect(statusAndBody(await bare({}))).toEqual(denied)
      expect(statusAndBody(await bare({ peer: '10.0.0.1' }))).toEqual(
        error(status, 'could not load backend configuration'),
      )
      expect(statusAndBody(await login('no.jwt'))).toEqual(denied)
      expect(statusAndBody(await login('e30.W10.AA'))).toEqual(denied)
    }
  })

  test('refusals name the error in the claims', async () => {
    const strict = { ...accountKeys, issuer: 'me', disable_iss_validation: false }
    const { login } = await orchServer({ audience: 'api' }, strict, unreviewed)
    const loginResult = async (changes: object) =>
      statusAndBody(await login(await issuer.sign({ ...foreign, iss: 'me', ...changes })))
    expect((await loginResult({})).status).toBe(200)
    for (const [changes, text] of [
      [{ iss: 'you' }, 'invalid issuer (iss) claim'],
      [
        { aud: 'other' },
        'invalid audience (aud) claim: audience claim does not match any expected audience',
      ],
      [{ exp: now - 61 }, 'invalid expiration time (exp) claim: token is expired'],
      [{ nbf: now + 61 }, 'invalid not before (nbf) claim: token not yet valid'],
    ] as const) {
      expect(await loginResult(changes)).toEqual(error(403, text))
    }
    const ed = await createSigner('EdDSA')
    expect(statusAndBody(await login(await ed.sign(foreign)))).toEqual(denied)
  })

  test('needs an account and namespace of the role, by globs or any', async () => {
    const { login, write } = await orchServer({}, accountKeys, unreviewed)
    const loginResult = async (namespace: string, name: string, uid = 'u') => {
      const domain = { namespace, serviceaccount: { name, uid } }
      return statusAndBody(await login(await issuer.sign({ 'orch.io': domain })))
    }
    expect(await loginResult('shop', 'api')).toEqual(
      error(403, 'service account name not authorized'),
    )
    expect(await loginResult('bank', 'web')).toEqual(error(403, 'namespace not authorized'))
    await write(role, { bound_service_account_names: '*' })
    await write(role, { bound_service_account_namespaces: 'x,b*' })
    expect((await loginResult('bank', 'api')).status).toBe(200)
    expect(await loginResult('bank', 'api', '')).toEqual(
      error(400, 'could not parse UID from claims'),
    )
  })

  test('reads the flat claims of tokens that are kept in secrets', async () => {
    const { login } = await orchServer({}, accountKeys, unreviewed)
    const flat = 'kubernetes.io/serviceaccount/'
    const claims = {
      [`${flat}namespace`]: 'shop',
      [`${flat}service-account.name`]: 'web',
      [`${flat}service-account.uid`]: 'u-2',
      [`${flat}secret.name`]: 'web-token',
    }
    const { auth } = (await login(await issuer.sign(claims))).body
    expect(auth.metadata).toEqual({
      service_account_uid: 'u-2',
      service_account_name: 'web',
      service_account_namespace: 'shop',
      service_account_secret_name: 'web-token',
      role: 'app',
    })
  })

  test('renewals follow the role, and fail without it', async () => {
    for (const [dialect, status] of dialects) {
      const { login, token, secrets, as, write } = await orchServer({}, {}, { dialect })
      const { client_token } = (await login(token().token)).body.auth
      const renew = () => as(client_token).post('auth/token/renew-self', {})
      await write(role, { token_ttl: 70 })
      expect((await renew()).body.auth.lease_duration).toBe(70)
      await secrets.delete(role)
      expect(statusAndBody(await renew())).toEqual(
        multierrorReply(status, 'failed to renew entry: role app does not exist during renewal'),
      )
    }
  })
})

describe('behaviour/secrets#orch-login-review', () => {
  test('the orchestrator has to know signature and account, in time', async () => {
    const { login, token, world, clock } = await orchServer()
    const { token: jwt } = token({ ttl: '1m' })
    expect((await login(jwt)).status).toBe(200)
    expect(statusAndBody(await login(await issuer.sign(foreign)))).toEqual(denied)
    const options = (secrets: object) => world.changeOptions({ secrets })
    for (const orchFault of ['unreachable', 'refused', 'slow']) {
      options({ orchFault })
      expect(statusAndBody(await login(jwt))).toEqual(denied)
    }
    options({ orchFault: 'none', orchMissingAccounts: ['shop/web'] })
    expect(statusAndBody(await login(jwt))).toEqual(denied)
    options({ orchMissingAccounts: [] })
    clock.advance(59_000)
    expect((await login(jwt)).status).toBe(200)
    clock.advance(1000)
    expect(statusAndBody(await login(jwt))).toEqual(denied)
  })

  test('an account that the engine made is gone with its credentials', async () => {
    const { login, secrets, write } = await orchServer({ bound_service_account_names: '*' })
    await write('orch/config', { orch_host: 'https://orch:6443' })
    await write('orch/roles/app', {
      allowed_orch_namespaces: '*',
      generated_role_rules: 'rules: [{apiGroups: [""], resources: [pods], verbs: [list]}]',
    })
    const created = (await secrets.post('orch/creds/app', { orch_namespace: 'shop' })).body
    const jwt = created.data.service_account_token
    expect((await login(jwt)).status).toBe(200)
    await secrets.post('sys/leases/revoke', { lease_id: created.lease_id, sync: true })
    expect(statusAndBody(await login(jwt))).toEqual(denied)
  })

  test('configured keys must also have signed the token', async () => {
    const { login, token } = await orchServer({}, accountKeys)
    expect(statusAndBody(await login(token().token))).toEqual(denied)
  })

  test('without a token review only the configured keys decide, choice/secrets#orch-login-unreviewed', async () => {
    const { login } = await orchServer({}, accountKeys, unreviewed)
    expect((await login(await issuer.sign(foreign))).status).toBe(200)
    const open = await orchServer({}, {}, unreviewed)
    expect(statusAndBody(await open.login(await issuer.sign(foreign)))).toEqual(denied)
  })
})

describe('behaviour/secrets#orch-login-config', () => {
  // Without a CA certificate: choice/secrets#orch-login-ca
  test('is described in the words of the dialect, without its token', async () => {
    for (const [dialect, , word] of dialects) {
      const { secrets } = await orchServer({}, accountKeys, { dialect })
      expect(statusAndBody(await secrets.get(config))).toEqual(
        ok({
          data: {
            [`${word}_host`]: 'https://orch:6443',
            [`${word}_ca_cert`]: '',
            pem_keys: [issuer.pem],
            issuer: '',
            disable_iss_validation: true,
            disable_local_ca_jwt: false,
            token_reviewer_jwt_set: false,
          },
        }),
      )
      const whole = { kubernetes_host: 'h', token_reviewer_jwt: 'e30.e30.eA' }
      expect(statusAndBody(await secrets.post(config, whole))).toEqual(noContent)
      expect((await secrets.get(config)).body.data).toMatchObject({
        [`${word}_host`]: 'h',
        pem_keys: [],
        token_reviewer_jwt_set: true,
      })
      await secrets.post('sys/auth/other', { type: 'kubernetes' })
      expect(statusAndBody(await secrets.get('auth/other/config'))).toEqual(error(404))
      expect((await secrets.get('sys/auth')).body['other/'].type).toBe(word)
    }
  })

  test('refuses invalid settings', async () => {
    for (const [dialect, , word] of dialects) {
      const { secrets } = await orchServer({}, {}, { dialect })
      const write = async (body: object) => statusAndBody(await secrets.post(config, body))
      expect(await write({})).toEqual(error(400, 'no host provided'))
      expect(await write({ orch_host: 'h', token_reviewer_jwt: 'x' })).toEqual(
        multierrorReply(
          dialect === 'vendor' ? 500 : 400,
          'go-jose/go-jose: compact JWS format must have three parts',
        ),
      )
      expect(await write({ orch_host: 'h', disable_local_ca_jwt: true })).toEqual(
        error(400, `${word}_ca_cert must be given when disable_local_ca_jwt is true`),
      )
      const ed = await createSigner('EdDSA')
      for (const pem_keys of ['x', ed.pem]) {
        expect(await write({ orch_host: 'h', pem_keys })).toEqual(
          error(400, 'data does not contain any valid RSA or ECDSA public keys'),
        )
      }
    }
  })
})

describe('behaviour/secrets#orch-login-roles', () => {
  const tokens = {
    token_bound_cidrs: [],
    token_explicit_max_ttl: 0,
    token_max_ttl: 0,
    token_no_default_policy: false,
    token_num_uses: 0,
    token_period: 0,
    token_policies: [],
    token_ttl: 0,
    token_type: 'default',
  }

  test('are returned; missing fields keep their values', async () => {
    const { secrets, write } = await orchServer()
    const fresh = {
      bound_service_account_names: ['web'],
      bound_service_account_namespaces: ['shop'],
      alias_name_source: 'serviceaccount_uid',
      ...tokens,
    }
    expect(statusAndBody(await secrets.get('auth/orch/role/APP'))).toEqual(ok({ data: fresh }))
    await write(role, { audience: 'x', max_ttl: 60, alias_name_source: 'serviceaccount_name' })
    await write(role, { bound_service_account_names: 'a*,b' })
    expect((await secrets.get(role)).body.data).toEqual({
      ...fresh,
      bound_service_account_names: ['a*', 'b'],
      audience: 'x',
      alias_name_source: 'serviceaccount_name',
      max_ttl: 60,
      token_max_ttl: 60,
    })
    expect((await secrets.list('auth/orch/role')).body.data.keys).toEqual(['app'])
    expect(statusAndBody(await secrets.delete(role))).toEqual(noContent)
    expect(statusAndBody(await secrets.delete(role))).toEqual(noContent)
    expect(statusAndBody(await secrets.get(role))).toEqual(error(404))
    await write(role, { ...bound, alias_name_source: '' })
  })

  const aliasSource =
    'invalid alias_name_source, must be one of: serviceaccount_uid, serviceaccount_name'
  test.each([
    [{ token_num_uses: -1 }, "'token_num_uses' cannot be negative"],
    [
      { token_period: 2_764_801 },
      "token period of '\"768h0m1s\"' is greater than the backend's maximum lease TTL of '\"768h0m0s\"'",
    ],
    [{ ttl: 9, max_ttl: 8 }, 'token ttl should not be greater than token max ttl'],
    [{ bound_service_account_names: '' }, '"bound_service_account_names" can not be empty'],
    [
      { bound_service_account_namespaces: '' },
      '"bound_service_account_namespaces" can not be empty',
    ],
    [{ bound_service_account_names: 'a,*' }, 'can not mix "*" with values'],
    [{ bound_service_account_namespaces: '*,a' }, 'can not mix "*" with values'],
    [{ alias_name_source: '' }, aliasSource],
    [{ alias_name_source: 'zz' }, aliasSource],
  ])('refuse %j', async (body, text) => {
    const { secrets } = await orchServer()
    expect(statusAndBody(await secrets.post(role, body))).toEqual(error(400, text))
  })

  test('warn about fields without effect', async () => {
    const { secrets } = await orchServer()
    expect(statusAndBody(await secrets.post(role, { token_max_ttl: 2_764_801 }))).toEqual(
      ok({
        warnings: [
          "max_ttl is greater than the system or backend mount's maximum TTL value; issued tokens' max TTL value will be truncated",
        ],
      }),
    )
  })
})
