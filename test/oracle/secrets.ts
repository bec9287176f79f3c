import type { KnownDifference, OracleApi } from './api.ts'
import { aroundSecrets, secretsSequences } from './secrets-requests.ts'

/**
 * Lists how the mock, in the vendor dialect, is meant to differ from the open fork: the decisions
 * prefer the specification or the product where those are not the fork.
 */
const knownSecretsDifferences: readonly KnownDifference[] = [
  {
    kind: /^kv2\w+: 404\.errors$/,
    reason: 'behaviour/secrets#body-kinds: 404 envelopes have `errors: []` besides',
  },
  {
    kind: /^kv2\w+: 404$/,
    reason: 'behaviour/secrets#body-kinds: `errors: []` where the reference sends no body',
  },
  {
    kind: /^(?:\w*[lL]ist\w*|cubbyhole\w+): status 404 → 200$/,
    reason: 'behaviour/secrets#api-lists: a list without results is 404, with a remark to make too',
  },
  {
    kind: /^readA?c?l?Policy: 200\.data\.(?:policy|rules)$/,
    reason: 'The text of the policy `default` is of our own writing; it grants the same',
  },
  {
    kind: /: 400\.errors\.0$/,
    told: /error converting input/,
    reason: 'Of several fields that do not convert the fork tells any, as Go goes through maps',
  },
  {
    kind: /^kv2Write(?:Config|Metadata): status 400 → 20[04]$/,
    told: /"status":20[04]|cannot be negative/,
    reason: 'behaviour/secrets#kv2-pruning: a negative max_versions is refused',
  },
  {
    kind: /^(?:read|list|register|delete)Plugin\w*: /,
    reason:
      'behaviour/secrets#small-endpoints: what can be mounted here, and 403 to all that would change it',
  },
  {
    kind: /^write(?:Acl)?Policy: 400\.errors\.0$/,
    told: /invalid key .* on line/,
    reason: 'The fork tells line 0 for a block that is no key; here it is the line of the block',
  },
  {
    kind: /^remount: 400\.errors\.0$/,
    told: /cannot remount/,
    reason: 'behaviour/secrets#remount: a protected target is told before the source',
  },
  {
    kind: /^orchWriteRole: 400\.errors\.0$/,
    told: /allowed_kubernetes_namespace\w* must be set/,
    reason: 'behaviour/secrets#orch-roles: as of 1.14, which does not speak of selectors',
  },
  {
    kind: /^readFeatureFlags: 405$/,
    reason: 'The fork goes on after its refusal and sends the flags as well',
  },
  {
    kind: /\.deprecation_status$/,
    reason: 'behaviour/secrets#mounts: on every mount; the fork leaves it out of login methods',
  },
  {
    kind: /^read(?:Accessor|Token)Capabilities: /,
    reason: 'behaviour/secrets#policies: the paths are looked at first',
  },
]

/** Members that are drawn, or are of the server and not of the API. */
const drawn = new Set([
  'request_id',
  'accessor',
  'client_token',
  'wrapped_accessor',
  'uuid',
  'nonce',
  'otp',
  'migration_id',
  'version_label',
  'cluster_id',
  'cluster_name',
  'server_time_utc',
  'build_date',
  'running_plugin_version',
  'last_wal',
  'mount_type',
])

/** Looks like what answers are cleared of. */
const rootToken = 's.oraclesOwnRootTokenForIt'

/** The secrets API, as the oracle asks it. */
export const secretsOracle: OracleApi = {
  name: 'secrets',
  tokenHeader: 'x-vault-token',
  token: rootToken,
  setUp: { options: { secrets: { start: 'bare', rootToken } } },
  captures: [
    { name: '$token', at: ['auth', 'client_token'] },
    { name: '$accessor', at: ['auth', 'accessor'] },
    { name: '$wrapped', at: ['wrap_info', 'token'] },
    { name: '$nonce', at: ['nonce'] },
    { name: '$migration', at: ['data', 'migration_id'] },
  ],
  // Some times are numbers of seconds.
  drawn: (name, value) =>
    drawn.has(name) || (typeof value === 'number' && /(?:_time|_renewal)$/.test(name))
      ? `<${name}>`
      : undefined,
  cleared: [[/\b(?:hv[sb]|[sb])\.[\w-]{24,}/g, '<token>']],
  sequences: secretsSequences,
  ...aroundSecrets,
  known: knownSecretsDifferences,
}
