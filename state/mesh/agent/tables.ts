import { bool, int, list, map, text, uint, word } from '../../kernel/shape/kinds.ts'
import { optional, struct } from '../../kernel/shape/members.ts'
import type { StoredOf } from '../../kernel/shape/values.ts'
import { checkMembers, keyPart, serviceMembers } from '../catalog/tables.ts'
import { meshTable } from '../indexes.ts'
import { namespaceKey } from '../namespaces/namespaces.ts'

const agentServiceShape = struct({
  ...serviceMembers,
  /** ACL token that the registration of the service contained. Replies never contain this token. */
  token: optional(text),
  /** ID of the service that owns this sidecar; left out for other services. */
  sidecar_of: optional(text),
})

/** A service that is registered at the agent (behaviour/mesh#agent-services). */
export interface AgentService extends StoredOf<typeof agentServiceShape> {}

const checkCallShape = struct({
  kind: word('http', 'tcp'),
  /** URL of an HTTP check; host and port of a TCP check. */
  target: text,
  method: text,
  headers: map(list(text)),
  body: text,
  follows_redirects: bool,
  /** True for a TCP check that makes a TLS handshake. */
  uses_tls: bool,
  server_name: text,
  skips_verification: bool,
  /** Time between two calls in milliseconds of the world's clock. */
  interval: uint,
  /** Maximum duration of a call in milliseconds of real time. */
  timeout: uint,
  successes_before_passing: int,
  failures_before_warning: int,
  failures_before_critical: int,
})

/**
 * Call that determines the status of an HTTP or TCP check. The option `callChecks` enables calls.
 */
export interface CheckCall extends StoredOf<typeof checkCallShape> {}

const agentCheckShape = struct({
  ...checkMembers,
  /** Time in milliseconds after which the check becomes critical unless its status is updated. */
  ttl: optional(uint),
  /** Node whose checks an alias check follows; left out for the agent's own node. */
  alias_node: optional(text),
  /**
   * Service whose checks an alias check follows; empty for the node's own checks. Left out for
   * checks of other types.
   */
  alias_service: optional(text),
  /** Time in milliseconds for which a check may be critical before its service is removed. */
  deregister_after: optional(uint),
  /** Maximum size of the output in bytes; left out for the default. */
  output_limit: optional(uint),
  token: optional(text),
  call: optional(checkCallShape),
})

/** A check that is registered at the agent (behaviour/mesh#agent-checks). */
export interface AgentCheck extends StoredOf<typeof agentCheckShape> {}

export function agentRowKey(namespace: string, id: string): string {
  return `${namespaceKey(namespace)}/${keyPart(id)}`
}

/** Services of the agent by namespace and ID. */
export const agentServices = meshTable('agent-services', agentServiceShape, {
  secrets: { members: ['token'] },
  keepsIndex: true,
})

/**
 * Checks of the agent by namespace and check ID. The index `byService` groups them by service;
 * checks of the node have an empty service ID. The index `byAlias` contains only the alias checks.
 */
export const agentChecks = meshTable('agent-checks', agentCheckShape, {
  secrets: { members: ['token', 'call/headers'] },
  keepsIndex: true,
  indexes: {
    byService: (row, key) => `${agentRowKey(row.namespace, row.service_id)}/${key}`,
    byAlias: (row, key) => (row.alias_service === undefined ? undefined : key),
  },
})
