import type { Engine } from '../operation.ts'
import { authMountPaths } from './auth-mounts.ts'
import { capabilityPaths } from './capabilities.ts'
import { corsPaths } from './cors.ts'
import { healthPaths } from './health.ts'
import { initPaths } from './init.ts'
import { keyPaths } from './keys.ts'
import { leaderPaths } from './leader.ts'
import { leasePaths } from './leases.ts'
import { mountPaths } from './mounts.ts'
import { namespacePaths } from './namespaces.ts'
import { openApiPaths } from './openapi.ts'
import { operationTokenPaths } from './operation-tokens.ts'
import { passwordPolicyPaths } from './password-policies.ts'
import { policyPaths } from './policies.ts'
import { rekeyPaths } from './rekey.ts'
import { rekeyBackupPaths } from './rekey-backup.ts'
import { remountPaths } from './remount.ts'
import { replicationPaths } from './replication.ts'
import { sealPaths } from './seal.ts'
import { uiMountPaths } from './ui-mounts.ts'
import { wrappingPaths } from './wrapping.ts'

/** The system's own paths, below `sys/`. */
export const systemEngine: Engine = {
  type: 'system',
  paths: [
    ...healthPaths,
    ...initPaths,
    ...sealPaths,
    ...rekeyPaths,
    ...rekeyBackupPaths,
    ...operationTokenPaths,
    ...leaderPaths,
    ...keyPaths,
    ...uiMountPaths,
    ...openApiPaths,
    ...mountPaths,
    ...authMountPaths,
    ...remountPaths,
    ...policyPaths,
    ...passwordPolicyPaths,
    ...namespacePaths,
    ...capabilityPaths,
    ...leasePaths,
    ...replicationPaths,
    ...wrappingPaths,
    ...corsPaths,
  ],
}
