import { any, bool, constant, int, list, text } from '../../../state/kernel/shape/kinds.ts'
import { described, struct } from '../../../state/kernel/shape/members.ts'
import { formatTimestamp } from '../../../state/kernel/time.ts'
import { data } from '../envelope/outcome.ts'
import { enveloped } from '../envelope/schemas.ts'
import { refuse } from '../messages.ts'
import { operationsOf, type SecretsOperation } from '../operation.ts'

const operation = operationsOf({ spec: 'behaviour/secrets#small-endpoints' })

/** Counters of clients, of which none are counted. */
const noClients = {
  clients: 0,
  distinct_entities: 0,
  entity_clients: 0,
  non_entity_clients: 0,
  non_entity_tokens: 0,
}

const nothing = list(any, { maxItems: 0 })

/** Returns the start of a month in RFC 3339, counted from the month of an instant. */
function monthStart(instant: number, offset: number): string {
  const [year = '', month = ''] = formatTimestamp(instant).split('-')
  const months = Number(year) * 12 + Number(month) - 1 + offset
  const number = String((months % 12) + 1).padStart(2, '0')
  return `${Math.floor(months / 12)}-${number}-01T00:00:00Z`
}

/** Operations about the usage of the server, which is not counted, and about experiments. */
export const usageOperations: readonly SecretsOperation[] = [
  operation.read('readActivity', 'internal/counters/activity', {
    summary: 'Reads the number of clients in the last twelve months: none are counted.',
    reply: enveloped({
      by_namespace: nothing,
      end_time: text,
      months: nothing,
      start_time: text,
      total: struct(Object.fromEntries(Object.keys(noClients).map((name) => [name, int]))),
    }),
    run({ world }) {
      const now = world.clock.now()
      return data({
        by_namespace: [],
        end_time: monthStart(now, 1),
        months: [],
        start_time: monthStart(now, -11),
        total: noClients,
      })
    },
  }),
  operation.read('readActivityConfig', 'internal/counters/config', {
    summary: 'Reads how clients are counted.',
    reply: enveloped({
      billing_start_timestamp: text,
      default_report_months: int,
      enabled: text,
      minimum_retention_months: int,
      queries_available: bool,
      reporting_enabled: bool,
      retention_months: int,
    }),
    run: ({ world }) =>
      data({
        billing_start_timestamp: monthStart(world.clock.now(), -11),
        default_report_months: 12,
        enabled: 'default-disabled',
        minimum_retention_months: 0,
        queries_available: false,
        reporting_enabled: false,
        retention_months: 24,
      }),
  }),
  operation.read('readRequestCounters', 'internal/counters/requests', {
    summary: 'Finds nothing, because the product no longer counts requests here.',
    reply: { 200: constant(null) },
    run() {
      throw refuse('counters-removed')
    },
  }),
  operation.read('readExperiments', 'experiments', {
    summary: 'Reads which experiments there are.',
    reply: enveloped({ available: list(text), enabled: described(list(text), 'None') }),
    run: () => data({ available: ['events.alpha1'], enabled: [] }),
  }),
  operation.write('reloadLicense', 'config/reload/license', {
    summary: 'Reloads the license; nothing happens.',
    apply() {
      // The license is invented.
    },
  }),
]
