import { bool, int, text } from '../../../state/kernel/shape/kinds.ts'
import { optional, struct } from '../../../state/kernel/shape/members.ts'
import { leadership, stepDown } from '../../../state/secrets/seal/node.ts'
import { bareOutcome } from '../envelope/outcome.ts'
import { operationsOf } from '../operation.ts'

const operation = operationsOf({ spec: 'behaviour/secrets#leader' })

export const leaderOperations = [
  operation.read('readLeader', 'leader', {
    summary: 'Read which node is active.',
    unenveloped: true,
    access: 'anyone',
    onSecondary: true,
    worksWhileSealed: true,
    failures: [503],
    reply: {
      200: struct({
        ha_enabled: bool,
        is_self: bool,
        active_time: text,
        leader_address: text,
        leader_cluster_address: text,
        performance_standby: bool,
        performance_standby_last_remote_wal: int,
        last_wal: optional(int),
      }),
    },
    run({ world, request }) {
      const { ha_enabled, is_self, active_time, last_wal, ...standbyMembers } = leadership(world)
      const { origin } = request
      return bareOutcome({
        ha_enabled,
        is_self,
        active_time,
        // Requests to a standby reach the active node, so both nodes have the same address.
        leader_address: ha_enabled ? origin : '',
        leader_cluster_address: ha_enabled ? clusterAddress(origin) : '',
        ...standbyMembers,
        // In the reference, Go omits a zero from the JSON.
        ...(last_wal === 0 ? {} : { last_wal }),
      })
    },
  }),
  operation.write('stepDown', 'step-down', {
    summary: 'Give up leadership.',
    spec: 'behaviour/secrets#key-status',
    methods: 'checked-first',
    access: 'sudo',
    apply: ({ world }) => stepDown(world),
  }),
]

/**
 * Returns the address for traffic between nodes: the host of the API, the port after the API's
 * port, and always the scheme `https`.
 */
export function clusterAddress(origin: string): string {
  const { protocol, hostname, port } = new URL(origin)
  const apiPort = port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port)
  return `https://${hostname}:${apiPort + 1}`
}
