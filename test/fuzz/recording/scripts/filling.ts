import { logins } from './logins.ts'
import { on, type Script } from './step.ts'
import { testRuns } from './test-runs.ts'

const secrets = on('secrets')
const mesh = on('mesh')
const scheduler = on('scheduler')
const control = on('combined')

const key = (name: string, type: string): Script => [
  secrets(`POST /v1/transit/keys/${name}`, {
    type,
    exportable: true,
    allow_plaintext_backup: true,
  }),
  secrets(`POST /v1/transit/keys/${name}/rotate`),
  secrets(`GET /v1/transit/keys/${name}`),
  secrets(`GET /v1/transit/backup/${name}`, undefined, { keep: { backup: '/data/backup' } }),
  secrets(`POST /v1/transit/restore/${name}-copy`, { backup: '<backup>' }),
]

const exported = (name: string, kind: string): Script => [
  secrets(`GET /v1/transit/export/${kind}/${name}`),
  secrets(`GET /v1/transit/export/${kind}/${name}/1`),
]

const signed = (name: string, algorithm: string): Script => [
  secrets(
    `POST /v1/transit/sign/${name}/${algorithm}`,
    { input: 'YWRh' },
    {
      keep: { signature: '/data/signature' },
    },
  ),
  secrets(`POST /v1/transit/verify/${name}/${algorithm}`, {
    input: 'YWRh',
    signature: '<signature>',
  }),
]

const sealing = (name: string): Script => [
  secrets(
    `POST /v1/transit/encrypt/${name}`,
    { plaintext: 'YWRh' },
    {
      keep: { ciphertext: '/data/ciphertext' },
    },
  ),
  secrets(`POST /v1/transit/decrypt/${name}`, { ciphertext: '<ciphertext>' }),
  secrets(`POST /v1/transit/rewrap/${name}`, { ciphertext: '<ciphertext>' }),
]

const transit: Script = [
  ...key('builder', 'aes256-gcm96'),
  ...key('chacha', 'chacha20-poly1305'),
  ...key('edwards', 'ed25519'),
  ...key('curve', 'ecdsa-p256'),
  ...key('rsa', 'rsa-2048'),
  ...key('mac', 'hmac'),
  ...exported('builder', 'encryption-key'),
  ...exported('builder', 'hmac-key'),
  ...exported('edwards', 'signing-key'),
  ...sealing('builder'),
  ...sealing('chacha'),
  ...sealing('rsa'),
  secrets(
    'POST /v1/transit/sign/edwards',
    { input: 'YWRh' },
    {
      keep: { signature: '/data/signature' },
    },
  ),
  secrets('POST /v1/transit/verify/edwards', { input: 'YWRh', signature: '<signature>' }),
  ...signed('edwards', 'sha2-256'),
  ...signed('curve', 'sha2-256'),
  ...signed('rsa', 'sha2-512'),
  secrets(
    'POST /v1/transit/hmac/builder/sha2-512',
    { input: 'YWRh' },
    {
      keep: { hmac: '/data/hmac' },
    },
  ),
  secrets('POST /v1/transit/verify/builder/sha2-512', { input: 'YWRh', hmac: '<hmac>' }),
  secrets('POST /v1/transit/hash/sha2-384', { input: 'YWRh', format: 'base64' }),
  secrets('POST /v1/transit/random/16'),
  secrets('POST /v1/transit/random/all/16', { format: 'hex' }),
  secrets('POST /v1/transit/keys/builder/config', {
    min_decryption_version: 2,
    deletion_allowed: true,
  }),
  secrets('POST /v1/transit/keys/builder/config', { min_encryption_version: 2 }),
  secrets('POST /v1/transit/keys/builder/trim', { min_available_version: 2 }),
]

const sys: Script = [
  secrets('POST /v1/sys/tools/random/16'),
  secrets('POST /v1/sys/tools/random/platform/16'),
  secrets('POST /v1/sys/tools/hash/sha2-512', { input: 'YWRh' }),
  secrets('POST /v1/sys/audit/file', { type: 'file', options: { file_path: '/tmp/audit' } }),
  secrets('POST /v1/sys/audit-hash/file', { input: 'a' }),
  secrets('POST /v1/sys/config/auditing/request-headers/x-a', { hmac: true }),
  secrets('GET /v1/sys/config/auditing/request-headers/x-a'),
  secrets('GET /v1/sys/plugins/catalog'),
  secrets('LIST /v1/sys/plugins/catalog/secret'),
  secrets('GET /v1/sys/plugins/catalog/secret/kv'),
  secrets('GET /v1/sys/plugins/catalog/auth/approle'),
  secrets(
    'POST /v1/sys/wrapping/wrap',
    { a: 'b' },
    {
      headers: { 'x-secrets-wrap-ttl': '5m' },
      keep: { wrapped: '/wrap_info/token' },
    },
  ),
  secrets('POST /v1/sys/wrapping/lookup', { token: '<wrapped>' }),
  secrets('GET /v1/sys/wrapping/lookup', undefined, { token: '<wrapped>' }),
  secrets(
    'POST /v1/sys/wrapping/rewrap',
    { token: '<wrapped>' },
    {
      keep: { wrapped: '/wrap_info/token' },
    },
  ),
  secrets('POST /v1/sys/wrapping/unwrap', { token: '<wrapped>' }),
  secrets('POST /v1/sys/wrapping/unwrap', { token: '<wrapped>' }),
  secrets('GET /v1/secret/data/app/db', undefined, { headers: { 'x-secrets-wrap-ttl': '60' } }),
  secrets(
    'POST /v1/auth/token/create',
    { ttl: '1h', renewable: true },
    {
      keep: { made: '/auth/client_token' },
    },
  ),
  secrets('POST /v1/auth/token/create', { ttl: '1h' }, { token: '<made>' }),
  secrets('POST /v1/auth/token/renew-self', { increment: '2h' }, { token: '<made>' }),
  secrets('POST /v1/auth/token/revoke-orphan', { token: '<made>' }),
]

