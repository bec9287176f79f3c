import { defineMessages, refusals } from '../kernel/refusal.ts'

/**
 * Messages of the mesh API, except those of the ACL system. The `kind` of a message shows which
 * part of the reference refuses the request (behaviour/mesh#conventions). With `invalid`, the HTTP
 * layer refuses the request and the status is 400. With `conflict`, the server behind the HTTP
 * layer refuses the request; the status is then 500, even if the client made the mistake.
 */
export const {
  table: meshMessages,
  message,
  refuse,
} = defineMessages({
  'origin-refused': {
    kind: 'denied',
    text: 'Requests of web pages from "{origin}" are refused while ACLs are off',
  },
  ...refusals('invalid', {
    'authorize-targetless': 'Target service must be specified',
    'authorize-no-identity': 'ClientCertURI not a valid Connect identifier',
    'authorize-no-service': 'ClientCertURI not a valid Service identifier',
    'namespaces-unsupported-in-header':
      'Invalid header: "X-Mesh-Namespace" - Namespaces are a Consul Enterprise feature',
    'partitions-unsupported-in-header':
      'Invalid header: "X-Mesh-Partition" - Partitions are a Consul Enterprise feature',
    'partitions-unsupported-in-query':
      'Invalid query parameter: "partition" - Partitions are a Consul Enterprise feature',
    'namespaces-unsupported-in-query':
      'Invalid query parameter: "ns" - Namespaces are a Consul Enterprise feature',
    'other-partition': 'Invalid query parameter: "partition" - Partitions are not enabled',
  }),
  'no-leader': { kind: 'unavailable', text: 'No cluster leader' },
  'other-datacenter': { kind: 'conflict', text: 'No path to datacenter' },
  ...refusals('invalid', {
    'stale-and-consistent': 'Cannot specify ?stale with ?consistent, conflicting semantics.',
    'cached-and-consistent': 'Cannot specify ?cached with ?consistent, conflicting semantics.',
    'bad-max-stale': 'Invalid max_stale value {quoted}',
    'bad-cache-control': 'Invalid Cache-Control header.',
    'bad-passing': 'Invalid value for ?passing',

    'fixture-refused': '/mesh/{location}: {why}',

    'body-unreadable': '{what} decoding failed: {problem}',
    'body-empty': 'EOF',
    'wrong-type': 'json: cannot unmarshal {found} into {location} of type {type}',
    'unknown-field': 'json: unknown field {quoted}',
    'bad-time': 'parsing time {problem}',
    'time-no-text': 'Time.UnmarshalJSON: input is not a JSON string',
    'value-too-large':
      'Request body({size} bytes) too large, max size: {largest} bytes. See https://mesh.example/docs/agent/config/config-files#kv_max_value_size.',
    'value-too-large-before-1.21':
      'Request body({size} bytes) too large, max size: {largest} bytes. See https://mesh.example/docs/agent/config/config-files#kv_max_value_size.',

    'namespace-name-missing': 'Missing namespace name',
    'namespace-name-unsaid': 'Must specify a Name for Namespace creation',
    'namespace-names-differ': 'Namespace name in URL and payload do not match',
    'no-label': 'Namespace name {quoted} is not a valid DNS hostname label',
  }),
  'namespace-reserved': {
    kind: 'conflict',
    text: 'Namespace "{name}" is reserved for future internal use',
  },
  'namespace-absent': { kind: 'absent', text: 'Namespace "{name}" does not exist' },
  ...refusals('conflict', {
    'namespace-absent-for-data': 'Namespace "{name}" does not exist',
    'namespace-marked': 'Namespace "{name}" is marked for deletion and cannot be modified',
    'namespace-builtin': 'Delete operation not permitted on the builtin "default" namespace',
  }),
  'nothing-to-push': { kind: 'absent', text: 'there is no namespace "{name}"' },
  'check-to-push-absent': { kind: 'absent', text: 'there is no check "{id}"' },
  ...refusals('absent', {
    'node-to-push-absent': 'there is no node "{id}"',
    'session-to-push-absent': 'there is no session "{id}"',
  }),
  'own-node-stays': {
    kind: 'conflict',
    text: 'the node "{id}" is the server itself and cannot leave',
  },
  'push-impossible': {
    kind: 'conflict',
    text: 'a namespace that is {state} cannot become {target}',
  },

  ...refusals('invalid', {
    'key-missing': 'Missing key name',
    'key-of-every-namespace': 'Invalid query parameter: "ns" - a wildcard needs recurse or keys',
  }),
  ...refusals('conflict', {
    'no-number': 'strconv.ParseUint: parsing {quoted}: invalid syntax',
    'number-too-large': 'strconv.ParseUint: parsing {quoted}: value out of range',
  }),
  'flags-in-conflict': { kind: 'invalid', text: 'Conflicting flags: {query}\n' },

  'session-unknown': { kind: 'conflict', text: 'raft apply failed: invalid session "{id}"' },
  'session-missing': { kind: 'conflict', text: 'raft apply failed: missing session' },
  'session-body-unreadable': { kind: 'invalid', text: 'Request decode failed: {problem}' },
  'log-level-unknown': { kind: 'invalid', text: 'Unknown log level: {level}' },
  'segment-of-wan': { kind: 'invalid', text: 'Cannot provide a segment with wan=true' },
  ...refusals('conflict', {
    'segments-unsupported': 'Network segments are not supported in this version of Consul',
    'reload-failed': '{problem}',
    'force-leave-unknown': "agent: No node found with name '{node}'",
  }),
  'agent-token-unknown': { kind: 'absent', text: 'Token {quoted} is unknown' },
  ...refusals('conflict', {
    'session-ttl-out-of-range':
      "Invalid Session TTL '{ttl}', must be between [{shortest}={longest}]",
    'session-ttl-unreadable': "Session TTL '{text}' invalid: {problem}",
    'session-behavior-unknown': "Invalid Behavior setting '{text}'",
    'session-node-unsaid': 'Must provide Node',
    'session-node-unknown': 'apply failed: Missing node registration',
    'session-check-unknown': "apply failed: Missing check '{id}' registration",
  }),
  ...refusals('conflict', {
    'filter-invalid': 'Failed to create boolean expression evaluator: {problem}',
    'filter-of-agent-invalid': '{problem}',
  }),
  ...refusals('invalid', {
    'service-address-invalid': 'Invalid service address',
    'service-weight-of-passing': 'Invalid Weights: Passing must be greater than 0',
    'service-weight': 'Invalid Weights: DNS Weight must be between 0 and 65535',
    'service-meta-invalid': 'Invalid Service Meta: {problem}',
    'service-validation': 'Validation failed: {heading} occurred:\n{lines}\n',
    'service-check-status': "Status for checks must 'passing', 'warning', 'critical'",
    'check-invalid': 'Invalid check: {reason}',
    'check-name-unsaid': 'Missing check name',
    'check-status-unknown': 'Bad check status',
    'check-update-status-unknown': "Invalid check status: '{status}'",
    'service-id-unsaid': 'Missing service ID',
    'maintenance-unsaid': 'Missing value for enable',
    'maintenance-unreadable': 'Invalid value for enable: {quoted}',
  }),
  'meta-too-many': { text: 'Node metadata cannot contain more than 64 key/value pairs' },
  'meta-pair': { text: "Couldn't load metadata pair ('{key}', '{value}'): {problem}" },
  'meta-key-blank': { text: 'Key cannot be blank' },
  'meta-key-invalid': { text: 'Key contains invalid characters' },
  'meta-key-long': { text: 'Key is too long (limit: 128 characters)' },
  'meta-key-reserved': { text: "Key prefix '{product}-' is reserved for internal use" },
  'meta-value-long': { text: 'Value is too long (limit: 512 characters)' },
  'check-interval-and-ttl': { text: 'Interval and TTL cannot both be specified' },
  'check-interval-missing': {
    text: 'Interval must be > 0 for Script, HTTP, H2PING, TCP, UDP or OSService checks',
  },
  'check-interval-of-alias': { text: 'Interval cannot be set for Alias checks' },
  'check-ttl-of-alias': { text: 'TTL must be not be set for Alias checks' },
  'check-ttl-missing': { text: 'TTL must be > 0 for TTL checks' },
  'check-output-negative': { text: 'MaxOutputMaxSize must be positive' },
  'check-failures-order': {
    text: "FailuresBeforeWarning can't be higher than FailuresBeforeCritical",
  },
  ...refusals('conflict', {
    'check-scripts-disabled':
      "Scripts are disabled on this agent from remote calls; to enable, configure 'enable_script_checks' to true",
    'check-not-implemented': 'not implemented',
    'catalog-node-unsaid': 'Must provide node',
    'node-id-invalid': 'Bad node ID: uuid string is wrong length',
    'node-address-unsaid': 'Must provide address if SkipNodeUpdate is not set',
    'service-name-unsaid':
      'Must provide service name (Service.Service) when service ID is provided',
    'catalog-address-invalid': 'Invalid service address',
    'check-node-differs':
      "Node '{other}' for check '{check}' doesn't match register request node '{node}'",
    'check-service-unknown': "Unknown service ID '{service}' for check ID '{check}'",
    'check-id-missing':
      'failed inserting check on node "{node}": failed health check lookup: index error: object is missing a value for this index',
    'session-check-critical': "apply failed: Check '{id}' is in critical state",
    'check-without-ttl': 'CheckID "{id}" does not have associated TTL',
    'sidecar-port-missing': 'none left in the configured range [21000, 21255]',
    'agent-health-name-unsaid': 'Missing service Name',
    'agent-health-id-unsaid': 'Missing serviceID',
  }),
  ...refusals('absent', {
    'agent-service-absent':
      'Unknown service ID "{id}". Ensure that the service ID is passed, not the service name.',
    'agent-check-absent':
      'Unknown check ID "{id}". Ensure that the check ID is passed, not the check name.',
    'agent-check-service-absent': 'ServiceID "{id}" does not exist',
    'agent-service-unknown': 'unknown service ID: {id}',
  }),
  'sameness-unsupported': {
    kind: 'conflict',
    text: 'sameness groups are not supported in consul CE',
  },
  'event-unnamed': { kind: 'invalid', text: 'Missing name' },
  ...refusals('conflict', {
    'event-filter-invalid': 'Invalid {subject} filter: {problem}',
    'event-tag-without-service': 'Cannot provide tag filter without service filter',
    'event-too-large':
      'error broadcasting event: user event exceeds configured limit of {largest} bytes before encoding',
    'event-token-unknown': 'ACL not found',
  }),
  ...refusals('invalid', {
    'autopilot-body-unreadable': 'Error parsing autopilot config: {problem}',
    'cas-unreadable': 'Error parsing cas value: {problem}',
    'coordinate-node-missing': 'Missing node name',
    'peer-unsaid':
      "Must specify either ?id with the server's ID or ?address with IP:port of peer to remove",
    'peer-said-twice': 'Must specify only one of ?id or ?address',
    'coordinate-body-unreadable': 'Request decode failed: {problem}',
    'peering-token-nameless':
      'PeerName is required in the payload when generating a new peering token.',
    'peering-nameless': 'PeerName is required in the payload when establishing a peering.',
    'peering-tokenless': 'PeeringToken is required in the payload when establishing a peering.',
    'peering-unsaid': 'Must specify a name to fetch.',
  }),
  ...refusals('conflict', {
    'peer-unknown': '{member} {quoted} was not found in the Raft configuration',
    'leader-transfer-impossible': 'cannot find peer',
    'keyring-empty':
      '2 errors occurred:\n\t* {datacenter} (LAN) error: 1/1 nodes reported failure\n\t* {node}: Keyring is empty (encryption not enabled)\n\n',
    'coordinate-incompatible': 'incompatible coordinate',
    'snapshot-not-compressed': 'failed to decompress snapshot: {problem}',
    'snapshot-unreadable': 'failed to read snapshot file: {problem}',
    'snapshot-foreign': 'failed to restore snapshot: not a snapshot of this server',
    'peering-name-invalid':
      "{name} is not a valid peer name: a valid peering name must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character",
    'peering-token-undecodable': 'failed to decode token: {problem}',
    'peering-token-unreadable': '{problem}',
    'peering-token-incomplete': 'peering token {member} value is empty',
    'peering-address-invalid': '{address} is not a valid peering server address',
    'peering-impossible': 'TLS for gRPC must be enabled when generating peering tokens',
  }),
  ...refusals('conflict', {
    'entry-invalid': '{problem}',
    'entry-kind-global':
      'Config entries of kind "{kind}" are only allowed in the "default" namespace',
    'entry-kind-unknown-in-read': 'invalid config entry kind: {kind}',
    'entry-filter-unsupported': 'filtering not supported for config entry kind={kind}',
  }),
  ...refusals('invalid', {
    'entry-body-unreadable': 'Request decoding failed: {problem}',
    'entry-kind-unknown': 'invalid config entry kind: {kind}',
    'chain-unnamed': 'Missing chain name',
    'chain-gateway-mode': 'Invalid OverrideMeshGateway.Mode parameter',
  }),
  ...refusals('conflict', {
    'intention-parameter-missing': "required query parameter '{name}' not set",
    'intention-by-unknown': "'by' parameter must be one of 'source' or 'destination'",
    'intention-name-invalid': '{location} {quoted} is invalid: {problem}',
    'intention-namespace-unsupported':
      'Invalid {location} {quoted}: Namespaces is a Consul Enterprise feature',
    'intention-source-type': 'unsupported SourceType: {quoted}',
    'intention-members-missing': '{problem}',
    'intention-of-peer':
      'SourcePeer field is not supported on this endpoint. Use config entries instead',
    'intention-meta-sent': 'Meta must not be specified',
    'intention-meta-changed':
      'Meta must not be specified, or should be unchanged during an update.',
    'intention-body-unreadable': 'Failed to decode request body: {problem}',
    'intention-id-sent': 'ID must be empty when creating a new intention',
    'intention-invalid': '{problem}',
    'intention-by-entry':
      'cannot use legacy intention API to edit intentions with a destination of {quoted} after editing them via a service-intentions config entry',
    'intention-unknown-in-write': "Cannot {verb} non-existent intention: '{id}'",
    'intention-lookup-failed': 'Intention lookup failed: {problem}',
    'intention-moved':
      'Cannot modify Destination partition/namespace/name for an intention once it exists.',
  }),
  ...refusals('invalid', {
    'intention-partition': 'Cannot specify a {end} partition with this endpoint',
    'intention-community-namespace':
      'Invalid {member}({name}): Namespaces is a Consul Enterprise feature',
    'intention-id-invalid': '{problem}',
  }),
  'intention-absent': { kind: 'absent', text: 'Intention not found' },
  'entry-id-invalid': {
    text: 'failed config entry lookup: index error: UUID must be 36 characters',
  },
  ...refusals('conflict', {
    'query-id-sent': 'ID must be empty when creating a new prepared query',
    'query-invalid': 'Invalid prepared query: {problem}',
    'query-refused': 'raft apply failed: {problem}',
    'query-id-invalid': 'failed prepared query lookup: index error: UUID must be 36 characters',
    'query-lookup-failed': 'Prepared Query lookup failed: {problem}',
    'query-unknown-in-write': "Cannot modify non-existent prepared query: '{id}'",
    'query-template-by-id': 'prepared query templates can only be resolved up by name, not by ID',
    'query-limit': 'Bad limit: strconv.Atoi: parsing {quoted}: invalid syntax',
    'query-connect':
      "Error parsing 'connect' value: strconv.ParseBool: parsing {quoted}: invalid syntax",
  }),
  'query-unbound': { text: 'Must be bound to a session' },
  'query-token-hidden': {
    text: "Bad Token '<hidden>', it looks like a query definition with a redacted token was submitted",
  },
  'query-service-unsaid': { text: 'Must provide a Service name to query' },
  'query-nearest-negative': { text: "Bad NearestN '{count}', must be >= 0" },
  'query-failover-twice': { text: 'Targets cannot be populated with NearestN or Datacenters' },
  'query-sameness': { text: 'sameness-groups are an enterprise-only feature' },
  'query-ttl-unreadable': { text: "Bad DNS TTL '{ttl}': {problem}" },
  'query-ttl-negative': { text: "DNS TTL '{ttl}', must be >=0" },
  'query-absent': { kind: 'absent', text: 'Query not found' },
  ...refusals('absent', {
    'entry-absent': 'Config entry not found for {kind} / {name}',
    'entry-unnamed': 'Must provide both a kind and name to delete',
  }),
  'session-unsaid': { kind: 'invalid', text: 'Missing session' },
  'session-absent': { kind: 'absent', text: "Session id '{id}' not found" },
  ...refusals('invalid', {
    'node-unsaid': 'Missing node name',
    'service-unsaid': 'Missing service name',
    'gateway-unsaid': 'Missing gateway name',
    'namespace-wildcard': 'Invalid query parameter: "ns" - a wildcard is not allowed here',
    'check-state-unsaid': 'Missing check state',

    'txn-too-long': 'Transaction contains too many operations ({count} > {most})',
    'txn-too-large':
      'Request body({size} bytes) too large, max size: {largest} bytes. See https://mesh.example/docs/agent/config/config-files#txn_max_req_len.',
    'txn-too-large-before-1.21':
      'Request body({size} bytes) too large, max size: {largest} bytes. See https://mesh.example/docs/agent/config/config-files#txn_max_req_len.',
    'txn-body-unreadable': 'Failed to parse body: {problem}',
  }),
  'txn-verb-unknown': { text: 'unknown {noun} operation: {verb}' },
  'txn-node': { text: 'node "{node}"' },
  'txn-service': { text: 'service "{id}" on node "{node}"' },
  'txn-check': { text: 'check "{id}" on node "{node}"' },
  'txn-object-absent': { text: "{object} doesn't exist" },
  'txn-object-stale': { text: 'failed to {action} {object}, index is stale' },
  'txn-node-unregistered': { text: 'Missing node registration' },
  'txn-service-unregistered': { text: 'Missing service registration' },
  'txn-check-unnamed': {
    text: '{lookup}: index error: object is missing a value for this index',
  },
  'txn-key-missing': { text: 'Must provide key' },
  'txn-operation-failed': { text: 'operation {index}, counted from 0, failed: {problem}' },
  'entries-left-out': { text: 'the caller may not read some entries' },
  'txn-absent': { text: 'key "{key}" doesn\'t exist' },
  'txn-exists': { text: 'key "{key}" exists' },
  'txn-stale': { text: 'failed to {action} key "{key}", index is stale' },
  'txn-held': { text: 'failed to lock key "{key}", lock is already held' },
  'txn-delayed': { text: 'failed to lock key "{key}" due to lock delay' },
  'txn-not-held': {
    text: 'failed to unlock key "{key}", lock isn\'t held, or is held by another session',
  },
  'txn-session-missing': { text: 'missing session' },
  'txn-session-unknown': { text: 'invalid session "{id}"' },
  'txn-session-absent': { text: 'failed to check session, key "{key}" doesn\'t exist' },
  'txn-session-differs': {
    text: 'failed session check for key "{key}", current session "{session}" != "{wanted}"',
  },
  'txn-index-absent': { text: 'failed to check index, key "{key}" doesn\'t exist' },
  'txn-index-differs': {
    text: 'failed index check for key "{key}", current modify index {index} != {wanted}',
  },
})
