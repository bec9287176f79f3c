import type { Choice } from '../../http/coverage.ts'

const conventions = 'behaviour/secrets#conventions'
const notation = 'behaviour/secrets#notation'

/** Choices about how requests are read and replies written. */
export const requestChoices: readonly Choice[] = [
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
    id: 'request-header-order',
    about: 'When `require_request_header` is checked.',
    choice: 'After the body is read, before the seal.',
    evidence: 'decided here',
    where: 'behaviour/secrets#order-of-checks',
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
    where: 'behaviour/secrets#key-value',
  },
  {
    id: 'key-order',
    about: 'The order of keys in stored secrets.',
    choice: 'Secrets come back with their keys sorted bytewise, at every depth.',
    evidence: 'decided here',
    where: 'behaviour/secrets#key-value',
  },
  {
    id: 'html-characters',
    about: '`<`, `>` and `&` in stored secrets.',
    choice: 'They come back as they are, not as `\\u003c` and the like.',
    evidence: 'decided here',
    where: 'behaviour/secrets#key-value',
  },
  {
    id: 'large-integers',
    about: 'Whole numbers beyond 2^53 in declared fields, as `max_versions`.',
    choice: 'The nearest double.',
    evidence: 'decided here',
    where: 'behaviour/secrets#weak-typing',
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
    choice:
      'The first value counts; of `Authorization` the first bearer token, of `X-Secrets-Index` every value.',
    evidence: 'decided here',
    where: conventions,
  },
  {
    id: 'request-ids',
    about: 'Where `request_id` comes from.',
    choice:
      "The world's generator: a read that answers an envelope moves the world's ids on, though not its state.",
    evidence: 'decided here',
    where: 'behaviour/secrets#api-envelope',
  },
  {
    id: 'unexpected-exceptions',
    about: 'A fault of the mock itself.',
    choice: '500 `internal error`; the log has the rest.',
    evidence: 'decided here',
    where: 'behaviour/secrets#api-errors',
  },
  {
    id: 'help-text',
    about: 'What help says, and to whom.',
    choice:
      'The route, operations and parameters of a path and what is below it, at the root of a mount every path of its engine; in words of its own, without asking policies. The call counts as a use of the token, and a body that comes with it is not read.',
    evidence: 'decided here',
    where: 'behaviour/secrets#help',
  },
  {
    id: 'help-places',
    about: 'Where there is help.',
    choice:
      'At declared paths, above them (`sys/policies`), at the root of a mount and above mounts (`auth`, `/v1/` itself: those in which the caller has a capability). Elsewhere the 404 that the path has without asking for help.',
    evidence: 'decided here',
    where: 'behaviour/secrets#help',
  },
  {
    id: 'help-relative-paths',
    about: 'What the paths of the document in help are relative to.',
    choice:
      'The path that was asked about, which itself is `/`; the reference is relative to the mount. A path within the rest that a pattern takes in (`data/app`) has both itself and what is below it (`/{path}`). Paths that the namespace or the edition does not have are left out.',
    evidence: 'decided here',
    where: 'behaviour/secrets#help',
  },
  {
    id: 'openapi-operations',
    about: 'How operations become those of an OpenAPI document.',
    choice:
      'LIST is GET with the parameter `list`, merged with the read of the same path if there is one; writes are `post`; patches, which the reference leaves out, are `patch`. Replies are described as they are sent, envelope included, where the reference describes their data alone.',
    evidence: 'decided here',
    where: 'behaviour/secrets#help',
  },
  {
    id: 'openapi-extras',
    about: 'Parts of the OpenAPI document beyond those that are listed.',
    choice:
      '`security`, a security scheme for the token, and the marks `x-secrets-sudo` and `x-secrets-unauthenticated` of paths (`x-vault-…` in the vendor dialect, as in the reference). The version is that of the option; the license is that of this program.',
    evidence: 'decided here',
    where: 'behaviour/secrets#help',
  },
  {
    id: 'openapi-service',
    about: 'The document of the whole service.',
    choice:
      '`sys/internal/specs/openapi`, as in the reference: the bare document of every mount in which the caller has a capability, with `generic_mount_paths` for parameters instead of the paths of mounts. Without a token 403, where the reference shows what is open to everybody.',
    evidence: 'decided here',
    where: 'behaviour/secrets#api-help',
  },
  {
    id: 'rate-limit',
    about: 'How requests are counted against a rate limit.',
    choice:
      "The option `rateLimit` of a world: so many requests in each second of its clock, whoever sends them, counted before everything but the path and `list` are looked at; seconds begin with a request. `sys/health`, `sys/seal-status`, `sys/unseal` and what the reference leaves out besides are not counted, nor is anything while the service is sealed. The counts are no part of the state; a reset or a restored snapshot begins anew. `--rate-limit` does not set it: that flag is about the platform API's own setting.",
    evidence: 'decided here',
    where: 'behaviour/secrets#rate-limit',
  },
  {
    id: 'existence-checks',
    about: 'Where a write needs `create` rather than `update`.',
    choice:
      'Key-value 1, `data` and `metadata` of key-value 2, the cubbyhole, roles and users of login methods, roles of the orchestrator engine, the configuration of the cloud method and encryption with a transit key look whether the thing exists; everywhere else a write needs `update`.',
    evidence: 'decided here',
    where: 'behaviour/secrets#policies',
  },
]
