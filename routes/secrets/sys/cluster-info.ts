import { bool, constant, list, map, nullable, text } from '../../../state/kernel/shape/kinds.ts'
import { described, struct } from '../../../state/kernel/shape/members.ts'
import { formatTimestamp } from '../../../state/kernel/time.ts'
import type { World } from '../../../state/kernel/worlds/world.ts'
import { optionsOf } from '../../../state/secrets/options.ts'
import { leadership } from '../../../state/secrets/seal/node.ts'
import { buildDate } from '../../../state/secrets/seal/unseal.ts'
import { keys } from '../envelope/outcome.ts'
import { enveloped } from '../envelope/schemas.ts'
import { operationsOf } from '../operation.ts'
import { clusterAddress } from './leader.ts'

const operation = operationsOf({ spec: 'behaviour/secrets#small-endpoints' })

/** Operations that describe the nodes of the cluster and its versions. */
export const clusterOperations = [
  operation.read({
    id: 'readHaStatus',
    path: 'ha-status',
    summary: 'Reads which nodes the cluster has.',
    reply: enveloped({
      nodes: list(
        struct({
          hostname: text,
          api_address: text,
          cluster_address: text,
          active_node: bool,
          last_echo: described(nullable(text), 'Of a standby'),
          version: text,
        }),
      ),
    }),
    run({ world, request: { origin } }) {
      const { is_self } = leadership(world)
      const node = {
        hostname: new URL(origin).hostname,
        api_address: origin,
        cluster_address: clusterAddress(origin),
        active_node: is_self,
        last_echo: is_self ? null : formatTimestamp(world.clock.now()),
        version: plainVersion(world),
      }
      return { kind: 'envelope', data: { nodes: [node] }, repeatsKeys: true }
    },
  }),
  operation.list({
    id: 'listVersions',
    path: 'version-history',
    summary: 'Lists the versions that have run here: one.',
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
      return keys([version], { key_info: { [version]: installed } })
    },
  }),
]

/** Returns the version without its edition: `1.14.0`. */
function plainVersion(world: World): string {
  return optionsOf(world).version.split('+')[0] ?? ''
}
