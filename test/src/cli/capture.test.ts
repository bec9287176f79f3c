import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { parse } from 'yaml'
import type { Understudy } from '../../../src/embedding/index.ts'
import type { SecretsFixtures } from '../../../state/secrets/fixtures.ts'
import { captured, real, textOf } from './captures.ts'

/** Starts a server with these answers only, and returns its URL. */
async function scripted(answers: Readonly<Record<string, unknown>>): Promise<string> {
  const server = createServer(({ url = '' }, reply) => {
    const answer = answers[url] ?? answers[url.replace(/\?.*/, '')]
    reply.statusCode = answer === undefined ? 404 : typeof answer === 'number' ? answer : 200
    reply.end(typeof answer === 'string' ? answer : JSON.stringify(answer ?? {}))
  })
  onTestFinished(() => void server.close())
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const policy = 'path "team/data/*" {\n  capabilities = ["read"]\n}\n'

describe('behaviour/program#commands: understudy capture --service secrets', () => {
  const fixtures = {
    options: { secrets: { start: 'bare' } },
    secrets: {
      mounts: {
        'team/': { type: 'kv', options: { version: '2' }, description: 'of the team' },
        'old/': { type: 'kv', options: { version: '1' } },
        'crypt/': { type: 'transit' },
        'kubernetes/': { type: 'orch' },
        'pki/': { type: 'pki', config: { max_lease_ttl: 3600 } },
        'auth/approle/': { type: 'approle' },
        'auth/oci/': { type: 'cloud' },
      },
      policies: { reader: policy, 'with space': policy },
      kv: {
        'team/': { 'app/db': { user: 'ada', password: 'hunter2' }, 'app/ü/x': { n: 1 } },
        'old/': { a: { b: { c: 'deep' } } },
      },
      transit: { 'crypt/': { signing: { type: 'ed25519', exportable: true } } },
    },
  } as const

  test('a server started from a capture is captured alike', async () => {
    const from = await real({ fixtures })
    const argv = (url = '') => ['--from', url, '--service=secrets', '--token=root', '--values']
    const text = await textOf(argv(from.apiUrl('secrets')))
    const document = parse(text)
    expect(document.secrets.kv).toEqual(fixtures.secrets.kv)
    expect(document.secrets.policies).toEqual(fixtures.secrets.policies)
    expect(document.secrets.transit).toEqual({
      'crypt/': { signing: { type: 'ed25519', exportable: true } },
    })
    expect(document.secrets.mounts).toMatchObject({
      'team/': fixtures.secrets.mounts['team/'],
      'kubernetes/': { type: 'kubernetes' },
      'pki/': { type: 'pki', config: { max_lease_ttl: 3600 } },
      'auth/oci/': { type: 'oci' },
    })
    const again = await real({ fixtures: document })
    const second = await textOf(argv(again.apiUrl('secrets')))
    expect(second.replaceAll(/127\S+/g, '')).toBe(text.replaceAll(/127\S+/g, ''))
    expect(text).not.toContain('left out')
  })

  test('without --values each value is a placeholder, and no secret stands anywhere', async () => {
    const from = await real({ fixtures })
    const text = await textOf([
      '--from',
      from.apiUrl('secrets') ?? '',
      '--service=secrets',
      '--token=root',
    ])
    expect(parse(text).secrets.kv).toEqual({
      'team/': {
        'app/db': { user: 'placeholder', password: 'placeholder' },
        'app/ü/x': { n: 'placeholder' },
      },
      'old/': { a: { b: 'placeholder' } },
    })
    expect(text).not.toMatch(/hunter2|deep|root/)
    expect(text.split('\n')[1]).toMatch(/^# secrets of http:\/\/\S+, values are placeholders$/)
  })

  test('engines, logins, the identity provider and quotas come back without secrets', async () => {
    const parts: SecretsFixtures = {
      pki: {
        'pki/': {
          urls: { ocsp_servers: ['http://ca.example/ocsp'] },
          crl: { expiry: '24h' },
          roots: [{ common_name: 'R', issuer_name: 'fx', key_type: 'ec' }],
          roles: {
            web: { issuer_ref: 'fx', allow_localhost: false, max_ttl: '72h', key_type: 'ec' },
          },
        },
      },
      ssh: {
        'ssh/': {
          ca: { key_type: 'ssh-ed25519' },
          roles: {
            dev: { key_type: 'ca', allow_user_certificates: true, allowed_users: '*', ttl: '30m' },
            otp: { key_type: 'otp', default_user: 'ubuntu', cidr_list: '10.0.0.0/8' },
          },
          zeroaddress: { roles: ['otp'] },
        },
      },
      database: {
        'database/': {
          connections: {
            pg: {
              plugin_name: 'postgresql-database-plugin',
              connection_url: 'postgresql://{{username}}:{{password}}@db:5432/app',
              username: 'admin',
              password: 'hunter2',
              allowed_roles: ['*'],
              root_rotation_statements: ['ALTER x'],
            },
          },
          roles: {
            app: { db_name: 'pg', creation_statements: ['CREATE ROLE x'], default_ttl: 60 },
          },
          staticRoles: { st: { db_name: 'pg', username: 'st', rotation_period: '1h' } },
        },
      },
      logins: {
        'ldap/': {
          type: 'ldap',
          config: { url: 'ldap://ldap', binddn: 'cn=a', bindpass: 'hunter2' },
          groups: { dev: { policies: ['devs'] } },
          users: { ada: { policies: ['ada'], groups: 'dev' } },
        },
        'github/': {
          type: 'github',
          config: { organization: 'acme', organization_id: 77, token_ttl: 1200 },
          teams: { 'dev-team': 'devs' },
        },
        'okta/': {
          type: 'okta',
          config: { org_name: 'acme', api_token: 'hunter2' },
          users: { 'ann@example.com': { policies: ['ann'] } },
        },
        'cert/': { type: 'cert', certs: {} },
        'oidc/': {
          type: 'oidc',
          config: {
            oidc_discovery_url: 'https://login.example/v1/identity/oidc/provider/corp',
            oidc_client_id: 'app-id',
            oidc_client_secret: 'hunter2',
          },
          roles: { reader: { user_claim: 'sub', allowed_redirect_uris: ['http://localhost/cb'] } },
        },
      },
      oidc: {
        config: { issuer: 'https://issuer.example' },
        keys: { fast: { algorithm: 'ES256', rotation_period: 3600, verification_ttl: 7200 } },
        roles: { who: { key: 'fast', ttl: 3600 } },
        assignments: { staff: { entity_ids: ['e'] } },
        scopes: { profile: { template: '{"a": 1}', description: 'names' } },
        clients: {
          app: {
            client_id: 'app-id',
            client_secret: 'hunter2',
            key: 'fast',
            id_token_ttl: 3600,
            assignments: ['staff'],
          },
        },
        providers: {
          corp: { issuer: 'https://login.example', scopes_supported: ['profile'] },
          own: { allowed_client_ids: ['app-id'] },
        },
      },
      quotas: {
        config: { enable_rate_limit_response_headers: true },
        rateLimits: { all: { rate: 1000, interval: 60 } },
      },
    }
    const databases = { 'db:5432': { users: { st: 'old' } } }
    const from = await real({ options: { secrets: { databases } }, fixtures: { secrets: parts } })
    const origin = `${from.apiUrl('secrets')}/v1`
    const headers = { 'X-Vault-Token': 'root' }
    const issuer = await (await fetch(`${origin}/pki/issuer/fx`, { headers })).json()
    const { certificate } = (issuer as { data: { certificate: string } }).data
    const body = JSON.stringify({ certificate, display_name: 'ca' })
    await fetch(`${origin}/auth/cert/certs/a`, { method: 'POST', headers, body })
    const argvOf = (server: Understudy) => [
      ...['--from', server.apiUrl('secrets') ?? '', '--service=secrets', '--token=root'],
    ]
    const text = await textOf(argvOf(from))
    expect(text).not.toContain('hunter2')
    expect(text).not.toContain('left out')
    const { secrets } = parse(text)
    expect(secrets).toMatchObject({
      pki: {
        'pki/': {
          issuers: [{ pem_bundle: certificate, issuer_name: 'fx' }],
          roles: { web: { issuer_ref: 'fx', allow_localhost: false, max_ttl: 259_200 } },
        },
      },
      database: {
        'database/': {
          connections: { pg: { root_rotation_statements: ['ALTER x'], password: 'placeholder' } },
        },
      },
      logins: {
        'cert/': { certs: { a: { certificate } } },
        'github/': parts.logins?.['github/'],
        'oidc/': { config: { oidc_client_secret: 'placeholder' } },
      },
    })
    const { config, assignments, scopes } = parts.oidc ?? {}
    expect(secrets.oidc).toMatchObject({ config, assignments, scopes })
    expect(secrets.oidc.providers.own).not.toHaveProperty('issuer')
    expect(Object.keys(secrets.oidc.keys)).toEqual(['fast'])
    const again = await real({ fixtures: parse(text) })
    expect(parse(await textOf(argvOf(again))).secrets).toEqual(secrets)
  })

  test('data that fixtures cannot express, or that the token may not read, is left out and reported', async () => {
    const mount = (type: string) => ({ type, description: '', options: null, config: {} })
    const url = await scripted({
      '/v1/sys/mounts': {
        data: { 'kv/': mount('kv'), 'plug/': mount('custom-plugin'), 'db/': mount('database') },
      },
      '/v1/db/config?list=true': { data: { keys: ['lost'] } },
      '/v1/db/config/lost': { data: { plugin_name: 'lost' } },
      '/v1/sys/auth': { data: { 'token/': mount('token'), 'oidc/': mount('saml') } },
      '/v1/sys/policies/acl': { data: { keys: ['default', 'root', 'bad', 'secret'] } },
      '/v1/sys/policies/acl/bad': { data: { policy: 'path {' } },
      '/v1/sys/policies/acl/secret': 403,
      '/v1/kv/?list=true': { data: { keys: ['a'] } },
      '/v1/kv/a': 403,
    })
    const text = await textOf(['--from', url, '--service=secrets', '--token=t'])
    expect(parse(text)).toEqual({
      options: { secrets: { start: 'bare' } },
      secrets: {
        mounts: { 'kv/': { type: 'kv' }, 'db/': { type: 'database' } },
        policies: {},
        database: { 'db/': { connections: {} } },
      },
    })
    const notes = text.split('\n').filter((line) => line.startsWith('# left out: '))
    expect(notes.map((line) => line.slice('# left out: '.length).split(' ')[0])).toEqual([
      'policy',
      'kv/a:',
      '/secrets/database/db~1/connections/lost:',
      '/secrets/policies/bad:',
      '/secrets/mounts/auth~1oidc~1:',
      '/secrets/mounts/plug~1:',
    ])
  })
})

describe('behaviour/program#commands: understudy capture --service scheduler', () => {
  const job = (id: string, meta = 'x') => `job "${id}" {
    meta { about = "${meta}" }
    group "g" {
      count = 2
      task "t" {
        driver = "mock_driver"
        config { run_for = "10s" }
        template {
          data        = "{{ key }}"
          destination = "local/x"
        }
      }
    }
  }`

  test('namespaces, pools, policies and jobs come back as they were', async () => {
    const from = await real({
      acl: true,
      fixtures: {
        scheduler: {
          namespaces: [{ name: 'blue', description: 'the other', meta: { a: 'b' } }],
          nodePools: [{ name: 'gpu', description: 'fast' }],
          policies: [
            { name: 'ops', description: 'of operators', rules: 'node { policy = "read" }' },
          ],
          jobs: [job('web'), job('gone')],
        },
      },
    })
    const url = from.apiUrl('scheduler') ?? ''
    const headers = { 'X-Nomad-Token': 'scheduler-management-token' }
    const argv = ['--service=scheduler', `--token=${headers['X-Nomad-Token']}`]
    const stopped = await fetch(`${url}/v1/job/gone`, { method: 'DELETE', headers })
    expect(stopped.status).toBe(200)
    const text = await textOf(['--from', `${url}/`, ...argv])
    const document = parse(text)
    expect(document.scheduler).toMatchObject({
      namespaces: [{ name: 'blue', description: 'the other', meta: { a: 'b' } }],
      nodePools: [{ name: 'gpu', description: 'fast' }],
      policies: [{ name: 'ops', description: 'of operators', rules: 'node { policy = "read" }' }],
      jobs: [{ ID: 'web', Meta: { about: 'x' } }],
    })
    expect(text).toContain('# left out: job gone: the job was stopped\n')
    const again = await real({ acl: true, fixtures: document })
    const listing = async (origin = '') =>
      (await (await fetch(`${origin}/v1/job/web`, { headers })).json()) as Record<string, unknown>
    const [one, other] = [await listing(url), await listing(again.apiUrl('scheduler'))]
    for (const name of ['TaskGroups', 'Meta', 'Type', 'Priority', 'Datacenters', 'NodePool']) {
      expect(other[name]).toEqual(one[name])
    }
    const second = await textOf(['--from', again.apiUrl('scheduler') ?? '', ...argv])
    expect(parse(second)).toEqual(document)
  })

  test('ACLs that are not enforced, and children of jobs', async () => {
    const url = await scripted({
      '/v1/namespaces': [{ Name: 'default' }],
      '/v1/acl/policies': 400,
      '/v1/jobs?namespace=*': [{ ID: 'p/periodic-1', ParentID: 'p' }, { ID: 'lost' }],
    })
    const text = await textOf(['--from', url, '--service=scheduler'])
    expect(parse(text)).toEqual({ scheduler: {} })
    expect(text).toContain('# left out: policies: answered 400\n')
  })
})

describe('behaviour/program#commands: understudy capture --service mesh', () => {
  test('namespaces and the names of their keys', async () => {
    const from = await real({
      fixtures: {
        mesh: {
          namespaces: [
            { name: 'default', keys: { color: 'blue' } },
            { name: 'team', description: 'ours', meta: { a: 'b' }, keys: { 'a/b': 'c', e: '' } },
          ],
        },
      },
    })
    const argv = ['--from', from.apiUrl('mesh') ?? '', '--service=mesh']
    const text = await textOf([...argv, '--values'])
    expect(parse(text)).toEqual({
      mesh: {
        namespaces: [
          { name: 'default', keys: { color: 'blue' } },
          { name: 'team', description: 'ours', meta: { a: 'b' }, keys: { 'a/b': 'c', e: '' } },
        ],
      },
    })
    const hidden = parse(await textOf(argv))
    expect(hidden.mesh.namespaces[1].keys).toEqual({ 'a/b': 'placeholder', e: 'placeholder' })
    const again = await real({ fixtures: parse(text) })
    const second = await textOf([
      '--from',
      again.apiUrl('mesh') ?? '',
      '--service=mesh',
      '--values',
    ])
    expect(parse(second)).toEqual(parse(text))
  })

  test('services and their checks of all nodes and namespaces are captured as entries of the catalog', async () => {
    const catalog = [
      {
        ...{ Node: 'n1', Address: '10.0.0.1' },
        Service: { Service: 'web', ID: 'w1', Port: 80, Tags: ['a'] },
        Checks: [
          { Name: 'up', Status: 'passing', ServiceID: 'w1', Definition: { HTTP: 'http://a' } },
        ],
      },
      { ...{ Node: 'n1', Address: '10.0.0.1' }, Checks: [{ Name: 'disk', Status: 'warning' }] },
      { ...{ Node: 'n2', Address: '10.0.0.2' }, Service: { Service: 'db', Namespace: 'team' } },
    ]
    const from = await real({ fixtures: { mesh: { namespaces: [{ name: 'team' }], catalog } } })
    const argv = ['--from', from.apiUrl('mesh') ?? '', '--service=mesh']
    const text = await textOf(argv)
    expect(parse(text).mesh.catalog).toMatchObject([
      { Node: 'n1', Checks: [{ CheckID: 'disk', Status: 'warning' }] },
      {
        Service: { ID: 'w1', Service: 'web', Port: 80, Weights: { Passing: 1, Warning: 1 } },
        Checks: [{ CheckID: 'up', Type: 'http', Definition: { HTTP: 'http://a' } }],
      },
      { Node: 'n2', Service: { Service: 'db', Namespace: 'team' } },
    ])
    const again = await real({ fixtures: parse(text) })
    const second = await textOf(['--from', again.apiUrl('mesh') ?? '', '--service=mesh'])
    expect(parse(second)).toEqual(parse(text))
  })

  test('configuration, queries, intentions and ACL objects are captured without secrets', async () => {
    const SecretID = '5a3e5a8c-0000-4000-8000-000000000001'
    const document = {
      options: { mesh: { aclEnabled: true, defaultPolicy: 'allow' as const } },
      mesh: {
        namespaces: [{ name: 'team', policyDefaults: ['reader'] }],
        config: [
          { Kind: 'service-defaults', Name: 'web', Protocol: 'http', Namespace: 'team' },
          { Kind: 'service-splitter', Name: 'web', Splits: [{ Weight: 100 }], Namespace: 'team' },
        ],
        intentions: [{ SourceName: 'web', DestinationName: 'db', Action: 'allow' }],
        queries: [{ Name: 'q', Token: SecretID, Service: { Service: 'web', Tags: ['a'] } }],
        policies: [{ Name: 'reader', Rules: 'key_prefix "" { policy = "read" }' }],
        roles: [
          {
            Name: 'r',
            Policies: [{ Name: 'reader' }],
            ServiceIdentities: [{ ServiceName: 'web' }],
          },
        ],
        tokens: [{ SecretID, Description: 'of ada', Roles: [{ Name: 'r' }] }],
        authMethods: [{ Name: 'jwt', Type: 'jwt', Config: { JWKSURL: 'https://a.test' } }],
        bindingRules: [{ AuthMethod: 'jwt', BindType: 'role', BindName: 'r' }],
      },
    }
    const from = await real({ fixtures: document })
    const argvOf = (server: Understudy, ...more: readonly string[]) => [
      ...['--from', server.apiUrl('mesh') ?? '', '--service=mesh'],
      ...['--token=mesh-management-token', ...more],
    ]
    const text = await textOf(argvOf(from))
    expect(text).not.toContain(SecretID)
    expect(text).not.toContain('left out')
    const { options, mesh } = parse(text)
    expect(options).toEqual(document.options)
    expect(mesh).toMatchObject({
      namespaces: document.mesh.namespaces,
      config: [...document.mesh.config, { Kind: 'service-intentions', Name: 'db' }],
      queries: [{ Name: 'q', Service: { Service: 'web', Tags: ['a'] } }],
      policies: document.mesh.policies,
      roles: document.mesh.roles,
      tokens: [{ Description: 'of ada', Roles: [{ Name: 'r' }] }],
      authMethods: document.mesh.authMethods,
      bindingRules: document.mesh.bindingRules,
    })
    const again = await real({ fixtures: parse(text) })
    expect(parse(await textOf(argvOf(again)))).toEqual(parse(text))
    const withValues = parse(await textOf(argvOf(from, '--values')))
    expect(withValues.mesh.tokens).toMatchObject([{ SecretID }])
  })

  test('intentions with IDs are captured on their own; private keys and queries of sessions are not', async () => {
    const url = await scripted({
      '/v1/config/': [
        { Kind: 'inline-certificate', Name: 'c', PrivateKey: 'secret' },
        { Kind: 'service-intentions', Name: 'db', Sources: [{ Name: 'a', LegacyID: 'i' }] },
      ],
      '/v1/connect/intentions': [
        { ID: 'i', SourceName: 'a', DestinationName: 'db', Action: 'deny', Precedence: 9 },
      ],
      '/v1/query': [{ ID: 'q1', Session: 's' }],
      '/v1/acl/policies': 403,
    })
    const text = await textOf(['--from', url, '--service=mesh'])
    expect(text).toContain('# left out: inline-certificate c: the entry has a private key\n')
    expect(text).toContain('# left out: query q1: the query is deleted with a session\n')
    expect(text).toContain('# left out: policies: answered 403\n')
    expect(parse(text).mesh).toEqual({
      intentions: [{ SourceName: 'a', DestinationName: 'db', Action: 'deny' }],
    })
  })

  test('a server without namespaces has one; links to policies and binary values are reported', async () => {
    const value = Buffer.from([0xff, 0xfe]).toString('base64')
    const url = await scripted({ '/v1/kv/?recurse=true': [{ Key: 'bytes', Value: value }] })
    const text = await textOf(['--from', url, '--service=mesh', '--values'])
    expect(text).toContain('# left out: key bytes of default: the value is not text\n')
    const linked = await scripted({
      '/v1/namespaces': [{ Name: 'a', ACLs: { PolicyDefaults: [{ Name: 'p' }] } }],
    })
    expect(await textOf(['--from', linked, '--service=mesh'])).toContain(
      '# left out: PolicyDefaults of a: p\n',
    )
  })
})

describe('behaviour/program#commands: a capture that cannot be', () => {
  test.each([
    [['--service=mesh'], 'capture needs --from URL'],
    [['--from=http://a'], 'capture needs --service secrets|scheduler|mesh'],
    [
      ['--from=vault:8200', '--service=secrets'],
      '--from must be the address of a server, such as https://vault.example.test:8200',
    ],
  ])('%j', async (argv, message) => {
    await expect(captured(argv)).rejects.toThrow(message)
  })

  test('a server that is not there, refuses, or is another', async () => {
    const from = await real({})
    const denied = await captured(['--from', from.apiUrl('secrets') ?? '', '--service=secrets'])
    expect(denied).toEqual({
      code: 1,
      line: expect.stringMatching(/^nothing captured: \/v1\/sys\/mounts answered 403: /),
    })
    await from.close()
    expect(await captured(['--from', 'http://127.0.0.1:9', '--service=mesh'])).toEqual({
      code: 1,
      line: expect.stringMatching(/^nothing captured: http:\/\/127.0.0.1:9 did not answer: /),
    })
    const page = await scripted({ '/v1/sys/mounts': '<html>' })
    expect(await captured(['--from', page, '--service=secrets'])).toMatchObject({
      code: 1,
      line: 'nothing captured: /v1/sys/mounts did not answer with JSON: <html>',
    })
  })
})
