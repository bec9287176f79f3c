import { any, float, list, map, text } from '../../kernel/shape/kinds.ts'
import { struct } from '../../kernel/shape/members.ts'
import type { StoredOf } from '../../kernel/shape/values.ts'
import { formatTimestamp } from '../../kernel/time.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { hasEnded } from '../cluster/model/allocation-status.ts'
import { allocations, evaluations } from '../cluster/model/tables.ts'
import { jobs } from '../records/tables.ts'
import { metricName } from '../vendor-names.ts'

/** Metrics of the agent (behaviour/scheduler#operator). */
export const metricsShape = struct('MetricsSummary', {
  /** The instant as Go prints it in UTC. */
  Timestamp: text,
  Gauges: list(struct('GaugeValue', { Name: metricName, Value: float, Labels: map(text) })),
  Points: list(any),
  Counters: list(any),
  Samples: list(any),
})

/**
 * Returns the metrics, ordered by name: allocations and jobs by status, and waiting evaluations.
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
    Counters: [],
    Samples: [],
  }
}
