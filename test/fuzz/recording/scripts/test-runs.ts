import { on, type Script } from './step.ts'

const platform = on('platform')
const control = on('combined')

const resources =
  '/api/v2/organizations/example-org/tests/registry-modules/private/example-org/network/cloud1'
const admin = { token: 'Bearer site-admin-token' }
const settings = (attributes: object) => ({ data: { attributes } })

/** Requests that upload files, run tests, and change settings. */
export const testRuns: Script = [
  platform(`POST ${resources}/test-runs/configuration-versions`, undefined, {
    keep: { upload: '/data/attributes/upload-url', cv: '/data/id' },
  }),
  platform('GET /api/v2/configuration-versions/<cv>'),
  platform('PUT <upload>', 'not an archive', {
    token: '',
    headers: { 'content-type': 'application/octet-stream' },
  }),
  platform(`GET ${resources}/test-runs`, undefined, { keep: { run: '/data/0/id' } }),
  platform(`GET ${resources}/test-runs/<run>`),
  control('POST /_mock/clock/advance', { by: '1s' }),
  platform(`POST ${resources}/test-runs/<run>/cancel`),
  platform(`POST ${resources}/test-runs/<run>/force-cancel`),
  control('POST /_mock/clock/advance', { by: '5s' }),
  platform(`GET ${resources}/test-runs/<run>`, undefined, {
    keep: { log: '/data/attributes/log-read-url' },
  }),
  platform('GET <log>', undefined, { token: '' }),
  platform('GET /api/v2/configuration-versions/<cv>/download'),
  control('GET /_mock/platform/test-runs/<run>/log'),
  platform('PATCH /api/v2/admin/cost-estimation-settings', settings({ enabled: true }), admin),
  platform(
    'PATCH /api/v2/admin/smtp-settings',
    settings({
      enabled: true,
      host: 'mail.example',
      port: 25,
      sender: 'a@example.com',
      auth: 'none',
      'test-email-address': 'b@example.com',
    }),
    admin,
  ),
  platform(
    'PATCH /api/v2/admin/sms-settings',
    settings({ enabled: true, 'account-sid': 'x', 'auth-token': 'y', 'from-number': '+15550101' }),
    admin,
  ),
  platform(
    'PATCH /api/v2/admin/twilio-settings',
    settings({ enabled: true, 'account-sid': 'x', 'auth-token': 'y', 'from-number': '+15550101' }),
    admin,
  ),
  ...['sms', 'twilio'].flatMap((name) => [
    platform(
      `POST /api/v2/admin/${name}-settings/verify`,
      settings({ 'test-number': '+15550100' }),
      admin,
    ),
    platform(
      `PATCH /api/v2/admin/${name}-settings/verify`,
      settings({ 'test-number': '+15550100' }),
      admin,
    ),
  ]),
  control('GET /_mock/platform/outbox'),
  platform('GET /api/v2/organizations/example-org/workspaces', undefined, {
    keep: { workspace: '/data/0/id' },
  }),
  platform('POST /api/v2/workspaces/<workspace>/actions/lock'),
  platform('POST /api/v2/workspaces/<workspace>/actions/unlock'),
  platform('POST /api/v2/workspaces/<workspace>/actions/lock'),
  platform('POST /api/v2/workspaces/<workspace>/actions/force-unlock'),
  platform('POST /api/v2/workspaces/<workspace>/configuration-versions', undefined, {
    keep: { upload: '/data/attributes/upload-url' },
  }),
  platform('PUT <upload>', 'not an archive', { token: '' }),
]
