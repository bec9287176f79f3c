import type { Engine } from '../operation.ts'
import { auditOperations } from './audit.ts'
import { capabilityOperations } from './capabilities.ts'
import { corsOperations } from './cors.ts'
import { healthOperations } from './health.ts'
import { hostOperations } from './host.ts'
import { internalUiOperations } from './internal-ui.ts'
import { keyOperations } from './keys.ts'
import { leaderOperations } from './leader.ts'
import { leaseOperations } from './leases.ts'
import { lockedUserOperations } from './locked-users.ts'
import { loggerOperations } from './loggers.ts'
import { metricsOperations } from './metrics.ts'
import { mfaOperations } from './mfa.ts'
import { monitorOperations } from './monitor.ts'
import { authMountOperations, mountOperations, remountOperations } from './mounts.ts'
import { namespaceOperations } from './namespaces.ts'
import { nodeStateOperations } from './node-state.ts'
import { pluginReloadOperations } from './plugin-reload.ts'
import { pluginOperations } from './plugins.ts'
import { policyOperations } from './policies.ts'
import { quotaOperations } from './quotas.ts'
import { replicationOperations } from './replication.ts'
import { generateRootOperations } from './seal/generate-root.ts'
import { generateRootTokenOperations } from './seal/generate-root-token.ts'
import { operationTokenOperations } from './seal/operation-tokens.ts'
import { rekeyOperations } from './seal/rekey.ts'
import { rotateOperations } from './seal/rotate.ts'
import { sealOperations } from './seal/seal.ts'
import { toolOperations } from './tools.ts'
import { uiHeaderOperations } from './ui-headers.ts'
import { usageOperations } from './usage.ts'
import { wrappingOperations } from './wrapping.ts'

/** The engine that serves the paths below `sys/`. */
export const systemEngine: Engine = {
  type: 'system',
  order: 'system',
  unauthenticatedPrefix: 'internal/ui/mounts/',
  sudoPaths: [
    'raw',
    'raw/',
    'storage/raft/snapshot-auto/config/',
    'internal/inspect/',
    'replication/reindex',
    'replication/dr/reindex',
    'replication/performance/reindex',
    'replication/primary/secondary-token',
    'replication/performance/primary/secondary-token',
    'plugins/catalog/',
  ],
  operations: [
    ...healthOperations,
    ...sealOperations,
    ...rekeyOperations,
    ...operationTokenOperations,
    ...generateRootOperations,
    ...generateRootTokenOperations,
    ...leaderOperations,
    ...keyOperations,
    ...rotateOperations,
    ...internalUiOperations,
    ...mountOperations,
    ...authMountOperations,
    ...remountOperations,
    ...policyOperations,
    ...namespaceOperations,
    ...capabilityOperations,
    ...lockedUserOperations,
    ...mfaOperations,
    ...leaseOperations,
    ...replicationOperations,
    ...wrappingOperations,
    ...corsOperations,
    ...auditOperations,
    ...pluginOperations,
    ...pluginReloadOperations,
    ...hostOperations,
    ...quotaOperations,
    ...metricsOperations,
    ...loggerOperations,
    ...monitorOperations,
    ...uiHeaderOperations,
    ...nodeStateOperations,
    ...toolOperations,
    ...usageOperations,
  ],
}
