import type { Message } from '../../../state/kernel/message.ts'
import { createLoginToken, type LoginGrant } from '../../../state/secrets/logins/grants.ts'
import { message } from '../../../state/secrets/mfa/messages.ts'
import {
  deferLogin,
  enforcementsOfGrant,
  type MfaRequirement,
  requireFactors,
} from '../../../state/secrets/mfa/validation.ts'
import type { AuthBlock } from '../../../state/secrets/tokens/tokens.ts'
import type { SecretsOutcome } from '../envelope/outcome.ts'
import { factorsInHeaders } from '../mfa/header.ts'
import type { Call } from '../operation.ts'
import { authOutcome } from './token-replies.ts'

/** Returns the member `auth` of the reply to a login that still needs a second factor. */
function waitingAuth(mfa_requirement: MfaRequirement): AuthBlock {
  return {
    client_token: '',
    accessor: '',
    policies: null,
    metadata: null,
    lease_duration: 0,
    renewable: false,
    entity_id: '',
    token_type: 'default',
    orphan: false,
    mfa_requirement,
    num_uses: 0,
  }
}

/**
 * Completes a login that its method has granted. If second factors are required and the headers
 * contain none, stores the login and returns the requirement. Otherwise checks the factors and
 * creates the token (behaviour/secrets#mfa). Throws a refusal if a required factor is missing or
 * wrong.
 *
 * @param methodWarnings warnings of the login method, which come before other warnings
 */
export function loginOutcome(
  { world, request }: Pick<Call, 'world' | 'request'>,
  grant: LoginGrant,
  methodWarnings: readonly Message[] = [],
): Extract<SecretsOutcome, { kind: 'envelope' }> {
  const factors = factorsInHeaders(request.headers)
  const enforcements = enforcementsOfGrant(world, grant)
  if (enforcements.length > 0 && factors.size === 0) {
    const auth = waitingAuth(deferLogin(world, grant, enforcements))
    return { kind: 'envelope', auth, warnings: [...methodWarnings, message('mfa-required')] }
  }
  requireFactors(world, grant, enforcements, factors)
  const created = createLoginToken(world, grant)
  const warnings = [
    ...methodWarnings,
    ...(factors.size > 0 && enforcements.length === 0 ? [message('mfa-not-required')] : []),
    ...created.warnings,
  ]
  return { ...authOutcome(world, created), warnings }
}
