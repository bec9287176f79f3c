import { X509Certificate } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { checkDocument, DocumentError } from '../../../routes/control/state/documents.ts'
import { exportWorld, type StateDocument } from '../../../state/kernel/worlds/document.ts'
import type { SecretsFixtures } from '../../../state/secrets/fixtures.ts'
import { secretsService } from '../../../state/secrets/service.ts'
import { readDocument } from '../../support/files.ts'
import { servedSecrets } from '../../support/secrets/secrets.ts'

const services = [secretsService]

const options = {
  secrets: {
    databases: { 'db:5432': { users: { st: 'old' } } },
    directory: {
      ldap: { users: { alice: { password: 'alicepw', groups: ['dev'] } } },
      github: {
        organizations: { acme: { id: 77 } },
        users: {
          'tok-alice': {
            login: 'Alice',
            organizations: ['acme'],
            teams: { acme: ['Dev Team'] },
          },
        },
      },
      okta: { users: { 'ann@example.com': { password: 'annpw', groups: ['Dev'] } } },
    },
  },
}

const fixtures: SecretsFixtures = {
  policies: { devs: 'path "kv/*" { capabilities = ["read"] }' },
  pki: {
    pki: {
      urls: { ocsp_servers: 'http://ca.example/ocsp' },
      crl: { expiry: '24h' },
      roots: [{ common_name: 'R', issuer_name: 'fx', key_type: 'ec', ttl: '87600h' }],
      roles: {
        web: {
          allowed_domains: 'example.com',
          allow_subdomains: true,
          max_ttl: '72h',
          key_type: 'ec',
        },
      },
    },
  },
  ssh: {
    'ssh/': {
      ca: { key_type: 'ed25519' },
      roles: {
        dev: { key_type: 'ca', allow_user_certificates: true, allowed_users: '*', ttl: '30m' },
        otp: { key_type: 'otp', default_user: 'ubuntu', cidr_list: '10.0.0.0/8' },
      },
      zeroaddress: { roles: ['otp'] },
    },
  },
  totp: { totp: { app: { key: 'JBSWY3DPEHPK3PXP', account_name: 'a', period: '1m' } } },
  database: {
    database: {
      connections: {
        pg: {
          plugin_name: 'postgresql-database-plugin',
          connection_url: 'postgresql://{{username}}:{{password}}@db:5432/app',
          username: 'admin',
          password: 'adminpw',
          allowed_roles: ['*'],
        },
      },
      roles: {
        app: { db_name: 'pg', creation_statements: 'CREATE ROLE "{{name}}", x', default_ttl: '1h' },
      },
      staticRoles: { st: { db_name: 'pg', username: 'st', rotation_period: '1h' } },
    },
  },
  logins: {
    ldap: { type: 'ldap', config: { url: 'ldap://ldap' }, groups: { dev: { policies: 'devs' } } },
    github: {
      type: 'github',
      config: { organization: 'acme', token_ttl: '20m' },
      teams: { 'dev-team': 'devs' },
      users: { Alice: ['ali', 'other'] },
    },
    okta: {
      type: 'okta',
      config: { org_name: 'acme' },
      groups: { Dev: { policies: ['devs'] } },
      users: { 'ann@example.com': { policies: 'ann', groups: 'more' } },
    },
    oidc: {
      type: 'oidc',
      config: {
        oidc_discovery_url: 'https://login.example/v1/identity/oidc/provider/corp',
        oidc_client_id: 'app-id',
        oidc_client_secret: 'app-secret',
      },
      roles: { reader: { user_claim: 'sub', allowed_redirect_uris: 'http://localhost:8250/cb' } },
    },
  },
  identity: { entities: { ada: {} } },
  oidc: {
    config: { issuer: 'https://issuer.example' },
    keys: { fast: { algorithm: 'ES256', rotation_period: '1h', verification_ttl: '2h' } },
    roles: { who: { key: 'fast', ttl: '1h', template: '{"a": {{identity.entity.name}}}' } },
    assignments: { staff: { entities: ['ada'] } },
    scopes: { profile: { template: '{"b": {{identity.entity.name}}}', description: 'names' } },
    clients: {
      app: {
        client_id: 'app-id',
        client_secret: 'app-secret',
        key: 'fast',
        id_token_ttl: '1h',
        redirect_uris: 'http://localhost:8250/cb',
        assignments: ['staff'],
      },
    },
    providers: {
      corp: {
        issuer: 'https://login.example',
        allowed_client_ids: 'app-id',
        scopes_supported: ['profile'],
      },
    },
  },
  quotas: {
    config: { enable_rate_limit_response_headers: true },
    rateLimits: { all: { rate: 1000, interval: '1m' } },
    leaseCounts: { logins: { max_leases: 50, path: 'auth/ldap/' } },
  },
}

