import { describe, expect, test } from 'vitest'
import { error, noContent, ok, statusAndBody } from '../replies.ts'
import { issuer, jwtServer } from './jwt.ts'

const config = 'auth/jwt/config'
const role = 'auth/jwt/role/app'

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

describe('behaviour/secrets#jwt-config', () => {
  test('is returned without the secret, and each write replaces all of it', async () => {
    const { secrets } = await jwtServer({}, { default_role: 'App', namespace_in_state: false })
    const fresh = {
      bound_issuer: '',
      default_role: '',
      jwks_ca_pem: '',
      jwks_url: '',
      jwt_supported_algs: [],
      jwt_validation_pubkeys: [],
      namespace_in_state: false,
      oidc_client_id: '',
      oidc_discovery_ca_pem: '',
      oidc_discovery_url: '',
      oidc_response_mode: '',
      oidc_response_types: [],
      provider_config: {},
    }
    expect(statusAndBody(await secrets.get(config))).toEqual(
      ok({ data: { ...fresh, jwt_validation_pubkeys: [issuer.pem], default_role: 'app' } }),
    )
    const web = {
      oidc_discovery_url: 'https://issuer.test',
      oidc_client_id: 'me',
      oidc_client_secret: 'hidden',
      oidc_response_mode: 'form_post',
      oidc_response_types: 'code,id_token',
      jwt_supported_algs: ['ES256'],
    }
    expect(statusAndBody(await secrets.post(config, web))).toEqual(noContent)
    const { oidc_client_secret, ...rendered } = web
    expect((await secrets.get(config)).body.data).toEqual({
      ...fresh,
      ...rendered,
      oidc_response_types: ['code', 'id_token'],
    })
    expect(statusAndBody(await secrets.delete(config))).toEqual(
      error(405, '1 error occurred:\n\t* unsupported operation\n\n'),
    )
  })

  test('is absent at first', async () => {
    const { secrets } = await jwtServer()
    await secrets.post('sys/auth/other', { type: 'jwt' })
    expect(statusAndBody(await secrets.get('auth/other/config'))).toEqual(error(404))
  })

  const sources =
    "exactly one of 'jwt_validation_pubkeys', 'jwks_url' or 'oidc_discovery_url' must be set"
  const client = "both 'oidc_client_id' and 'oidc_client_secret' must be set for OIDC"
  const unreadable = 'error parsing public key: data does not contain any valid public keys'
  const key = { jwt_validation_pubkeys: issuer.pem }
  test.each([
    [{}, sources],
    [{ ...key, jwks_url: 'http://x.test' }, sources],
    [{ ...key, oidc_client_id: 'me' }, client],
    [{ ...key, oidc_client_secret: 'me' }, client],
    [
      { ...key, oidc_client_id: 'me', oidc_client_secret: 'me' },
      "'oidc_discovery_url' must be set for OIDC",
    ],
    [{ jwt_validation_pubkeys: 'x' }, unreadable],
    [
      { jwt_validation_pubkeys: '-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----' },
      unreadable,
    ],
    [
      { ...key, jwt_supported_algs: 'RS256,HS256' },
      'invalid jwt_supported_algs: unsupported signing algorithm "HS256"',
    ],
    [
      { ...key, oidc_response_types: 'code,token' },
      "invalid response_types [code token]. 'code' and 'id_token' are allowed",
    ],
    [
      { ...key, oidc_response_types: 'id_token' },
      'query response_mode may not be used with an id_token response_type',
    ],
    [{ ...key, oidc_response_mode: 'zz' }, 'invalid response_mode: "zz"'],
  ])('refuses %j', async (body, text) => {
    const { secrets } = await jwtServer()
    const before = (await secrets.get(config)).body.data
    expect(statusAndBody(await secrets.post(config, body))).toEqual(error(400, text))
    expect((await secrets.get(config)).body.data).toEqual(before)
  })
})

