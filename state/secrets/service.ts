import type { ServiceDefinition } from '../kernel/worlds/service.ts'
import type { World } from '../kernel/worlds/world.ts'
import { approleJobs } from './approle/secret-ids.ts'
import { auditDevices, auditHeaders, corsSettings } from './audit-and-cors.ts'
import {
  cloudInstances,
  cloudPrivateKeys,
  cloudTenancies,
  cloudUsers,
  seedCloud,
} from './cloud/principals.ts'
import { databaseJobs, databaseTables } from './database/database.ts'
import { loadSecretsFixtures, secretsFixtures } from './fixtures.ts'
import { aliases } from './identity/aliases.ts'
import { entities } from './identity/entities.ts'
import { groups } from './identity/groups.ts'
import { kvJobs } from './kv/kv.ts'
import { leaseJobs, leases } from './leases/leases.ts'
import { loggerLevels } from './loggers.ts'
import { loginFailures } from './logins/lockout.ts'
import { mfaTables } from './mfa/validation.ts'
import { mounts } from './mounts/mounts.ts'
import { migrations } from './mounts/remount.ts'
import { seedMounts } from './mounts/start-mounts.ts'
import { namespaces } from './namespaces/namespaces.ts'
import { oidcJobs } from './oidc/index.ts'
import { simulatedIssuerTables } from './oidc/simulated-issuers.ts'
import { secretsOptions } from './options.ts'
import { orchCredentials, orchJobs } from './orch/creds.ts'
import { orchObjects } from './orch/orchestrator.ts'
import { orchSigningKeys } from './orch/tokens.ts'
import { reviewServiceAccount } from './orch-login/review.ts'
import { passwordPolicies } from './passwords/policies.ts'
import { pkiJobs } from './pki/revocation.ts'
import { pluginTable } from './plugins.ts'
import { policies, seedPolicies } from './policies/policies.ts'
import { leaseCountQuotas, quotaConfigs, rateLimitQuotas } from './quotas/quotas.ts'
import { rekeyBackups } from './rekey/backup.ts'
import { rekeyAttempts } from './rekey/rekey-machine.ts'
import { rekeyTransition } from './rekey/transitions.ts'
import { replicationJobs } from './replication/apply.ts'
import { arrivals } from './replication/arrivals.ts'
import { engineTables } from './replication/engine-data.ts'
import { suspendedJobs } from './replication/feed.ts'
import { replicationKeys } from './replication/keys.ts'
import { replicationLinkKind } from './replication/links.ts'
import { replicationPauses, replications } from './replication/modes.ts'
import { operationTokenAttempts, operationTokens } from './replication/operation-tokens.ts'
import { secondaries, severedLinks } from './replication/secondaries.ts'
import { keyrings } from './seal/keyring.ts'
import { nodeTransitions } from './seal/node.ts'
import { nodes } from './seal/node-machine.ts'
import {
  initialRootToken,
  isInitialized,
  seals,
  seedRootToken,
  seedSeal,
  unsealKeys,
  unsealProgress,
} from './seal/seal.ts'
import { sshJobs } from './ssh/passwords.ts'
import { tokenRoles } from './tokens/roles.ts'
import { tokens } from './tokens/rows.ts'
import { tokenJobs } from './tokens/tokens.ts'
import { transitJobs } from './transit/lifecycle.ts'
import { engineTransitions } from './transitions/transitions.ts'
import { uiHeaders } from './ui-headers.ts'
import { wrappingKeys } from './wrapping/jwt.ts'

export const secretsService = {
  name: 'secrets',
  tables: [
    nodes,
    seals,
    unsealProgress,
    rekeyAttempts,
    rekeyBackups,
    replications,
    replicationPauses,
    replicationKeys,
    secondaries,
    severedLinks,
    suspendedJobs,
    arrivals,
    keyrings,
    namespaces,
    mounts,
    migrations,
    policies,
    passwordPolicies,
    tokens,
    tokenRoles,
    operationTokens,
    operationTokenAttempts,
    leases,
    wrappingKeys,
    corsSettings,
    auditDevices,
    auditHeaders,
    quotaConfigs,
    rateLimitQuotas,
    leaseCountQuotas,
    loggerLevels,
    uiHeaders,
    pluginTable,
    ...engineTables,
    orchCredentials,
    orchObjects,
    orchSigningKeys,
    ...databaseTables,
    cloudTenancies,
    cloudUsers,
    cloudInstances,
    cloudPrivateKeys,
    loginFailures,
    entities,
    aliases,
    groups,
    ...mfaTables,
    ...simulatedIssuerTables,
  ],
  retiredTables: ['token-accessors', 'token-children', 'token-leases', 'held-leases'],
  options: secretsOptions,
  fixtures: secretsFixtures,
  jobs: {
    ...approleJobs,
    ...tokenJobs,
    ...leaseJobs,
    ...kvJobs,
    ...orchJobs,
    ...databaseJobs,
    ...transitJobs,
    ...pkiJobs,
    ...oidcJobs,
    ...sshJobs,
    ...replicationJobs,
  },
  transitions: [...nodeTransitions, rekeyTransition, replicationLinkKind, ...engineTransitions],
  seed(world) {
    seedMounts(world)
    seedCloud(world)
    seedSeal(world)
    if (!isInitialized(world)) return
    seedPolicies(world)
    seedRootToken(world)
  },
  load: loadSecretsFixtures,
  reviewServiceAccount,
  info: secretsInfo,
} as const satisfies ServiceDefinition

/** The secrets part of `/_mock/info`: valid credentials (behaviour/program#fresh-world). */
export interface SecretsInfo {
  /** The root token; empty before the initialization. */
  readonly token: string
  /** The unseal key shares as hex; with a stored-key seal, the recovery key shares. */
  readonly unsealKeys: readonly string[]
  /**
   * Number of key shares needed to unseal; with a stored-key seal, number of recovery key shares
   * needed.
   */
  readonly threshold: number
}

export function secretsInfo(world: World): SecretsInfo {
  const { keys, threshold } = unsealKeys(world)
  const token = initialRootToken(world) ?? ''
  return { token, unsealKeys: keys, threshold }
}
