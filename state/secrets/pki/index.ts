import { pkiAuthorityTables } from './tables.ts'

/** The tables of the PKI engine. */
export const pkiTables = [...pkiAuthorityTables] as const
