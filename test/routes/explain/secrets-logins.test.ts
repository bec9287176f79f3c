import { describe } from 'vitest'
import { testMistakes } from './mistake-tests.ts'
import type { Mistake } from './mistakes.ts'

const url = '"connection_url":"postgresql://{{username}}:{{password}}@db:5432/app"'
const connection = `"plugin_name":"postgresql-database-plugin",${url},"username":"admin","password":"admin-password"`
const database = [
  'POST /v1/sys/mounts/database {"type":"database"}',
  `POST /v1/database/config/main {${connection},"allowed_roles":"reader,app"}`,
  'POST /v1/database/roles/reader {"db_name":"main","creation_statements":"CREATE ROLE x"}',
]
const directory = { directory: { ldap: { users: { ada: { password: 'lovelace-1815' } } } } }
const ldap = 'POST /v1/sys/auth/ldap {"type":"ldap"}'

const userpass = [
  'POST /v1/sys/auth/userpass {"type":"userpass"}',
  'POST /v1/auth/userpass/users/ada {"password":"lovelace-1815"}',
]
const login = 'POST /v1/auth/userpass/login/ada {"password":"lovelace-1815"}'
const loggedIn = [...userpass, `auth.client_token<-${login}`]

const client = [
  'POST /v1/identity/oidc/key/fast {"algorithm":"ES256","allowed_client_ids":"*"}',
  'POST /v1/identity/oidc/client/shop {"key":"fast","redirect_uris":"https://shop.test/back","assignments":"allow_all"}',
  'data.client_id<-GET /v1/identity/oidc/client/shop',
]
const identityRole = [
  'POST /v1/identity/oidc/key/fast {"algorithm":"ES256","allowed_client_ids":"*"}',
  'POST /v1/identity/oidc/role/web {"key":"fast"}',
]
const authorize = (rest: string) => `GET /v1/identity/oidc/provider/default/authorize?${rest}`
const back = 'redirect_uri=https://shop.test/back&response_type=code&state=s&nonce=n'

