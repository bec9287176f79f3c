import type { ColumnOf } from '../../state/kernel/refusal.ts'
import type { Column } from '../../state/kernel/wording.ts'
import { authenticationChecks, type cloudTexts } from '../../state/secrets/cloud/texts.ts'
import type { commonTexts } from '../../state/secrets/common-texts.ts'
import type { mountTexts } from '../../state/secrets/mounts/texts.ts'

/** Every text of the secrets API, by rule. */
type SecretsTexts = typeof commonTexts & typeof cloudTexts & typeof mountTexts

const notAuthenticated = Object.fromEntries(
  Object.keys(authenticationChecks).map((check) => [check, 'OCI authentication failed']),
)

/**
 * The vendor's words where they differ (1-secrets-decisions.md section 11). Only templates are here:
 * what callers chose is in the facts, and comes back as they wrote it.
 */
const texts: ColumnOf<SecretsTexts> = {
  sealed: 'Vault is sealed',
  'type-orch': 'kubernetes',
  'type-cloud': 'oci',
  ...notAuthenticated,
  'login-no-memberships': 'No membership OCIDs found',
  'login-membership': 'Entity not a part of any of the Role OCIDs',
  'too-many-cids': 'Number of OCIDs for this role exceeds the limit',
}

/** The vendor's column of texts. */
export const vendorTexts: Column = texts
