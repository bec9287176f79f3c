import { describe, expect, test } from 'vitest'
import { servedSecrets } from '../../../support/secrets/secrets.ts'
import { error, multierrorReply, noContent, ok, statusAndBody } from '../replies.ts'

const denied = multierrorReply(403, 'permission denied')

/** Starts a server with a token that has capabilities, and no sudo, at some paths. */
async function withOperator(paths: readonly string[], settings = {}) {
  const server = await servedSecrets(settings)
  const rules = paths.map((path) => `path "${path}" { capabilities = ["read", "update"] }`)
  await server.secrets.post('sys/policies/acl/op', { policy: rules.join('\n') })
  const { auth } = (await server.secrets.post('auth/token/create', { policies: ['op'] })).body
  return { ...server, operator: server.as(auth.client_token) }
}

describe.each([
  ['neutral', 'service'],
  ['vendor', 'vault'],
] as const)('behaviour/secrets#operations-of-the-node, %s', (dialect, prefix) => {
  test('sys/metrics has gauges and samples', async () => {
    const { secrets } = await servedSecrets({ dialect })
    await secrets.get('secret/config')
    const { status, body } = await secrets.get('sys/metrics')
    expect(status).toBe(200)
    expect(Object.keys(body)).toEqual(['Timestamp', 'Gauges', 'Points', 'Counters', 'Samples'])
    expect(body.Timestamp).toBe('2026-01-01 00:00:00 +0000 UTC')
    expect(body.Gauges).toContainEqual({
      Name: `${prefix}.core.unsealed`,
      Value: 1,
      Labels: { cluster: 'understudy-cluster' },
    })
    expect(body.Samples).toContainEqual(
      expect.objectContaining({ Name: `${prefix}.route.read.secret-`, Count: 1 }),
    )
  })

  test('sys/metrics for Prometheus, and in another format', async () => {
    const { app } = await servedSecrets({ dialect })
    const ask = (format: string) =>
      app.inject({
        url: `/v1/sys/metrics?format=${format}`,
        headers: { 'x-secrets-token': 'root' },
      })
    const reply = await ask('prometheus')
    expect(reply.headers['content-type']).toBe('text/plain; version=0.0.4; charset=utf-8')
    expect(reply.body).toContain(
      `# TYPE ${prefix}_core_unsealed gauge\n${prefix}_core_unsealed{cluster="understudy-cluster"} 1\n`,
    )
    const accept = 'application/openmetrics-text;version=1.0.0'
    const headers = { 'x-secrets-token': 'root', accept }
    const scraped = await app.inject({ url: '/v1/sys/metrics', headers })
    expect(scraped.headers['content-type']).toBe(reply.headers['content-type'])
    const unknown = await ask('zz')
    expect([unknown.statusCode, unknown.headers['content-type'], unknown.body]).toEqual([
      400,
      'text/plain',
      'metric response format "zz" unknown',
    ])
  })
})

