import { defineMessages, refusals } from '../../kernel/refusal.ts'
import { commonMessages } from '../common-messages.ts'

/** Texts about mounts (behaviour/secrets#mounts). */
export const { table, message, refuse } = defineMessages({
  ...commonMessages,
  ...refusals('invalid', {
    'type-missing': 'backend type must be specified as a string',
    'plugin-name-missing': 'plugin_name must be provided for plugin backend',
    'mount-protected': 'cannot mount {path}',
    'type-not-mountable': 'mount type of {type} is not mountable',
    'type-unknown': 'plugin not found in the catalog: {type}',
    'method-without-version': 'auth method "{type}" does not allow setting a version',
    'engine-without-version': 'secrets engine "{type}" does not allow setting a version',
    'token-method-exists': 'token credential backend cannot be instantiated',
    'token-method-stays': 'token credential backend cannot be disabled',
    'unmount-protected': 'cannot unmount {path}',
    'tuning-of-nothing': 'cannot fetch sysview for path {path}',
    'tune-protected': 'cannot tune {path}',
    'tune-absent': 'tune of path {path} failed: no mount entry found',
    'token-type-not-auth': "'token_type' can only be modified on auth mounts",
    'token-type-of-token-method':
      "'token_type' cannot be set for 'token' or 'ns_token' auth mounts",
    'kv-version-unknown': 'nil backend of type "kv" returned from factory',
    'version-no-number':
      'unable to parse options: strconv.ParseInt: parsing {asked}: invalid syntax',
    'version-unknown': 'invalid version provided: {version}',
    'version-downgrade': 'cannot downgrade mount from version {present}',
    'mount-path-missing': 'backend path must be specified',
    'mount-in-use': 'path is already in use at {path}',
    'mount-config-wrong': 'unable to convert given mount config information',
    'auth-config-wrong': 'unable to convert given auth config information',
    'max-ttl-below-default':
      'backend max lease TTL of {maxTtl} would be less than backend default lease TTL of {defaultTtl}',
    'mount-ttl-wrong': 'unable to parse {which} TTL of {text}: {why}',
    'default-ttl-above-max': 'given default lease TTL greater than given max lease TTL',
    'default-ttl-above-system':
      'given default lease TTL greater than system max lease TTL of {systemLeaseTtl}',
    'listing-visibility-unknown': 'invalid listing_visibility {text}',
    'mount-token-type-unknown': "invalid value for 'token_type'",
    'lockout-config-wrong': 'unable to convert given user lockout config information',
    'lockout-not-offered': 'tuning of user lockout configuration for auth type {type} not allowed',
    'lockout-threshold-wrong':
      'unable to parse user lockout threshold: strconv.ParseUint: parsing {text}: invalid syntax',
    'remount-paths-missing': "both 'from' and 'to' path must be specified as a string",
    'remount-source-absent': 'no matching mount at {from}',
    'remount-target-taken': 'path already in use at {path}',
    'remount-path-spaces': "'{name}' path cannot contain trailing whitespace",
    'remount-path-unclean':
      "invalid destination mount: path '{path}' does not match cleaned path '{clean}'",
    'remount-path-unprintable':
      'invalid destination mount: path cannot contain non-printable characters',
    'remount-protected': 'cannot remount {from}',
    'remount-to-protected': 'cannot remount to destination {to}',
    'remount-auth-to-engine': 'cannot remount auth mount to non-auth mount {to}',
  }),
  'type-orch': { text: 'orch' },
  'type-cloud': { text: 'cloud' },
  'type-mesh': { text: 'mesh' },
  'type-scheduler': { text: 'scheduler' },
  'mount-upgrading': {
    text: 'Upgrading mount from version {before} to version {version}. This mount will be unavailable for a brief period and will resume service shortly.',
  },
  'migration-absent': {
    kind: 'absent',
    text: 'there is no migration {id}',
    detail: { unenveloped: true },
  },
})
