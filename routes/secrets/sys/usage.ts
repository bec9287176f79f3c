import { any, bool, constant, int, list, text } from '../../../state/kernel/shape/kinds.ts'
import { described, struct, withDefault } from '../../../state/kernel/shape/members.ts'
import { dayNumber, formatTimestamp, parseTimestamp } from '../../../state/kernel/time.ts'
import { dataOutcome } from '../envelope/outcome.ts'
import { enveloped } from '../envelope/schemas.ts'
import { flag, textField } from '../fields/field-kinds.ts'
import { FieldError, type FieldValues, toRefusal } from '../fields/fields.ts'
import { refuse } from '../messages.ts'
import { operationsOf, type SecretsOperation } from '../operation.ts'

const operation = operationsOf({ spec: 'behaviour/secrets#small-endpoints' })

/** Client counters, all 0 because clients are not counted. */
const noClients = {
  clients: 0,
  distinct_entities: 0,
  entity_clients: 0,
  non_entity_clients: 0,
  non_entity_tokens: 0,
}

const emptyList = list(any, { maxItems: 0 })

/**
 * Returns the start, in UTC, of the month that is `offset` months after the month of an instant.
 * Instants are in milliseconds since 1970.
 */
function monthStart(instant: number, offset: number): number {
  const [year = '', month = ''] = formatTimestamp(instant).split('-')
  const months = Number(year) * 12 + Number(month) - 1 + offset
  const first = dayNumber({ year: Math.floor(months / 12), month: (months % 12) + 1, day: 1 })
  return first * 86_400_000
}

/** Returns the last whole second of the month of an instant, in milliseconds since 1970. */
const monthEnd = (instant: number) => monthStart(instant, 1) - 1000

const reportFields = {
  start_time: textField('First month, as RFC 3339 or in seconds since 1970'),
  end_time: textField('Last month; the previous month if left out'),
  current_billing_period: flag('Whether the report ends now, regardless of the given times'),
  limit_namespaces: withDefault(described(int, 'Has no effect'), 0),
} as const

/**
 * Parses the instant in a field, in milliseconds since 1970; undefined if the field is empty.
 * Refuses a text that is not a time.
 */
function parseInstant(name: string, value: string): number | undefined {
  if (value === '') return undefined
  const instant = /^[+-]?\d+$/.test(value) ? Number(value) * 1000 : parseTimestamp(value)
  if (instant !== undefined) return instant
  throw toRefusal(new FieldError(name, value, 'could not parse string as date and time'), false)
}

/**
 * Returns the months of a report. With `current_billing_period`, these are the current month and
 * the eleven months before it; otherwise the fields name the first and the last month. By default,
 * the last month is the previous month, and the report has twelve months. Throws a refusal for an
 * invalid time, and `report-times-reversed` if the first month is after the last.
 */
function reportedMonths(fields: FieldValues<typeof reportFields>, now: number) {
  const start = parseInstant('start_time', fields.start_time)
  const end = parseInstant('end_time', fields.end_time)
  if (fields.current_billing_period) return { start: monthStart(now, -11), end: monthEnd(now) }
  const last = end ?? monthEnd(monthStart(now, -1))
  const first = start ?? monthStart(last, -11)
  if (first > last) throw refuse('report-times-reversed')
  return { start: monthStart(first, 0), end: monthEnd(last) }
}

/** Operations on usage counters, the license and experiments. Usage is not counted. */
export const usageOperations: readonly SecretsOperation[] = [
  operation.read('readActivity', 'internal/counters/activity', {
    summary:
      'Read the number of clients in a period, by default twelve months: no clients are counted.',
    query: reportFields,
    reply: enveloped({
      by_namespace: emptyList,
      end_time: text,
      months: emptyList,
      start_time: text,
      total: struct(Object.fromEntries(Object.keys(noClients).map((name) => [name, int]))),
    }),
    run({ world, fields }) {
      const { start, end } = reportedMonths(fields, world.clock.now())
      return dataOutcome({
        by_namespace: [],
        end_time: formatTimestamp(end),
        months: [],
        start_time: formatTimestamp(start),
        total: noClients,
      })
    },
  }),
  operation.read('readActivityConfig', 'internal/counters/config', {
    summary: 'Read how clients are counted.',
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
      dataOutcome({
        billing_start_timestamp: formatTimestamp(monthStart(world.clock.now(), -11)),
        default_report_months: 12,
        enabled: 'default-disabled',
        minimum_retention_months: 0,
        queries_available: false,
        reporting_enabled: false,
        retention_months: 24,
      }),
  }),
  operation.read('readRequestCounters', 'internal/counters/requests', {
    summary: 'Return nothing, because the product no longer counts requests.',
    reply: { 200: constant(null) },
    run() {
      throw refuse('counters-removed')
    },
  }),
  operation.read('readExperiments', 'experiments', {
    summary: 'List the experimental features.',
    reply: enveloped({ available: list(text), enabled: described(list(text), 'None') }),
    run: () => dataOutcome({ available: ['events.alpha1'], enabled: [] }),
  }),
  operation.write('reloadLicense', 'config/reload/license', {
    summary: 'Reload the license; nothing happens.',
    apply() {
      // The mock has no license file to read.
    },
  }),
]
