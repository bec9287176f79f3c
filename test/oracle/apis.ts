import type { ComparedApi } from '../../src/cli/compare/compared-api.ts'
import { comparedScheduler } from '../../src/cli/compare/scheduler.ts'
import { comparedSecrets } from '../../src/cli/compare/secrets.ts'
import { comparedMesh } from './mesh.ts'

/** APIs that can be compared with real servers. */
export const comparedApis: readonly ComparedApi[] = [
  comparedSecrets('vendor'),
  comparedMesh,
  comparedScheduler({ dialect: 'vendor' }),
]
