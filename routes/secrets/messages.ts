import { defineMessages, refusals } from '../../state/kernel/refusal.ts'
import {
  callerErrorDetail,
  callerErrorRefusals,
  commonMessages,
} from '../../state/secrets/common-messages.ts'

/**
 * Messages of the HTTP layer: refusals of requests, and warnings of operations
 * (behaviour/secrets#refusals).
 */
export const {
  table: routeTexts,
  message,
  refuse,
} = defineMessages({
  ...commonMessages,
  'content-type-unsupported': {
    kind: 'invalid',
    text: 'PATCH requires Content-Type of {expected}, provided {type}',
    detail: { status: 415 },
  },
  'rate-limit-exceeded': {
    kind: 'invalid',
    text: 'request path {path}: rate limit quota exceeded',
    detail: { status: 429 },
  },
  'body-too-large': { kind: 'invalid', text: 'error parsing JSON', detail: { status: 413 } },
  'bare-body-too-large': {
    kind: 'invalid',
    text: 'failed to parse JSON input: http: request body too large',
    detail: { status: 413 },
  },
  'log-level-unknown': { kind: 'invalid', text: 'unknown log level' },
  'log-format-unknown': { kind: 'invalid', text: 'unknown log format' },
  'content-policy-replaced': {
    text: 'overriding default Content-Security-Policy which is secure by default, proceed with caution',
  },
  'rules-deprecated': { text: "'rules' is deprecated, please use 'policy' instead" },
  'route-unknown': { kind: 'absent', text: 'no handler for route {path}. route entry not found.' },
  'field-unconvertible': {
    kind: 'invalid',
    text: 'error converting input {value} for field "{field}": {why}',
  },
  'field-validation-failed': { kind: 'invalid', text: 'Field validation failed: {problem}' },
  'custom-metadata-unconvertible': {
    kind: 'invalid',
    text: 'custom_metadata validation failed: {why}',
  },
  ...callerErrorRefusals({
    'custom-metadata-no-text':
      'json: cannot unmarshal {kind} into Go struct field KeyMetadata.custom_metadata of type string',
  }),
  'origin-not-allowed': { kind: 'denied', text: 'origin not allowed' },
  'preflight-verb-unknown': {
    kind: 'unsupported',
    text: 'no verb for other origins',
    detail: { unenveloped: true },
  },
  'enterprise-only': { kind: 'absent', text: 'enterprise-only feature' },
  'method-not-allowed': {
    kind: 'unsupported',
    text: 'method not allowed',
    detail: { unenveloped: true },
  },
  'write-to-folder': { kind: 'invalid', text: "cannot write to a path ending in '/'" },
  'unavailable-in-namespaces': { kind: 'invalid', text: 'operation unavailable in namespaces' },
  'request-header-missing': { kind: 'precondition', text: 'missing "X-Secrets-Request" header' },
  'path-relative': { kind: 'invalid', text: 'relative paths not supported' },
  'verb-unknown': {
    kind: 'unsupported',
    text: 'no such verb: {method}',
    detail: { unenveloped: true },
  },
  'list-no-boolean': {
    kind: 'invalid',
    text: 'list is not a boolean',
    detail: { unenveloped: true },
  },
  'path-escape-invalid': { kind: 'invalid', text: 'invalid URL escape in path' },
  'body-unreadable': { kind: 'invalid', text: 'error parsing JSON' },
  'bare-body-unreadable': { kind: 'invalid', text: 'failed to parse JSON input: {why}' },
  'bare-body-missing': { kind: 'invalid', text: 'EOF' },
  'wrap-ttl-negative': { kind: 'invalid', text: 'requested wrap ttl cannot be negative' },
  'wrap-ttl-unreadable': {
    kind: 'invalid',
    text: 'error parsing X-Secrets-Wrap-TTL header: {why}',
  },
  'media-type-missing': { kind: 'invalid', text: 'mime: no media type' },
  'token-unknown': { kind: 'denied', text: 'bad token' },
  'batch-token-not-revocable': { kind: 'invalid', text: 'batch tokens cannot be revoked' },
  ...callerErrorRefusals({
    'wrapping-token-in-use':
      "error decrementing wrapping token's use-count: invalid token entry provided for use count decrementing",
  }),
  'revoke-orphan-needs-sudo': {
    kind: 'invalid',
    text: 'root or sudo privileges required to revoke and orphan',
  },
  'token-to-revoke-unknown': { kind: 'invalid', text: 'token to revoke not found' },
  'renewal-refused': { kind: 'invalid', text: 'invalid request', detail: { multierror: true } },
  'accessor-unknown': { text: 'No token found with this accessor' },
  'byte-count-unreadable': {
    kind: 'invalid',
    text: 'error parsing url-set byte count: strconv.Atoi: parsing {given}: {why}',
  },
  'bytes-too-few': { kind: 'invalid', text: '"bytes" cannot be less than 1' },
  'bytes-too-many': { kind: 'invalid', text: '"bytes" should be less than {most}' },
  'encoding-unknown': {
    kind: 'invalid',
    text: 'unsupported encoding format {format}; must be "hex" or "base64"',
  },
  'source-unknown': {
    kind: 'invalid',
    text: 'unsupported entropy source {source}; must be "platform" or "seal", or "all"',
  },
  'entropy-of-platform': {
    text: 'no seal/entropy augmentation available, using platform entropy source',
  },
  'hash-input-unreadable': { kind: 'invalid', text: 'unable to decode input as base64: {why}' },
  'algorithm-unknown': { kind: 'invalid', text: 'unsupported algorithm {algorithm}' },
  'client-token-empty': {
    kind: 'denied',
    text: 'client token empty',
    detail: { internalInReference: true },
  },
  'report-times-reversed': { kind: 'invalid', text: 'start_time is later than end_time' },
  'counters-removed': {
    kind: 'absent',
    text: 'The functionality has been removed on this path',
  },
  'reload-scope-unknown': {
    kind: 'invalid',
    text: "reload scope must be omitted or 'global'",
  },
  ...callerErrorRefusals({
    'lease-limit-invalid': "invalid 'limit' provided: {why}",
    'lease-limit-too-small': "limit must be 'none' or a positive integer",
  }),
  'reload-of-nothing': { kind: 'invalid', text: 'plugin or mounts must be provided' },
  'reload-of-both': {
    kind: 'invalid',
    text: 'plugin and mounts cannot be set at the same time',
  },
  'reload-unknown': { kind: 'invalid', text: 'plugin not found in the catalog: {plugin}' },
  'reload-mount-unknown': {
    kind: 'invalid',
    text: 'cannot fetch mount entry on {path}',
    detail: { multierror: true },
  },
  'plugin-read-untyped': {
    text: 'Deprecated API endpoint, cannot read plugin information from catalog for {name}',
  },
  'plugin-deletion-untyped': {
    text: 'Deprecated API endpoint, cannot deregister plugin from catalog for {name}',
  },
  'tidy-started': {
    text: "Tidy operation successfully started. Any information from the operation will be printed to Service's server logs.",
  },
  'activation-token-missing': { kind: 'invalid', text: 'token must be specified' },
  'activation-failed': {
    kind: 'upstream',
    text: 'error unwrapping secondary token: {why}',
    detail: callerErrorDetail,
  },
  'activation-token-refused': {
    kind: 'invalid',
    text: 'error response unwrapping secondary token; status code is {status}, message is "{message}"',
    detail: callerErrorDetail,
  },
  'activation-upstream-failed': {
    kind: 'upstream',
    text: 'error response unwrapping secondary token; status code is {status}, message is "{message}"',
    detail: callerErrorDetail,
  },
  'ca-unreadable': {
    kind: 'invalid',
    text: 'error reading {parameter}: only regular files of up to 1 MiB with certificates in PEM can be read',
  },
  'introduction-invalid': { kind: 'invalid', text: '{problem}' },
  'auth-engine-absent': { kind: 'invalid', text: 'No auth engine at {at}' },
  'mount-absent': { kind: 'invalid', text: 'No secret engine mount at {at}' },
  'mount-on-shared-port': {
    text: 'The path "{mountedAt}" belongs to another API on the shared port. This mount answers on a dedicated secrets port only.',
  },
  'remount-queued': {
    text: "Mount move has been queued. Progress will be reported in Service's server log, tagged with the returned migration_id",
  },
  ...refusals(
    'invalid',
    {
      'health-status-not-final': '{status} is not a final status',
      'health-no-boolean': '{text} is not a boolean',
      'health-no-number': '{text} is not a whole number',
    },
    { unenveloped: true },
  ),
  'init-settings-foreign': {
    kind: 'invalid',
    text: 'parameters {names} not applicable to seal type {type}',
  },
  'lease-id-missing': { kind: 'invalid', text: 'lease_id must be specified' },
  'lease-unknown': { kind: 'invalid', text: 'invalid lease' },
  'generation-field-missing': { kind: 'invalid', text: '{field} is required' },
  'generation-pgp-key': { kind: 'invalid', text: 'error parsing PGP key: {reason}' },
  'pgp-key-count': {
    text: 'count mismatch between number of provided PGP keys and number of shares',
  },
  'pgp-key-refused': { kind: 'invalid', text: '{reason}' },
  'pgp-key-undecodable': { text: 'error decoding given PGP key: {why}' },
  'pgp-key-unreadable': { text: 'error parsing given PGP key: {why}' },
  'pgp-key-cannot-encrypt': { text: 'error setting up encryption for PGP message: {why}' },
  'replication-catching-up': {
    kind: 'unavailable',
    text: 'replication is still catching up, try again later or provide the "force" argument',
  },
  'primary-being-enabled': {
    text: 'This cluster is being enabled as a primary for replication. Service will be unavailable for a brief period and will resume service shortly.',
  },
  'primary-being-demoted': {
    text: 'This cluster is being demoted to a replication secondary. Service will be unavailable for a brief period and will resume service shortly.',
  },
  'replication-being-disabled': {
    text: 'This cluster is having replication disabled. Service will be unavailable for a brief period and will resume service shortly.',
  },
  'secondary-being-promoted': {
    text: 'This cluster is being promoted to a replication primary. Service will be unavailable for a brief period and will resume service shortly.',
  },
  'brief-pause': {
    text: 'Service will be unavailable for a brief period and will resume service shortly.',
  },
  'primary-found': {
    text: 'Service has successfully found secondary information; it may take a while to perform setup tasks. Service will be unavailable until these tasks and initial sync complete.',
  },
  'preflight-denied': {
    kind: 'denied',
    text: "preflight capability check returned 403, please ensure client's policies grant access to path {at}",
  },
  'wrapping-token-unreadable': { kind: 'denied', text: 'error validating wrapping token: {why}' },
  'cubbyhole-response-deprecated': {
    text: "Reading from 'cubbyhole/response' is deprecated. Please use sys/wrapping/unwrap to unwrap responses, as it provides additional security checks and other benefits.",
  },
  'wrapping-required': { kind: 'invalid', text: 'endpoint requires response wrapping to be used' },
  'policy-name-converted': { text: 'policy name was converted to {stored}' },
  'parameters-ignored': { text: 'Endpoint ignored these unrecognized parameters: [{names}]' },
  'parameters-replaced': {
    text: "Endpoint replaced the value of these parameters with the values captured from the endpoint's path: [{names}]",
  },
  'kv2-root-operation': {
    text: 'Non-listing operations on the root of a K/V v2 mount are not supported.',
  },
  'kv2-path-invalid': {
    text: "Invalid path for a versioned K/V secrets engine. See the API docs for the appropriate API endpoints to use. If using the Service CLI, use 'secrets kv {command}' for this operation.",
  },
  'api-title': { text: 'Secrets Management Service API' },
  'api-description': {
    text: 'HTTP API that gives full access to the Service. All routes begin with `/v1/`.',
  },
})
