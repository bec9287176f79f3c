import type { ComparedApi } from '../../src/compare/compared-api.ts'
import { comparedScheduler } from '../../src/compare/scheduler.ts'
import { comparedSecrets } from '../../src/compare/secrets.ts'
import { comparedMesh } from './mesh.ts'

/** The APIs that can be compared with servers. */
export const comparedApis: readonly ComparedApi[] = [
  comparedSecrets('vendor'),
  comparedMesh,
  comparedScheduler({ dialect: 'vendor' }),
]