describe('behaviour/secrets#operations-of-the-node', () => {
  test.each([
    ['zz', `invalid 'limit' provided: strconv.Atoi: parsing "zz": invalid syntax`],
    ['0', "limit must be 'none' or a positive integer"],
  ])('sys/leases refuses the limit %s', async (limit, text) => {
    for (const [dialect, status] of [
      ['neutral', 400],
      ['vendor', 500],
    ] as const) {
      const { secrets } = await servedSecrets({ dialect })
      const query = { type: 'irrevocable', limit }
      expect(statusAndBody(await secrets.get('sys/leases', { query }))).toEqual(
        multierrorReply(status, text),
      )
    }
  })

  test('sys/metrics is open in a development server alone', async () => {
    const { secrets } = await servedSecrets({ secrets: { start: 'dev' } })
    expect((await secrets.get('sys/metrics', { token: null })).status).toBe(200)
    const other = await servedSecrets()
    expect(statusAndBody(await other.secrets.get('sys/metrics', { token: null }))).toEqual(
      error(403, 'permission denied'),
    )
  })

  test('sys/in-flight-req has its own request', async () => {
    const { secrets } = await servedSecrets()
    const { status, body } = await secrets.get('sys/in-flight-req')
    expect([status, Object.values(body)]).toEqual([
      200,
      [
        {
          start_time: '2026-01-01T00:00:00Z',
          client_remote_address: '127.0.0.1',
          request_path: '/v1/sys/in-flight-req',
          request_method: 'GET',
          client_id: '',
        },
      ],
    ])
  })

  test('sys/config/state/sanitized returns the settings without secrets', async () => {
    const { secrets } = await servedSecrets()
    const { data } = (await secrets.get('sys/config/state/sanitized')).body
    expect(data).toMatchObject({
      cluster_name: 'understudy-cluster',
      default_lease_ttl: 2_764_800,
      max_lease_ttl: 2_764_800,
      enable_ui: true,
      cache_size: 0,
      plugin_directory: '',
      raw_storage_endpoint: false,
    })
  })

  test('sys/leases and sys/leases/count answer for irrevocable leases', async () => {
    const { secrets } = await servedSecrets()
    const query = { type: 'irrevocable' }
    expect(statusAndBody(await secrets.get('sys/leases', { query }))).toEqual(
      ok({ data: { lease_count: 0, leases: [] } }),
    )
    expect(statusAndBody(await secrets.get('sys/leases/count', { query }))).toEqual(
      ok({ data: { counts: {}, lease_count: 0 } }),
    )
    for (const path of ['sys/leases', 'sys/leases/count']) {
      expect(statusAndBody(await secrets.get(path))).toEqual(error(404))
      expect(statusAndBody(await secrets.get(path, { query: { type: 'x' } }))).toEqual(error(404))
    }
  })

  test('sys/leases needs sudo, its count and tidy do not', async () => {
    const { operator } = await withOperator(['sys/leases', 'sys/leases/count', 'sys/leases/tidy'])
    const query = { type: 'irrevocable' }
    expect(statusAndBody(await operator.get('sys/leases', { query }))).toEqual(denied)
    expect((await operator.get('sys/leases/count', { query })).status).toBe(200)
    const tidied = await operator.post('sys/leases/tidy')
    expect([tidied.status, tidied.body.warnings]).toEqual([
      202,
      [
        "Tidy operation successfully started. Any information from the operation will be printed to Service's server logs.",
      ],
    ])
    expect(statusAndBody(await operator.get('sys/loggers'))).toEqual(denied)
  })

  test('levels of loggers are stored', async () => {
    const { secrets } = await servedSecrets()
    expect((await secrets.get('sys/loggers')).body.data).toMatchObject({ core: 'info' })
    expect(statusAndBody(await secrets.post('sys/loggers/core', { level: 'DEBUG' }))).toEqual(
      noContent,
    )
    expect((await secrets.get('sys/loggers/core')).body.data).toEqual({ core: 'debug' })
    await secrets.post('sys/loggers/core', { level: ' Warning' })
    expect((await secrets.get('sys/loggers/core')).body.data).toEqual({ core: 'warn' })
    expect((await secrets.get('sys/loggers/policy')).body.data).toEqual({ policy: 'info' })
    await secrets.delete('sys/loggers/core')
    expect((await secrets.get('sys/loggers/core')).body.data).toEqual({ core: 'info' })
    await secrets.post('sys/loggers', { level: 'warn' })
    expect(new Set(Object.values((await secrets.get('sys/loggers')).body.data))).toEqual(
      new Set(['warn']),
    )
    expect(statusAndBody(await secrets.delete('sys/loggers'))).toEqual(noContent)
    expect((await secrets.get('sys/loggers/none')).body.data).toEqual({})
  })

  test.each([
    ['sys/loggers', {}, 'level is required'],
    ['sys/loggers/core', { level: '' }, 'level is empty'],
    ['sys/loggers/core', { level: 'zz' }, 'invalid level provided: unknown log level: zz'],
    ['sys/loggers/none', { level: 'info' }, 'logger "none" not found'],
  ])('POST %s %j is 400', async (path, body, text) => {
    const { secrets } = await servedSecrets()
    expect(statusAndBody(await secrets.post(path, body))).toEqual(error(400, text))
  })

  test.each([
    [{}, error(400, 'plugin or mounts must be provided')],
    [
      { plugin: 'kv', mounts: 'secret' },
      error(400, 'plugin and mounts cannot be set at the same time'),
    ],
    [{ plugin: 'kv', scope: 'x' }, error(400, "reload scope must be omitted or 'global'")],
    [{ plugin: 'x' }, error(400, 'plugin not found in the catalog: "x"')],
    [{ mounts: 'none/' }, multierrorReply(400, 'cannot fetch mount entry on "none/"')],
  ])('sys/plugins/reload/backend refuses %j', async (body, reply) => {
    const { secrets } = await servedSecrets()
    expect(statusAndBody(await secrets.post('sys/plugins/reload/backend', body))).toEqual(reply)
  })

  test.each([
    [{ plugin: 'kv' }, 200],
    [{ mounts: ['secret/', 'auth/token'], scope: 'global' }, 202],
  ])('sys/plugins/reload/backend takes %j', async (body, status) => {
    const { secrets } = await servedSecrets()
    const reply = await secrets.post('sys/plugins/reload/backend', body)
    expect([reply.status, reply.body.data]).toEqual([
      status,
      { reload_id: expect.stringMatching(/^[0-9a-f-]{36}$/) },
    ])
  })
})