const data: Script = [
  mesh('PUT /v1/txn', [
    { KV: { Verb: 'set', Key: 'txn/a', Value: 'YQ==' } },
    { KV: { Verb: 'get', Key: 'txn/a' } },
  ]),
  mesh('PUT /v1/txn', [{ KV: { Verb: 'cas', Key: 'txn/a', Value: 'YQ==', Index: 1 } }]),
  mesh(
    'PUT /v1/session/create',
    { Name: 's', TTL: '30s', Behavior: 'delete' },
    {
      keep: { session: '/ID' },
    },
  ),
  mesh('PUT /v1/session/renew/<session>'),
  mesh('GET /v1/session/info/<session>'),
  mesh('GET /v1/session/list'),
  mesh('PUT /v1/kv/lock?acquire=<session>', 'x'),
  mesh('GET /v1/kv/lock'),
  mesh('PUT /v1/kv/lock?release=<session>', 'x'),
  mesh('PUT /v1/kv/lock?cas=0', 'x'),
  mesh('GET /v1/kv/?recurse'),
  mesh('GET /v1/kv/?keys&separator=/'),
  mesh('GET /v1/kv/app/a?raw'),
  mesh('GET /v1/kv/none'),
  mesh(
    'PUT /v1/acl/token',
    { Description: 'x', Policies: [{ Name: 'reads' }] },
    {
      keep: { accessor: '/AccessorID', secret: '/SecretID' },
    },
  ),
  mesh('PUT /v1/acl/token/<accessor>', { AccessorID: '<accessor>', Description: 'y' }),
  mesh('PUT /v1/acl/token/<accessor>/clone', { Description: 'z' }),
  mesh('GET /v1/acl/token/self', undefined, { token: '<secret>' }),
  mesh('PUT /v1/kv/app/a', 'refused', { token: '<secret>' }),
  control('POST /_mock/mesh/decisions', {
    token: '<secret>',
    resource: 'key',
    name: 'app/a',
    access: 'read',
  }),
  scheduler('GET /v1/job/web/submission?version=0'),
  scheduler('GET /v1/job/web/allocations', undefined, { keep: { allocation: '/0/ID' } }),
  scheduler('GET /v1/allocation/<allocation>'),
  scheduler('GET /v1/client/fs/logs/<allocation>?task=t&type=stdout&plain=true'),
  scheduler('GET /v1/client/fs/ls/<allocation>?path=/'),
  scheduler('GET /v1/client/fs/stat/<allocation>?path=alloc'),
  scheduler('GET /v1/client/fs/stream/<allocation>?path=alloc/logs/t.stdout.0&follow=false'),
  scheduler('GET /v1/nodes', undefined, { keep: { node: '/0/ID' } }),
  scheduler('GET /v1/node/<node>'),
  scheduler('GET /v1/acl/roles', undefined, { keep: { role: '/0/ID', name: '/0/Name' } }),
  scheduler('GET /v1/acl/role/name/<name>'),
  scheduler('POST /v1/acl/role/<role>', {
    ID: '<role>',
    Name: '<name>',
    Policies: [{ Name: 'reads' }],
  }),
  scheduler('POST /v1/jobs', {
    Job: {
      ID: 'canary',
      Name: 'canary',
      Type: 'service',
      Datacenters: ['*'],
      Update: { MaxParallel: 1, Canary: 1 },
      TaskGroups: [{ Name: 'g', Tasks: [{ Name: 't', Driver: 'docker', Config: { image: 'y' } }] }],
    },
  }),
  control('POST /_mock/clock/advance', { by: '1s' }),
  scheduler('GET /v1/job/canary/deployment', undefined, { keep: { deployment: '/ID' } }),
  scheduler('GET /v1/deployment/allocations/<deployment>', undefined, {
    keep: { allocation: '/0/ID' },
  }),
  scheduler('POST /v1/deployment/pause/<deployment>', {
    DeploymentID: '<deployment>',
    Pause: true,
  }),
  scheduler('POST /v1/deployment/pause/<deployment>', {
    DeploymentID: '<deployment>',
    Pause: false,
  }),
  scheduler('POST /v1/deployment/allocation-health/<deployment>', {
    DeploymentID: '<deployment>',
    HealthyAllocationIDs: ['<allocation>'],
  }),
  scheduler('POST /v1/deployment/promote/<deployment>', {
    DeploymentID: '<deployment>',
    All: true,
  }),
  scheduler('POST /v1/deployment/fail/<deployment>'),
  control('POST /_mock/scheduler/outcomes', { job: 'batch', exit_code: 1, run_for: '2s' }),
  control('GET /_mock/scheduler/outcomes'),
  control('POST /_mock/scheduler/step', { count: 2 }),
  control('GET /_mock/scheduler/jobs/web/versions'),
]

/** Requests that fill the world before its snapshot, with the data that later requests need. */
export const filling: Script = [...logins, ...transit, ...sys, ...testRuns, ...data]
