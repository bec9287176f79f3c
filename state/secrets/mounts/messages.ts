import { defineMessages } from '../../kernel/refusal.ts'
import { commonMessages } from '../common-messages.ts'

/** Messages about mounts (behaviour/secrets#mounts). */
export const {
  table: mountTexts,
  message,
  refuse,
} = defineMessages({
  ...commonMessages,
  'type-missing': { kind: 'invalid', text: 'backend type must be specified as a string' },
  'mount-protected': { kind: 'invalid', text: 'cannot mount {path}' },
  'type-not-mountable': { kind: 'invalid', text: 'mount type of {type} is not mountable' },
  'type-unknown': { kind: 'invalid', text: 'plugin not found in the catalog: {type}' },
  'type-orch': { text: 'orch' },
  'type-cloud': { text: 'cloud' },
  'type-mesh': { text: 'mesh' },
  'type-scheduler': { text: 'scheduler' },
  'method-without-version': {
    kind: 'invalid',
    text: 'auth method "{type}" does not allow setting a version',
  },
  'engine-without-version': {
    kind: 'invalid',
    text: 'secrets engine "{type}" does not allow setting a version',
  },
  'token-method-exists': {
    kind: 'invalid',
    text: 'token credential backend cannot be instantiated',
  },
  'token-method-stays': { kind: 'invalid', text: 'token credential backend cannot be disabled' },
  'unmount-protected': { kind: 'invalid', text: 'cannot unmount {path}' },
  'tuning-of-nothing': { kind: 'invalid', text: 'cannot fetch sysview for path {path}' },
  'tune-protected': { kind: 'invalid', text: 'cannot tune {path}' },
  'tune-absent': { kind: 'invalid', text: 'tune of path {path} failed: no mount entry found' },
  'token-type-not-auth': {
    kind: 'invalid',
    text: "'token_type' can only be modified on auth mounts",
  },
  'token-type-of-token-method': {
    kind: 'invalid',
    text: "'token_type' cannot be set for 'token' or 'ns_token' auth mounts",
  },
  'kv-version-unknown': { kind: 'invalid', text: 'nil backend of type "kv" returned from factory' },
  'version-no-number': {
    kind: 'invalid',
    text: 'unable to parse options: strconv.ParseInt: parsing {asked}: invalid syntax',
  },
  'version-unknown': { kind: 'invalid', text: 'invalid version provided: {version}' },
  'version-downgrade': { kind: 'invalid', text: 'cannot downgrade mount from version {present}' },
  'mount-upgrading': {
    text: 'Upgrading mount from version 1 to version 2. This mount will be unavailable for a brief period and will resume service shortly.',
  },
  'mount-path-missing': { kind: 'invalid', text: 'backend path must be specified' },
  'mount-in-use': { kind: 'invalid', text: 'path is already in use at {path}' },
  'mount-config-wrong': {
    kind: 'invalid',
    text: 'unable to convert given mount config information',
  },
  'auth-config-wrong': { kind: 'invalid', text: 'unable to convert given auth config information' },
  'max-ttl-below-default': {
    kind: 'invalid',
    text: 'backend max lease TTL of {maxTtl} would be less than backend default lease TTL of {defaultTtl}',
  },
  'mount-ttl-wrong': { kind: 'invalid', text: 'unable to parse {which} TTL of {text}: {why}' },
  'default-ttl-above-max': {
    kind: 'invalid',
    text: 'given default lease TTL greater than given max lease TTL',
  },
  'default-ttl-above-system': {
    kind: 'invalid',
    text: 'given default lease TTL greater than system max lease TTL of {systemLeaseTtl}',
  },
  'listing-visibility-unknown': { kind: 'invalid', text: 'invalid listing_visibility {text}' },
  'mount-token-type-unknown': { kind: 'invalid', text: "invalid value for 'token_type'" },
  'remount-paths-missing': {
    kind: 'invalid',
    text: "both 'from' and 'to' path must be specified as a string",
  },
  'remount-source-absent': { kind: 'invalid', text: 'no matching mount at {from}' },
  'remount-target-taken': { kind: 'invalid', text: 'path already in use at {path}' },
  'migration-absent': {
    kind: 'absent',
    text: 'there is no migration {id}',
    detail: { unenveloped: true },
  },
  'remount-path-spaces': {
    kind: 'invalid',
    text: "'{name}' path cannot contain trailing whitespace",
  },
  'remount-path-unclean': {
    kind: 'invalid',
    text: "invalid destination mount: path '{path}' does not match cleaned path '{clean}'",
  },
  'remount-path-unprintable': {
    kind: 'invalid',
    text: 'invalid destination mount: path cannot contain non-printable characters',
  },
  'remount-protected': { kind: 'invalid', text: 'cannot remount {from}' },
  'remount-to-protected': { kind: 'invalid', text: 'cannot remount to destination {to}' },
})
