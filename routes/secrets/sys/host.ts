import { any, int, list, text } from '../../../state/kernel/shape/kinds.ts'
import { struct } from '../../../state/kernel/shape/members.ts'
import { formatTimestamp } from '../../../state/kernel/time.ts'
import { clusterId } from '../../../state/secrets/seal/seal.ts'
import { data } from '../envelope/outcome.ts'
import { enveloped } from '../envelope/schemas.ts'
import { operationsOf } from '../operation.ts'

const spec = 'behaviour/secrets#small-endpoints'
const operation = operationsOf({ spec })

/** Data of an invented machine. */
const host = {
  hostname: 'understudy',
  uptime: 86_400,
  bootTime: 1_700_000_000,
  procs: 100,
  os: 'linux',
  platform: 'debian',
  platformFamily: 'debian',
  platformVersion: '12.1',
  kernelVersion: '6.1.0',
  kernelArch: 'x86_64',
  virtualizationSystem: '',
  virtualizationRole: '',
} as const

const memory = {
  total: 8_589_934_592,
  available: 6_442_450_944,
  used: 2_147_483_648,
  usedPercent: 25,
  free: 6_442_450_944,
} as const

/** Shape in which each member has the kind of its example. */
const hostShape = Object.fromEntries(
  Object.entries(host).map(([name, value]) => [name, typeof value === 'number' ? int : text]),
)
const memoryShape = Object.fromEntries(Object.keys(memory).map((name) => [name, int]))

/** The operation that describes the machine of the service, which is invented. */
export const hostOperations = [
  operation.read({
    id: 'readHostInfo',
    path: 'host-info',
    summary: 'Reads facts about the host, which are made up.',
    access: 'sudo',
    reply: enveloped({
      timestamp: text,
      cpu: list(any, { maxItems: 0 }),
      cpu_times: list(any, { maxItems: 0 }),
      disk: list(any, { maxItems: 0 }),
      host: struct({ ...hostShape, hostid: text }),
      memory: struct(memoryShape),
    }),
    run: ({ world }) =>
      data({
        timestamp: formatTimestamp(world.clock.now()),
        cpu: [],
        cpu_times: [],
        disk: [],
        host: { ...host, hostid: clusterId(world) ?? '' },
        memory,
      }),
  }),
]
