import { defineMessages } from '../kernel/refusal.ts'
import { commonMessages, raisedRefusals } from './common-messages.ts'

/** Messages about settings of the node, index states and fixtures. */
export const { table, refuse } = defineMessages({
  ...commonMessages,
  ...raisedRefusals({
    'plugin-directory-missing': 'could not set plugin, plugin directory is not configured',
    'cors-origins-missing': 'at least one origin or the wildcard must be provided',
    'cors-wildcard-alone':
      "to allow all origins the '*' must be the only value for allowed_origins",
  }),
  'logger-level-missing': { kind: 'invalid', text: 'level is required' },
  'logger-level-empty': { kind: 'invalid', text: 'level is empty' },
  'logger-level-unknown': {
    kind: 'invalid',
    text: 'invalid level provided: unknown log level: {level}',
  },
  'logger-unknown': { kind: 'invalid', text: 'logger {name} not found' },
  'ui-header-values-missing': { kind: 'invalid', text: 'header and values must be specified' },
  'ui-header-reserved': { kind: 'invalid', text: 'X-Secrets headers cannot be set' },
  'audit-path-missing': { kind: 'invalid', text: 'backend path must be specified' },
  'audit-path-taken': { kind: 'invalid', text: 'path already in use' },
  'audit-type-unknown': { kind: 'invalid', text: 'unknown backend type: {type}' },
  'audit-file-missing': { kind: 'invalid', text: 'file_path is required' },
  'audit-address-missing': { kind: 'invalid', text: 'address is required' },
  'audit-format-unknown': { kind: 'invalid', text: 'unknown format type {format}' },
  'audit-input-empty': { kind: 'invalid', text: 'the "input" parameter is empty' },
  'audit-device-unknown': { kind: 'invalid', text: 'unknown audit backend {path}' },
  'audit-header-unknown': { kind: 'invalid', text: 'Could not find header in config' },
  'index-state-ahead': { kind: 'precondition', text: 'required index state not present' },
  'index-state-form': { kind: 'invalid', text: 'invalid full state header format' },
  'index-state-mac': { kind: 'invalid', text: 'invalid state header HMAC (mismatch)' },
  'index-state-encoding': { kind: 'invalid', text: '{why}' },
  'plugin-version-invalid': {
    kind: 'invalid',
    text: 'version {quoted} is not a valid semantic version: Malformed version: {version}',
  },
  'plugin-version-reserved': {
    kind: 'invalid',
    text: "version {version} is not allowed because 'builtin' is a reserved metadata identifier",
  },
  'plugin-version-undeletable': { kind: 'invalid', text: 'version {version} cannot be deleted' },
  'plugin-hash-missing': { kind: 'invalid', text: 'missing SHA-256 value' },
  'plugin-hash-encoding': { kind: 'invalid', text: 'Could not decode SHA-256 value from Hex' },
  'plugin-command-missing': { kind: 'invalid', text: 'missing command value' },
  'plugin-arguments-twice': {
    kind: 'invalid',
    text: 'must not specify args in command and args field',
  },
  'fixture-refused': { kind: 'invalid', text: '/secrets/{place}: {why}' },
  'fixture-not-key-value': { kind: 'invalid', text: 'no key-value engine is mounted there' },
  'fixture-other-engine': { kind: 'invalid', text: 'another engine than {type} is mounted there' },
  'fixture-not-login': { kind: 'invalid', text: 'something else than {type} is mounted there' },
})
