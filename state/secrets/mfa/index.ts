import { enforcementTable } from './enforcement-rows.ts'
import { mfaMethodTable } from './methods.ts'
import { mfaSecretTable, usedCodeTable } from './secrets.ts'
import { mfaRequestTable } from './validation.ts'

/** Tables about second factors at logins. */
export const mfaTables = [
  mfaMethodTable,
  enforcementTable,
  mfaSecretTable,
  usedCodeTable,
  mfaRequestTable,
] as const
