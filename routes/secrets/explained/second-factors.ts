import { isObject } from '../../../state/kernel/objects.ts'
import { findSecret } from '../../../state/secrets/mfa/secrets.ts'
import { codeAt } from '../../../state/secrets/totp/codes.ts'
import type { Diagnosis, ExplainedRequest } from '../../http/journal-hooks/api-explanations.ts'
import type { Corrector } from '../../http/journal-hooks/token-corrections.ts'

/** Details that a refusal about second factors contains. */
interface RefusedFactors {
  readonly enforcement: string
  readonly methods: readonly string[]
  readonly entity: string
  readonly why: string
}

function refusedFactors({ refusal }: ExplainedRequest): RefusedFactors | undefined {
  return refusal?.details['factors'] as RefusedFactors | undefined
}

/**
 * Explains why the second factor in the header of a login was refused. Returns undefined for other
 * refusals.
 */
export function explainRefusedFactors(request: ExplainedRequest): Diagnosis | undefined {
  const factors = refusedFactors(request)
  if (factors === undefined) return undefined
  const header = Object.keys(request.headers).find((name) => name.endsWith('-mfa')) ?? ''
  return {
    because: `the second factor does not satisfy the enforcement ${factors.enforcement}: ${factors.why}`,
    change: `Send the current code in ${header}, or log in without the header and validate the code afterwards`,
    request: { headers: { [header]: undefined } },
    spec: 'behaviour/secrets#mfa',
  }
}

/**
 * Suggests the current code of a method for which the entity has a secret. Returns null if the
 * entity has no secret for any method.
 */
export const sendCurrentCode: Corrector = (request) => {
  const { entity, methods = [] } = refusedFactors(request) ?? {}
  const { world } = request
  const secret = methods
    .map((method) => findSecret(world, entity ?? '', method))
    .find((found) => found !== undefined)
  if (secret === undefined) return null
  const code = codeAt(secret, world.clock.now())
  return {
    change: 'Send the current code of the method',
    request: {
      body: (sent, fingerprintOf) => ({
        ...(isObject(sent) ? sent : {}),
        mfa_payload: { [secret.method]: [fingerprintOf(code)] },
      }),
    },
  }
}
