import { sshCaTable } from './ca.ts'
import { sshPasswordTable, sshZeroAddressTable } from './passwords.ts'
import { sshRoleTable } from './roles.ts'

export { sshJobs } from './passwords.ts'

/** The tables of the SSH engine (behaviour/secrets#ssh). */
export const sshTables = [sshCaTable, sshRoleTable, sshPasswordTable, sshZeroAddressTable] as const
