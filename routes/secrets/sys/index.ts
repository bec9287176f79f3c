import type { Engine } from '../operation.ts'
import { auditOperations } from './audit.ts'
import { capabilityOperations } from './capabilities.ts'
import { clusterOperations } from './cluster-info.ts'
import { corsOperations } from './cors.ts'
import { countOperations } from './counts.ts'
import { healthOperations } from './health.ts'
import { hostOperations } from './host.ts'
import { keyOperations } from './keys.ts'
import { leaderOperations } from './leader.ts'
import { leaseOperations } from './leases.ts'
import { lockedUserOperations } from './locked-users.ts'
import { authMountOperations, mountOperations } from './mounts.ts'
import { namespaceOperations } from './namespaces.ts'
import { openApiOperations } from './openapi.ts'
import { passwordPolicyOperations } from './password-policies.ts'
import { pluginOperations } from './plugins.ts'
import { policyOperations } from './policies.ts'
import { remountOperations } from './remount.ts'
import { replicationOperations } from './replication.ts'
import { generateRootOperations } from './seal/generate-root.ts'
import { initOperations } from './seal/init.ts'
import { operationTokenOperations } from './seal/operation-tokens.ts'
import { rekeyOperations } from './seal/rekey.ts'
import { rekeyBackupOperations } from './seal/rekey-backup.ts'
import { sealOperations } from './seal/seal.ts'
import { toolOperations } from './tools.ts'
import { uiInfoOperations } from './ui-info.ts'
import { uiMountOperations } from './ui-mounts.ts'
import { wrappingOperations } from './wrapping.ts'

/** The engine of the system's paths below `sys/`. */
export const systemEngine: Engine = {
  type: 'system',
  order: 'system',
  unauthenticatedPrefix: 'internal/ui/mounts/',
  operations: [
    ...healthOperations,
    ...initOperations,
    ...sealOperations,
    ...rekeyOperations,
    ...rekeyBackupOperations,
    ...operationTokenOperations,
    ...generateRootOperations,
    ...leaderOperations,
    ...keyOperations,
    ...uiMountOperations,
    ...uiInfoOperations,
    ...openApiOperations,
    ...mountOperations,
    ...authMountOperations,
    ...remountOperations,
    ...policyOperations,
    ...passwordPolicyOperations,
    ...namespaceOperations,
    ...capabilityOperations,
    ...lockedUserOperations,
    ...leaseOperations,
    ...replicationOperations,
    ...wrappingOperations,
    ...corsOperations,
    ...auditOperations,
    ...pluginOperations,
    ...hostOperations,
    ...clusterOperations,
    ...countOperations,
    ...toolOperations,
  ],
}
