import type { cloudConfigs } from '../state/secrets/cloud/config.ts'
import type {
  cloudInstances,
  cloudPrivateKeys,
  cloudTenancies,
  cloudUsers,
} from '../state/secrets/cloud/principals.ts'
import type { cloudRoles } from '../state/secrets/cloud/roles.ts'
import type { corsSettings } from '../state/secrets/cors.ts'
import type { cubbyholes } from '../state/secrets/kv/cubbyhole.ts'
import type { kv1Secrets } from '../state/secrets/kv/v1.ts'
import type { kv2Configs } from '../state/secrets/kv/v2-config.ts'
import type { kv2Data, kv2Keys } from '../state/secrets/kv/v2-store.ts'
import type { leases } from '../state/secrets/leases/leases.ts'
import type { mounts } from '../state/secrets/mounts/mounts.ts'
import type { migrations } from '../state/secrets/mounts/remount.ts'
import type { namespaces } from '../state/secrets/namespaces/namespaces.ts'
import type { orchConfigs } from '../state/secrets/orch/config.ts'
import type { orchCredentials } from '../state/secrets/orch/creds.ts'
import type { orchObjects } from '../state/secrets/orch/orchestrator.ts'
import type { orchRoles } from '../state/secrets/orch/roles.ts'
import type { orchSigningKeys } from '../state/secrets/orch/tokens.ts'
import type { passwordPolicies } from '../state/secrets/passwords/policies.ts'
import type { policies } from '../state/secrets/policies/policies.ts'
import type { rekeyBackups } from '../state/secrets/rekey/backup.ts'
import type { rekeyAttempts } from '../state/secrets/rekey/rekey-machine.ts'
import type { cutLinks } from '../state/secrets/replication/cuts.ts'
import type { replicationKeys } from '../state/secrets/replication/keys.ts'
import type { replications } from '../state/secrets/replication/modes.ts'
import type {
  operationTokenAttempts,
  operationTokens,
} from '../state/secrets/replication/operation-tokens.ts'
import type { parkedAppointments } from '../state/secrets/replication/park.ts'
import type { replicationPauses } from '../state/secrets/replication/pause.ts'
import type { secondaries } from '../state/secrets/replication/secondaries.ts'
import type { keyrings } from '../state/secrets/seal/keyring.ts'
import type { nodes } from '../state/secrets/seal/node-machine.ts'
import type { seals, unsealProgress } from '../state/secrets/seal/seal.ts'
import type { tokenRoles } from '../state/secrets/tokens/roles.ts'
import type { tokens } from '../state/secrets/tokens/rows.ts'
import type { wrappingKeys } from '../state/secrets/wrapping/jwt.ts'
import type { Rows } from './resources.ts'

/** Everything the secrets service keeps, by table and key; the keys are told at each table. */
export interface SecretsTables {
  readonly node: Rows<typeof nodes>
  readonly seal: Rows<typeof seals>
  readonly unseal: Rows<typeof unsealProgress>
  readonly rekey: Rows<typeof rekeyAttempts>
  readonly 'rekey-backup': Rows<typeof rekeyBackups>
  readonly replication: Rows<typeof replications>
  readonly 'replication-pause': Rows<typeof replicationPauses>
  readonly 'replication-keys': Rows<typeof replicationKeys>
  readonly 'replication-secondaries': Rows<typeof secondaries>
  readonly 'replication-links': Rows<typeof cutLinks>
  readonly 'replication-agenda': Rows<typeof parkedAppointments>
  readonly keyring: Rows<typeof keyrings>
  readonly namespaces: Rows<typeof namespaces>
  readonly mounts: Rows<typeof mounts>
  readonly migrations: Rows<typeof migrations>
  readonly policies: Rows<typeof policies>
  readonly 'password-policies': Rows<typeof passwordPolicies>
  readonly tokens: Rows<typeof tokens>
  readonly 'token-roles': Rows<typeof tokenRoles>
  readonly 'operation-tokens': Rows<typeof operationTokens>
  readonly 'operation-token-attempt': Rows<typeof operationTokenAttempts>
  readonly leases: Rows<typeof leases>
  readonly cubbyholes: Rows<typeof cubbyholes>
  readonly 'wrapping-key': Rows<typeof wrappingKeys>
  readonly cors: Rows<typeof corsSettings>
  readonly 'kv1-secrets': Rows<typeof kv1Secrets>
  readonly 'kv2-configs': Rows<typeof kv2Configs>
  readonly 'kv2-keys': Rows<typeof kv2Keys>
  readonly 'kv2-data': Rows<typeof kv2Data>
  readonly 'orch-configs': Rows<typeof orchConfigs>
  readonly 'orch-roles': Rows<typeof orchRoles>
  readonly 'orch-credentials': Rows<typeof orchCredentials>
  readonly 'orch-objects': Rows<typeof orchObjects>
  readonly 'orch-signing-key': Rows<typeof orchSigningKeys>
  readonly 'cloud-configs': Rows<typeof cloudConfigs>
  readonly 'cloud-roles': Rows<typeof cloudRoles>
  readonly 'cloud-tenancies': Rows<typeof cloudTenancies>
  readonly 'cloud-users': Rows<typeof cloudUsers>
  readonly 'cloud-instances': Rows<typeof cloudInstances>
  readonly 'cloud-private-keys': Rows<typeof cloudPrivateKeys>
}
