import { defineMessages, refusals } from '../../kernel/refusal.ts'
import { callerErrorDetail, callerErrorRefusals, commonMessages } from '../common-messages.ts'

/** Texts of the database engine (behaviour/secrets#database). */
export const { table, message, refuse } = defineMessages({
  ...commonMessages,
  ...refusals(
    'absent',
    {
      'database-config-absent': 'there is no such connection',
      'database-role-absent': 'there is no such role',
    },
    { unenveloped: true },
  ),
  'database-connection-absent': {
    kind: 'absent',
    text: 'failed to find entry for connection with name: {name}',
    detail: callerErrorDetail,
  },
  'database-user-absent': {
    kind: 'absent',
    text: 'the database "{database}" has no user "{user}"',
  },
  ...refusals('invalid', {
    'database-plugin-missing': 'empty plugin name',
    'database-plugin-version-malformed':
      'version {version} is not a valid semantic version: Malformed version: {shown}',
    'database-object-failed': 'error creating database object: {why}',
    'database-role-without-connection': 'database name is required',
    'database-credential-type-unknown': 'invalid credential_type {type}',
    'database-credential-config-invalid': 'credential_config validation failed: {why}',
    'database-credential-type-unsupported': 'unsupported credential_type: {type}',
    'database-role-name-taken': 'Role and Static Role names must be unique',
    'database-role-unknown': 'unknown role: {role}',
    'database-revocation-failed':
      'failed to revoke entry: resp: (*logical.Response)(nil) err: {why}',
    'database-renewal-failed': 'failed to renew entry: resp: (*logical.Response)(nil) err: {why}',
    'static-role-without-connection': 'database name is a required field',
    'static-role-without-user': 'username is a required field to create a static account',
    'static-role-without-period': 'rotation_period is required to create static accounts',
    'static-role-period-short': 'rotation_period must be 5 seconds or more',
    'static-role-user-changed': 'cannot update static account username',
    'static-role-unknown': 'no static role found for role name',
  }),
  ...callerErrorRefusals({
    'database-role-not-allowed': '{role} is not an allowed role',
    'static-credential-type-unsupported': 'unsupported credential_type: {type}',
    'creation-statements-empty': 'empty creation statements',
    'database-password-policy-absent': 'failed to generate password: no password policy found',
    'username-template-failed': 'failed to generate username: unable to apply template: {why}',
    'database-statement-failed': '{why}',
    'static-role-not-set': 'error setting credentials: {errors}',
    'root-user-missing': 'unable to rotate root credentials: no username in configuration',
  }),
  'database-unreachable': { kind: 'upstream', text: '{why}', detail: callerErrorDetail },
  'static-role-unreachable': {
    kind: 'upstream',
    text: 'error setting credentials: {errors}',
    detail: callerErrorDetail,
  },
  'database-failure': { text: '{why}' },
  'database-role-gone': {
    kind: 'absent',
    text: 'error during renew: could not find role with name {role}',
  },
  'password-in-connection-url': {
    text: 'Password found in connection_url, use a templated url to enable root rotation and prevent read access to password information.',
  },
})
