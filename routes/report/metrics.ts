import { measureEventLoopDelay } from '../../state/kernel/time.ts'
import { type Counters, type DurationHistogram, durationBounds } from '../journal/counters.ts'

/** Values that are measured when metrics are requested, unlike the counters. */
interface Gauges {
  readonly worlds: number
  readonly blockedReaders: number
}

type Labels = Readonly<Record<string, string>>

interface Sample {
  readonly suffix?: string
  readonly labels?: Labels
  readonly value: number
}

/** Content type of the Prometheus text format. */
export const metricsType = 'text/plain; version=0.0.4; charset=utf-8'

/**
 * Returns the counters and the gauges in the Prometheus text format. Adds the memory of the process
 * and the delay of its event loop, which this call measures (behaviour/program#events).
 */
export async function metricsText(counters: Counters, gauges: Gauges): Promise<string> {
  const delay = await measureEventLoopDelay()
  const { rss, heapUsed } = process.memoryUsage()
  const single = (value: number): readonly Sample[] => [{ value }]
  return [
    metric('understudy_requests_total', 'counter', 'Requests answered.', requestsOf(counters)),
    metric(
      'understudy_request_duration_seconds',
      'histogram',
      'Real time from a request to its answer.',
      [...counters.durations].flatMap(([service, durations]) => durationsOf(service, durations)),
    ),
    metric('understudy_worlds', 'gauge', 'Worlds of the process.', single(gauges.worlds)),
    metric(
      'understudy_journal_dropped_total',
      'counter',
      'Requests that journals retained, and requests that they dropped for later ones.',
      single(counters.dropped),
    ),
    metric(
      'understudy_faults_applied_total',
      'counter',
      'Faults applied to requests.',
      [...counters.faults].map(([action, value]) => ({ labels: { action }, value })),
    ),
    metric(
      'understudy_blocked_readers',
      'gauge',
      'Blocking reads that wait for a change.',
      single(gauges.blockedReaders),
    ),
    metric(
      'understudy_event_loop_delay_seconds',
      'gauge',
      'Current delay of the event loop.',
      single(delay),
    ),
    metric('process_resident_memory_bytes', 'gauge', 'Memory of the process.', single(rss)),
    metric('nodejs_heap_size_used_bytes', 'gauge', 'Heap in use.', single(heapUsed)),
  ].join('')
}

function requestsOf(counters: Counters): Sample[] {
  // Several listeners of an API may count the same operation, so their counts are added.
  const samples = new Map<string, { labels: Labels; value: number }>()
  for (const { service, operation, statuses } of counters.tallies()) {
    for (const [status, count] of statuses) {
      const labels = { service, operation, status: status === null ? '' : String(status) }
      const key = labelsText(labels)
      samples.set(key, { labels, value: (samples.get(key)?.value ?? 0) + count })
    }
  }
  return [...samples].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, sample]) => sample)
}

function durationsOf(service: string, { counts, sum }: DurationHistogram): Sample[] {
  let total = 0
  const buckets = counts.map((count, at) => {
    total += count
    const le = String(durationBounds[at] ?? '+Inf')
    return { suffix: '_bucket', labels: { service, le }, value: total }
  })
  return [
    ...buckets,
    { suffix: '_sum', labels: { service }, value: sum },
    { suffix: '_count', labels: { service }, value: total },
  ]
}

function metric(name: string, type: string, help: string, samples: readonly Sample[]): string {
  const lines = samples.map(
    ({ suffix = '', labels = {}, value }) => `${name}${suffix}${labelsText(labels)} ${value}\n`,
  )
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.join('')}`
}

function labelsText(labels: Labels): string {
  const parts = Object.entries(labels).map(([name, value]) => `${name}=${JSON.stringify(value)}`)
  return parts.length === 0 ? '' : `{${parts.join(',')}}`
}
