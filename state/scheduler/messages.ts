import { defineMessages } from '../kernel/refusal.ts'

/** Details of a refusal in addition to its kind (behaviour/scheduler#conventions). */
export interface SchedulerRefusalDetail {
  /** HTTP status of an error with its own code, such as 404 or 429. */
  readonly status?: number
  /** The index in the response's header. */
  readonly index?: number
}

/**
 * Messages of the scheduler's refusals (behaviour/scheduler#conventions, behaviour/scheduler#jobs
 * and behaviour/scheduler#beyond). `invalid` (400) is a refusal by the HTTP layer; `conflict` (500)
 * one by the server behind it, including errors of the caller; `absent` means 404, `denied` 403.
 */
export const {
  table: schedulerMessages,
  message,
  refuse,
} = defineMessages({
  'origin-refused': {
    kind: 'denied',
    text: 'Requests of web pages from "{origin}" are refused while ACLs are off',
  },
  'permission-denied': { kind: 'denied', text: 'Permission denied' },
  // The HTTP layer recognizes this error by the end of its text.
  'registration-closed': {
    kind: 'denied',
    text: 'Job registration, dispatch, and scale are disabled by the scheduler configuration',
  },
  'body-empty': { kind: 'invalid', text: 'Request body is empty' },
  'body-no-base64': { kind: 'invalid', text: 'illegal base64 data at input byte {at}' },
  'body-too-deep': { kind: 'invalid', text: 'exceeded max depth' },
  'statuses-of-nothing': { kind: 'invalid', text: 'no jobs in request' },
  'statuses-unreadable': { kind: 'invalid', text: 'error decoding request: {why}' },
  'node-list-unreadable': { kind: 'invalid', text: 'Failed to parse node list fields: {why}' },
  'body-mistyped': {
    kind: 'invalid',
    text: 'json: cannot unmarshal {value} into {place} of type {type}',
  },
  'acls-disabled': { kind: 'invalid', text: 'ACL support disabled' },
  'no-leader': { kind: 'unavailable', text: 'No cluster leader' },
  'region-unknown': { kind: 'conflict', text: 'No path to region' },
  'filter-beside-parameters': {
    kind: 'invalid',
    text: 'Filter expression cannot be used with other filter parameters',
  },

  'job-missing': { kind: 'invalid', text: 'Job must be specified' },
  'job-id-absent': { kind: 'invalid', text: "Job ID hasn't been provided" },
  'job-id-not-name': { kind: 'invalid', text: 'Job ID does not match name' },
  'job-id-invalid': { kind: 'invalid', text: 'Job must have a valid ID' },
  'job-id-mismatch': { kind: 'invalid', text: 'Job ID does not match' },
  'job-id-unspecified': { kind: 'invalid', text: 'Job ID must be specified' },
  'named-job-unspecified': { kind: 'invalid', text: 'JobID must be specified' },
  'named-job-mismatch': { kind: 'invalid', text: 'JobID not same as job name' },
  'system-scaling': {
    kind: 'invalid',
    text: 'Task groups with job type system do not support scaling blocks',
  },
  'eval-priority-out-of-range': {
    kind: 'invalid',
    text: 'Eval priority must be between 1 and 100 inclusively',
  },
  'job-invalid': { kind: 'conflict', text: '{errors}' },
  'index-job-absent': {
    kind: 'conflict',
    text: 'Enforcing job modify index {index}: job does not exist',
  },
  'index-job-exists': {
    kind: 'conflict',
    text: 'Enforcing job modify index {index}: job already exists',
  },
  'index-conflict': {
    kind: 'conflict',
    text: 'Enforcing job modify index {index}: job exists with conflicting job modify index: {current}',
  },
  'job-type-changed': {
    kind: 'conflict',
    text: 'cannot update job from type {current} to {next}',
  },
  'job-no-longer': { kind: 'conflict', text: 'cannot update {kind} job to being non-{kind}' },
  'job-newly': { kind: 'conflict', text: 'cannot update non-{kind} job to being {kind}' },
  'dispatched-changed': { kind: 'conflict', text: "field 'Dispatched' is read-only" },

  'job-not-found': { kind: 'absent', text: 'job not found' },
  'deregister-id-missing': { kind: 'conflict', text: 'missing job ID for deregistering' },
  'job-versions-not-found': { kind: 'absent', text: 'job versions not found' },
  'job-source-not-found': { kind: 'absent', text: 'job source not found' },
  'version-parameter-invalid': {
    kind: 'invalid',
    text: 'Unable to parse job submission version parameter',
  },
  'tag-not-found': { kind: 'conflict', text: 'tag {tag} not found' },
  'tag-taken': {
    kind: 'conflict',
    text: 'tag {tag} already exists on a different version of job {job}',
  },
  'job-tag-not-found': { kind: 'conflict', text: 'tag {tag} not found on job {job}' },
  'tagged-version-not-found': { kind: 'conflict', text: 'job {job} version {version} not found' },
  'tag-path-invalid': { kind: 'absent', text: 'invalid job tag endpoint' },
  'version-not-found': { kind: 'conflict', text: 'version {version} not found' },
  'job-version-not-found': {
    kind: 'conflict',
    text: 'job {job} in namespace {namespace} at version {version} not found',
  },
  'revert-job-not-found': { kind: 'conflict', text: 'job {job} not found' },
  'revert-to-current': { kind: 'conflict', text: "can't revert to current version" },
  'revert-version-other': {
    kind: 'conflict',
    text: 'Current job has version {version}; enforcing version {enforced}',
  },
  'evaluate-job-not-found': { kind: 'conflict', text: 'job not found' },
  'evaluate-periodic': { kind: 'conflict', text: "can't evaluate periodic job" },
  'evaluate-parameterized': { kind: 'conflict', text: "can't evaluate parameterized job" },
  'launch-job-not-found': { kind: 'conflict', text: 'job not found' },
  'launch-not-periodic': { kind: 'conflict', text: "can't force launch non-periodic job" },
  'launch-not-tracked': {
    kind: 'conflict',
    text: "force launch for job {job} failed: can't force run non-tracked job {job} ({namespace})",
  },
  'job-spec-empty': { kind: 'invalid', text: 'Job spec is empty' },
  'job-file-invalid': { kind: 'invalid', text: 'Failed to parse job: {why}' },

  'dispatch-job-not-found': { kind: 'conflict', text: 'parameterized job not found' },
  'dispatch-not-parameterized': {
    kind: 'conflict',
    text: 'Specified job {job} is not a parameterized job',
  },
  'dispatch-stopped': { kind: 'conflict', text: 'Specified job {job} is stopped' },
  'payload-required': {
    kind: 'conflict',
    text: 'Payload is not provided but required by parameterized job',
  },
  'payload-forbidden': {
    kind: 'conflict',
    text: 'Payload provided but forbidden by parameterized job',
  },
  'payload-too-large': {
    kind: 'conflict',
    text: 'Payload exceeds maximum size; {size} > {most}',
  },
  'dispatch-meta-unpermitted': {
    kind: 'conflict',
    text: 'Dispatch request included unpermitted metadata keys: [{keys}]',
  },
  'dispatch-meta-missing': {
    kind: 'conflict',
    text: 'Dispatch did not provide required meta keys: [{keys}]',
  },
  'dispatch-id-space': { kind: 'conflict', text: 'Job ID contains a space' },
  'dispatch-priority-out-of-range': {
    kind: 'conflict',
    text: 'job priority must be between [1, 100]',
  },

  'scale-job-mismatch': { kind: 'invalid', text: 'job ID in payload did not match URL' },
  'scale-namespace-mismatch': {
    kind: 'invalid',
    text: 'namespace in payload did not match header',
  },
  'scale-group-unnamed': {
    kind: 'invalid',
    text: 'missing task group name for scaling action',
  },
  'scale-count-negative': { kind: 'invalid', text: "scaling action count can't be negative" },
  'scale-count-with-error': {
    kind: 'invalid',
    text: 'scaling action should not contain count if error is true',
  },
  'scale-group-unknown': {
    kind: 'invalid',
    text: 'task group {group} specified for scaling does not exist in job',
  },
  'scale-job-not-found': { kind: 'absent', text: 'job {job} not found' },
  'scale-system': {
    kind: 'invalid',
    text: 'jobs of type "system" can only be scaled between 0 and 1',
  },
  'scale-below-minimum': {
    kind: 'invalid',
    text: 'group count was less than scaling policy minimum: {count} < {bound}',
  },
  'scale-above-maximum': {
    kind: 'invalid',
    text: 'group count was greater than scaling policy maximum: {count} > {bound}',
  },
  'scaling-policy-not-found': { kind: 'absent', text: 'policy not found' },
  'scale-deploying': {
    kind: 'invalid',
    text: 'job scaling blocked due to active deployment',
  },

  'namespace-not-found': { kind: 'absent', text: 'Namespace not found' },
  'namespace-name-mismatch': {
    kind: 'invalid',
    text: 'Namespace name does not match request path',
  },
  'namespace-invalid': { kind: 'conflict', text: 'Invalid namespace {name}: {errors}' },
  'namespace-name-invalid': { text: 'invalid name {name}. Must match regex {pattern}' },
  'description-too-long': { text: 'description longer than {most}' },
  'namespace-default': { kind: 'conflict', text: 'can not delete default namespace' },
  'deleted-namespace-not-found': { kind: 'conflict', text: 'namespace not found' },
  'namespace-in-use': {
    kind: 'conflict',
    text: 'namespace {namespace} contains at least one non-terminal job {job}. All jobs must be terminal in namespace before it can be deleted',
  },

  'stream-index-invalid': {
    kind: 'invalid',
    text: 'Unable to parse index: strconv.Atoi: parsing {quoted}: {why}',
  },
  'topic-invalid': {
    kind: 'invalid',
    text: 'Invalid topic query: error parsing topics: Invalid key value pair for topic, topic: {topic}',
  },

  'search-context-unknown': {
    kind: 'conflict',
    text: "context must be one of [{known}] or 'all' for all contexts; got {context}",
  },
  'search-text-short': {
    kind: 'conflict',
    text: 'fuzzy search query must be at least {least} characters, got {length}',
  },
  'parameter-no-bool': {
    kind: 'conflict',
    text: 'Failed to parse value of {name} ({value}) as a bool: strconv.ParseBool: parsing {quoted}: invalid syntax',
  },
  'parameter-no-uint': {
    kind: 'conflict',
    text: 'Failed to parse value of {name} ({value}) as a uint64: strconv.ParseUint: parsing {quoted}: {why}',
  },
  'parameter-no-int': {
    kind: 'conflict',
    text: 'Failed to parse value of {name} ({value}) as a int: strconv.Atoi: parsing {quoted}: {why}',
  },
  'stale-no-bool': {
    kind: 'invalid',
    text: 'Expect `true` or `false` for `stale` query string parameter',
  },
  'per-page-no-number': {
    kind: 'invalid',
    text: 'Expect a number for `per_page` query string parameter',
  },

  'fixture-refused': { kind: 'invalid', text: '/scheduler/{list}/{at}: {why}' },
  'fixture-token-again': {
    kind: 'invalid',
    text: 'a token with the secret "{secret}" exists already',
  },
})
