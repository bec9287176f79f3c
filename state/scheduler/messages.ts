import { defineMessages, messageTexts, refusals } from '../kernel/refusal.ts'

/** Details of a refusal in addition to its kind (behaviour/scheduler#conventions). */
export interface SchedulerRefusalDetail {
  /** Set for errors whose status does not follow from the kind of refusal, such as 422 or 501. */
  readonly status?: number
  /** Index to report in the reply's header. */
  readonly index?: number
}

/**
 * Messages of the scheduler's refusals (behaviour/scheduler#conventions, behaviour/scheduler#jobs
 * and behaviour/scheduler#beyond), and texts that these messages quote. `invalid` (400) is a
 * refusal of the HTTP layer; `conflict` (500) is a refusal of the server behind the HTTP layer,
 * also for mistakes of the caller. `absent` means 404, `denied` 403, and `unavailable` 500 unless
 * the detail has a status.
 */
export const {
  table: schedulerMessages,
  message,
  refuse,
} = defineMessages({
  ...refusals('denied', {
    'origin-refused': 'Requests of web pages from "{origin}" are refused while ACLs are off',
    'permission-denied': 'Permission denied',
    // If an error text ends with this message, the HTTP layer replies with 403 and only this
    // message.
    'registration-closed':
      'Job registration, dispatch, and scale are disabled by the scheduler configuration',
  }),
  ...refusals('invalid', {
    'body-empty': 'Request body is empty',
    'body-no-base64': 'illegal base64 data at input byte {at}',
    'body-time-no-text': 'Time.UnmarshalJSON: input is not a JSON string',
    'body-too-deep': 'exceeded max depth',
    'statuses-of-nothing': 'no jobs in request',
    'statuses-unreadable': 'error decoding request: {why}',
    'node-list-unreadable': 'Failed to parse node list fields: {why}',
    'body-mistyped': 'json: cannot unmarshal {value} into {place} of type {type}',
    'acls-disabled': 'ACL support disabled',
    'filter-beside-parameters': 'Filter expression cannot be used with other filter parameters',

    'job-missing': 'Job must be specified',
    'job-id-absent': "Job ID hasn't been provided",
    'job-id-not-name': 'Job ID does not match name',
    'job-id-invalid': 'Job must have a valid ID',
    'job-id-mismatch': 'Job ID does not match',
    'job-id-unspecified': 'Job ID must be specified',
    'named-job-unspecified': 'JobID must be specified',
    'named-job-mismatch': 'JobID not same as job name',
    'system-scaling': 'Task groups with job type system do not support scaling blocks',
    'eval-priority-out-of-range': 'Eval priority must be between 1 and 100 inclusively',

    'version-parameter-invalid': 'Unable to parse job submission version parameter',
    'job-spec-empty': 'Job spec is empty',
    'job-file-invalid': 'Failed to parse job: {why}',

    'scale-job-mismatch': 'job ID in payload did not match URL',
    'scale-namespace-mismatch': 'namespace in payload did not match header',
    'scale-group-unnamed': 'missing task group name for scaling action',
    'scale-count-negative': "scaling action count can't be negative",
    'scale-count-with-error': 'scaling action should not contain count if error is true',
    'scale-group-unknown': 'task group {group} specified for scaling does not exist in job',
    'scale-system': 'jobs of type "system" can only be scaled between 0 and 1',
    'scale-below-minimum': 'group count was less than scaling policy minimum: {count} < {bound}',
    'scale-above-maximum': 'group count was greater than scaling policy maximum: {count} > {bound}',
    'scale-deploying': 'job scaling blocked due to active deployment',

    'namespace-name-missing': 'Missing Namespace Name',
    'namespace-name-mismatch': 'Namespace name does not match request path',

    'stream-index-invalid': 'Unable to parse index: strconv.Atoi: parsing {quoted}: {why}',
    'topic-invalid':
      'Invalid topic query: error parsing topics: Invalid key value pair for topic, topic: {topic}',

    'stale-no-bool': 'Expect `true` or `false` for `stale` query string parameter',
    'per-page-no-number': 'Expect a number for `per_page` query string parameter',

    'fixture-refused': '/scheduler/{list}/{at}: {why}',
    'fixture-token-again': 'a token with the secret "{secret}" exists already',
  }),
  'enterprise-only': {
    kind: 'unavailable',
    text: 'Sched Enterprise only endpoint',
    detail: { status: 501 } satisfies SchedulerRefusalDetail,
  },
  'no-leader': { kind: 'unavailable', text: 'No cluster leader' },
  ...refusals('conflict', {
    'actions-job-missing': 'JobID required for actions',
    'actions-job-unknown': 'Unknown job {job}',
    'region-unknown': 'No path to region',

    'job-invalid': '{errors}',
    'index-job-absent': 'Enforcing job modify index {index}: job does not exist',
    'index-job-exists': 'Enforcing job modify index {index}: job already exists',
    'index-conflict':
      'Enforcing job modify index {index}: job exists with conflicting job modify index: {current}',
    'job-type-changed': 'cannot update job from type {current} to {next}',
    'job-no-longer': 'cannot update {kind} job to being non-{kind}',
    'job-newly': 'cannot update non-{kind} job to being {kind}',
    'dispatched-changed': "field 'Dispatched' is read-only",

    'deregister-id-missing': 'missing job ID for deregistering',
    'tag-not-found': 'tag {tag} not found',
    'tag-taken': 'tag {tag} already exists on a different version of job {job}',
    'job-tag-not-found': 'tag {tag} not found on job {job}',
    'tagged-version-not-found': 'job {job} version {version} not found',
    'version-not-found': 'version {version} not found',
    'job-version-not-found': 'job {job} in namespace {namespace} at version {version} not found',
    'revert-job-not-found': 'job {job} not found',
    'revert-to-current': "can't revert to current version",
    'revert-version-other': 'Current job has version {version}; enforcing version {enforced}',
    'evaluate-job-not-found': 'job not found',
    'evaluate-periodic': "can't evaluate periodic job",
    'evaluate-parameterized': "can't evaluate parameterized job",
    'launch-job-not-found': 'job not found',
    'launch-not-periodic': "can't force launch non-periodic job",
    'launch-not-tracked':
      "force launch for job {job} failed: can't force run non-tracked job {job} ({namespace})",

    'dispatch-job-not-found': 'parameterized job not found',
    'dispatch-not-parameterized': 'Specified job {job} is not a parameterized job',
    'dispatch-stopped': 'Specified job {job} is stopped',
    'payload-required': 'Payload is not provided but required by parameterized job',
    'payload-forbidden': 'Payload provided but forbidden by parameterized job',
    'payload-too-large': 'Payload exceeds maximum size; {size} > {most}',
    'dispatch-meta-unpermitted': 'Dispatch request included unpermitted metadata keys: [{keys}]',
    'dispatch-meta-missing': 'Dispatch did not provide required meta keys: [{keys}]',

    'namespace-invalid': 'Invalid namespace {name}: {errors}',
    'namespace-default': 'can not delete default namespace',
    'deleted-namespace-not-found': 'namespace not found',
    'namespace-quota-unknown': 'namespace {name} using non-existent quota {quota}',
    'namespace-in-use': '{errors}',

    'search-context-unknown':
      "context must be one of [{known}] or 'all' for all contexts; got {context}",
    'search-text-short': 'fuzzy search query must be at least {least} characters, got {length}',
    'parameter-no-bool':
      'Failed to parse value of {name} ({value}) as a bool: strconv.ParseBool: parsing {quoted}: invalid syntax',
    'parameter-no-uint':
      'Failed to parse value of {name} ({value}) as a uint64: strconv.ParseUint: parsing {quoted}: {why}',
    'parameter-no-int':
      'Failed to parse value of {name} ({value}) as a int: strconv.Atoi: parsing {quoted}: {why}',
  }),
  ...refusals('absent', {
    'job-not-found': 'job not found',
    'job-versions-not-found': 'job versions not found',
    'job-source-not-found': 'job source not found',
    'tag-path-invalid': 'invalid job tag endpoint',

    'scale-job-not-found': 'job {job} not found',
    'scaling-policy-not-found': 'policy not found',

    'namespace-not-found': 'Namespace not found',
  }),
  ...messageTexts({
    'namespace-name-invalid': 'invalid name {name}. Must match regex {pattern}',
    'description-too-long': 'description longer than {most}',
    'namespace-pools-unlicensed':
      'invalid node pool configuration: Node Pools Governance is unlicensed.',
    'namespace-secrets-unlicensed':
      'invalid secrets configuration: Multi-Cluster Secrets is unlicensed.',
    'namespace-mesh-unlicensed': 'invalid mesh configuration: Multi-Cluster Mesh is unlicensed.',
    'namespace-has-jobs': 'namespace {namespace} has non-terminal jobs in regions: [{region}]',
    'namespace-has-allocations':
      'namespace {namespace} has non-terminal allocations in regions: [{region}]',
    'namespace-has-variables':
      'namespace {namespace} has variables associated with it in regions: [{region}]',
  }),
})
