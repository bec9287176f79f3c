import { expect, test } from 'vitest'
import { servedSecrets } from '../../../support/secrets/secrets.ts'
import { error, noContent, ok, statusAndBody } from '../replies.ts'

test.each(['neutral', 'vendor'] as const)(
  'behaviour/secrets#small-endpoints, %s: usage is not counted, and nothing is experimental',
  async (dialect) => {
    const { secrets } = await servedSecrets({ dialect })
    const { data } = (await secrets.get('sys/internal/counters/activity')).body
    expect(data).toMatchObject({
      start_time: '2025-02-01T00:00:00Z',
      end_time: '2026-02-01T00:00:00Z',
      total: { clients: 0 },
    })
    expect((await secrets.get('sys/internal/counters/config')).body.data).toMatchObject({
      enabled: 'default-disabled',
      retention_months: 24,
    })
    expect(statusAndBody(await secrets.get('sys/internal/counters/requests'))).toEqual(
      error(404, 'The functionality has been removed on this path'),
    )
    expect(statusAndBody(await secrets.get('sys/experiments'))).toEqual(
      ok({ data: { available: ['events.alpha1'], enabled: [] } }),
    )
    expect(statusAndBody(await secrets.post('sys/config/reload/license', {}))).toEqual(noContent)
  },
)
