import {
  any,
  bool,
  constant,
  int,
  list,
  map,
  nullable,
  text,
} from '../../../state/kernel/shape/kinds.ts'
import { described, struct } from '../../../state/kernel/shape/members.ts'
import { formatTimestamp } from '../../../state/kernel/time.ts'
import type { World } from '../../../state/kernel/worlds/world.ts'
import { countEntities } from '../../../state/secrets/identity/entities.ts'
import { optionsOf } from '../../../state/secrets/options.ts'
import { license } from '../../../state/secrets/seal/health.ts'
import { leadership } from '../../../state/secrets/seal/node.ts'
import { clusterId } from '../../../state/secrets/seal/seal.ts'
import { buildDate } from '../../../state/secrets/seal/unseal.ts'
import { countServiceTokens } from '../../../state/secrets/tokens/tokens.ts'
import { dataOutcome, keysOutcome } from '../envelope/outcome.ts'
import { enveloped, structEnvelope } from '../envelope/schemas.ts'
import { operationsOf, type SecretsOperation } from '../operation.ts'
import { clusterAddress } from './leader.ts'

const operation = operationsOf({ spec: 'behaviour/secrets#small-endpoints' })

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

/** Shape of the reply, derived from `host`: integers for numbers, text for all other values. */
const hostShape = Object.fromEntries(
  Object.entries(host).map(([name, value]) => [name, typeof value === 'number' ? int : text]),
)

const memoryShape = Object.fromEntries(Object.keys(memory).map((name) => [name, int]))

/** Returns the schema of a reply with one counter. */
const counterEnvelope = (name: string) =>
  structEnvelope({ counters: struct({ [name]: struct({ total: int }) }) })

/**
 * Number of performance standbys that the license permits. The number is large enough for any
 * cluster.
 */
const performanceStandbys = 9999

/**
 * Operations that describe the host, the nodes of the cluster, and the cluster's versions, counters
 * and license. The data about the host are invented.
 */
export const hostOperations: readonly SecretsOperation[] = [
  operation.read('readHostInfo', 'host-info', {
    summary: 'Read facts about the host, all invented.',
    reply: enveloped({
      timestamp: text,
      cpu: list(any, { maxItems: 0 }),
      cpu_times: list(any, { maxItems: 0 }),
      disk: list(any, { maxItems: 0 }),
      host: struct({ ...hostShape, hostid: text }),
      memory: struct(memoryShape),
    }),
    run: ({ world }) =>
      dataOutcome({
        timestamp: formatTimestamp(world.clock.now()),
        cpu: [],
        cpu_times: [],
        disk: [],
        host: { ...host, hostid: clusterId(world) ?? '' },
        memory,
      }),
  }),
  operation.read('readHaStatus', 'ha-status', {
    summary: 'Read which nodes the cluster has.',
    reply: enveloped({
      nodes: list(
        struct({
          hostname: text,
          api_address: text,
          cluster_address: text,
          active_node: bool,
          last_echo: described(nullable(text), 'Only on a standby'),
          version: text,
        }),
      ),
    }),
    run({ world, request: { origin } }) {
      const { is_self, ha_enabled } = leadership(world)
      const isActive = is_self || !ha_enabled
      const node = {
        hostname: new URL(origin).hostname,
        api_address: origin,
        cluster_address: clusterAddress(origin),
        active_node: isActive,
        last_echo: isActive ? null : formatTimestamp(world.clock.now()),
        version: plainVersion(world),
      }
      return { kind: 'envelope', data: { nodes: [node] }, repeatsKeys: true }
    },
  }),
  operation.list('listVersions', 'version-history', {
    summary: 'List the versions that have run here: one.',
    reply: enveloped({
      keys: list(text),
      key_info: map(
        struct({
          previous_version: constant(null),
          timestamp_installed: text,
          build_date: text,
        }),
      ),
    }),
    run({ world }) {
      const version = plainVersion(world)
      const installed = {
        previous_version: null,
        timestamp_installed: buildDate,
        build_date: buildDate,
      }
      return keysOutcome([version], { key_info: { [version]: installed } })
    },
  }),
  operation.read('countTokens', 'internal/counters/tokens', {
    summary: 'Count the service tokens of all namespaces.',
    reply: { 200: counterEnvelope('service_tokens') },
    run: ({ world }) =>
      dataOutcome({ counters: { service_tokens: { total: countServiceTokens(world) } } }),
  }),
  operation.read('countEntities', 'internal/counters/entities', {
    summary: 'Count the entities of all namespaces.',
    reply: { 200: counterEnvelope('entities') },
    run: ({ world }) => dataOutcome({ counters: { entities: { total: countEntities(world) } } }),
  }),
  operation.read('readLicenseStatus', 'license/status', {
    summary: 'Read the license, which is invented.',
    enterprise: true,
    reply: enveloped({
      autoloading_used: constant(true),
      autoloaded: struct({
        license_id: text,
        state: text,
        expiration_time: text,
        features: list(any, { maxItems: 0 }),
        performance_standby_count: int,
      }),
    }),
    run: ({ world }) =>
      dataOutcome({
        autoloading_used: true,
        autoloaded: {
          license_id: clusterId(world) ?? '',
          state: license.state,
          expiration_time: license.expiry_time,
          features: [],
          performance_standby_count: performanceStandbys,
        },
      }),
  }),
]

/** Returns the version without its edition: `1.14.0`. */
function plainVersion(world: World): string {
  return optionsOf(world).version.split('+')[0] ?? ''
}
