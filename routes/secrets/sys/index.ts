import type { Engine } from '../operation.ts'
import { authMountPaths } from './auth-mounts.ts'
import { capabilityPaths } from './capabilities.ts'
import { healthPaths } from './health.ts'
import { initPaths } from './init.ts'
import { keyPaths } from './keys.ts'
import { leaderPaths } from './leader.ts'
import { leasePaths } from './leases.ts'
import { mountPaths } from './mounts.ts'
import { policyPaths } from './policies.ts'
import { remountPaths } from './remount.ts'
import { sealPaths } from './seal.ts'
import { uiMountPaths } from './ui-mounts.ts'

/** The system's own paths, below `sys/`. */
export const systemEngine: Engine = {
  type: 'system',
  paths: [
    ...healthPaths,
    ...initPaths,
    ...sealPaths,
    ...leaderPaths,
    ...keyPaths,
    ...uiMountPaths,
    ...mountPaths,
    ...authMountPaths,
    ...remountPaths,
    ...policyPaths,
    ...capabilityPaths,
    ...leasePaths,
  ],
}