const mistakes: readonly Mistake[] = [
  {
    mistake: 'an LDAP user whom the directory does not know',
    options: directory,
    after: [ldap],
    sent: 'POST /v1/auth/ldap/login/aad {"password":"lovelace-1815"}',
    rule: 'ldap-bind-failed',
    says: ['no ldap user aad', 'it has ada'],
    passes: true,
  },
  {
    mistake: 'a wrong LDAP password',
    options: directory,
    after: [ldap],
    sent: 'POST /v1/auth/ldap/login/ada {"password":"byron-1788"}',
    rule: 'ldap-bind-failed',
    says: ['the password is not that of ada'],
  },
  {
    mistake: 'an LDAP directory that is down',
    options: { ...directory, directoryFault: 'unreachable' },
    after: [ldap],
    sent: 'POST /v1/auth/ldap/login/ada {"password":"lovelace-1815"}',
    rule: 'ldap-unreachable',
    says: ['auth/ldap/', 'directoryFault', 'unreachable'],
  },
  {
    mistake: 'a binding user whom the directory does not know',
    options: directory,
    after: [ldap, 'POST /v1/auth/ldap/config {"binddn":"cn=bind","bindpass":"bind-password"}'],
    sent: 'POST /v1/auth/ldap/login/ada {"password":"lovelace-1815"}',
    rule: 'ldap-bind-failed',
    says: ['"binddn" and "bindpass"'],
  },
  {
    mistake: 'a user of userpass who does not exist',
    after: userpass,
    sent: 'POST /v1/auth/userpass/login/adda {"password":"lovelace-1815"}',
    rule: 'userpass-credentials-wrong',
    says: ['auth/userpass/ has no user adda', 'it has ada'],
    passes: true,
  },
  {
    mistake: 'a wrong password of userpass',
    after: userpass,
    sent: 'POST /v1/auth/userpass/login/ada {"password":"byron-1788"}',
    rule: 'userpass-credentials-wrong',
    says: ['user ada', 'not that of the user'],
    passes: true,
  },
  {
    mistake: 'an Okta user who is locked out',
    options: {
      directory: { okta: { users: { ada: { password: 'lovelace-1815', status: 'LOCKED_OUT' } } } },
    },
    after: [
      'POST /v1/sys/auth/okta {"type":"okta"}',
      'POST /v1/auth/okta/config {"org_name":"acme"}',
    ],
    sent: 'POST /v1/auth/okta/login/ada {"password":"lovelace-1815"}',
    rule: 'okta-status-refused',
    says: ['okta user ada the status LOCKED_OUT'],
    passes: true,
  },
  {
    mistake: 'a GitHub user of another organization',
    options: {
      directory: {
        github: {
          organizations: { acme: { id: 1 } },
          users: { 'github-token-ada': { login: 'ada', organizations: [], teams: {} } },
        },
      },
    },
    after: [
      'POST /v1/sys/auth/github {"type":"github"}',
      'POST /v1/auth/github/config {"organization":"acme"}',
    ],
    sent: 'POST /v1/auth/github/login {"token":"github-token-ada"}',
    rule: 'github-not-member',
    says: ['not in the configured organization'],
    passes: true,
  },
  {
    mistake: 'a user who is locked out',
    options: directory,
    after: userpass,
    given: (world) => {
      const url = '/v1/auth/userpass/login/ada'
      for (let attempt = 0; attempt < 5; attempt += 1) {
        void world.inject({ method: 'POST', url, payload: { password: 'wrong' } })
      }
    },
    sent: login,
    rule: 'user-locked',
    says: ['ada is locked out until 2026-01-01T00:15:00Z', '5 failed logins'],
    passes: true,
  },
  {
    mistake: 'a login from another network',
    after: [
      ...userpass,
      'POST /v1/auth/userpass/users/ada {"password":"lovelace-1815","token_bound_cidrs":"10.9.0.0/16"}',
    ],
    sent: login,
    rule: 'login-bound',
    says: ['10.9.0.0/16', 'from another network'],
  },
  {
    mistake: 'a login of a disabled entity',
    after: [
      ...userpass,
      `auth.entity_id<-${login}`,
      'POST /v1/identity/entity/id/$entity_id {"disabled":true}',
    ],
    sent: login,
    rule: 'entity-disabled',
    says: ['the entity', 'is disabled'],
    passes: true,
  },
  {
    mistake: 'a token of a disabled entity',
    after: [
      ...loggedIn,
      `auth.entity_id<-${login}`,
      'POST /v1/identity/entity/id/$entity_id {"disabled":true}',
    ],
    sent: 'GET /v1/auth/token/lookup-self #$client_token',
    rule: 'entity-disabled',
    says: ['the entity', 'is disabled'],
    passes: true,
  },
  {
    mistake: 'a token of a deleted entity',
    after: [...loggedIn, `auth.entity_id<-${login}`, 'DELETE /v1/identity/entity/id/$entity_id'],
    sent: 'GET /v1/auth/token/lookup-self #$client_token',
    rule: 'entity-deleted',
    says: ['of the token was deleted'],
  },
  {
    mistake: 'a role of an OIDC login with a slip',
    after: [
      'POST /v1/sys/auth/oidc {"type":"oidc"}',
      `POST /v1/auth/oidc/config {"oidc_discovery_url":"https://issuer.test","oidc_client_id":"a","oidc_client_secret":"client-secret"}`,
      'POST /v1/auth/oidc/role/devs {"user_claim":"sub","allowed_redirect_uris":"http://localhost/back"}',
    ],
    options: { oidcIssuers: { 'https://issuer.test': { clients: {}, users: {} } } },
    sent: 'POST /v1/auth/oidc/oidc/auth_url {"role":"dves","redirect_uri":"http://localhost/back"}',
    rule: 'jwt-role-absent',
    says: ['auth/oidc/ has no role dves', 'it has devs'],
  },
  {
    mistake: 'an OIDC login that has not begun',
    after: [
      'POST /v1/sys/auth/oidc {"type":"oidc"}',
      'POST /v1/auth/oidc/config {"oidc_discovery_url":"https://issuer.test","oidc_client_id":"a","oidc_client_secret":"client-secret"}',
    ],
    options: { oidcIssuers: { 'https://issuer.test': { clients: {}, users: {} } } },
    sent: 'GET /v1/auth/oidc/oidc/callback?state=st_none&code=c # ',
    rule: 'jwt-state-unknown',
    says: ['no login', 'five minutes'],
  },
  {
    mistake: 'a certificate login without TLS',
    after: ['POST /v1/sys/auth/cert {"type":"cert"}'],
    sent: 'POST /v1/auth/cert/login {}',
    rule: 'cert-connection-plain',
    says: ['TLS', 'plain HTTP'],
  },
  {
    mistake: 'the name of a client instead of its id',
    after: [...client, ...loggedIn],
    sent: `${authorize(`client_id=shop&scope=openid&${back}`)} #$client_token`,
    rule: 'oidc-client-unknown',
    says: ['"client_id" shop', 'the name of a client'],
  },
  {
    mistake: 'an address that the client does not allow',
    after: [...client, ...loggedIn],
    sent: `${authorize('client_id=$client_id&scope=openid&redirect_uri=https://other.test/&response_type=code')} #$client_token`,
    rule: 'oidc-redirect-not-allowed',
    says: ['client shop allows https://shop.test/back', 'has https://other.test/'],
    passes: true,
  },
  {
    mistake: 'an OIDC request without the scope openid',
    after: [...client, ...loggedIn],
    sent: `${authorize(`client_id=$client_id&scope=email&${back}`)} #$client_token`,
    rule: 'oidc-scope-without-openid',
    says: ['"scope" is "email"'],
    passes: true,
  },
  {
    mistake: 'an OIDC request with a token of no entity',
    after: client,
    sent: authorize(`client_id=$client_id&scope=openid&${back}`),
    rule: 'oidc-entity-absent',
    says: ['the token has no entity', 'root token'],
  },
  {
    mistake: 'an identity token by a role with a slip',
    after: identityRole,
    sent: 'GET /v1/identity/oidc/token/wbe',
    rule: 'oidc-role-unknown',
    says: ['no OIDC role wbe', 'it has web'],
  },
  {
    mistake: 'an identity token for a token of no entity',
    after: identityRole,
    sent: 'GET /v1/identity/oidc/token/web',
    rule: 'oidc-entity-missing',
    says: ['the token has no entity'],
  },
  {
    mistake: 'a role that its key does not list',
    after: [
      'POST /v1/identity/oidc/key/own {"algorithm":"ES256"}',
      'POST /v1/identity/oidc/role/web {"key":"own","client_id":"web-id"}',
    ],
    sent: 'GET /v1/identity/oidc/token/web',
    rule: 'oidc-role-not-allowed',
    says: ['key own lists no client ids', 'is web-id', 'role web'],
    passes: true,
  },
  {
    mistake: 'identity tokens that would outlive their key',
    after: ['POST /v1/identity/oidc/key/own {"algorithm":"ES256","verification_ttl":"1h"}'],
    sent: 'POST /v1/identity/oidc/role/web {"key":"own","ttl":"2h"}',
    rule: 'oidc-role-ttl-long',
    says: ['"ttl" is 2h', 'key own', '3600 seconds'],
    passes: true,
  },
  {
    mistake: 'requests above a rate limit',
    after: [
      'POST /v1/sys/quotas/rate-limit/slow {"rate":1,"interval":"1s","path":"secret"}',
      'POST /v1/secret/data/app {"data":{"a":"b"}}',
    ],
    sent: 'GET /v1/secret/data/app',
    rule: 'rate-limit-exceeded',
    says: ['allows 1 requests in 1 s', 'quota slow', 'paths below secret/', '2026-01-01T00:00:01Z'],
  },
  {
    mistake: 'more leases than a quota allows',
    after: [
      ...database,
      'POST /v1/sys/quotas/lease-count/few {"max_leases":1,"path":"database"}',
      'GET /v1/database/creds/reader',
    ],
    sent: 'GET /v1/database/creds/reader',
    rule: 'lease-count-exceeded',
    says: ['1 leases exist', 'quota few', 'paths below database/'],
    passes: true,
  },
  {
    mistake: 'a quota for a mount that does not exist',
    sent: 'POST /v1/sys/quotas/rate-limit/slow {"rate":1,"path":"secrte"}',
    rule: 'quota-mount-unknown',
    says: ['nothing is mounted at the path of the quota, secrte', 'secret/'],
    passes: true,
  },
  {
    mistake: 'a quota without a rate',
    sent: 'POST /v1/sys/quotas/rate-limit/slow {"rate":0}',
    rule: 'quota-limit-invalid',
    says: ['"rate" is 0', 'more than 0'],
    passes: true,
  },
  {
    mistake: 'a second quota of the same scope',
    after: ['POST /v1/sys/quotas/rate-limit/slow {"rate":1000,"path":"secret"}'],
    sent: 'POST /v1/sys/quotas/rate-limit/fast {"rate":2000,"path":"secret"}',
    rule: 'quota-similar',
    says: ['quota slow already applies'],
    passes: true,
  },
]

describe.each(['neutral', 'vendor'] as const)(
  'behaviour/program#explanations: mistakes in logins, OIDC requests and requests above a quota are named first (%s)',
  (dialect) => testMistakes('secrets', dialect, mistakes),
)
