import { text } from '../../../state/kernel/shape/kinds.ts'
import { described } from '../../../state/kernel/shape/members.ts'
import { storedSchema } from '../../../state/kernel/shape/schema.ts'
import { metricsOf, metricsShape } from '../../../state/scheduler/operator/metrics.ts'
import { metricName } from '../../../state/scheduler/vendor-names.ts'
import { parameters } from '../../http/declare/parameters.ts'
import { operationsOf } from '../operation.ts'

const operation = operationsOf({ spec: 'behaviour/scheduler#operator', withoutLeader: true })

/** Media type of metrics in Prometheus text format. */
const prometheusType = 'text/plain; version=0.0.4; charset=utf-8'

/** The operation that returns the agent's metrics. */
export const metricsOperations = [
  operation.get({
    id: 'readMetrics',
    path: '/metrics',
    access: 'anyone',
    summary: 'Tell how many allocations and jobs there are by status; as text for `prometheus`.',
    query: parameters({ format: described(text, '`prometheus` for its text') }),
    reply: { 200: metricsShape },
    schema: (dialect) => ({ anyOf: [storedSchema(metricsShape, dialect), { type: 'string' }] }),
    run({ context }) {
      const { dialect, query, world } = context
      const metrics = metricsOf(world)
      if (query.value('format') !== 'prometheus') return context.readUnindexed(() => metrics)
      const lines = metrics.Gauges.flatMap(({ Name, Value }) => {
        const dialectName = String(dialect.value(metricName, Name))
        const name = dialectName.replaceAll('.', '_')
        return [`# HELP ${name} ${dialectName}`, `# TYPE ${name} gauge`, `${name} ${Value}`]
      })
      const body = Buffer.from(`${lines.join('\n')}\n`)
      return { status: 200, body, headers: { 'content-type': prometheusType } }
    },
  }),
]
