import { databaseConfigTable } from './configs.ts'
import { databaseCredentials, databaseLeaseJobs } from './creds.ts'
import { databaseRoleTable } from './roles.ts'
import { databaseStatements, databaseUsers, simulatedDatabases } from './simulated.ts'
import { staticRoleJobs, staticRoleTable } from './static-roles.ts'

/**
 * Tables whose rows have a write-ahead position. The initial copy of a replica follows the order of
 * these positions.
 */
export const databaseEngineTables = [
  databaseConfigTable,
  databaseRoleTable,
  staticRoleTable,
] as const

/** Tables of issued credentials and of the simulated databases. */
export const databaseTables = [
  databaseCredentials,
  simulatedDatabases,
  databaseUsers,
  databaseStatements,
] as const

export const databaseJobs = { ...databaseLeaseJobs, ...staticRoleJobs } as const
