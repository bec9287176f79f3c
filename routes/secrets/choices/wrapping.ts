import type { Choice } from '../../http/coverage.ts'

const wrapping = 'behaviour/secrets#wrapping'
const cors = 'behaviour/secrets#cors'
const index = 'behaviour/secrets#index-headers'

/** Wrapped replies, calls from other origins, index states. */
export const wrappingChoices: readonly Choice[] = [
  {
    id: 'wrapping-what',
    about: 'Which replies are wrapped.',
    choice:
      'Those with status 200 and a body, warnings alone too; not those of bare endpoints, help and 404 envelopes with data. What is wrapped has the `request_id` of its own request and no keys of `data` at top level.',
    evidence: 'decided here',
    where: wrapping,
  },
  {
    id: 'wrapping-ttl',
    about: 'The TTL of wrapping tokens.',
    choice:
      "It holds exactly, above the mount's maximum too, in whole seconds, at least one; 0 wraps nothing.",
    evidence: 'decided here',
    where: wrapping,
  },
  {
    id: 'wrapping-format',
    about: '`X-Secrets-Wrap-Format`.',
    choice:
      'With `jwt` the token has the form of an activation token; it belongs to the root namespace, and its address is the one the caller used. Other formats count as none, and `sys/wrapping/wrap` never signs.',
    evidence: 'decided here',
    where: wrapping,
  },
  {
    id: 'wrapping-signatures',
    about: 'Whether equal seeds give equal tokens in the form of a JWT.',
    choice: "Claims and key are equal; the signatures differ, because the platform's are random.",
    evidence: 'decided here',
    where: 'behaviour/secrets#activation-tokens',
  },
  {
    id: 'wrapping-before-token',
    about: 'What unwrap and rewrap look at first.',
    choice:
      'The wrapping token, then the client token: a bad one is 400 even for callers without any. Policies are asked about the path in the namespace of the client token.',
    evidence: 'decided here',
    where: wrapping,
  },
  {
    id: 'wrapping-token-field',
    about: 'A wrapping token that is missing, empty or no text.',
    choice:
      '400 `error validating wrapping token: ` with `token is empty`, `empty token in request body` or `could not decode token in request body`.',
    evidence: 'decided here',
    where: wrapping,
  },
  {
    id: 'wrapping-misuse',
    about: 'A wrapping token that is used for something else.',
    choice:
      'It may read `cubbyhole/response`, where the body is as text; anything else is 403. Both use it up, and so does sending it as client token and as `token` at once, which is 400.',
    evidence: 'decided here',
    where: wrapping,
  },
  {
    id: 'rewrap',
    about: 'What a rewrapped token keeps.',
    choice:
      'Its `creation_path`, its namespace and its first TTL, or a shorter one that the header asks for; `wrapped_accessor` is empty.',
    evidence: 'decided here',
    where: wrapping,
  },
  {
    id: 'cors-namespaces',
    about: 'CORS settings in namespaces.',
    choice: 'There are none: 400 `operation unavailable in namespaces`.',
    evidence: 'decided here',
    where: cors,
  },
  {
    id: 'cors-wildcard',
    about: '`*` among other origins.',
    choice:
      "400 (vendor 500) `to allow all origins the '*' must be the only value for allowed_origins`.",
    evidence: 'decided here',
    where: cors,
  },
  {
    id: 'cors-headers',
    about: 'Headers of replies to other origins.',
    choice:
      'The origin itself, with `Vary: Origin`, whatever the status. `allowed_headers` lists the standard ones, in names of the dialect, before the given. A preflight about a verb outside the list is 405 without these headers.',
    evidence: 'decided here',
    where: cors,
  },
  {
    id: 'index-header-when',
    about: 'Which replies carry `X-Secrets-Index`.',
    choice:
      'With the option `indexHeaders`, in the enterprise edition: those to requests that changed the state and succeeded, a use of a limited token and a wrapped reply included.',
    evidence: 'decided here',
    where: index,
  },
  {
    id: 'index-header-checks',
    about: 'How `X-Secrets-Index` of a request is checked.',
    choice:
      'Before namespace and token, every value, not at bare endpoints. Both indexes count the commits of the service. What this cluster did not make is 400 in the words of the reference: bad base64, no closing part, or `invalid state header HMAC (mismatch)`.',
    evidence: 'decided here',
    where: index,
  },
]
