import { databaseConfigTable } from './configs.ts'
import { databaseCredentials, databaseLeaseJobs } from './creds.ts'
import { databaseRoleTable } from './roles.ts'
import { databaseStatements, databaseUsers, simulatedDatabases } from './simulated.ts'
import { staticRoleJobs, staticRoleTable } from './static-roles.ts'

/** Tables of the engine whose rows contain the position of their last write. */
export const databaseEngineTables = [
  databaseConfigTable,
  databaseRoleTable,
  staticRoleTable,
] as const

/** Tables of credentials and of the simulated databases. */
export const databaseTables = [
  databaseCredentials,
  simulatedDatabases,
  databaseUsers,
  databaseStatements,
] as const

/** Handlers of the engine's jobs. */
export const databaseJobs = { ...databaseLeaseJobs, ...staticRoleJobs } as const
