import { pkiRoleTable } from './roles.ts'
import { pkiAuthorityTables } from './tables.ts'

/** The tables of the PKI engine. */
export const pkiTables = [...pkiAuthorityTables, pkiRoleTable] as const
