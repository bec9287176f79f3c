import type { Choice } from '../../http/coverage.ts'

const health = 'behaviour/secrets#health'
const surroundings = 'behaviour/secrets#system'
const mountsSection = 'behaviour/secrets#mounts'
const node = 'behaviour/secrets#api-health'

/** The node, its seal and its mounts. */
export const systemChoices: readonly Choice[] = [
  {
    id: 'health-codes',
    about: 'Status codes that callers of `sys/health` ask for.',
    choice: '200 to 599; others are refused with 400 when they would be the answer.',
    evidence: 'decided here',
    where: health,
  },
  {
    id: 'last-wal',
    about: 'What `last_wal` counts.',
    choice: "The service's index: one for each commit that wrote to it.",
    evidence: 'decided here',
    where: health,
  },
  {
    id: 'license',
    about: 'What `license` says.',
    choice: '`autoloaded`, until 2099-12-31T23:59:59Z, not terminated.',
    evidence: 'decided here',
    where: health,
  },
  {
    id: 'build-date',
    about: 'What `build_date` says.',
    choice: '2023-06-19T11:40:23Z, whatever the option `version` is.',
    evidence: 'decided here',
    where: 'behaviour/secrets#seal',
  },
  {
    id: 'tidy-at-once',
    about: 'When tidying tokens and the secret ids of AppRole is told to be in progress already.',
    choice:
      'Never: what has expired goes when its time comes, so there is nothing to tidy, and a request is done when it is answered. Each is told that tidying has started.',
    evidence: 'decided here',
    where: 'behaviour/secrets#small-endpoints',
  },
  {
    id: 'version-installed',
    about: 'When `sys/version-history` says that the version was installed.',
    choice: 'When it was built.',
    evidence: 'decided here',
    where: 'behaviour/secrets#small-endpoints',
  },
  {
    id: 'ha-hostname',
    about: 'Which host and nodes `sys/ha-status` tells of.',
    choice: 'One node at the host that the caller used, a standby if it is one.',
    evidence: 'decided here',
    where: 'behaviour/secrets#small-endpoints',
  },
  {
    id: 'random-sources',
    about: 'What sources of random bytes (`sys/tools/random`) differ in.',
    choice:
      "Nothing but the warning of `seal` that there is no such source: all are the world's seeded generator.",
    evidence: 'extension',
    where: 'behaviour/secrets#small-endpoints',
  },
  {
    id: 'plugin-version',
    about: 'What `running_plugin_version` of a mount says.',
    choice: 'The option `version` without its edition: `v1.14.0+builtin`.',
    evidence: 'decided here',
    where: mountsSection,
  },
  {
    id: 'leader-address',
    about: 'Which addresses `sys/leader` tells.',
    choice:
      'The one that the caller used, world prefix included; for the cluster its host over https, one port above.',
    evidence: 'decided here',
    where: 'behaviour/secrets#leader',
  },
  {
    id: 'standby-serves',
    about: 'What a standby does with requests.',
    choice: 'It answers them itself, writes included: there is no other node.',
    evidence: 'decided here',
    where: node,
  },
  {
    id: 'step-down',
    about: 'Who becomes active after a step-down.',
    choice: 'The same node at once; `active_time` starts anew.',
    evidence: 'decided here',
    where: surroundings,
  },
  {
    id: 'node-pushes',
    about: 'Where a push of the transition `secrets.node` can lead.',
    choice:
      'From every state to every other, without shares and tokens; community nodes become no performance standbys.',
    evidence: 'extension',
    where: node,
  },
  {
    id: 'push-initializes',
    about: 'What a push away from `uninitialized` makes.',
    choice:
      'Mounts and policies of a fresh world, new shares, and the root token of the option `rootToken`.',
    evidence: 'extension',
    where: node,
  },
  {
    id: 'push-uninitialized',
    about: 'What a push to `uninitialized` leaves.',
    choice: 'Options, paces and time; everything else of the service goes, pending work included.',
    evidence: 'extension',
    where: node,
  },
  {
    id: 'uninitialized-mounts',
    about: 'What is mounted before the service is initialised.',
    choice: '`sys/` alone; initialising mounts the rest.',
    evidence: 'decided here',
    where: 'behaviour/secrets#start-state',
  },
  {
    id: 'no-encryption',
    about: 'What sealing and rotating do to stored data.',
    choice:
      'Nothing: it is not encrypted. Sealing closes the doors, rotating counts `term` up and starts `encryptions` anew.',
    evidence: 'decided here',
    where: surroundings,
  },
  {
    id: 'encryptions',
    about: 'What `encryptions` of `sys/key-status` counts.',
    choice: 'Commits of the service under the present key.',
    evidence: 'decided here',
    where: surroundings,
  },
  {
    id: 'time-while-sealed',
    about: 'Whether tokens and leases end while the service is sealed.',
    choice: 'They do, at their time.',
    evidence: 'decided here',
    where: surroundings,
  },
  {
    id: 'shares-kept',
    about: 'Who knows key shares and root token after initialising.',
    choice: '`GET /_mock/info` and the state export: the world keeps them.',
    evidence: 'extension',
    where: 'behaviour/secrets#seal',
  },
  {
    id: 'pgp-time',
    about: 'By which time PGP keys are valid.',
    choice: 'The latest moment at which the key says something of itself, whatever the clock says.',
    evidence: 'decided here',
    where: 'behaviour/secrets#pgp',
  },
  {
    id: 'foreign-mount-names',
    about: 'Mounts called `namespace`, `namespaces`, `job`, `jobs` or `object`.',
    choice:
      'The reply warns that they belong to another API on the shared port; as long as that API is not served, they answer there too.',
    evidence: 'extension',
    where: mountsSection,
  },
  {
    id: 'mount-settings-without-effect',
    about: 'Tuned lists of audit keys and headers, and `force_no_cache`.',
    choice: 'They are kept and told; nothing acts on them.',
    evidence: 'decided here',
    where: mountsSection,
  },
  {
    id: 'remount',
    about: 'Moving a mount (`sys/remount`).',
    choice: 'Data and settings go along; its leases, and the tokens of a login method, end.',
    evidence: 'extension',
    where: mountsSection,
  },
  {
    id: 'remount-at-once',
    about: 'How long the move of a mount takes.',
    choice: 'It is done when the request is answered; its status is always `success`.',
    evidence: 'extension',
    where: mountsSection,
  },
]
