import { float, int, list, map, text, union } from '../../../state/kernel/shape/kinds.ts'
import { described, struct } from '../../../state/kernel/shape/members.ts'
import { formatTimestamp } from '../../../state/kernel/time.ts'
import type { World } from '../../../state/kernel/worlds/world.ts'
import { leases } from '../../../state/secrets/leases/leases.ts'
import { isAuthMount, mounts } from '../../../state/secrets/mounts/mounts.ts'
import { isDevelopmentServer, optionsOf } from '../../../state/secrets/options.ts'
import { isLeased, tokens } from '../../../state/secrets/tokens/rows.ts'
import { bareOutcome, type SecretsOutcome } from '../envelope/outcome.ts'
import { errorSchema } from '../envelope/schemas.ts'
import { textField } from '../fields/field-kinds.ts'
import { type Call, operationsOf, type SecretsOperation } from '../operation.ts'

const operation = operationsOf({ spec: 'behaviour/secrets#operations-of-the-node', rootOnly: true })

type Labels = Readonly<Record<string, string>>

interface Gauge {
  readonly Name: string
  readonly Value: number
  readonly Labels: Labels
}

/**
 * A metric that was observed several times in an interval, with statistics of the observed values.
 */
interface Sample {
  readonly Name: string
  readonly Count: number
  readonly Rate: number
  readonly Sum: number
  readonly Min: number
  readonly Max: number
  readonly Mean: number
  readonly Stddev: number
  readonly Labels: Labels
}

const labels = map(text)
const gauge = struct({ Name: text, Value: float, Labels: labels })
const sample = struct({
  Name: text,
  Count: int,
  Rate: float,
  Sum: float,
  Min: float,
  Max: float,
  Mean: float,
  Stddev: float,
  Labels: labels,
})

export const metricsOperations: readonly SecretsOperation[] = [
  operation.read('readMetrics', 'metrics', {
    summary: 'Read metrics of the node, as JSON or for Prometheus.',
    unauthenticatedWhen: { text: 'in a development server', holds: isDevelopmentServer },
    query: { format: textField('prometheus, or JSON if left out') },
    reply: {
      200: union(
        struct({
          Timestamp: described(text, 'Time as Go prints it'),
          Gauges: list(gauge),
          Points: list(sample),
          Counters: list(sample),
          Samples: list(sample),
        }),
        text,
      ),
      400: union(errorSchema, text),
    },
    run: metricsOf,
  }),
]

/**
 * Returns whether a request is for metrics in the Prometheus format. If `format` is empty, the
 * header `Accept` decides.
 */
function isForPrometheus(format: string, accept: string): boolean {
  if (format !== '') return format === 'prometheus'
  return (
    accept.startsWith('application/openmetrics-text') || accept.includes('prometheus/telemetry')
  )
}

function metricsOf({
  world,
  fields,
  process,
  request,
}: Call<object, { format: string }>): SecretsOutcome {
  const counts = [...process.requestCounts.of(world)].sort()
  const { format } = fields
  if (format !== '' && format !== 'prometheus') {
    const text = `metric response format "${format}" unknown`
    return { kind: 'text', status: 400, contentType: 'text/plain', text }
  }
  const { metricsPrefix: prefix } = process
  const gauges = gaugesOf(world).map(
    ([name, Value, Labels = {}]): Gauge => ({ Name: `${prefix}.${name}`, Value, Labels }),
  )
  const samples = counts.map(([name, count]) => sampleOf(`${prefix}.${name}`, count, world))
  if (isForPrometheus(format, request.header('accept') ?? '')) {
    const text = [...gauges.map(prometheusGauge), ...samples.map(prometheusSummary)].join('')
    const contentType = 'text/plain; version=0.0.4; charset=utf-8'
    return { kind: 'text', status: 200, contentType, text }
  }
  const Timestamp = `${formatTimestamp(world.clock.now())
    .replace('T', ' ')
    .replace(/(\.\d+)?Z$/, '')} +0000 UTC`
  return bareOutcome({ Timestamp, Gauges: gauges, Points: [], Counters: samples, Samples: samples })
}

type NamedGauge = readonly [name: string, value: number, labels?: Labels]

/** Returns the gauges under their names without prefix. */
function gaugesOf(world: World): readonly NamedGauge[] {
  const cluster = { cluster: optionsOf(world).clusterName }
  const allMounts = [...world.table(mounts).rows()]
  const logins = allMounts.filter(isAuthMount).length
  const entries = (type: string, count: number): NamedGauge => [
    'core.mount_table.num_entries',
    count,
    { ...cluster, local: 'false', type },
  ]
  const tokenLeases = [...world.table(tokens).rows()].filter(isLeased).length
  return [
    ['core.active', 1, cluster],
    ['core.in_flight_requests', 1, cluster],
    entries('auth', logins),
    entries('logical', allMounts.length - logins),
    ['core.unsealed', 1, cluster],
    ['expire.num_irrevocable_leases', 0],
    ['expire.num_leases', tokenLeases + world.table(leases).size],
    // These values are fixed, because the values of the process would differ from run to run.
    ['runtime.alloc_bytes', 33_554_432],
    ['runtime.num_goroutines', 100],
  ]
}

/** Number of seconds that a sample covers in the product. */
const interval = 10

/** Returns the sample of a counter. Each observation counts as 1. */
function sampleOf(Name: string, Count: number, world: World): Sample {
  const { clusterName: cluster } = optionsOf(world)
  const values = { Rate: Count / interval, Sum: Count, Min: 1, Max: 1, Mean: 1, Stddev: 0 }
  return { Name, Count, ...values, Labels: { cluster } }
}

function prometheusName(name: string): string {
  return name.replace(/[^a-zA-Z0-9_]/g, '_')
}

function prometheusLabels(labels: Labels): string {
  const texts = Object.entries(labels).map(([name, value]) => `${name}=${JSON.stringify(value)}`)
  return texts.length === 0 ? '' : `{${texts.join(',')}}`
}

function prometheusGauge({ Name, Value, Labels }: Gauge, at: number, all: readonly Gauge[]) {
  const name = prometheusName(Name)
  const line = `${name}${prometheusLabels(Labels)} ${Value}\n`
  return all[at - 1]?.Name === Name ? line : `${prometheusHead(name, 'gauge')}${line}`
}

function prometheusSummary({ Name, Count, Sum }: Sample): string {
  const name = prometheusName(Name)
  return `${prometheusHead(name, 'summary')}${name}_sum ${Sum}\n${name}_count ${Count}\n`
}

function prometheusHead(name: string, type: string): string {
  return `# HELP ${name} ${name}\n# TYPE ${name} ${type}\n`
}
