import { any, float, int, list, map, text } from '../../kernel/shape/kinds.ts'
import { struct } from '../../kernel/shape/members.ts'
import type { StoredOf } from '../../kernel/shape/values.ts'
import { formatTimestamp } from '../../kernel/time.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { hasEnded } from '../cluster/model/allocation-status.ts'
import { allocations, evaluations } from '../cluster/model/tables.ts'
import { jobs } from '../records/tables.ts'
import { metricName } from '../vendor-names.ts'

/** Statistics of a metric's values during 10 seconds. */
const sampledShape = struct('SampledValue', {
  Name: metricName,
  Count: int,
  Rate: float,
  Sum: float,
  Min: float,
  Max: float,
  Mean: float,
  Stddev: float,
  Labels: map(text),
})

const counterNames = ['sched.raft.apply', 'sched.sched.rpc.query', 'sched.sched.rpc.request']

/** Names of the metrics that are reported as samples. Each sample is a duration in milliseconds. */
const sampleNames = [
  'sched.raft.commitTime',
  'sched.sched.plan.evaluate',
  'sched.sched.plan.submit',
  'sched.sched.worker.invoke_scheduler.service',
]

/** Returns the statistics of a metric that had the single value 1 during the 10 seconds. */
function sampledOnce(Name: string): StoredOf<typeof sampledShape> {
  return { Name, Count: 1, Rate: 0.1, Sum: 1, Min: 1, Max: 1, Mean: 1, Stddev: 0, Labels: {} }
}

export const metricsShape = struct('MetricsSummary', {
  /** UTC time in the format in which Go prints times. */
  Timestamp: text,
  Gauges: list(struct('GaugeValue', { Name: metricName, Value: float, Labels: map(text) })),
  Points: list(any),
  Counters: list(sampledShape),
  Samples: list(sampledShape),
})

/**
 * Returns the metrics: counters and samples with constant values, and gauges in order of name. The
 * gauges are the numbers of allocations and of jobs by status, and the number of blocked
 * evaluations.
 */
export function metricsOf(world: World): StoredOf<typeof metricsShape> {
  const counts = new Map<string, number>()
  const count = (name: string, by = 1) => counts.set(name, (counts.get(name) ?? 0) + by)
  for (const status of ['pending', 'running', 'terminal']) {
    count(`sched.client.allocations.${status}`, 0)
  }
  for (const status of ['dead', 'pending', 'running']) count(`sched.sched.job_status.${status}`, 0)
  for (const row of world.table(allocations).rows()) {
    count(`sched.client.allocations.${hasEnded(row) ? 'terminal' : row.ClientStatus}`)
  }
  for (const { Status } of world.table(jobs).rows()) count(`sched.sched.job_status.${Status}`)
  const blockedCount = Array.from(world.table(evaluations).index('blocked').rows()).length
  count('sched.sched.blocked_evals.total_blocked', blockedCount)
  const [day, time] = formatTimestamp(world.clock.now()).split(/[TZ.]/)
  return {
    Timestamp: `${day} ${time} +0000 UTC`,
    Gauges: [...counts]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([Name, Value]) => ({ Name, Value, Labels: {} })),
    Points: [],
    Counters: counterNames.map(sampledOnce),
    Samples: sampleNames.map(sampledOnce),
  }
}
