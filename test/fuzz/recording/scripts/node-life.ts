import { on, type Script } from './step.ts'

const secrets = on('secrets')
const control = on('combined')

const shares: Script = [
  control('GET /_mock/info', undefined, {
    keep: {
      s1: '/services/secrets/unsealKeys/0',
      s2: '/services/secrets/unsealKeys/1',
      s3: '/services/secrets/unsealKeys/2',
    },
  }),
]

const thrice = (path: string, nonce: string): Script =>
  ['<s1>', '<s2>', '<s3>'].map((key) =>
    secrets(`POST /v1/sys/${path}`, { key, nonce }, { keep: { encoded: '/encoded_token' } }),
  )

const dr = 'sys/replication/dr'

/** Requests to two worlds, of which one is the DR secondary of the other until it is promoted. */
const replication: Script = [
  ...shares,
  control('POST /_mock/worlds', { id: 'west', seed: 'west', clock: 'frozen@2026-01-01T00:00:00Z' }),
  secrets(`POST /v1/${dr}/primary/enable`, {}),
  secrets(
    `POST /v1/${dr}/primary/secondary-token`,
    { id: 'west' },
    {
      keep: { activation: '/wrap_info/token' },
    },
  ),
  secrets(`POST /_world/west/v1/${dr}/secondary/enable`, { token: '<activation>' }),
  control('POST /_mock/worlds/west/clock/advance', { by: '10s' }),
  secrets(`GET /_world/west/v1/${dr}/status`),
  secrets('GET /_world/west/v1/sys/health'),
  secrets('GET /_world/west/v1/secret/data/app/db'),
  secrets(`GET /v1/${dr}/status`),
  secrets(
    `POST /_world/west/v1/${dr}/secondary/generate-operation-token/attempt`,
    {},
    {
      keep: { nonce: '/nonce', otp: '/otp' },
    },
  ),
  secrets(`GET /_world/west/v1/${dr}/secondary/generate-operation-token/attempt`),
  ...['<s1>', '<s2>', '<s3>'].map((key) =>
    secrets(
      `POST /_world/west/v1/${dr}/secondary/generate-operation-token/update`,
      { key, nonce: '<nonce>' },
      { keep: { encoded: '/encoded_token' } },
    ),
  ),
  secrets(
    'POST /v1/sys/decode-token',
    { encoded_token: '<encoded>', otp: '<otp>' },
    {
      keep: { operation: '/data/token' },
    },
  ),
  secrets(`POST /_world/west/v1/${dr}/secondary/promote`, { dr_operation_token: '<operation>' }),
  control('POST /_mock/worlds/west/clock/advance', { by: '10s' }),
  secrets(`GET /_world/west/v1/${dr}/status`),
  secrets('GET /_world/west/v1/secret/data/app/db'),
  control('DELETE /_mock/worlds/west'),
]

/** Scripts that each start in the filled world and leave it in a different state. */
export const lives: readonly Script[] = [
  replication,
  [
    ...shares,
    secrets('POST /v1/sys/seal'),
    secrets('GET /v1/sys/seal-status'),
    secrets('GET /v1/sys/health'),
    secrets('GET /v1/secret/data/app/db'),
    ...thrice('unseal', ''),
    secrets('GET /v1/sys/health'),
    secrets('GET /v1/secret/data/app/db'),
  ],
  [
    ...shares,
    secrets('DELETE /v1/sys/rekey/init'),
    secrets(
      'POST /v1/sys/rekey/init',
      {
        secret_shares: 3,
        secret_threshold: 2,
        require_verification: true,
      },
      { keep: { nonce: '/nonce' } },
    ),
    secrets('POST /v1/sys/rekey/update', { key: '<s1>', nonce: '<nonce>' }),
    secrets('POST /v1/sys/rekey/update', { key: '<s2>', nonce: '<nonce>' }),
    secrets(
      'POST /v1/sys/rekey/update',
      { key: '<s3>', nonce: '<nonce>' },
      {
        keep: { n1: '/keys/0', n2: '/keys/1', verification: '/verification_nonce' },
      },
    ),
    secrets('GET /v1/sys/rekey/verify'),
    secrets('POST /v1/sys/rekey/verify', { key: '<n1>', nonce: '<verification>' }),
    secrets('POST /v1/sys/rekey/verify', { key: '<n2>', nonce: '<verification>' }),
  ],
  [
    ...shares,
    secrets('DELETE /v1/sys/generate-root/attempt'),
    secrets('POST /v1/sys/generate-root/attempt', {}, { keep: { nonce: '/nonce', otp: '/otp' } }),
    ...thrice('generate-root/update', '<nonce>'),
    secrets('POST /v1/sys/decode-token', { encoded_token: '<encoded>', otp: '<otp>' }),
  ],
  [
    control('PATCH /_mock/options', { secrets: { indexHeaders: true, rekeyWithoutToken: true } }),
    secrets('POST /v1/secret/data/app/db', { data: { a: 'z' } }),
    secrets('GET /v1/secret/data/app/db'),
    control('POST /_mock/transitions/secrets.node/self', { to: 'standby' }),
    secrets('GET /v1/sys/health'),
    secrets('GET /v1/sys/leader'),
    secrets('GET /v1/secret/data/app/db'),
    control('POST /_mock/transitions/secrets.node/self', { to: 'uninitialized' }),
    secrets('GET /v1/sys/health'),
    secrets(
      'POST /v1/sys/init',
      { secret_shares: 1, secret_threshold: 1 },
      {
        keep: { key: '/keys/0', root: '/root_token' },
      },
    ),
    secrets('POST /v1/sys/unseal', { key: '<key>' }),
    secrets('GET /v1/sys/mounts', undefined, { token: '<root>' }),
  ],
  [
    control('PATCH /_mock/options', {
      mesh: { bootstrap: 'open', noLeader: true },
      scheduler: { noLeader: true, rejectJobRegistration: true },
      platform: { enforceRateLimit: true, strictContentType: true },
    }),
    on('mesh')('GET /v1/kv/app/a'),
    on('mesh')('GET /v1/status/leader'),
    on('scheduler')('GET /v1/jobs'),
    on('scheduler')('GET /v1/status/leader'),
    ...Array<ReturnType<typeof secrets>>(40).fill(
      on('platform')('GET /api/v2/organizations/example-org/workspaces'),
    ),
  ],
]
