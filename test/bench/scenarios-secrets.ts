import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Request } from './connection.ts'
import type { Scenario } from './scenario.ts'

const path = '/v1/secret/data/bench'
const headers = { 'x-secrets-token': 'root', 'content-type': 'application/json' }
const body = JSON.stringify({ data: { user: 'ada', password: 'x'.repeat(40), port: 5432 } })
const write: Request = { method: 'POST', path, headers, body }

/** Returns a write to the secrets API with the root token. */
const post = (to: string, fields: object): Request => ({
  method: 'POST',
  path: `/v1/${to}`,
  headers,
  body: JSON.stringify(fields),
})

const credentials = { role_id: 'bench', secret_id: 'bench' }

/** Highest cost of a journal of the default size: 5 %. */
const unjournaled = { cpu: 1.05, rps: 0.95 }

/**
 * Scenarios of key-value v2 against a bare route that sends the same bytes
 * (behaviour/program#figures).
 */
export const secretsScenarios: readonly Scenario[] = [
  {
    name: 'key-value v2 read',
    setUp: [write],
    requests: [{ method: 'GET', path, headers: { 'x-secrets-token': 'root' } }],
    rate: 6000,
    bare: { cpu: 1.2, rps: 0.7 },
    unjournaled,
    against: 1,
  },
  {
    name: 'key-value v2 write',
    setUp: [],
    requests: [write],
    rate: 6000,
    bare: { cpu: 2.2, rps: 0.5 },
    unjournaled,
    against: 1,
  },
  {
    name: 'key-value v2 write with a trace',
    args: ['--trace', join(tmpdir(), 'understudy-bench.html')],
    setUp: [],
    requests: [write],
    rate: 4000,
    withoutArgs: { cpu: 1.25, rps: 0.6 },
  },
  {
    name: 'login by AppRole',
    setUp: [
      post('sys/auth/approle', { type: 'approle' }),
      post('auth/approle/role/bench', { role_id: credentials.role_id }),
      post('auth/approle/role/bench/custom-secret-id', { secret_id: credentials.secret_id }),
    ],
    requests: [post('auth/approle/login', credentials)],
    rate: 1500,
  },
  {
    name: 'encrypt by transit',
    setUp: [post('sys/mounts/transit', { type: 'transit' }), post('transit/keys/bench', {})],
    requests: [post('transit/encrypt/bench', { plaintext: 'x'.repeat(64) })],
    rate: 3000,
  },
  {
    name: 'issue a certificate by PKI',
    setUp: [
      post('sys/mounts/pki', { type: 'pki' }),
      post('pki/root/generate/internal', { common_name: 'Root', key_type: 'ec' }),
      post('pki/roles/bench', { key_type: 'ec', allow_any_name: true, ttl: '1h' }),
    ],
    requests: [post('pki/issue/bench', { common_name: 'bench.example.com' })],
    rate: 100,
  },
  {
    name: 'credentials of a database',
    setUp: [
      post('sys/mounts/database', { type: 'database' }),
      post('database/config/bench', {
        plugin_name: 'postgresql-database-plugin',
        connection_url: 'postgresql://{{username}}:{{password}}@db:5432/app',
        username: 'admin',
        password: 'admin',
        allowed_roles: '*',
      }),
      post('database/roles/bench', {
        db_name: 'bench',
        creation_statements: `CREATE ROLE "{{name}}" LOGIN PASSWORD '{{password}}'`,
        default_ttl: '1h',
      }),
    ],
    requests: [
      { method: 'GET', path: '/v1/database/creds/bench', headers: { 'x-secrets-token': 'root' } },
    ],
    rate: 500,
  },
]
