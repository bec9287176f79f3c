import { defineMessages } from '../../kernel/refusal.ts'
import { commonMessages, raised } from '../common-messages.ts'

/** Messages of the orchestrator engine (behaviour/secrets#orch). */
export const {
  table: orchTexts,
  message,
  refuse,
} = defineMessages({
  ...commonMessages,
  'orch-not-configured': {
    kind: 'absent',
    text: 'the engine has no configuration',
    detail: { unenveloped: true },
  },
  'orch-config-missing': {
    kind: 'invalid',
    text: 'could not load backend configuration',
    detail: raised,
  },
  'orch-host-unset': {
    kind: 'invalid',
    text: 'orch_host was unset and could not be determined from environment variables',
    detail: raised,
  },
  'orch-environment-missing': {
    kind: 'invalid',
    text: 'Missing environment variables: ORCH_SERVICE_HOST, ORCH_SERVICE_PORT_HTTPS',
  },
  'orch-host-missing': {
    kind: 'invalid',
    text: 'Missing environment variables: ORCH_SERVICE_HOST',
  },
  'orch-port-missing': {
    kind: 'invalid',
    text: 'Missing environment variables: ORCH_SERVICE_PORT_HTTPS',
  },
  'orch-role-unknown': { kind: 'invalid', text: "role '{role}' does not exist" },
  'cluster-binding-of-role': { kind: 'invalid', text: 'a ClusterRoleBinding cannot ref a Role' },
  'orch-namespace-missing': { kind: 'invalid', text: "'orch_namespace' is required" },
  'orch-namespace-not-allowed': {
    kind: 'invalid',
    text: "orch_namespace '{asked}' is not present in role's allowed_orch_namespaces",
  },
  'orch-failed': {
    kind: 'upstream',
    text: 'failed to create a service account token for {namespace}/{account}: {why}',
    detail: raised,
  },
  'label-selector-invalid': {
    kind: 'invalid',
    text: "failed to parse 'allowed_orch_namespace_selector' as orch.io/api/meta/v1/LabelSelector object",
  },
  'name-template-invalid': {
    kind: 'invalid',
    text: 'unable to initialize name template: unable to parse template: {why}',
  },
  'name-template-failed': {
    kind: 'invalid',
    text: 'failed to generate name: unable to apply template: {why}',
    detail: raised,
  },
  'role-rules-invalid': {
    kind: 'invalid',
    text: "failed to parse 'generated_role_rules' as orch.io/api/rbac/v1/Policy object",
  },
  'orch-namespaces-missing': { kind: 'invalid', text: 'allowed_orch_namespaces must be set' },
  'orch-role-absent': {
    kind: 'absent',
    text: 'there is no such role',
    detail: { unenveloped: true },
  },
  'orch-role-modes': {
    kind: 'invalid',
    text: 'one (and only one) of service_account_name, orch_role_name or generated_role_rules must be set',
  },
  'orch-role-ttl-above-max': {
    kind: 'invalid',
    text: 'token_default_ttl {usual} cannot be greater than token_max_ttl {most}',
  },
  'orch-role-type-unknown': {
    kind: 'invalid',
    text: "orch_role_type must be either 'Role' or 'ClusterRole'",
  },
  'additional-metadata-invalid': {
    kind: 'invalid',
    text: "additional_metadata should be a nested map, with only 'labels' and 'annotations' as the top level keys",
  },
  'account-absent': {
    kind: 'absent',
    text: 'the orchestrator has no service account "{account}" in the namespace "{namespace}"',
  },
  'account-token-ttl': { kind: 'invalid', text: 'ttl must be more than 0' },
  'orch-ttl-above-role': {
    text: "ttl of {ttl} is greater than the role's token_max_ttl of {most}; capping accordingly",
  },
  'orch-ttl-above-mount': {
    text: "ttl of {ttl} is greater than Service's max lease ttl {most}; capping accordingly",
  },
  'orch-ttl-granted-less': {
    text: 'the created Orchestrator service accout token TTL {most} is less than the Service lease TTL {ttl}; capping the lease TTL accordingly',
  },
})
