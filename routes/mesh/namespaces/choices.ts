import type { Choice } from '../../http/coverage.ts'

function decided(id: string, about: string, choice: string, where: string): Choice {
  return { id, about, choice, evidence: 'decided here', where }
}

/** Conventions, namespaces, blocking reads, keys and removal. */
export const namespaceChoices: readonly Choice[] = [
  decided(
    'editions-without-namespaces',
    'What the community edition and versions before 1.7.0 answer.',
    'As the reference does: the paths of namespaces are unknown (404), and a namespace in the query or a header is 400 with "Namespaces are an enterprise feature".',
    'behaviour/mesh#conventions',
  ),
  decided(
    'order-of-common-checks',
    'Where datacenter and partition come in the order of checks.',
    'The partition before everything else; the datacenter of writes next, that of reads after their other parameters.',
    'behaviour/mesh#conventions',
  ),
  decided(
    'broken-json-texts',
    'What a body that is no JSON, or has members of wrong types, is told besides "EOF".',
    'The words of Go\'s decoder; one that ends too early is "unexpected EOF".',
    'behaviour/mesh#conventions',
  ),
  decided(
    'body-content-type',
    'Whether the content type of a body matters.',
    'No; a body is read whatever it says.',
    'behaviour/mesh#conventions',
  ),
  decided(
    'empty-name-of-put',
    'What PUT /v1/namespace/ without a name is.',
    'As for GET and DELETE: 400 "Missing namespace name".',
    'behaviour/mesh#namespace',
  ),
  decided(
    'name-mismatch-case',
    'Whether a name in the body that differs from the path in letter case alone is a mismatch.',
    'No, it is the same namespace; a new one gets the spelling of the path.',
    'behaviour/mesh#namespace-writes',
  ),
  decided(
    'blocked-read-answers-its-moment',
    'Which state a blocked read shows when several writes follow each other.',
    'That of the write, or of the instant, that ended its wait.',
    'behaviour/mesh#reads',
  ),
  decided(
    'blocked-reads-and-restores',
    'What becomes of blocked reads when their world is reset, restored or ends.',
    'They answer at once with what is there then.',
    'behaviour/mesh#reads',
  ),
  decided(
    'blocked-read-of-denied',
    'What ends the wait of a caller who may no longer read.',
    'The next change of what is read: 403.',
    'behaviour/mesh#reads',
  ),
  decided(
    'stale-last-contact',
    'The last contact of a stale read.',
    '3 milliseconds, or the option staleLastContact.',
    'behaviour/mesh#reads',
  ),
  decided(
    'removal-by-hand',
    'What the transitions of mesh.namespace do.',
    'held takes a marked namespace off the clock until it is pushed; removed lets it go at once, in the same steps. A pace that is set goes before namespaceRemovalDelay, for deletions from then on.',
    'behaviour/mesh#removal',
  ),
  decided(
    'kv-unknown-namespace',
    'What keys of a namespace that does not exist are.',
    'As in the ACL endpoints: 500 with the text that it does not exist.',
    'behaviour/mesh#removal',
  ),
  decided(
    'kv-wildcard-namespace',
    'What ns=* is without recurse or keys, and on writes.',
    '400 "Invalid query parameter: "ns" - a wildcard needs recurse or keys".',
    'behaviour/mesh#removal',
  ),
  decided(
    'session-rights-of-unknown',
    'Which rights it takes to destroy or renew a session that there is not.',
    'None, as in the reference: true, or 404.',
    'behaviour/mesh#sessions',
  ),
  decided(
    'session-empty-node',
    'What an empty Node of a session is.',
    '500 "Must provide Node", as in the reference; one that is not sent is the only node.',
    'behaviour/mesh#sessions',
  ),
  decided(
    'no-leader',
    'What the option noLeader does.',
    'As in the reference: what the leader has to answer is 500 "No cluster leader"; stale reads, the agent and the status go on, KnownLeader is false, and the status names nobody.',
    'behaviour/mesh#agent',
  ),
  decided(
    'txn-unknown-namespace',
    'What a transaction on a namespace that does not exist, or is marked for deletion, is.',
    'As in the key endpoints: 500 with their texts, and nothing is done.',
    'behaviour/mesh#transactions',
  ),
]
