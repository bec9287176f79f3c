import { refuse } from '../../../state/secrets/pki/messages.ts'
import { refuse as refuseCommon } from '../messages.ts'
import type { Call, Engine } from '../operation.ts'
import { authorityOperations, urlOperations } from './authority.ts'
import { certificateOperations } from './certificates.ts'
import { issuerOperations } from './issuers.ts'
import { issuingOperations } from './issuing.ts'
import { keyOperations } from './keys.ts'
import { ocspOperations } from './ocsp.ts'
import { revocationOperations } from './revocation.ts'
import { roleOperations } from './roles.ts'
import { rootOperations } from './roots.ts'
import { tidyOperations } from './tidy.ts'

/** Paths below a mount that need no token. */
const openPaths =
  /^(?:issuers$|(?:ca|ca_chain|crl|ocsp|unified-crl|unified-ocsp)(?:\/|$)|cert\/|certs\/(?:unified-revoked|revocation-queue)\/?$|issuer\/[^/]*\/(?:json|der|pem|crl|unified-crl)(?:\/|$))/

/** Refuses a path that the engine does not have; the text of open paths is bare, as for logins. */
function unknownPath({ mount, path }: Call): never {
  const isOpen = openPaths.test(path.slice(mount.path.length))
  throw isOpen ? refuse('pki-open-path-unsupported') : refuseCommon('unsupported-path')
}

/** The engine that issues certificates (behaviour/secrets#pki). */
export const pkiEngine: Engine = {
  type: 'pki',
  operations: [
    ...rootOperations,
    ...authorityOperations,
    ...urlOperations,
    ...issuerOperations,
    ...keyOperations,
    ...roleOperations,
    ...issuingOperations,
    ...revocationOperations,
    ...ocspOperations,
    ...tidyOperations,
    ...certificateOperations,
  ],
  handleUnmatched: unknownPath,
}
