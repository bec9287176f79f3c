import { defineMessages, refusals } from '../kernel/refusal.ts'

/**
 * Messages of the refusals of the platform API, its forced transitions and its fixtures
 * (behaviour/platform#errors). Messages about single attributes are in `violations.ts`. Missing and
 * hidden resources get the same message, `not-found`.
 */
export const {
  table: platformMessages,
  message,
  refuse,
} = defineMessages({
  'not-found': { kind: 'absent', text: 'not found' },
  unauthorized: { kind: 'denied', text: 'unauthorized' },
  ...refusals('conflict', {
    'transition-not-allowed': 'transition not allowed',
    'version-current': 'configuration could not be archived because it is current',
    'workspace-locked':
      'Workspace is currently locked. Workspace must be unlocked before it can be safely deleted.',
    'workspace-processing':
      'Latest workspace state is being processed to discover resources, please try again later',
    'workspace-managing':
      'Workspace cannot be safely deleted because it is still managing resources.',
    'workspace-locked-by':
      'Unable to unlock workspace. The workspace is locked by {kind} {id} and may not be unlocked except by them.',
    'already-locked': 'Unable to lock workspace. The workspace is already locked.',
    'state-needs-lock':
      'This workspace is not locked and will only accept state uploads\nwhen locked',
    'state-lock-of-other':
      'This workspace is locked by another user and will only accept state uploads\nfrom them',
    'state-lineage-differs':
      'The lineage provided in the state file does not match the value\ncurrently known by {authority}. This means that the provided\nstate is most likely not related to the target workspace. Check that\nthe backend configuration is correct and try again.',
    'state-md5-differs':
      'The MD5 hash of the state provided does not match what is currently\nknown for the same serial number',
    'already-unlocked': 'Unable to unlock workspace. The workspace is already unlocked.',
  }),
  ...refusals('precondition', {
    'agent-works': 'precondition failed',
    'state-serial-old':
      'The serial provided in the state file is not greater than the serial\ncurrently known remotely.',
  }),
  'state-pending': {
    kind: 'invalid',
    text: 'Unable to unlock workspace. The latest state version is still pending.',
  },
  ...refusals('unavailable', {
    'state-pending-retry': 'Unable to unlock workspace. The latest state version is still pending.',
    'outputs-unknown': 'service unavailable',
  }),
  ...refusals('invalid', {
    'filter-required': '{parameter} is required',
    'state-transition-not-allowed': 'transition not allowed',
  }),
  ...refusals('denied', {
    'address-expired': 'forbidden',
    'rate-exceeded': "You have exceeded the API's rate limit.",
  }),
  ...refusals('invalid', {
    'content-type-unknown': 'content-type must be application/vnd.api+json',
    'upload-too-large': 'payload too large',

    'body-unreadable': 'JSON body is invalid',
    'data-missing': 'data is required',
    'data-no-list': 'data must be an array',
    'type-missing': 'type is required',
    'type-wrong': 'type must be {type}',
    'id-missing': 'id is required',
    'attributes-missing': 'attributes is required',
    'attributes-wrong': 'attributes must be an object',

    'consumers-global':
      'Remote state consumers cannot be changed while global remote state is enabled',
    'consumer-itself': 'A workspace cannot be a consumer of itself',
    'run-triggers-full': 'Workspace has reached the limit of {limit} run triggers',
    'policy-set-global': 'Global policy sets cannot be attached to workspaces',
    'policy-set-member-unknown': '{id} was not found',
    'policies-with-repository': 'policies and vcs-repo cannot be set together',
    'oauth-token-unknown': 'OAuth token does not exist',
    'repository-tokens-both':
      'only one of oauth-token-id and github-app-installation-id may be set',
    'official-version-stays': 'official versions cannot be deleted',
    'version-in-use': 'versions that workspaces use cannot be deleted',
    'last-owner-stays': 'user is the last owner of organization {organization}',
    'organization-unknown': 'organization {name} was not found',
    'workspace-limit-reached': 'Organization has reached its workspace limit',
    'overwrites-differ':
      'If agent-pool and execution-mode are both included in setting-overwrites, their values must be the same.',
    'consumer-key-missing':
      'The Consumer Key for Bitbucket Data Center must be present. Please add a value for `key`.',
    'project-unusable': 'Project not found, or you are not authorized to use it.',
    'agent-pool-unknown':
      'The provided agent pool does not exist or you are not authorized to use it',
    'connection-pool-unknown':
      'the provided agent pool does not exist or you are not authorized to use it',
    'token-description-taken': 'Validation failed: Description has already been taken',
    'agent-pool-in-use': 'Agent pool is in use by workspaces',
    'variable-set-global': 'Global variable sets apply to all workspaces',
    'variable-in-other-set': '{key} is already defined in global variable set {name}',
    'tests-disabled': 'tests are not enabled for this module',
    'version-not-uploaded': 'invalid run parameters',
    'run-parameters-wrong': 'invalid run parameters',
    'too-many-notifications': 'Notification configurations limit of {limit} reached',
    'task-result-final': 'task result is already {status}',
    'task-required': 'task is required',
    'registry-module-required': 'registry-module is required',
    'version-pin-unknown':
      'Validation failed: Provided version pin is not equal to latest or provided string does not represent an existing version of the module.',
    'no-code-disabled': 'no-code provisioning is disabled for this module',
    'no-code-version-missing': 'the module has no published version to provision',
    'revocation-needs-deprecation': 'module version must be deprecated before it is revoked',
    'workspace-required': 'workspace is required',
    'configuration-missing': 'Configuration version is missing',
    'configuration-processing': 'Configuration version is still being processed.',
    'workspace-local': 'Workspace is not configured for remote operations',
    'outcome-unknown': 'outcome must be one of {names}',
    'results-wrong': 'results must be an object of counts: {names}',
    'outcome-unfit': 'a test run that is {status} cannot have such an outcome',
  }),
  'no-run-to-push': { kind: 'absent', text: 'there is no test run "{id}"' },
  'run-push-impossible': {
    kind: 'conflict',
    text: 'a test run that is {status} cannot become {target}',
  },
  ...refusals('absent', {
    'no-run-outcome': 'there is no outcome "{id}"',
    'no-workspace-run-to-push': 'there is no run "{id}"',
  }),
  'workspace-run-push-impossible': {
    kind: 'conflict',
    text: 'a run that is {status} cannot become {target}',
  },
  ...refusals('absent', {
    'no-workspace-to-assess': 'there is no workspace "{name}"',
    'no-policy-check-to-push': 'there is no policy check "{id}"',
  }),
  'policy-check-push-impossible': {
    kind: 'conflict',
    text: 'a policy check that is {status} cannot become {target}',
  },
  'no-version-to-push': { kind: 'absent', text: 'there is no configuration version "{id}"' },
  'version-push-impossible': {
    kind: 'conflict',
    text: 'a configuration version that is {status} cannot become {target}',
  },

  'no-state-to-push': { kind: 'absent', text: 'there is no state version "{id}"' },
  'state-push-impossible': {
    kind: 'conflict',
    text: 'a state version that is {status} cannot become {target}',
  },

  'no-task-result-to-push': { kind: 'absent', text: 'there is no task result "{id}"' },
  'task-result-push-impossible': {
    kind: 'conflict',
    text: 'a task result that is {status} cannot become {target}',
  },
  'no-agent-to-push': { kind: 'absent', text: 'there is no agent "{id}"' },
  'agent-push-impossible': {
    kind: 'conflict',
    text: 'an agent that is {status} cannot become {target}',
  },
  'no-membership-to-push': { kind: 'absent', text: 'there is no membership "{id}"' },
  'membership-push-impossible': { kind: 'conflict', text: 'the membership is active already' },

  ...refusals('denied', {
    'owner-stays-member': 'You cannot remove yourself from organizations which you own',
    'force-execute-denied': 'forbidden',
    'force-delete-denied': 'Not authorized to force delete the workspace',
    'public-module-versions': 'forbidden',
    'public-provider-versions': 'forbidden',
    'namespace-unauthorized': 'namespace not authorized',
    'namespace-filter-missing': 'forbidden',
    'project-in-use': 'Project cannot be deleted because it contains workspaces',
    'workspaces-unmovable': 'Workspace(s) not found, or you are not authorized to move them: {ids}',
    'default-project-stays': 'the default project cannot be deleted',
  }),
  ...refusals('invalid', {
    'verification-failed': 'Unable to complete verification request to destination URL',
    'include-unknown': 'Invalid include parameter',
    'trigger-type-wrong': 'filter[run-trigger][type] must be inbound or outbound',
    'filter-missing': 'filter[{target}][id] is required',
    'filter-incomplete':
      'filter[organization][name] and filter[workspace][name] must be set together',
    'search-empty': 'bad request',
    'owners-stay': 'the owners team cannot be deleted',
    'member-already': 'user {name} is already a team member',
    'no-member': 'user {name} is not a team member',
    'not-in-organization': '{name} is not a member of the organization',
    'user-unknown': 'user {name} was not found',
  }),

  ...refusals('upstream', {
    'mail-rejected': 'SMTP credentials were rejected',
    'mail-failed': 'SMTP server reported an error',
    'mail-timed-out': 'SMTP server did not answer in time',
  }),
  ...refusals('invalid', {
    'test-number-missing': 'test-number is required',
    'sms-disabled': 'SMS is disabled',

    'fixture-wrong': '/platform/{location}: {problem}',
    'fixture-token-in-use': 'the token {token} is there already',
    'fixture-name-wrong': '{attribute} is invalid',
    'fixture-name-unknown': '{kind} {name} was not found',
    'fixture-attribute-wrong': '{attribute} {problem}',
  }),
})

/** Returns the value. Throws 404 if it is undefined. */
export function requireFound<Value>(value: Value | undefined): Value {
  if (value === undefined) throw refuse('not-found')
  return value
}
