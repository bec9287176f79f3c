import { certConfigTable, certCrlTable, certTable } from './certs.ts'

/** The tables of the login method cert (behaviour/secrets#cert). */
export const certTables = [certTable, certConfigTable, certCrlTable] as const
