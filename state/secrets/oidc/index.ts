import { assignmentTable } from './assignments.ts'
import { codeTable } from './authorize.ts'
import { clientTable } from './clients.ts'
import { oidcConfigTable } from './issuer.ts'
import { oidcKeyTable } from './keys.ts'
import { providerTable, scopeTable } from './providers.ts'
import { oidcRoleTable } from './roles.ts'

export { oidcJobs } from './keys.ts'

export const oidcTables = [
  oidcConfigTable,
  oidcKeyTable,
  oidcRoleTable,
  assignmentTable,
  scopeTable,
  clientTable,
  providerTable,
  codeTable,
] as const
