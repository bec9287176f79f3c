import { refuse } from '../../../state/secrets/pki/messages.ts'
import type { SecretsOutcome } from '../envelope/outcome.ts'
import { refuse as refuseCommon } from '../messages.ts'
import type { Call, Engine } from '../operation.ts'
import { acmeOperations } from './acme.ts'
import { authorityOperations, urlOperations } from './authority.ts'
import { certificateOperations } from './certificates.ts'
import { issuerOperations } from './issuers.ts'
import { issuingOperations } from './issuing.ts'
import { keyOperations } from './keys.ts'
import { ocspOperations } from './ocsp.ts'
import { revocationOperations } from './revocation.ts'
import { roleOperations } from './roles.ts'
import { rootOperations } from './roots.ts'
import { signedCrlOperations } from './signed-crls.ts'
import { tidyOperations } from './tidy.ts'

/**
 * Pattern of the paths below a mount that need no token in the reference. An unknown path that
 * matches is refused with a different message than other unknown paths.
 */
const openPaths =
  /^(?:issuers$|(?:ca|ca_chain|crl|ocsp|unified-crl|unified-ocsp)(?:\/|$)|cert\/|certs\/(?:unified-revoked|revocation-queue)\/?$|issuer\/[^/]*\/(?:json|der|pem|crl|unified-crl)(?:\/|$))/

/** Pattern of the paths of ACME. ACME cannot be turned on. */
const acmePaths = /^(?:(?:issuer\/[^/]+\/)?roles\/[^/]+\/|issuer\/[^/]+\/)?acme\//

/**
 * Refuses a path that the engine does not have. Paths that need no token have their own message.
 * For paths of ACME, returns an empty 404 reply, as the reference does while ACME is turned off.
 */
function unmatchedOutcome({ mount, path }: Call): SecretsOutcome {
  const rest = path.slice(mount.path.length)
  if (acmePaths.test(rest)) {
    return { kind: 'bytes', status: 404, contentType: 'text/plain', bytes: undefined }
  }
  const isOpen = openPaths.test(rest)
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
    ...signedCrlOperations,
    ...ocspOperations,
    ...tidyOperations,
    ...acmeOperations,
    ...certificateOperations,
  ],
  unauthenticatedPrefix: 'acme/',
  handleUnmatched: unmatchedOutcome,
}
