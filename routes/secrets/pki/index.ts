import type { Engine } from '../operation.ts'
import { authorityOperations, urlOperations } from './authority.ts'
import { certificateOperations } from './certificates.ts'
import { issuerOperations } from './issuers.ts'
import { issuingOperations } from './issuing.ts'
import { revocationOperations } from './revocation.ts'
import { roleOperations } from './roles.ts'
import { rootOperations } from './roots.ts'

/** The engine that issues certificates (behaviour/secrets#pki). */
export const pkiEngine: Engine = {
  type: 'pki',
  operations: [
    ...rootOperations,
    ...authorityOperations,
    ...urlOperations,
    ...issuerOperations,
    ...roleOperations,
    ...issuingOperations,
    ...revocationOperations,
    ...certificateOperations,
  ],
}
