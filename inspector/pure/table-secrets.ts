/** Secrets of a table: its keys, and locations within its rows. */
interface TableSecrets {
  readonly key?: true
  readonly members: readonly string[]
}

/** Secrets that the tables declare, by `service.table`. Written by `npm run docs`. */
export const tableSecrets: Readonly<Record<string, TableSecrets>> = {
  'secrets.seal': { members: ['key', 'shares', 'root_token'] },
  'secrets.unseal': { members: ['shares'] },
  'secrets.rekey': {
    members: ['progress', 'trial/split/key', 'trial/split/shares', 'trial/progress'],
  },
  'secrets.rekey-backup': { members: ['keys'] },
  'secrets.replication': { members: ['primary/credential'] },
  'secrets.replication-keys': { members: ['private_key'] },
  'secrets.replication-secondaries': { members: ['credential', 'wrapping_token'] },
  'secrets.replication-agenda': { key: true, members: ['id'] },
  'secrets.replication-arrivals': { members: ['changes/*/key', 'changes/*/row'] },
  'secrets.tokens': { key: true, members: ['id', 'parent'] },
  'secrets.operation-tokens': { key: true, members: [] },
  'secrets.operation-token-attempt': { members: ['shares', 'otp'] },
  'secrets.leases': { members: ['holder'] },
  'secrets.cubbyholes': { members: ['data'] },
  'secrets.wrapping-key': { members: ['private_key'] },
  'secrets.audit-devices': { members: ['salt'] },
  'secrets.kv1-secrets': { members: ['data'] },
  'secrets.kv2-data': { members: ['data'] },
  'secrets.orch-configs': { members: ['service_account_jwt'] },
  'secrets.orch-signing-key': { members: ['private_key'] },
  'secrets.transit-keys': { members: ['versions/*/key', 'versions/*/hmac_key'] },
  'secrets.cloud-private-keys': { members: ['private_key'] },
  'secrets.approle-secret-ids': { members: ['secret_id'] },
  'secrets.userpass-users': { members: ['password'] },
  'secrets.jwt-configs': { members: ['oidc_client_secret'] },
  'secrets.orch-login-configs': { members: ['token_reviewer_jwt'] },
  'platform.ssh-keys': { members: ['value'] },
  'platform.tokens': { key: true, members: ['text'] },
  'platform.oauth-clients': { members: ['key', 'callback'] },
  'platform.module-uploads': { key: true, members: [] },
  'platform.admin-settings': { members: ['values'] },
  'platform.variables': { members: ['value'] },
  'platform.configuration-versions': { members: ['upload', 'download'] },
  'platform.state-versions': { members: ['upload', 'json_upload', 'download', 'json_download'] },
  'platform.state-contents': { members: ['text'] },
  'platform.state-outputs': { members: ['value'] },
  'platform.objects': { key: true, members: ['id'] },
  'platform.test-runs': { members: ['variables/*/value', 'log'] },
  'mesh.keys': { members: ['value'] },
  'mesh.acl-tokens': { members: ['secret_id'] },
  'scheduler.jobs': {
    members: [
      'SecretsToken',
      'MeshToken',
      'TaskGroups/*/Tasks/*/Config/auth/password',
      'TaskGroups/*/Tasks/*/Config/auth/*/password',
    ],
  },
  'scheduler.job-versions': {
    members: [
      'SecretsToken',
      'MeshToken',
      'TaskGroups/*/Tasks/*/Config/auth/password',
      'TaskGroups/*/Tasks/*/Config/auth/*/password',
    ],
  },
  'scheduler.allocations': {
    members: [
      'Job/SecretsToken',
      'Job/MeshToken',
      'Job/TaskGroups/*/Tasks/*/Config/auth/password',
      'Job/TaskGroups/*/Tasks/*/Config/auth/*/password',
    ],
  },
  'scheduler.one-time-tokens': { members: ['OneTimeSecretID'] },
  'scheduler.acl-tokens': { members: ['SecretID'] },
  'scheduler.variables': { members: ['Items'] },
  'kernel.agenda': { members: ['id'] },
}
