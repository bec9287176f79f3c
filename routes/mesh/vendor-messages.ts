import type { WordingOf } from '../../state/kernel/refusal.ts'
import type { aclMessages } from '../../state/mesh/acl/messages.ts'
import type { meshMessages } from '../../state/mesh/messages.ts'

/** Messages for which the vendor's server has its own wording (behaviour/mesh#vendor-names). */
export const vendorMessages: WordingOf<typeof meshMessages> & WordingOf<typeof aclMessages> = {
  'global-management': 'A built-in policy that grants read and write access to all Consul features',
  'global-read-only': 'A built-in policy that grants read-only access to all Consul features',
  'namespaces-unsupported-in-header':
    'Invalid header: "X-Consul-Namespace" - Namespaces are an enterprise feature',
  'txn-too-large':
    'Request body({size} bytes) too large, max size: {largest} bytes. See https://developer.hashicorp.com/docs/agent/config/config-files#txn_max_req_len.',
  'value-too-large':
    'Request body({size} bytes) too large, max size: {largest} bytes. See https://developer.hashicorp.com/docs/agent/config/config-files#kv_max_value_size.',
}
