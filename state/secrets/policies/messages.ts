import { defineMessages } from '../../kernel/refusal.ts'
import { callerErrorDetail, commonMessages } from '../common-messages.ts'

export const { table, message, refuse } = defineMessages({
  ...commonMessages,
  'paths-missing': { kind: 'invalid', text: 'paths must be supplied' },
  'path-asked-missing': { kind: 'invalid', text: 'missing path', detail: { multierror: true } },
  'token-asked-missing': { kind: 'invalid', text: 'no token found', detail: callerErrorDetail },
  'accessor-asked-missing': { kind: 'invalid', text: 'missing accessor' },
  'token-asked-unknown': { kind: 'invalid', text: 'invalid token', detail: { multierror: true } },
  'policy-missing': { kind: 'invalid', text: "'policy' parameter not supplied or empty" },
  'policy-unreadable': { kind: 'invalid', text: 'failed to parse policy: {problem}' },
  'policy-fixed': { kind: 'invalid', text: 'cannot update "{own}" policy' },
  'policy-not-deletable': { kind: 'invalid', text: 'cannot delete "{own}" policy' },
  'default-policy-stays': { kind: 'invalid', text: 'cannot delete default policy' },
  'policy-syntax': { text: '{why}' },
  'policy-key-unknown': { text: 'invalid key {key} on line {line}' },
  'policy-stanza-key-unknown': { text: 'path {path}: invalid key {key} on line {line}' },
  'policy-wildcards': { text: "path {path}: invalid use of wildcards ('+*' is forbidden)" },
  'policy-templates-unbalanced': {
    text: 'failed to validate policy templating: unbalanced templating characters',
  },
  'policy-word-unknown': { text: 'path {path}: invalid policy {word}' },
  'policy-capability-unknown': { text: 'path {path}: invalid capability {capability}' },
  'policy-wrapping-ttls': { text: 'max_wrapping_ttl cannot be less than min_wrapping_ttl' },
  'policy-ttl-unreadable': { text: 'error parsing {name}: {why}' },
  'policy-value-wrong': { text: 'path {path}: {why}' },
  'policy-name-wrong': { text: '{why}' },
  'policy-stanza-no-object': { text: 'path {path}: cannot check HCL keys of type {kind}' },
  'policy-control-group-ttl': { text: 'error parsing control group max ttl: {why}' },
  'policy-factor-empty': { text: 'no control_group factor provided' },
  'policy-factors-missing': { text: 'no control_group factors provided' },
  'policy-factor-approvals': {
    text: 'must provide more than one identity group and approvals > 0',
  },
  'policy-factor-capabilities': {
    text: "control group factor capabilities must be a subset of the policy's capabilities",
  },
})
