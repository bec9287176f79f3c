import type { Engine } from '../operation.ts'
import { configOperations } from './config.ts'
import { encryptionOperations } from './encryption.ts'
import { exportOperations } from './export.ts'
import { keyOperations } from './keys.ts'
import { signingOperations } from './signing.ts'
import { hmacOperations, verifyingOperations } from './verifying.ts'

/**
 * The engine that encrypts and signs on behalf of its callers
 * (behaviour/secrets#transit-encryption).
 */
export const transitEngine: Engine = {
  type: 'transit',
  operations: [
    ...keyOperations,
    ...configOperations,
    ...encryptionOperations,
    ...signingOperations,
    ...verifyingOperations,
    ...hmacOperations,
    ...exportOperations,
  ],
}
