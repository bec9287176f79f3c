import { describe, expect, onTestFinished, test } from 'vitest'
import { createUnderstudy } from '../../../src/embedding/index.ts'
import { testMistakes } from './mistake-tests.ts'
import { expectFewWithoutRequest, type Mistake } from './mistakes.ts'

const reader = (rules: string) => [
  `POST /v1/sys/policies/acl/reader {"policy":${JSON.stringify(rules)}}`,
  'auth.client_token<-POST /v1/auth/token/create {"policies":["reader"],"display_name":"ada"}',
]
const secret = 'POST /v1/secret/data/app/db {"data":{"user":"ada"}}'
const readsApp = reader('path "secret/data/app/*" { capabilities = ["read"] }')

/** Unsigned JWT of a service account. */
const unsigned = [
  { alg: 'RS256' },
  { 'orch.io': { namespace: 'shop', serviceaccount: { name: 'web', uid: 'u' } } },
  {},
]
  .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
  .join('.')

const mistakes: readonly Mistake[] = [
  {
    mistake: 'no token',
    sent: 'GET /v1/sys/mounts #',
    rule: 'token-missing',
    says: ['X-Secrets-Token', 'missing'],
  },
  {
    mistake: 'credentials of another scheme',
    sent: 'GET /v1/sys/mounts # @authorization=Basic%20cm9vdDp4',
    rule: 'token-scheme-wrong',
    says: ['Bearer <token>', 'the scheme Basic'],
  },
  {
    mistake: "the scheduler's header",
    sent: 'GET /v1/sys/mounts # @x-nomad-token=root',
    rule: 'token-in-wrong-header',
    says: ['x-nomad-token', 'scheduler', 'X-Secrets-Token'],
  },
  {
    mistake: "the mesh's header",
    sent: 'GET /v1/sys/mounts # @x-consul-token=root',
    rule: 'token-in-wrong-header',
    says: ['x-consul-token', 'mesh'],
  },
  {
    mistake: 'a token that nobody knows',
    sent: 'GET /v1/sys/mounts #s.nobody',
    rule: 'token-unknown',
    says: ['does not exist in this world'],
  },
  {
    mistake: 'a token that has expired',
    after: ['auth.client_token<-POST /v1/auth/token/create {"ttl":"1m","display_name":"ada"}'],
    given: (world) => void world.clock.advance('2m'),
    sent: 'GET /v1/sys/mounts #$client_token',
    rule: 'token-expired',
    says: ['ada', 'expired at 2026-01-01T00:01:00Z'],
  },
  {
    mistake: 'an expired token whose name is the default',
    after: ['auth.accessor<-POST /v1/auth/token/create {"id":"tok-without-name","ttl":"1m"}'],
    given: (world) => void world.clock.advance('2m'),
    sent: 'GET /v1/sys/mounts #tok-without-name',
    rule: 'token-expired',
    says: [' expired at 2026-01-01T00:01:00Z'],
  },
  {
    mistake: 'a path that ends with a dot',
    after: [secret],
    sent: 'GET /v1/secret/data/app/db.',
    rule: 'trailing-dot',
    says: ['/v1/secret/data/app/db. ends with a dot'],
  },
  {
    mistake: 'a name of a user that ends with a dot',
    after: ['POST /v1/sys/auth/userpass {"type":"userpass"}'],
    sent: 'POST /v1/auth/userpass/users/ada. {"password":"lovelace-1815"}',
    rule: 'trailing-dot',
    says: ['ends with a dot'],
  },
  {
    mistake: 'a token without uses left',
    after: [
      'auth.client_token<-POST /v1/auth/token/create {"num_uses":1,"display_name":"ada"}',
      'GET /v1/auth/token/lookup-self #$client_token',
    ],
    sent: 'GET /v1/sys/mounts #$client_token',
    rule: 'token-used-up',
    says: ['ada', 'no uses left'],
  },
  {
    mistake: 'a token that was revoked',
    after: [
      'auth.client_token<-POST /v1/auth/token/create {"display_name":"ada"}',
      'POST /v1/auth/token/revoke {"token":"$client_token"}',
    ],
    sent: 'GET /v1/sys/mounts #$client_token',
    rule: 'token-revoked',
    says: ['revoked', 'r2', '2026-01-01T00:00:00Z'],
  },
  {
    mistake: 'a token that revoked itself',
    after: [
      'auth.client_token<-POST /v1/auth/token/create {}',
      'POST /v1/auth/token/revoke-self #$client_token',
    ],
    sent: 'GET /v1/secret/data/x #$client_token',
    rule: 'token-revoked',
    says: ['revoked', 'r2'],
  },
  {
    mistake: 'a capability that the policy does not grant',
    after: [secret, ...readsApp],
    sent: 'POST /v1/secret/data/app/db #$client_token {"data":{"a":1}}',
    rule: 'acl-denied',
    says: ['update', 'secret/data/app/db', 'default, reader', 'read'],
  },
  {
    mistake: 'create instead of update',
    after: readsApp,
    sent: 'POST /v1/secret/data/app/new #$client_token {"data":{"a":1}}',
    rule: 'acl-denied',
    says: ['create', 'secret/data/app/new'],
  },
  {
    mistake: 'a path that the policy does not name',
    after: readsApp,
    sent: 'GET /v1/secret/data/other #$client_token',
    rule: 'acl-denied',
    says: ['read', 'secret/data/other', 'nothing'],
  },
  {
    mistake: 'a policy on secret/ instead of secret/data/',
    after: [secret, ...reader('path "secret/app/*" { capabilities = ["read"] }')],
    sent: 'GET /v1/secret/data/app/db #$client_token',
    rule: 'acl-denied',
    says: ['read', 'secret/data/app/db'],
  },
  {
    mistake: 'listing with a policy that reads',
    after: [secret, ...readsApp],
    sent: 'LIST /v1/secret/metadata/app #$client_token',
    rule: 'acl-denied',
    says: ['list', 'secret/metadata/app/'],
  },
  {
    mistake: 'deleting with a policy that reads',
    after: [secret, ...readsApp],
    sent: 'DELETE /v1/secret/data/app/db #$client_token',
    rule: 'acl-denied',
    says: ['delete', 'secret/data/app/db'],
  },
  {
    mistake: 'sudo that is lacking',
    after: reader('path "sys/audit/*" { capabilities = ["update", "create"] }'),
    sent: 'POST /v1/sys/audit/file #$client_token {"type":"file"}',
    rule: 'acl-denied',
    says: ['sudo', 'sys/audit/file'],
  },
  {
    mistake: 'the system with a token of default alone',
    after: ['auth.client_token<-POST /v1/auth/token/create {"policies":["default"]}'],
    sent: 'GET /v1/sys/mounts #$client_token',
    rule: 'acl-denied',
    says: ['read', 'sys/mounts', 'default'],
  },
  {
    mistake: 'a parameter that the policy denies',
    after: reader(
      'path "secret/data/app/*" { capabilities = ["create"] denied_parameters = { "options" = [] } }',
    ),
    sent: 'POST /v1/secret/data/app/x #$client_token {"data":{"a":1},"options":{"cas":0}}',
    rule: 'parameters-denied',
    says: ['create', 'secret/data/app/x', 'parameters'],
  },
  {
    mistake: 'a secret without "data" around it',
    sent: 'POST /v1/secret/data/app/db {"password":"p","options":{"cas":0}}',
    rule: 'no-data',
    says: ['password', '"data"'],
  },
  {
    mistake: 'a list of data/ instead of metadata/',
    after: [secret],
    sent: 'LIST /v1/secret/data/app',
    rule: 'kv2-list-elsewhere',
    says: ['secret/', 'metadata/'],
  },
  {
    mistake: 'data/ in an engine without versions',
    after: ['POST /v1/kv/app/db {"a":1}'],
    sent: 'GET /v1/kv/data/app/db',
    rule: 'kv1-part-needless',
    says: ['kv/', 'does not version', 'kv/app/db'],
  },
  {
    mistake: 'a duration that is none',
    sent: 'POST /v1/auth/token/create {"ttl":"soon"}',
    rule: 'duration-unreadable',
    says: ['"ttl"', '"soon"'],
  },
  {
    mistake: 'a cas of the past',
    after: [secret, secret],
    sent: 'POST /v1/secret/data/app/db {"data":{"a":1},"options":{"cas":1}}',
    rule: 'cas-mismatch',
    says: ['cas is 1', 'app/db', 'version 2'],
  },
  {
    mistake: 'cas 0 of a secret that is there',
    after: [secret],
    sent: 'POST /v1/secret/data/app/db {"data":{"a":1},"options":{"cas":0}}',
    rule: 'cas-mismatch',
    says: ['cas is 0', 'version 1'],
  },
  {
    mistake: 'a cas of a secret that is not there',
    sent: 'POST /v1/secret/data/new {"data":{"a":1},"options":{"cas":3}}',
    rule: 'cas-mismatch',
    says: ['cas is 3', 'new', 'no version yet'],
  },
  {
    mistake: 'no cas where it is required',
    after: ['POST /v1/secret/config {"cas_required":true}'],
    sent: 'POST /v1/secret/data/app/db {"data":{"a":1}}',
    rule: 'cas-required',
    says: ['options.cas', 'app/db'],
  },
  {
    mistake: 'a cas that is not a number',
    after: [secret],
    sent: 'POST /v1/secret/data/app/db {"data":{"a":1},"options":{"cas":"one"}}',
    rule: 'cas-unreadable',
    says: ['"one"', 'version 1'],
  },
  {
    mistake: 'a version that never was',
    after: [secret],
    sent: 'GET /v1/secret/data/app/db?version=9',
    rule: 'version-unknown',
    says: ['app/db', 'version 9', '1 to 1'],
  },
  {
    mistake: 'a version that is deleted',
    after: [secret, 'DELETE /v1/secret/data/app/db'],
    sent: 'GET /v1/secret/data/app/db',
    rule: 'version-deleted',
    says: ['version 1', 'deleted at 2026-01-01T00:00:00Z'],
  },
  {
    mistake: 'a version that is destroyed',
    after: [secret, 'PUT /v1/secret/destroy/app/db {"versions":[1]}'],
    sent: 'GET /v1/secret/data/app/db?version=1',
    rule: 'version-destroyed',
    says: ['version 1', 'destroyed'],
  },
  {
    mistake: 'metadata without a version',
    after: ['POST /v1/secret/metadata/app/db {"max_versions":3}'],
    sent: 'GET /v1/secret/data/app/db',
    rule: 'version-unknown',
    says: ['app/db', 'no version'],
  },
  {
    mistake: "a secret's name with a slip of the pen",
    after: [secret],
    sent: 'GET /v1/secret/data/app/bd',
    rule: 'secret-unknown',
    says: ['app/bd', 'app/db'],
  },
  {
    mistake: 'a secret that is nowhere',
    sent: 'GET /v1/secret/data/nothing',
    rule: 'secret-unknown',
    says: ['nothing', 'secret/'],
  },
  {
    mistake: 'a plain secret with a slip of the pen',
    after: ['POST /v1/kv/app {"a":"b"}'],
    sent: 'GET /v1/kv/ap',
    rule: 'secret-unknown',
    says: ['ap', 'closest path is app'],
  },
  {
    mistake: 'a folder with nothing in it',
    sent: 'LIST /v1/secret/metadata/none',
    rule: 'folder-empty',
    says: ['none', 'secret/'],
  },
  {
    mistake: 'data/ left out of a read',
    after: [secret],
    sent: 'GET /v1/secret/app/db',
    rule: 'kv2-part-missing',
    says: ['secret/data/app/db'],
  },
  {
    mistake: 'data/ left out of a write',
    sent: 'POST /v1/secret/app/db {"data":{"a":1}}',
    rule: 'kv2-part-missing',
    says: ['secret/data/app/db'],
  },
  {
    mistake: 'metadata/ left out of a list',
    after: [secret],
    sent: 'LIST /v1/secret/app',
    rule: 'kv2-part-missing',
    says: ['secret/metadata/app'],
  },
  {
    mistake: 'a mount with a slip of the pen',
    sent: 'GET /v1/secrt/data/app',
    rule: 'mount-unknown',
    says: ['secrt/', 'closest mount is secret/'],
  },
  {
    mistake: 'a mount that is not there, with a token that may nothing',
    after: readsApp,
    sent: 'GET /v1/database/creds/app #$client_token',
    rule: 'mount-unknown',
    says: ['database/', 'secret/'],
  },
  {
    mistake: 'a login method that is not there',
    sent: 'POST /v1/auth/userpass/login/ada {"password":"x"}',
    rule: 'mount-unknown',
    says: ['auth/userpass/'],
  },
  {
    mistake: "the vendor's name of the orchestrator's mount",
    sent: 'GET /v1/kubernetes/roles/app',
    rule: 'wrong-dialect',
    says: ['kubernetes/', 'vendor', 'orch/'],
    vendor: {
      sent: 'GET /v1/orch/roles/app',
      says: ['orch/', 'kubernetes/'],
    },
  },
  {
    mistake: "the vendor's name of the cloud's mount",
    sent: 'GET /v1/auth/oci/config',
    rule: 'wrong-dialect',
    says: ['auth/oci/', 'auth/cloud/'],
    vendor: { sent: 'GET /v1/auth/cloud/config', says: ['auth/cloud/', 'auth/oci/'] },
  },
  {
    mistake: "a path of the scheduler's",
    sent: 'GET /v1/allocations',
    rule: 'wrong-api',
    says: ['/v1/allocations', 'scheduler'],
  },
  {
    mistake: "a path of the mesh's, without a token",
    sent: 'GET /v1/catalog/nodes #',
    rule: 'wrong-api',
    says: ['/v1/catalog/nodes', 'mesh'],
  },
  {
    mistake: 'the prefix /v1 left out',
    sent: 'GET /sys/mounts',
    rule: 'prefix-missing',
    says: ['/sys/mounts', '/v1/sys/mounts'],
  },
  {
    mistake: 'a verb that the path does not take',
    sent: 'POST /v1/sys/health {}',
    rule: 'method-not-allowed',
    says: ['/v1/sys/health', 'GET', 'POST'],
  },
  {
    mistake: 'a read of what can only be written',
    sent: 'GET /v1/secret/undelete/app',
    rule: 'method-not-allowed',
    says: ['/v1/secret/undelete/app', 'POST', 'GET'],
  },
  {
    mistake: 'a write that ends with a slash',
    sent: 'POST /v1/secret/data/app/ {"data":{"a":1}}',
    rule: 'trailing-slash',
    says: ['/v1/secret/data/app/', 'slash'],
  },
  {
    mistake: 'a body that is not JSON',
    sent: 'POST /v1/secret/data/app ={"data":',
    rule: 'body-unreadable',
    says: ['JSON'],
  },
  {
    mistake: 'a body that is a list',
    sent: 'POST /v1/secret/data/app ["data"]',
    rule: 'body-unreadable',
    says: ['an array', 'object'],
  },
  {
    mistake: 'a secret without data',
    sent: 'POST /v1/secret/data/app {"user":"ada"}',
    rule: 'no-data',
    says: ['data'],
  },
  {
    mistake: 'a field of another type',
    sent: 'POST /v1/secret/config {"max_versions":"many"}',
    rule: 'field-validation-failed',
    says: ['max_versions', 'whole number'],
  },
  {
    mistake: 'a duration that is none',
    sent: 'POST /v1/secret/config {"delete_version_after":"soon"}',
    rule: 'field-validation-failed',
    says: ['delete_version_after', 'duration'],
  },
  {
    mistake: 'PATCH with plain JSON',
    after: [secret],
    sent: 'PATCH /v1/secret/data/app/db @content-type=application/json {"data":{"a":1}}',
    rule: 'content-type-unsupported',
    says: ['application/merge-patch+json', 'application/json'],
  },
  {
    mistake: 'a sealed node',
    options: { sealed: true },
    sent: 'GET /v1/sys/mounts',
    rule: 'sealed',
    says: ['sealed', '3 key shares'],
  },
  {
    mistake: 'a node that was never initialised',
    options: { initialized: false },
    sent: 'GET /v1/secret/data/app',
    rule: 'sealed',
    says: ['not initialised'],
  },
  {
    mistake: 'a namespace that is not there',
    after: ['POST /v1/sys/namespaces/team {}'],
    sent: 'GET /v1/sys/mounts @x-secrets-namespace=taem',
    rule: 'namespace-not-found',
    says: ['taem/', 'team/'],
  },
  {
    mistake: 'a namespace given twice',
    after: ['POST /v1/sys/namespaces/team {}'],
    sent: 'GET /v1/team/sys/mounts @x-secrets-namespace=team',
    rule: 'namespace-twice',
    says: ['team/', 'twice'],
  },
  {
    mistake: 'a mount at a reserved path',
    sent: 'POST /v1/sys/mounts/sys/x {"type":"kv"}',
    rule: 'mount-protected',
    says: ['sys/', 'reserved'],
  },
  {
    mistake: 'the policy root',
    sent: 'POST /v1/sys/policies/acl/root {"policy":"path \\"a\\" {}"}',
    rule: 'policy-fixed',
    says: ['root', 'reserved'],
  },
  {
    mistake: 'a path in use for a mount',
    sent: 'POST /v1/sys/mounts/secret {"type":"kv"}',
    rule: 'mount-in-use',
    says: ['secret/'],
  },
  {
    mistake: 'a type of engine that is not there',
    sent: 'POST /v1/sys/mounts/pkcs {"type":"pkcs"}',
    rule: 'type-unknown',
    says: ['pkcs'],
  },
  {
    mistake: 'too many requests in a second',
    options: { rateLimit: 1 },
    after: ['GET /v1/sys/mounts'],
    sent: 'GET /v1/sys/mounts',
    rule: 'rate-limit-exceeded',
    says: ['/v1/sys/mounts', '1 requests'],
  },
  {
    mistake: 'a policy with a capability that there is not',
    sent: 'POST /v1/sys/policies/acl/x {"policy":"path \\"a\\" { capabilities = [\\"write\\"] }"}',
    rule: 'policy-unreadable',
    says: ['write', 'a'],
  },
  {
    mistake: 'no versions to undelete',
    after: [secret],
    sent: 'POST /v1/secret/undelete/app/db {}',
    rule: 'no-versions',
    says: ['version'],
  },
  {
    mistake: 'a JWT that the orchestrator did not sign',
    after: [
      'POST /v1/sys/auth/orch {"type":"orch"}',
      'POST /v1/auth/orch/config {"orch_host":"https://orch"}',
      'POST /v1/auth/orch/role/app {"bound_service_account_names":"*","bound_service_account_namespaces":"*"}',
    ],
    sent: `POST /v1/auth/orch/login {"role":"app","jwt":"${unsigned}"}`,
    rule: 'orch-login-not-reviewed',
    says: ["the orchestrator's key did not sign it"],
  },
  {
    mistake: 'a JWT without three parts',
    after: [
      'POST /v1/sys/auth/orch {"type":"orch"}',
      'POST /v1/auth/orch/config {"orch_host":"https://orch"}',
      'POST /v1/auth/orch/role/app {"bound_service_account_names":"*","bound_service_account_namespaces":"*"}',
    ],
    sent: 'POST /v1/auth/orch/login {"role":"app","jwt":"x"}',
    rule: 'orch-login-unverified',
    says: ['three parts'],
  },
  {
    mistake: 'keys that are not fetched',
    after: [
      'POST /v1/sys/auth/jwt {"type":"jwt"}',
      'POST /v1/auth/jwt/config {"jwks_url":"http://keys.test"}',
      'POST /v1/auth/jwt/role/app {"role_type":"jwt","user_claim":"sub","bound_subject":"a"}',
    ],
    sent: `POST /v1/auth/jwt/login {"role":"app","jwt":"${unsigned}"}`,
    rule: 'jwt-unverified',
    says: ['could not be fetched', 'jwtFetch'],
  },
  {
    mistake: 'a login whose keys cannot be fetched',
    after: [
      'POST /v1/sys/auth/jwt {"type":"jwt"}',
      'POST /v1/auth/jwt/config {"jwks_url":"http://127.0.0.1:1/keys"}',
      'POST /v1/auth/jwt/role/app {"role_type":"jwt","user_claim":"sub","bound_subject":"a"}',
    ],
    given: (world) => world.changeOptions({ secrets: { jwtFetch: 'any' } }),
    sent: `POST /v1/auth/jwt/login {"role":"app","jwt":"${unsigned}"}`,
    rule: 'jwt-unverified',
    says: ['could not be fetched', 'ECONNREFUSED'],
  },
  {
    mistake: 'keys that cannot be fetched',
    given: (world) => world.changeOptions({ secrets: { jwtFetch: 'loopback' } }),
    after: ['POST /v1/sys/auth/jwt {"type":"jwt"}'],
    sent: 'POST /v1/auth/jwt/config {"jwks_url":"http://keys.test"}',
    rule: 'jwt-key-set-failed',
    says: ['could not be fetched', 'not allowed'],
  },
  {
    mistake: 'a token role that is not there',
    sent: 'POST /v1/auth/token/create/nobody {}',
    rule: 'token-role-unknown',
    says: ['nobody'],
  },
]

describe.each(['neutral', 'vendor'] as const)(
  'behaviour/program#explanations: mistakes in requests to the secrets API are named first (%s)',
  (dialect) => testMistakes('secrets', dialect, mistakes),
)

test('at least 9 of 10 kinds of refusals have a request that would pass', () => {
  expectFewWithoutRequest(mistakes)
})

test('a token that may not revoke itself gets no suggestion to send a root token, which would be revoked', async () => {
  const understudy = await createUnderstudy()
  onTestFinished(() => understudy.close())
  const post = (path: string, payload: object, token = 'root') =>
    understudy.inject({
      method: 'POST',
      url: `/v1/${path}`,
      payload,
      headers: { 'x-secrets-token': token },
    })
  const policies = { policies: ['none'], no_default_policy: true }
  const created = (await post('auth/token/create', policies)).json()
  const refused = await post('auth/token/revoke-self', {}, created.auth.client_token)
  const world = understudy.world()
  const { rule, wouldPass } = world.explain(String(refused.headers['x-mock-request']))
  expect([rule, wouldPass?.request]).toEqual(['acl-denied', undefined])
})
