import { acmeTable } from './acme.ts'
import { crlTable } from './crl.ts'
import { crlConfigTable } from './crl-config.ts'
import { pkiRoleTable } from './roles.ts'
import { pkiAuthorityTables } from './tables.ts'
import { pkiTidyTables } from './tidy.ts'

export const pkiTables = [
  ...pkiAuthorityTables,
  pkiRoleTable,
  crlTable,
  crlConfigTable,
  acmeTable,
  ...pkiTidyTables,
] as const
