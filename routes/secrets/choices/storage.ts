import type { Choice } from '../../http/coverage.ts'

const policies = 'behaviour/secrets#policies'
const tokens = 'behaviour/secrets#tokens'
const leases = 'behaviour/secrets#leases'
const keyValue = 'behaviour/secrets#key-value'

/** Policies, tokens, leases and key-value engines. */
export const storageChoices: readonly Choice[] = [
  {
    id: 'broken-policies',
    about: 'Policies that do not parse, which only imported state can hold.',
    choice: 'They grant nothing.',
    evidence: 'extension',
    where: policies,
  },
  {
    id: 'batch-tokens',
    about: 'Whether batch tokens are kept.',
    choice:
      'They are, as service tokens are: they stand in the state, and end with their parent and at their time. A batch token is its prefix and 96 letters and digits.',
    evidence: 'decided here',
    where: tokens,
  },
  {
    id: 'last-use',
    about: 'When a token dies whose last use (`num_uses`) is spent.',
    choice: 'Before the next request, so the call under way can still read it.',
    evidence: 'decided here',
    where: tokens,
  },
  {
    id: 'token-leases',
    about: 'Which tokens have a lease, and its id.',
    choice:
      'Service tokens that expire: the path that made them, `/h` and the SHA-256 of the token in hex.',
    evidence: 'decided here',
    where: leases,
  },
  {
    id: 'bound-cidrs',
    about: 'Networks that tokens are bound to.',
    choice:
      'They are held to the address of the connection, a proxy its own. A refused use is not counted; of an address with a port the address counts, and a path of a socket holds nobody.',
    evidence: 'decided here',
    where: tokens,
  },
  {
    id: 'fixture-tokens',
    about: 'What tokens of fixtures are.',
    choice: 'Orphans, with exactly the policies that are named: `default` is not added.',
    evidence: 'extension',
    where: tokens,
  },
  {
    id: 'lease-prefixes',
    about: 'A prefix without a closing slash in `revoke-prefix` and `revoke-force`.',
    choice: 'The id of one lease if there is one, else a folder.',
    evidence: 'decided here',
    where: leases,
  },
  {
    id: 'upgrade-at-once',
    about: 'How long the upgrade of a key-value mount takes.',
    choice: 'It is done when the request is answered, warning notwithstanding.',
    evidence: 'decided here',
    where: 'behaviour/secrets#mounts',
  },
  {
    id: 'upgrade-oldest-version',
    about: '`oldest_version` of keys that came from version 1.',
    choice: '1 from the beginning.',
    evidence: 'decided here',
    where: keyValue,
  },
  {
    id: 'negative-max-versions',
    about: 'The text that refuses a `max_versions` below zero.',
    choice: "`'max_versions' cannot be negative`.",
    evidence: 'decided here',
    where: 'behaviour/secrets#kv2-pruning',
  },
  {
    id: 'empty-custom-metadata',
    about: 'What custom metadata without any key reads as.',
    choice: '`null`, as if it had never been set.',
    evidence: 'decided here',
    where: 'behaviour/secrets#kv2-metadata',
  },
  {
    id: 'delete-version-job',
    about: 'What happens when `delete_version_after` is up.',
    choice:
      'Reads compare times. `secrets.kv2.delete-version` is pending work that does nothing: it makes the moment show in what moving the clock reports.',
    evidence: 'extension',
    where: 'behaviour/secrets#delete-version-after',
  },
  {
    id: 'fixture-secrets',
    about: 'Secrets of fixtures in a mount with versions.',
    choice: 'Each is a new version, whether the engine asks for `cas` or not.',
    evidence: 'extension',
    where: keyValue,
  },
]
