import type { Choice } from '../../http/coverage.ts'

const conventions = '1-secrets-decisions.md section 1'
const notation = '1-secrets-decisions.md section 0'

/** How requests are read and replies written. */
export const requestChoices: readonly Choice[] = [
  {
    id: 'duplicate-slashes',
    about: 'Slashes that follow one another in a path.',
    choice: 'They are part of the name: `a//b` and `a/b` are different secrets.',
    evidence: 'decided here',
    where: conventions,
  },
  {
    id: 'url-escapes',
    about: 'A path whose percent escapes cannot be decoded.',
    choice: '400 with a text that names the address.',
    evidence: 'decided here',
    where: conventions,
  },
  {
    id: 'head',
    about: 'HEAD elsewhere than at `sys/health`.',
    choice: '405 with an empty list of errors, before seal, namespace and token are looked at.',
    evidence: 'decided here',
    where: conventions,
  },
  {
    id: 'bare-method-first',
    about: 'A verb that a bare endpoint does not have, with a body that is no JSON.',
    choice: '405: these endpoints look at the verb before the body.',
    evidence: 'decided here',
    where: `${conventions}, Order of checks`,
  },
  {
    id: 'request-header-order',
    about: 'When `require_request_header` is checked.',
    choice: 'After the body is read, before the seal.',
    evidence: 'decided here',
    where: `${conventions}, Order of checks`,
  },
  {
    id: 'null-body',
    about: 'A body that is `null`.',
    choice: 'The same as `{}`.',
    evidence: 'decided here',
    where: conventions,
  },
  {
    id: 'json-depth',
    about: 'How deep a body may nest.',
    choice: '10,000 levels; deeper ones are no JSON.',
    evidence: 'decided here',
    where: conventions,
  },
  {
    id: 'json-duplicate-keys',
    about: 'A key that stands twice in an object of a body.',
    choice: 'The last one counts.',
    evidence: 'decided here',
    where: conventions,
  },
  {
    id: 'form-repeated-names',
    about: 'A name that stands more than once in a form.',
    choice: 'Its values become a list of texts.',
    evidence: 'decided here',
    where: conventions,
  },
  {
    id: 'number-literals',
    about: 'Numbers in stored secrets that a double would change, as `1.10` or `1e3`.',
    choice: 'They come back as they were written.',
    evidence: 'decided here',
    where: '1-secrets-decisions.md section 8',
  },
  {
    id: 'key-order',
    about: 'The order of keys in stored secrets.',
    choice: 'Secrets come back with their keys sorted bytewise, at every depth.',
    evidence: 'decided here',
    where: '1-secrets-decisions.md section 8',
  },
  {
    id: 'html-characters',
    about: '`<`, `>` and `&` in stored secrets.',
    choice: 'They come back as they are, not as `\\u003c` and the like.',
    evidence: 'decided here',
    where: '1-secrets-decisions.md section 8',
  },
  {
    id: 'large-integers',
    about: 'Whole numbers beyond 2^53 in declared fields, as `max_versions`.',
    choice: 'The nearest double.',
    evidence: 'decided here',
    where: `${notation}, Weak typing`,
  },
  {
    id: 'duration-parts',
    about: 'Durations with parts of a second, as `1500ms`.',
    choice: 'TTLs and `delete_version_after` keep whole seconds; the rest is cut off.',
    evidence: 'decided here',
    where: notation,
  },
  {
    id: 'duration-overflow',
    about: 'Durations beyond what 64 bits of nanoseconds hold.',
    choice: 'Refused as invalid, where the reference wraps around.',
    evidence: 'decided here',
    where: notation,
  },
  {
    id: 'timestamp-digits',
    about: 'How fine timestamps are.',
    choice: 'Milliseconds: at most three digits of the nine that are allowed.',
    evidence: 'decided here',
    where: notation,
  },
  {
    id: 'repeated-headers',
    about: 'A header of the API that is sent more than once.',
    choice: 'The first value counts.',
    evidence: 'decided here',
    where: conventions,
  },
  {
    id: 'request-ids',
    about: 'Where `request_id` comes from.',
    choice:
      "The world's generator: a read that answers an envelope moves the world's ids on, though not its state.",
    evidence: 'decided here',
    where: '1-secrets.md, Response envelope',
  },
  {
    id: 'unexpected-exceptions',
    about: 'A fault of the mock itself.',
    choice: '500 `internal error`; the log has the rest.',
    evidence: 'decided here',
    where: '1-secrets.md, Errors',
  },
  {
    id: 'help-text',
    about: 'What help says, and to whom.',
    choice:
      'The operations of the whole mount, in words of its own, without asking policies; the call counts as a use of the token.',
    evidence: 'decided here',
    where: `${conventions}, Help`,
  },
  {
    id: 'existence-checks',
    about: 'Where a write needs `create` rather than `update`.',
    choice:
      'Key-value 1, `data` and `metadata` of key-value 2, cubbyhole and token roles look whether the thing exists; everywhere else a write needs `update`.',
    evidence: 'decided here',
    where: '1-secrets-decisions.md section 3, Policies',
  },
]