const document = checkDocument(services, { options, secrets: fixtures })

/** Returns the mistakes of fixtures. */
function mistakesOf(secrets: unknown): readonly string[] {
  try {
    checkDocument(services, { options, secrets })
  } catch (thrown) {
    if (thrown instanceof DocumentError) return thrown.problems
    throw thrown
  }
  return []
}

describe('behaviour/program#fixtures: engines and logins', () => {
  test('are as after the writes of the API', async () => {
    const { secrets, world } = await servedSecrets({ document })
    const read = async (path: string) => (await secrets.get(path)).body.data
    const write = async (path: string, fields: object = {}) =>
      (await secrets.post(path, fields)).body

    const issued = (await write('pki/issue/web', { common_name: 'a.example.com' })).data
    const certificate = new X509Certificate(issued.certificate)
    expect(certificate.verify(new X509Certificate(issued.issuing_ca).publicKey)).toBe(true)
    expect(certificate.infoAccess).toContain('http://ca.example/ocsp')
    expect(await read('pki/config/crl')).toMatchObject({ expiry: '24h' })
    expect(await read('pki/issuer/fx')).toMatchObject({ issuer_name: 'fx' })
    expect(await read('pki/roles/web')).toMatchObject({ max_ttl: 259_200, allow_localhost: true })

    const roles = await read('ssh/roles/dev')
    expect(roles).toMatchObject({ ttl: 1800, not_before_duration: 30, algorithm_signer: 'default' })
    expect((await read('ssh/config/ca')).public_key).toMatch(/^ssh-ed25519 /)
    expect(await read('ssh/config/zeroaddress')).toEqual({ roles: ['otp'] })

    expect(await read('totp/keys/app')).toMatchObject({ period: 60, digits: 6, algorithm: 'SHA1' })
    expect((await read('totp/code/app')).code).toMatch(/^\d{6}$/)

    expect(await read('database/config/pg')).toMatchObject({ allowed_roles: ['*'] })
    const statements = ['CREATE ROLE "{{name}}", x']
    expect(await read('database/roles/app')).toMatchObject({ creation_statements: statements })
    expect((await read('database/static-creds/st')).password).not.toBe('old')
    expect((await read('database/creds/app')).username).toMatch(/^v-/)

    const alice = await write('auth/ldap/login/alice', { password: 'alicepw' })
    expect(alice.auth.policies).toEqual(['default', 'devs'])
    const byGithub = await write('auth/github/login', { token: 'tok-alice' })
    expect(byGithub.auth).toMatchObject({
      policies: ['ali', 'default', 'devs', 'other'],
      lease_duration: 1200,
    })
    const byOkta = await write('auth/okta/login/ann@example.com', { password: 'annpw' })
    expect(byOkta.auth.policies).toEqual(['ann', 'default', 'devs'])

    expect(await read('identity/oidc/client/app')).toMatchObject({
      client_id: 'app-id',
      client_secret: 'app-secret',
      id_token_ttl: 3600,
    })
    const { entity_ids } = await read('identity/oidc/assignment/staff')
    expect(entity_ids).toEqual([(await read('identity/entity/name/ada')).id])
    expect(await read('identity/oidc/config')).toEqual({ issuer: 'https://issuer.example' })

    expect(await read('sys/quotas/rate-limit/all')).toMatchObject({ rate: 1000, interval: 60 })
    expect(await read('sys/quotas/lease-count/logins')).toMatchObject({ max_leases: 50 })

    const start = { role: 'reader', redirect_uri: 'http://localhost:8250/cb' }
    const answer = await write('auth/oidc/oidc/auth_url', start)
    const url = new URL(answer.data.auth_url)
    expect(url.href).toContain(
      'https://login.example/ui/service/identity/oidc/provider/corp/authorize',
    )
    expect(url.searchParams.get('client_id')).toBe('app-id')

    const exported: StateDocument = JSON.parse(JSON.stringify(exportWorld(world)))
    const again = await servedSecrets({ document: checkDocument(services, exported) })
    expect(exportWorld(again.world)).toEqual(exported)
  })

  test('the example of the guide loads', async () => {
    const guide = readDocument('docs/guide/fixtures.md')
    const examples = [...guide.matchAll(/<!-- fixtures -->\n```yaml\n([\s\S]*?)```/g)]
    const example = examples[1]?.[1] ?? ''
    const { secrets } = await servedSecrets({ document: checkDocument(services, parse(example)) })
    const { data } = (await secrets.get('identity/oidc/client/app')).body
    expect(data).toMatchObject({ client_id: 'app', client_secret: 'hunter2' })
  })

  // choice/secrets#fixture-pki-max-ttl
  test('a mount that roots need allows their lifetime', async () => {
    const { secrets } = await servedSecrets({ document })
    const { certificate } = (await secrets.get('pki/issuer/fx')).body.data
    const years = new X509Certificate(certificate).validTo.slice(-8, -4)
    expect(years).toBe('2035')
    expect((await secrets.get('sys/mounts/pki/tune')).body.data.max_lease_ttl).toBe(315_360_000)
  })

  test('a bundle gives the same issuer in every world', async () => {
    const source = await servedSecrets({ document })
    const generated = (await source.secrets.post('pki/root/generate/exported', {})).body.data
    const pem_bundle = `${generated.private_key}\n${generated.certificate}`
    const secrets: SecretsFixtures = {
      pki: { ca: { issuers: [{ pem_bundle, issuer_name: 'mine' }] } },
    }
    const imported = await servedSecrets({ document: checkDocument(services, { secrets }) })
    const { certificate } = (await imported.secrets.get('ca/issuer/mine')).body.data
    expect(certificate.trim()).toBe(generated.certificate)
    const signed = await imported.secrets.post('ca/issuer/mine/sign-verbatim', {})
    expect(signed.body.errors).toEqual(['"csr" is empty'])
  })

  test.each<[SecretsFixtures, string]>([
    [
      { pki: { p: { issuers: [{ pem_bundle: 'x'.repeat(80) }] } } },
      '/secrets/pki/p/issuers/0: provided PEM block contained no data',
    ],
    [
      { pki: { p: { roots: [{ key_type: 'zz' }] } } },
      '/secrets/pki/p/roots/0: unknown key type zz',
    ],
    [
      { pki: { p: { roles: { r: { ttl: '2h', max_ttl: '1h' } } } } },
      '/secrets/pki/p/roles/r: "ttl" value must be less than "max_ttl" value',
    ],
    [
      { pki: { p: { roles: { r: { ttl: 'soon' } } } } },
      '/secrets/pki/p/roles/r: time: invalid duration "soon"',
    ],
    [{ pki: { kv: {} } }, '/secrets/pki/kv: another engine than pki is mounted there'],
    [
      { ssh: { s: { roles: { r: { key_type: 'dynamic' } } } } },
      '/secrets/ssh/s/roles/r: dynamic key type roles are no longer supported',
    ],
    [
      { totp: { t: { k: { key: '1' } } } },
      '/secrets/totp/t/k: invalid key value: illegal base32 data at input byte 0',
    ],
    [
      { database: { d: { connections: { c: { plugin_name: 'zz' } } } } },
      '/secrets/database/d/connections/c: error creating database object: invalid database version: 2 errors occurred:\n\t* plugin not found in the catalog: zz\n\t* plugin not found in the catalog: zz\n\n',
    ],
    [
      { logins: { l: { type: 'ldap', config: { groupfilter: '{{' } } } },
      '/secrets/logins/l/config: invalid groupfilter: template: queryTemplate:1: unclosed action',
    ],
    [
      { logins: { c: { type: 'cert', certs: { a: { certificate: 'x' } } } } },
      '/secrets/logins/c/certs/a: failed to parse certificate',
    ],
    [
      { oidc: { scopes: { s: { template: '{{identity.entity' } } } },
      '/secrets/oidc/scopes/s: error parsing template: unbalanced templating characters',
    ],
    [
      {
        oidc: {
          keys: { k: { algorithm: 'ES256' } },
          clients: { a: { client_id: 'x', key: 'k' }, b: { client_id: 'x', key: 'k' } },
        },
      },
      '/secrets/oidc/clients/b: another client has the id x',
    ],
    [
      { quotas: { rateLimits: { q: { rate: 0 } } } },
      "/secrets/quotas/rateLimits/q: 'rate' is invalid",
    ],
  ])('a refusal names its place: %j', async (secrets, message) => {
    const checked = checkDocument(services, { secrets })
    await expect(servedSecrets({ document: checked })).rejects.toThrow(message)
  })

  test('a member of another name or type is a mistake of its place', () => {
    const wrong = {
      pki: { p: { rools: {}, roles: { r: { allow_subdomain: true, ttl: [] } } } },
      logins: { l: { type: 'ldapp' } },
      quotas: { rateLimits: { q: { rate: 'many' } } },
    }
    expect(mistakesOf(wrong)).toEqual([
      '/secrets/pki/p/rools is unknown; did you mean roots?',
      '/secrets/pki/p/roles/r/allow_subdomain is unknown; did you mean allow_subdomains?',
      '/secrets/pki/p/roles/r/ttl must be string or integer',
      '/secrets/logins/l/type has the unknown value "ldapp"',
      '/secrets/quotas/rateLimits/q/rate must be number',
    ])
  })
})
