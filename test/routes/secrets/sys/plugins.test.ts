import { describe, expect, test } from 'vitest'
import { servedSecrets } from '../../../support/secrets/secrets.ts'
import { error, multierrorReply, ok, statusAndBody } from '../replies.ts'

describe.each([
  ['neutral', 'cloud', 'orch', 'v1.14.0+builtin'],
  ['vendor', 'oci', 'kubernetes', 'v1.14.0+builtin.vault'],
] as const)(
  'behaviour/secrets#small-endpoints, %s: the catalogue of plug-ins',
  (dialect, cloud, orch, version) => {
    test('the catalogue lists all plug-ins by kind and in detail', async () => {
      const { secrets } = await servedSecrets({ dialect })
      const { data } = (await secrets.get('sys/plugins/catalog')).body
      expect(data.database).toHaveLength(17)
      expect(data.auth).toContain(cloud)
      expect(data.secret).toEqual(expect.arrayContaining(['kv', orch]))
      expect(data.secret).toEqual([...data.secret].sort())
      expect(data.detailed).toHaveLength(
        data.auth.length + data.secret.length + data.database.length,
      )
      expect(data.detailed).toContainEqual({
        name: orch,
        type: 'secret',
        version,
        builtin: true,
        deprecation_status: 'supported',
      })
    })

    test('the list of each kind has the names of the catalogue', async () => {
      const { secrets } = await servedSecrets({ dialect })
      const { data } = (await secrets.get('sys/plugins/catalog')).body
      for (const kind of ['auth', 'secret', 'database']) {
        expect(statusAndBody(await secrets.list(`sys/plugins/catalog/${kind}`))).toEqual(
          ok({ data: { keys: data[kind] } }),
        )
      }
      const unsupported = multierrorReply(405, 'unsupported operation')
      expect(statusAndBody(await secrets.list('sys/plugins/catalog/zz'))).toEqual(unsupported)
      expect(statusAndBody(await secrets.get('sys/plugins/catalog/auth'))).toEqual(unsupported)
    })

    test('a plug-in can be read, and an unknown plug-in is refused', async () => {
      const { secrets } = await servedSecrets({ dialect })
      expect(statusAndBody(await secrets.get(`sys/plugins/catalog/auth/${cloud}`))).toEqual(
        ok({
          data: {
            name: cloud,
            args: null,
            builtin: true,
            command: '',
            sha256: '',
            version,
            deprecation_status: 'supported',
          },
        }),
      )
      expect(statusAndBody(await secrets.get('sys/plugins/catalog/auth/kv'))).toEqual(error(404))
    })
  },
)

describe.each(['neutral', 'vendor'] as const)(
  'behaviour/secrets#small-endpoints, %s: the host, and tidying up tokens',
  (dialect) => {
    test('host-info is invented and constant except for its time', async () => {
      const { secrets, clock } = await servedSecrets({ dialect })
      const first = (await secrets.get('sys/host-info')).body.data
      expect(first).toMatchObject({
        timestamp: '2026-01-01T00:00:00Z',
        cpu: [],
        cpu_times: [],
        disk: [],
        host: { os: 'linux', hostid: expect.stringMatching(/^[0-9a-f-]{36}$/) },
        memory: { total: expect.any(Number) },
      })
      clock.advance(1000)
      const second = (await secrets.get('sys/host-info')).body.data
      expect(second).toEqual({ ...first, timestamp: '2026-01-01T00:00:01Z' })
    })

    // choice/secrets#tidy-at-once
    test('auth/token/tidy replies that it has started, also to parallel calls', async () => {
      const { secrets } = await servedSecrets({ dialect })
      const name = dialect === 'vendor' ? 'Vault' : 'Service'
      const replies = await Promise.all([1, 2].map(() => secrets.post('auth/token/tidy')))
      const begun = [
        202,
        null,
        [
          `Tidy operation successfully started. Any information from the operation will be printed to ${name}'s server logs.`,
        ],
      ]
      expect(replies.map(({ status, body }) => [status, body.data, body.warnings])).toEqual([
        begun,
        begun,
      ])
    })

    test('neither host-info nor tidying tokens needs sudo', async () => {
      const { secrets, as } = await servedSecrets({ dialect })
      const policy = `path "sys/host-info" { capabilities = ["read"] }
        path "auth/token/tidy" { capabilities = ["update"] }`
      await secrets.post('sys/policies/acl/weak', { policy })
      const created = await secrets.post('auth/token/create', { policies: ['weak'] })
      const client = as(created.body.auth.client_token)
      expect((await client.get('sys/host-info')).status).toBe(200)
      expect((await client.post('auth/token/tidy')).status).toBe(202)
    })
  },
)
