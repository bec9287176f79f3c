import { any, list, map, nullable, text, uint } from '../../../state/kernel/shape/kinds.ts'
import { described, struct } from '../../../state/kernel/shape/members.ts'
import { storedSchema } from '../../../state/kernel/shape/schema.ts'
import { formatTimestamp } from '../../../state/kernel/time.ts'
import { meshName } from '../../../state/mesh/indexes.ts'
import { optionsOf, versionOf } from '../../../state/mesh/options.ts'
import { serverOf } from '../../../state/mesh/server.ts'
import { beforeBody } from '../../http/declare/access.ts'
import { ok } from '../../http/declare/operation.ts'
import { parameters } from '../../http/declare/parameters.ts'
import { requires, withNodeTarget } from '../access.ts'
import { type MeshContext, operationsOf } from '../operation.ts'

const operation = operationsOf({ spec: 'behaviour/mesh#agent' })

/** Build date that the agent reports for its release. */
export const buildDate = '2024-02-26T00:00:00Z'

const gibibyte = 2 ** 30

/**
 * Reports the agent's machine. All values except the names, the ID and the time are constants, so
 * that replies are reproducible.
 */
function hostInfo({ world }: MeshContext) {
  const { nodeName: hostname } = optionsOf(world)
  return {
    Memory: { total: 8 * gibibyte, available: 6 * gibibyte, used: 2 * gibibyte, usedPercent: 25 },
    CPU: [{ cpu: 0, vendorId: 'GenuineIntel', cores: 1, modelName: 'Virtual CPU', mhz: 2400 }],
    Host: {
      ...{ hostname, uptime: 3600, bootTime: 0, procs: 100, os: 'linux', platform: 'debian' },
      ...{ platformFamily: 'debian', platformVersion: '12', kernelVersion: '6.1.0' },
      ...{ kernelArch: 'x86_64', hostId: serverOf(world).node_id },
    },
    Disk: {
      ...{ path: '/', fstype: 'ext4', total: 64 * gibibyte, free: 48 * gibibyte },
      ...{ used: 16 * gibibyte, usedPercent: 25 },
    },
    // The value is inexact: nanoseconds since 1970 exceed the integers that a double represents.
    CollectionTime: world.clock.now() * 1_000_000,
    Errors: null,
  }
}

const metricShape = struct({
  Timestamp: text,
  Gauges: list(any),
  Points: list(any),
  Counters: list(any),
  Samples: list(any),
})

/** Length of a metrics interval in milliseconds. */
const metricsInterval = 10_000

/**
 * Reports the metrics of the agent. Some metrics follow from the state; the other metrics are
 * constants.
 */
function metricsOf({ world, dialect: { product } }: MeshContext) {
  const { nodeName, noLeader } = optionsOf(world)
  const gauge = (name: string, Value: number) => ({
    Name: `${product}.${nodeName}.${name}`,
    Value,
    Labels: {},
  })
  const time = Math.floor(world.clock.now() / metricsInterval) * metricsInterval
  const [date = '', seconds = ''] = formatTimestamp(time).split(/[TZ.]/)
  return {
    Timestamp: `${date} ${seconds} +0000 UTC`,
    Gauges: [
      gauge('members.clients', 0),
      gauge('members.servers', 1),
      gauge('raft.applied_index', world.store.index(meshName)),
      gauge('runtime.alloc_bytes', 16 * 2 ** 20),
      gauge('runtime.num_goroutines', 100),
      gauge('server.isLeader', noLeader ? 0 : 1),
    ],
    ...{ Points: [], Counters: [], Samples: [] },
  }
}

const prometheusDisabledReason =
  'Prometheus is not enabled since its retention time is not positive'

export const agentReportOperations = [
  operation.get('readAgentVersion', '/agent/version', {
    access: 'anyone',
    tenancy: 'none',
    summary: 'Return the version of the agent; needs no token.',
    reply: {
      200: storedSchema(struct({ SHA: text, BuildDate: text, HumanVersion: text, FIPS: text })),
    },
    run: ({ context: { world } }) =>
      ok({ SHA: '', BuildDate: buildDate, HumanVersion: versionOf(world), FIPS: '' }),
  }),
  operation.get('readAgentHost', '/agent/host', {
    access: beforeBody(requires('operator:read')),
    tenancy: 'none',
    summary: "Describe the agent's machine; all figures are constants.",
    reply: {
      200: storedSchema(
        struct({
          ...{ Memory: map(any), CPU: list(map(any)), Host: map(any), Disk: map(any) },
          ...{ CollectionTime: uint, Errors: nullable(list(any)) },
        }),
      ),
    },
    run: ({ context }) => ok(hostInfo(context)),
  }),
  operation.get('readAgentMetrics', '/agent/metrics', {
    access: beforeBody(withNodeTarget(requires('agent:read'))),
    tenancy: 'none',
    summary: "Return the agent's metrics; those for Prometheus are disabled.",
    query: parameters({
      format: described(text, '`prometheus` for the text format of Prometheus'),
    }),
    reply: { 200: { anyOf: [storedSchema(metricShape), { type: 'string' }] } },
    run({ context }) {
      if (context.query.value('format') !== 'prometheus') return ok(metricsOf(context))
      const headers = context.dialect.headers({ Reason: prometheusDisabledReason })
      return { status: 200 as const, headers }
    },
  }),
]
