import { defineMessages, refusals } from '../../kernel/refusal.ts'
import { callerErrorRefusals, commonMessages } from '../common-messages.ts'

export const { table, message, refuse } = defineMessages({
  ...commonMessages,
  ...refusals('invalid', {
    'mfa-method-id-missing': 'missing method ID',
    'mfa-method-other-namespace': 'request namespace does not match method namespace',
    'mfa-method-other-type': 'failed to find the method ID under MFA type {type}.',
    'mfa-algorithm-unknown': 'unrecognized algorithm',
    'mfa-digits': 'digits can only be 6 or 8',
    'mfa-period': 'period must be greater than zero',
    'mfa-skew': 'skew must be 0 or 1',
    'mfa-key-size': 'key_size must be greater than zero',
    'mfa-issuer-missing': 'issuer must be set',
    'mfa-attempts-negative': 'max_validation_attempts must be greater than zero',
    'mfa-setting-empty': '{name} is empty',
    'mfa-setting-unset': '{name} must be set',
    'mfa-settings-line':
      'pingid settings file contains a non-empty non-comment line that is not in key=value format: {line}',
    'mfa-settings-flag': 'error parsing use_signature value in pingid settings file',
    'mfa-settings-key': 'unknown key {key} in pingid settings file',
    'mfa-generate-entity-missing': 'missing entityID',
    'mfa-destroy-entity-missing': 'missing entity ID',
    'mfa-method-unknown': 'configuration for method ID {id} does not exist',
    'mfa-entity-unknown': 'invalid entity ID',
    'mfa-generate-type': 'generate not available for MFA type {type}',
    'mfa-enforcement-methods-missing': 'missing method ids',
    'mfa-enforcement-method-unknown': "one of the provided method ids doesn't exist",
    'mfa-enforcement-method-namespace':
      "one of the provided method ids is in an incompatible namespace and can't be used",
    'mfa-enforcement-accessor-unknown': 'one of the auth method accessors provided is invalid',
    'mfa-enforcement-type-unknown': 'one of the auth method types provided is invalid',
    'mfa-enforcement-group-unknown': "one of the provided group ids doesn't exist",
    'mfa-enforcement-entity-unknown': "one of the provided entity ids doesn't exist",
    'mfa-enforcement-subject-missing':
      'One of auth_method_accessors, auth_method_types, identity_group_ids, identity_entity_ids must be specified',
    'mfa-request-id-missing': 'missing request ID',
    'mfa-payload-invalid': 'invalid mfa payload',
    'mfa-request-unknown': 'invalid request ID',
    'mfa-header-without-method':
      'failed to parse X-Secrets-MFA header: invalid data in header "X-Secrets-MFA"; missing method name or ID',
    'mfa-header-without-value':
      'failed to parse X-Secrets-MFA header: invalid data in header "X-Secrets-MFA"; missing method value',
  }),
  ...callerErrorRefusals({
    'mfa-method-name-taken':
      'a login MFA method configuration with the method name {name} already exists',
    'mfa-method-in-use':
      'methodID is still used by an enforcement configuration with ID: {enforcement}',
    'mfa-method-type-differs': 'method type does not match the MFA config type',
    'mfa-delete-other-namespace': 'request namespace does not match method namespace',
    'mfa-destroy-type': 'method ID does not match TOTP type',
    'mfa-request-other-namespace':
      'original request was issued in a different namesapce {from}, current namespace is {here}',
    'mfa-request-entity-gone': 'MFA validation failed. entity not found: <nil>',
    'mfa-request-enforcement-gone': 'found nil or empty MFAEnforcement configuration',
  }),
  ...refusals('denied', {
    'mfa-method-hidden': 'request namespace does not match method namespace',
    'mfa-header-refused': 'permission denied',
    'mfa-unsatisfied': 'failed to satisfy enforcement {name}. error: {why}',
  }),
  'mfa-credentials-not-found': { text: 'failed to sanitize MFA creds, {errors}' },
  'mfa-credentials-absent': {
    text: 'failed to find MFA credentials associated with an MFA method ID {id}, method name {name}',
  },
  'mfa-validation-failed': { text: 'login MFA validation failed for methodID: [{ids}]' },
  'mfa-unsupported': { text: '{type} is not supported here' },
  'mfa-factor-unreadable': { text: 'failed to parse MFA factor, {why}' },
  'mfa-factor-repeated': { text: 'found multiple passcodes for the same MFA method' },
  'mfa-factor-empty': { text: 'invalid passcode' },
  'mfa-factor-unknown': { text: 'found an invalid MFA cred: {credential}' },
  'mfa-secret-absent': { text: 'MFA secret for method name {name} not present in entity {entity}' },
  'mfa-code-missing': { text: 'MFA credentials not supplied' },
  'mfa-code-used': {
    text: 'code already used; new code is available in {seconds} seconds',
  },
  'mfa-attempts-exceeded': {
    text: 'maximum TOTP validation attempts {attempts} exceeded the allowed attempts {most}. Please try again in {wait} seconds',
  },
  'mfa-code-wrong': { text: 'failed to validate TOTP passcode' },
  'mfa-secret-exists': { text: 'Entity already has a secret for MFA method {name}' },
  'mfa-required': {
    text: 'A login request was issued that is subject to MFA validation. Please make sure to validate the login by sending another request to mfa/validate endpoint.',
  },
  'mfa-not-required': { text: 'Found MFA header but failed to find MFA Enforcement Config' },
})
