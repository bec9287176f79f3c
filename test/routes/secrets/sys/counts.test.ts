import { describe, expect, test } from 'vitest'
import { servedSecrets } from '../../../support/secrets/secrets.ts'
import { error, multierrorReply, ok, statusAndBody } from '../replies.ts'

describe.each(['neutral', 'vendor'] as const)(
  'behaviour/secrets#small-endpoints, counters and license: %s',
  (dialect) => {
    test('the valid service tokens of all namespaces are counted', async () => {
      const { secrets, clock } = await servedSecrets({ dialect })
      const counted = async () => (await secrets.get('sys/internal/counters/tokens')).body.data
      const total = (count: number) => ({ counters: { service_tokens: { total: count } } })
      expect(await counted()).toEqual(total(1))
      await secrets.post('auth/token/create', { ttl: '1h', policies: ['default'] })
      await secrets.post('auth/token/create', { type: 'batch', policies: ['default'] })
      await secrets.post('sys/namespaces/ns')
      await secrets.post('ns/auth/token/create', { policies: ['default'] })
      expect(await counted()).toEqual(total(3))
      clock.advance(3_600_000)
      expect(await counted()).toEqual(total(2))
    })

    test('without entities the count is 0', async () => {
      const { secrets } = await servedSecrets({ dialect })
      expect(statusAndBody(await secrets.get('sys/internal/counters/entities'))).toEqual(
        ok({ data: { counters: { entities: { total: 0 } } } }),
      )
      expect(statusAndBody(await secrets.post('sys/internal/counters/entities', {}))).toEqual(
        multierrorReply(405, 'unsupported operation'),
      )
    })

    test('the license of the enterprise edition is that of health', async () => {
      const { secrets } = await servedSecrets({ dialect })
      const { license, cluster_id } = (await secrets.get('sys/health')).body
      expect(statusAndBody(await secrets.get('sys/license/status'))).toEqual(
        ok({
          data: {
            autoloading_used: true,
            autoloaded: {
              license_id: cluster_id,
              state: license.state,
              expiration_time: license.expiry_time,
              features: [],
              performance_standby_count: 9999,
            },
          },
        }),
      )
    })

    test('the community edition has no license status', async () => {
      const { secrets } = await servedSecrets({
        dialect,
        secrets: { edition: 'community' },
      })
      expect(statusAndBody(await secrets.get('sys/license/status'))).toEqual(
        error(404, 'enterprise-only feature'),
      )
    })

    test('each needs a token that may read it', async () => {
      const { as, secrets } = await servedSecrets({ dialect })
      const created = await secrets.post('auth/token/create', { policies: ['default'] })
      const client = as(created.body.auth.client_token)
      for (const path of [
        'internal/counters/tokens',
        'internal/counters/entities',
        'rotate/config',
      ]) {
        expect(statusAndBody(await client.get(`sys/${path}`))).toEqual(
          multierrorReply(403, 'permission denied'),
        )
      }
    })
  },
)
