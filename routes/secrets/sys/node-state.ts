import { any, bool, list, map, text } from '../../../state/kernel/shape/kinds.ts'
import { described, struct } from '../../../state/kernel/shape/members.ts'
import { formatTimestamp } from '../../../state/kernel/time.ts'
import { systemLeaseTtl } from '../../../state/secrets/mounts/mounts.ts'
import { optionsOf } from '../../../state/secrets/options.ts'
import { requireCaller } from '../dispatch/caller.ts'
import { bareOutcome, dataOutcome } from '../envelope/outcome.ts'
import { enveloped } from '../envelope/schemas.ts'
import { operationsOf, type SecretsOperation } from '../operation.ts'

const operation = operationsOf({ spec: 'behaviour/secrets#operations-of-the-node', rootOnly: true })

/** Settings that the server's configuration leaves unset, with the values that replies contain. */
const unconfiguredSettings = {
  administrative_namespace_path: '',
  cache_size: 0,
  cluster_addr: '',
  cluster_cipher_suites: '',
  default_max_request_duration: 0,
  detect_deadlocks: '',
  disable_cache: false,
  disable_clustering: false,
  disable_indexing: false,
  disable_mlock: false,
  disable_performance_standby: false,
  disable_printable_check: false,
  disable_sealwrap: false,
  disable_sentinel_trace: false,
  enable_response_header_hostname: false,
  enable_response_header_raft_node_id: false,
  experiments: null,
  imprecise_lease_role_tracking: false,
  introspection_endpoint: false,
  log_format: '',
  log_level: '',
  log_requests_level: '',
  pid_file: '',
  plugin_directory: '',
  plugin_file_permissions: 0,
  plugin_file_uid: 0,
  raw_storage_endpoint: false,
} as const

/** Operations that show the configuration of the node and its open requests. */
export const nodeStateOperations: readonly SecretsOperation[] = [
  operation.read('readSanitizedConfig', 'config/state/sanitized', {
    summary: 'Read the configuration of the server, which has few settings.',
    reply: enveloped({
      ...Object.fromEntries(Object.keys(unconfiguredSettings).map((name) => [name, any])),
      api_addr: text,
      cluster_name: text,
      default_lease_ttl: described(any, 'Seconds'),
      max_lease_ttl: described(any, 'Seconds'),
      enable_ui: bool,
      listeners: list(any),
      seals: list(any),
      storage: map(any),
    }),
    run({ world, request }) {
      const { origin } = request
      return dataOutcome({
        ...unconfiguredSettings,
        api_addr: origin,
        cluster_name: optionsOf(world).clusterName,
        default_lease_ttl: systemLeaseTtl,
        enable_ui: optionsOf(world).ui,
        listeners: [{ config: listenerOf(origin), type: 'tcp' }],
        max_lease_ttl: systemLeaseTtl,
        seals: [{ disabled: false, type: 'shamir' }],
        storage: { type: 'inmem' },
      })
    },
  }),
  operation.read('readInFlightRequests', 'in-flight-req', {
    summary: 'List the requests that are being served: this one.',
    reply: {
      200: map(
        struct({
          start_time: text,
          client_remote_address: text,
          request_path: text,
          request_method: text,
          client_id: described(text, 'Entity of the caller; empty if there is none'),
        }),
      ),
    },
    run(call) {
      const { world, path, request } = call
      return bareOutcome({
        [world.ids.uuid()]: {
          start_time: formatTimestamp(world.clock.now()),
          client_remote_address: request.peer,
          request_path: `/v1/${path}`,
          request_method: request.method,
          client_id: requireCaller(call).entity_id,
        },
      })
    },
  }),
]

function listenerOf(origin: string): object {
  const { host, protocol } = new URL(origin)
  return { address: host, tls_disable: protocol === 'http:' }
}