describe('behaviour/secrets#jwt-roles', () => {
  test('fields that were never set are returned as null; missing fields keep their values', async () => {
    const { secrets } = await jwtServer()
    const fresh = {
      role_type: 'jwt',
      expiration_leeway: 0,
      not_before_leeway: 0,
      clock_skew_leeway: 0,
      bound_audiences: ['here'],
      bound_subject: '',
      bound_claims_type: 'string',
      bound_claims: null,
      claim_mappings: null,
      user_claim: 'sub',
      user_claim_json_pointer: false,
      groups_claim: '',
      oidc_scopes: null,
      allowed_redirect_uris: null,
      verbose_oidc_logging: false,
      max_age: 0,
      ...tokens,
    }
    expect(statusAndBody(await secrets.get('auth/jwt/role/APP'))).toEqual(ok({ data: fresh }))
    const change = {
      role_type: 'jwt',
      bound_claims: { a: [1, 'b'] },
      claim_mappings: { a: 'b' },
      clock_skew_leeway: -1,
      policies: 'B,a',
      ttl: '1m',
      num_uses: 3,
      max_age: '1m',
    }
    expect(statusAndBody(await secrets.post(role, change))).toEqual(noContent)
    expect((await secrets.get(role)).body.data).toEqual({
      ...fresh,
      bound_claims: { a: [1, 'b'] },
      claim_mappings: { a: 'b' },
      clock_skew_leeway: -1,
      max_age: 60,
      policies: ['a', 'b'],
      token_policies: ['a', 'b'],
      ttl: 60,
      token_ttl: 60,
      num_uses: 3,
      token_num_uses: 3,
    })
    expect((await secrets.list('auth/jwt/role')).body.data.keys).toEqual(['app'])
    expect(statusAndBody(await secrets.delete('auth/jwt/role/App'))).toEqual(noContent)
    expect(statusAndBody(await secrets.delete(role))).toEqual(noContent)
    expect(statusAndBody(await secrets.get(role))).toEqual(error(404))
  })

  test('warn about fields without effect', async () => {
    const { secrets } = await jwtServer()
    const change = { role_type: 'jwt', token_max_ttl: 2_764_801, verbose_oidc_logging: true }
    expect(statusAndBody(await secrets.post(role, change))).toEqual(
      ok({
        warnings: [
          "token max ttl is greater than the system or backend mount's maximum TTL value; issued tokens' max TTL value will be truncated",
          'verbose_oidc_logging has been enabled for this role. This is not recommended in production since sensitive information may be present in OIDC responses.',
        ],
      }),
    )
  })

  const jwt = { role_type: 'jwt' }
  test.each([
    [{ role_type: 'zz', token_num_uses: -1 }, "invalid 'role_type': zz"],
    [
      { ...jwt, token_num_uses: -1, bound_claims_type: 'zz' },
      "'token_num_uses' cannot be negative",
    ],
    [
      { ...jwt, token_ttl: 9, token_max_ttl: 8 },
      "'token_ttl' cannot be greater than 'token_max_ttl'",
    ],
    [
      { ...jwt, period: 2_764_801 },
      "'period' of '\"768h0m1s\"' is greater than the backend's maximum lease TTL of '\"768h0m0s\"'",
    ],
    [{ ...jwt, bound_claims_type: 'zz' }, "invalid 'bound_claims_type': zz"],
    [
      { ...jwt, bound_claims_type: 'glob', bound_claims: { a: ['x', 3] } },
      'claim is not a string: 3',
    ],
    [
      { ...jwt, bound_claims_type: 'glob', bound_claims: { a: { b: 1 } } },
      'claim is not a string or list: map[b:1]',
    ],
    [{ ...jwt, bound_claims_type: 'glob', bound_claims: { a: 1.5 } }, 'claim is not a string: 1.5'],
    [
      { ...jwt, claim_mappings: { a: 'role' } },
      'metadata key "role" is reserved and may not be a mapping destination',
    ],
    [
      { ...jwt, claim_mappings: { a: 'k', b: 'k' } },
      'multiple keys are mapped to metadata key "k"',
    ],
    [{ ...jwt, user_claim: '' }, 'a user claim must be defined on the role'],
    [{}, "'allowed_redirect_uris' must be set if 'role_type' is 'oidc' or unspecified."],
    [
      { ...jwt, bound_audiences: [] },
      'must have at least one bound constraint when creating/updating a role',
    ],
    [{ ...jwt, ttl: 9, max_ttl: 8 }, 'ttl should not be greater than max ttl'],
  ])('refuse %j', async (body, text) => {
    const { secrets } = await jwtServer()
    const before = (await secrets.get(role)).body.data
    expect(statusAndBody(await secrets.post(role, body))).toEqual(error(400, text))
    expect((await secrets.get(role)).body.data).toEqual(before)
  })
})
