import { expect, test } from 'vitest'
import { servedSecrets } from '../../../support/secrets/secrets.ts'
import { error, noContent, ok, statusAndBody } from '../replies.ts'

test.each(['neutral', 'vendor'] as const)(
  'behaviour/secrets#small-endpoints, %s: usage is not counted, and nothing is experimental',
  async (dialect) => {
    const { secrets } = await servedSecrets({ dialect })
    const { data } = (await secrets.get('sys/internal/counters/activity')).body
    expect(data).toMatchObject({
      start_time: '2025-01-01T00:00:00Z',
      end_time: '2025-12-31T23:59:59Z',
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

test('behaviour/secrets#small-endpoints: a report of usage has the months that were asked for', async () => {
  const { secrets } = await servedSecrets()
  const monthsOf = async (query: string) => {
    const { body } = await secrets.get(`sys/internal/counters/activity?${query}`)
    return [body.data?.start_time ?? body.errors, body.data?.end_time]
  }
  expect(await monthsOf('start_time=2025-03-15T10:00:00Z&end_time=1748736000')).toEqual([
    '2025-03-01T00:00:00Z',
    '2025-06-30T23:59:59Z',
  ])
  expect(await monthsOf('end_time=2025-02-01T00:00:00Z')).toEqual([
    '2024-03-01T00:00:00Z',
    '2025-02-28T23:59:59Z',
  ])
  expect(await monthsOf('current_billing_period=true')).toEqual([
    '2025-02-01T00:00:00Z',
    '2026-01-31T23:59:59Z',
  ])
  expect(await monthsOf('start_time=2027-01-01T00:00:00Z')).toEqual([
    ['start_time is later than end_time'],
    undefined,
  ])
  expect(await monthsOf('end_time=soon')).toEqual([
    [
      'Field validation failed: error converting input soon for field "end_time": could not parse string as date and time',
    ],
    undefined,
  ])
})
