import { defineMessages, refusals } from '../../kernel/refusal.ts'
import { callerErrorDetail, callerErrorRefusals, commonMessages } from '../common-messages.ts'

export const { table, message, refuse } = defineMessages({
  ...commonMessages,
  ...refusals(
    'absent',
    {
      'orch-not-configured': 'the engine has no configuration',
      'orch-role-absent': 'there is no such role',
    },
    { unenveloped: true },
  ),
  ...callerErrorRefusals({
    'orch-config-missing': 'could not load backend configuration',
    'orch-host-unset': 'orch_host was unset and could not be determined from environment variables',
    'orch-host-undetermined':
      'orch_host was unset and could not determine it from environment variables',
    'orch-namespace-undetermined':
      "error verifying namespace: 'orch_namespace' is required unless the Service role has a single namespace specified",
    'name-template-failed': 'failed to generate name: unable to apply template: {why}',
  }),
  ...refusals('invalid', {
    'orch-environment-missing':
      'Missing environment variables: ORCH_SERVICE_HOST, ORCH_SERVICE_PORT_HTTPS',
    'orch-host-missing': 'Missing environment variables: ORCH_SERVICE_HOST',
    'orch-port-missing': 'Missing environment variables: ORCH_SERVICE_PORT_HTTPS',
    'orch-role-unknown': "role '{role}' does not exist",
    'cluster-binding-of-role': 'a ClusterRoleBinding cannot ref a Role',
    'orch-namespace-missing': "'orch_namespace' is required",
    'orch-namespace-not-allowed':
      "orch_namespace '{asked}' is not present in role's allowed_orch_namespaces",
    'label-selector-invalid':
      "failed to parse 'allowed_orch_namespace_selector' as orch.io/api/meta/v1/LabelSelector object",
    'name-template-invalid': 'unable to initialize name template: unable to parse template: {why}',
    'role-rules-invalid':
      "failed to parse 'generated_role_rules' as orch.io/api/rbac/v1/Policy object",
    'orch-namespaces-missing': 'allowed_orch_namespaces must be set',
    'orch-role-modes':
      'one (and only one) of service_account_name, orch_role_name or generated_role_rules must be set',
    'orch-role-ttl-above-max':
      'token_default_ttl {usual} cannot be greater than token_max_ttl {most}',
    'orch-role-type-unknown': "orch_role_type must be either 'Role' or 'ClusterRole'",
    'additional-metadata-invalid':
      "additional_metadata should be a nested map, with only 'labels' and 'annotations' as the top level keys",
    'account-token-ttl': 'ttl must be more than 0',
  }),
  'orch-failed': {
    kind: 'upstream',
    text: 'failed to create a service account token for {namespace}/{account}: {why}',
    detail: callerErrorDetail,
  },
  'account-absent': {
    kind: 'absent',
    text: 'the orchestrator has no service account "{account}" in the namespace "{namespace}"',
  },
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
