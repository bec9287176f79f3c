import type { OracleApi } from './api.ts'
import { meshOracle } from './mesh.ts'
import { schedulerOracle } from './scheduler.ts'
import { secretsOracle } from './secrets.ts'

/** The APIs that can be compared with servers. */
export const oracleApis: readonly OracleApi[] = [secretsOracle, meshOracle, schedulerOracle]
