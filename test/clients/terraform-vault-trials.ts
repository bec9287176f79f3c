import type { StateFile } from './terraform-resource-trials.ts'

/** Resources that the provider cannot import, or reads too incompletely to leave them unchanged. */
const notImported = new Set([
  'vault_approle_auth_backend_login',
  'vault_approle_auth_backend_role_secret_id',
  'vault_audit_request_header',
  'vault_cert_auth_backend_role',
  'vault_generic_endpoint',
  'vault_identity_entity_policies',
  'vault_identity_group_member_entity_ids',
  'vault_identity_group_member_group_ids',
  'vault_identity_group_policies',
  'vault_identity_oidc',
  'vault_identity_oidc_assignment',
  'vault_identity_oidc_client',
  'vault_identity_oidc_key_allowed_client_id',
  'vault_identity_oidc_provider',
  'vault_okta_auth_backend_user',
  'vault_pki_secret_backend_cert',
  'vault_pki_secret_backend_crl_config',
  'vault_pki_secret_backend_intermediate_cert_request',
  'vault_pki_secret_backend_intermediate_set_signed',
  'vault_pki_secret_backend_key',
  'vault_pki_secret_backend_root_cert',
  'vault_pki_secret_backend_root_sign_intermediate',
  'vault_pki_secret_backend_sign',
  'vault_quota_config',
  'vault_ssh_secret_backend_ca',
  'vault_token',
  'vault_transit_secret_cache_config',
  'vault_userpass_auth_backend_user',
])

/** Address of a resource in a namespace, which an import would look for in the root namespace. */
const inNamespace = 'vault_mount.team'

/** Returns the ids for the import, which are the ids in the state. */
function importIds({ resources }: StateFile): Readonly<Record<string, string>> {
  const entries = resources
    .filter(({ mode, type }) => mode === 'managed' && !notImported.has(type))
    .map(
      ({ type, name, instances }) =>
        [`${type}.${name}`, instances[0]?.attributes.id ?? ''] as const,
    )
  return Object.fromEntries(entries.filter(([address]) => address !== inNamespace))
}

/** Settings of the trials of the secrets API's provider. */
export const secretsConfiguration = {
  folder: 'vault',
  resources: 107,
  changes: /78/,
  importIds,
  changedByImport: [
    'vault_auth_backend.userpass',
    ...[
      'cassandra',
      'elasticsearch',
      'mongodb',
      'mssql',
      'mysql',
      'postgres',
      'redis',
      'write_only',
    ].map((name) => `vault_database_secret_backend_connection.${name}`),
    'vault_database_secrets_mount.all',
    'vault_identity_entity.external',
    'vault_identity_group.members',
    'vault_identity_group.parent',
    'vault_identity_mfa_duo.duo',
    'vault_identity_mfa_okta.okta',
    'vault_jwt_auth_backend.jwt',
    'vault_kubernetes_auth_backend_config.kubernetes',
    'vault_kv_secret_v2.versioned',
    'vault_kv_secret_v2.write_only',
    'vault_okta_auth_backend.okta',
  ],
}
