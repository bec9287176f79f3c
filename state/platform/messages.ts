import { defineMessages } from '../kernel/refusal.ts'

/**
 * Messages of the platform API about whole requests (behaviour/platform#errors); messages about
 * single attributes are in `violations.ts`. Missing and hidden resources get the same message,
 * `not-found`.
 */
export const {
  table: platformMessages,
  message,
  refuse,
} = defineMessages({
  'not-found': { kind: 'absent', text: 'not found' },
  unauthorized: { kind: 'denied', text: 'unauthorized' },
  'transition-not-allowed': { kind: 'conflict', text: 'transition not allowed' },
  'version-current': {
    kind: 'conflict',
    text: 'configuration could not be archived because it is current',
  },
  'workspace-locked': {
    kind: 'conflict',
    text: 'Workspace is currently locked. Workspace must be unlocked before it can be safely deleted.',
  },
  'workspace-locked-by': {
    kind: 'conflict',
    text: 'Unable to unlock workspace {name}: it is locked by {who} {username}',
  },
  'address-expired': { kind: 'denied', text: 'forbidden' },
  'rate-exceeded': { kind: 'denied', text: "You have exceeded the API's rate limit." },
  'content-type-unknown': {
    kind: 'invalid',
    text: 'content-type must be application/vnd.api+json',
  },
  'upload-too-large': { kind: 'invalid', text: 'payload too large' },

  'body-unreadable': { kind: 'invalid', text: 'JSON body is invalid' },
  'data-missing': { kind: 'invalid', text: 'data is required' },
  'type-missing': { kind: 'invalid', text: 'type is required' },
  'type-wrong': { kind: 'invalid', text: 'type must be {type}' },
  'id-missing': { kind: 'invalid', text: 'id is required' },
  'attributes-missing': { kind: 'invalid', text: 'attributes is required' },
  'attributes-wrong': { kind: 'invalid', text: 'attributes must be an object' },

  'tests-disabled': { kind: 'invalid', text: 'tests are not enabled for this module' },
  'version-not-uploaded': { kind: 'invalid', text: 'invalid run parameters' },
  'outcome-unknown': { kind: 'invalid', text: 'outcome must be one of {names}' },
  'results-wrong': { kind: 'invalid', text: 'results must be an object of counts: {names}' },
  'outcome-unfit': {
    kind: 'invalid',
    text: 'a test run that is {status} cannot have such an outcome',
  },
  'no-run-to-push': { kind: 'absent', text: 'there is no test run "{id}"' },
  'run-push-impossible': {
    kind: 'conflict',
    text: 'a test run that is {status} cannot become {target}',
  },
  'no-version-to-push': { kind: 'absent', text: 'there is no configuration version "{id}"' },
  'version-push-impossible': {
    kind: 'conflict',
    text: 'a configuration version that is {status} cannot become {target}',
  },

  'default-project-stays': { kind: 'denied', text: 'the default project cannot be deleted' },
  'include-unknown': { kind: 'invalid', text: 'include must be one of {names}' },
  'owners-stay': { kind: 'invalid', text: 'the owners team cannot be deleted' },
  'member-already': { kind: 'invalid', text: 'user {name} is already a team member' },
  'no-member': { kind: 'invalid', text: 'user {name} is not a team member' },
  'user-unknown': { kind: 'invalid', text: 'user {name} was not found' },

  'mail-rejected': { kind: 'upstream', text: 'SMTP credentials were rejected' },
  'mail-failed': { kind: 'upstream', text: 'SMTP server reported an error' },
  'mail-timed-out': { kind: 'upstream', text: 'SMTP server did not answer in time' },
  'test-number-missing': { kind: 'invalid', text: 'test-number is required' },
  'sms-disabled': { kind: 'invalid', text: 'SMS is disabled' },

  'fixture-wrong': { kind: 'invalid', text: '/platform/{place}: {problem}' },
  'fixture-token-in-use': { kind: 'invalid', text: 'the token {token} is there already' },
  'fixture-name-wrong': { kind: 'invalid', text: '{attribute} is invalid' },
  'fixture-attribute-wrong': { kind: 'invalid', text: '{attribute} {fault}' },
})

/** Returns a value that was looked up. Throws 404 if it is undefined. */
export function requireFound<Value>(value: Value | undefined): Value {
  if (value === undefined) throw refuse('not-found')
  return value
}
