import { defineMessages, refusals } from '../kernel/refusal.ts'
import { callerErrorRefusals, commonMessages } from './common-messages.ts'

/**
 * Messages about settings of the server, such as audit devices, plugins, loggers and CORS, and
 * about fixtures. Other subjects have their own tables.
 */
export const { table, refuse } = defineMessages({
  ...commonMessages,
  ...callerErrorRefusals({
    'plugin-directory-missing': 'could not set plugin, plugin directory is not configured',
    'cors-origins-missing': 'at least one origin or the wildcard must be provided',
    'cors-wildcard-alone':
      "to allow all origins the '*' must be the only value for allowed_origins",
  }),
  ...refusals('invalid', {
    'logger-level-missing': 'level is required',
    'logger-level-empty': 'level is empty',
    'logger-level-unknown': 'invalid level provided: unknown log level: {level}',
    'logger-unknown': 'logger {name} not found',
    'ui-header-values-missing': 'header and values must be specified',
    'ui-header-reserved': 'X-Secrets headers cannot be set',
    'audit-path-missing': 'backend path must be specified',
    'audit-path-taken': 'path already in use',
    'audit-type-unknown': 'unknown backend type: {type}',
    'audit-file-missing': 'file_path is required',
    'audit-address-missing': 'address is required',
    'audit-format-unknown': 'unknown format type {format}',
    'audit-input-empty': 'the "input" parameter is empty',
    'audit-device-unknown': 'unknown audit backend {path}',
    'audit-header-unknown': 'Could not find header in config',
  }),
  'index-state-ahead': { kind: 'precondition', text: 'required index state not present' },
  ...refusals('invalid', {
    'index-state-form': 'invalid full state header format',
    'index-state-mac': 'invalid state header HMAC (mismatch)',
    'index-state-encoding': '{why}',
    'plugin-version-invalid':
      'version {quoted} is not a valid semantic version: Malformed version: {version}',
    'plugin-version-reserved':
      "version {version} is not allowed because 'builtin' is a reserved metadata identifier",
    'plugin-version-undeletable': 'version {version} cannot be deleted',
    'plugin-hash-missing': 'missing SHA-256 value',
    'plugin-hash-encoding': 'Could not decode SHA-256 value from Hex',
    'plugin-command-missing': 'missing command value',
    'plugin-arguments-twice': 'must not specify args in command and args field',
    'fixture-refused': '/secrets/{place}: {why}',
    'fixture-not-key-value': 'no key-value engine is mounted there',
    'fixture-other-engine': 'another engine than {type} is mounted there',
    'fixture-not-login': 'something else than {type} is mounted there',
  }),
})
