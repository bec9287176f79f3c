import type { Choice } from '../../http/coverage.ts'

const where = 'behaviour/secrets#replication'
const links = 'behaviour/program#control-plane, secrets.replication-link'

/** Choices about DR replication. */
export const replicationChoices: readonly Choice[] = [
  {
    id: 'replication-transport',
    about: 'How a secondary in another process is fed.',
    choice:
      'Over the API listener of the primary, at `/_replication/dr`: joining by POST, then one long GET whose answer is a JSON message a line. The cluster address is only told; nothing listens there.',
    evidence: 'decided here',
    where: 'behaviour/program#clusters',
  },
  {
    id: 'replication-cluster-address',
    about: 'A cluster address that nobody gave.',
    choice: "`https`, the host of the API's address as the caller used it, and the next port.",
    evidence: 'decided here',
    where,
  },
  {
    id: 'replication-forks',
    about: 'Which world is the primary when forks of it are in the process too.',
    choice: 'The one that the address names, else the oldest that knows the secondary.',
    evidence: 'extension',
    where,
  },
  {
    id: 'replication-own-address',
    about:
      'The address of a primary with the host and port at which the secondary itself was called.',
    choice: 'Means a world of the same process, which is asked without a socket.',
    evidence: 'extension',
    where,
  },
  {
    id: 'replication-wrong-mode-first',
    about: 'A call in the wrong mode that is wrong otherwise too.',
    choice: 'The mode is looked at first, then the operation token, then the other fields.',
    evidence: 'decided here',
    where,
  },
  {
    id: 'replication-other-set',
    about: '`update-primary` with the token of a primary of another set of clusters.',
    choice:
      '400 `the primary belongs to another replication cluster; disable replication and enable this secondary anew, which clears its data`; the token is used up, the secondary does not join.',
    evidence: 'decided here',
    where: 'behaviour/secrets#api-replication',
  },
  {
    id: 'replication-activation-ttl',
    about: 'A `ttl` of 0 for an activation token.',
    choice: 'The default, 30 minutes.',
    evidence: 'decided here',
    where,
  },
  {
    id: 'replication-refused-tickets',
    about: 'Other statuses than 400 that a primary answers an activation token with.',
    choice:
      "The same text with that status; 400 for its statuses below 500, 502 from there on. A token that is neither a JWT nor sealed to one of this cluster's keys is answered as a foreign one.",
    evidence: 'decided here',
    where,
  },
  {
    id: 'replication-public-key',
    about: 'How credentials are encrypted to `secondary_public_key`.',
    choice:
      'X25519 and AES-256-GCM; every key that a cluster generated works until it becomes a secondary. What is no base64 of 32 bytes: 400 `secondary_public_key is not a base64 public key of 32 bytes`.',
    evidence: 'decided here',
    where,
  },
  {
    id: 'replication-ca',
    about: 'Roots trusted without `ca_file` and `ca_path`, and certificates that cannot be used.',
    choice:
      "Node's own roots and those of `NODE_EXTRA_CA_CERTS`. 400 `error reading ca_file: …` or `error reading ca_path: …`, in the same words whatever the reason; the files are read once, when the secondary joins, and certificates alone are kept.",
    evidence: 'decided here',
    where: 'behaviour/secrets#ca-files',
  },
  {
    id: 'replication-timeout',
    about: 'A primary that does not answer.',
    choice:
      'Given up after the option `replicationTimeout` (10 s of real time): 502 while joining; later the link counts as broken and is tried again, after 50 ms at first, then up to every second.',
    evidence: 'decided here',
    where,
  },
  {
    id: 'replication-enable-wipes',
    about: 'What `secondary/enable` clears at once.',
    choice:
      'Everything but the seal and the keyring, which the first snapshot of the primary replaces.',
    evidence: 'decided here',
    where: 'behaviour/secrets#api-replication',
  },
  {
    id: 'replication-partial-snapshot',
    about: 'A primary that dies in the middle of a snapshot.',
    choice:
      'What came so far does not count: the data stays as it was before, until a snapshot is whole.',
    evidence: 'decided here',
    where,
  },
  {
    id: 'replication-first-copy',
    about: 'What is core, and in which steps the rest of a first copy comes.',
    choice:
      'Engine data are secrets, cubbyholes, and the configurations and roles of engines and login methods; all else comes at once. The data come write by write, the oldest first (of what was written several times the last), spread over the pace of the link (`manual`: once it is pushed to `connected`), and what the primary writes meanwhile comes after them. A link that is lost keeps what has come. Later copies, after the link was away for long, come at once.',
    evidence: 'decided here',
    where,
  },
  {
    id: 'replication-catch-up',
    about: 'How a secondary catches up.',
    choice:
      "With the primary's commits since the last one it has, while the primary still has them (the last thousand at least); with nothing when both merkle roots are equal; else with a snapshot.",
    evidence: 'decided here',
    where: 'behaviour/program#clusters',
  },
  {
    id: 'replication-merkle-root',
    about: 'What `merkle_root` is.',
    choice:
      'The sum of the SHA-1 hashes of all rows that replicate, as 40 hexadecimal digits: equal for equal data.',
    evidence: 'decided here',
    where,
  },
  {
    id: 'replication-local-state',
    about: 'What of a cluster does not replicate.',
    choice:
      'The node itself, its part in replication, and attempts under way (unseal, rekey, operation tokens).',
    evidence: 'decided here',
    where,
  },
  {
    id: 'replication-pending-work',
    about: 'Expiry of tokens, leases and versions on a secondary.',
    choice:
      'Comes from the primary. After a promotion, or after replication is disabled, the cluster does it itself, what is overdue at once.',
    evidence: 'decided here',
    where,
  },
  {
    id: 'replication-promoted-at-once',
    about: 'When the switch of a promotion happens.',
    choice: 'Before the answer goes out, though that still says `complete: false`.',
    evidence: 'decided here',
    where,
  },
  {
    id: 'replication-idle-promote',
    about: 'Promoting a secondary without a primary, or one that cannot reach it.',
    choice: 'Needs no `force`: there is nothing to wait for.',
    evidence: 'decided here',
    where,
  },
  {
    id: 'replication-secondary-disable',
    about: 'What a secondary has after `secondary/disable`.',
    choice: 'The data it had, as a cluster of its own.',
    evidence: 'decided here',
    where,
  },
  {
    id: 'replication-secondary-wrapping',
    about: '`X-Secrets-Wrap-TTL` on a DR secondary.',
    choice: 'Counts as absent: a secondary makes no tokens of its own.',
    evidence: 'decided here',
    where,
  },
  {
    id: 'replication-ids',
    about: 'Ids that a promoted secondary makes up.',
    choice:
      'On joining, the generator starts from another seed, made of its state and the credential: clusters that began with one seed would make up equal ids otherwise.',
    evidence: 'extension',
    where: 'behaviour/program#ids',
  },
  {
    id: 'replication-pause',
    about: 'The brief period in which the service is away.',
    choice:
      'The option `replicationPause` (a duration of the clock, none by default) after each change of mode: 503 as if sealed, save where a sealed service answers.',
    evidence: 'decided here',
    where,
  },
  {
    id: 'replication-sealed',
    about: 'Sealed clusters.',
    choice:
      'A sealed primary feeds nobody. A sealed secondary is disconnected, as its primary says; its own status is 503. It goes on once it is unsealed.',
    evidence: 'decided here',
    where,
  },
  {
    id: 'replication-link-pushes',
    about: 'Cutting and restoring links by hand.',
    choice:
      'At either end: `primary` on the secondary, its id on the primary. The pace of the kind is how long a connected secondary is `merkle-sync` before it counts as in sync, and over which a first copy comes; a push to `connected` ends that. A cut ends with the membership that the link was about.',
    evidence: 'extension',
    where: links,
  },
]
