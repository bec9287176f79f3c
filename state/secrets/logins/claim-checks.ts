import type { Json, JsonObject } from '../../kernel/json.ts'
import type { Message } from '../../kernel/message.ts'
import { defineMessages, messageTexts } from '../../kernel/refusal.ts'

/**
 * Messages about invalid JWT claims, for every method that accepts JWTs
 * (behaviour/secrets#jwt-claims).
 */
export const { table, message: claimMessage } = defineMessages({
  ...messageTexts({
    'jwt-algorithm-unexpected':
      'invalid algorithm (alg) header parameter: token signed with unexpected algorithm',
    'jwt-claim-type':
      'json: cannot unmarshal {type} into Go struct field Claims.{claim} of type string',
    'jwt-audience-type':
      'go-jose/go-jose/jwt: expected string or array value to unmarshal to Audience',
    'jwt-date-type': 'go-jose/go-jose/jwt: expected number value to unmarshal NumericDate',
    'jwt-issuer-wrong': 'invalid issuer (iss) claim',
    'jwt-subject-wrong': 'invalid subject (sub) claim',
    'jwt-audience-wrong':
      'invalid audience (aud) claim: audience claim does not match any expected audience',
    'jwt-undated': 'no issued at (iat), not before (nbf), or expiration time (exp) claims in token',
    'jwt-too-early': 'invalid not before (nbf) claim: token not yet valid',
    'jwt-expired': 'invalid expiration time (exp) claim: token is expired',
    'jwt-issued-later': 'invalid issued at (iat) claim: token issued in the future',
  }),
})

/**
 * The claims that a login method requires of a JWT. Leeways are in seconds; 0 selects the default,
 * and a negative number disables the leeway.
 */
export interface ExpectedClaims {
  readonly algorithms: readonly string[]
  /** Required issuer; empty for any issuer. */
  readonly issuer: string
  /** Required subject; empty for any subject. */
  readonly subject: string
  /** Accepted audiences, one of which the JWT must name; empty for any audience. */
  readonly audiences: readonly string[]
  readonly expirationLeeway: number
  readonly notBeforeLeeway: number
  readonly clockSkewLeeway: number
  /** Whether a JWT without any of `exp`, `nbf` and `iat` is invalid. */
  readonly requiresTimeClaim: boolean
}

const defaultLeeway = 150
const defaultSkew = 60

/**
 * Returns the first error of a JWT (behaviour/secrets#jwt-claims) in the reference's order:
 * algorithm, types, issuer, subject, audience, times. Returns undefined for a valid JWT.
 *
 * @param now milliseconds since 1970
 */
export function claimProblem(
  alg: string,
  claims: JsonObject,
  expected: ExpectedClaims,
  now: number,
): Message | undefined {
  const { algorithms, issuer, subject, audiences } = expected
  if (!algorithms.includes(alg)) return claimMessage('jwt-algorithm-unexpected')
  const mistypedClaim = typeProblem(claims)
  if (mistypedClaim !== undefined) return mistypedClaim
  if (issuer !== '' && claims['iss'] !== issuer) return claimMessage('jwt-issuer-wrong')
  if (subject !== '' && claims['sub'] !== subject) return claimMessage('jwt-subject-wrong')
  const tokenAudiences = audiencesOf(claims)
  if (audiences.length > 0 && !audiences.some((each) => tokenAudiences.includes(each))) {
    return claimMessage('jwt-audience-wrong')
  }
  return timeProblem(claims, expected, now / 1000)
}

/**
 * Returns the audiences of a JWT as a list; empty if the JWT lacks the claim `aud`. The value of
 * the claim is a list or a single string.
 */
export function audiencesOf(claims: JsonObject): readonly string[] {
  const audience = claims['aud']
  if (typeof audience === 'string') return [audience]
  return Array.isArray(audience) ? audience.filter((each) => typeof each === 'string') : []
}

/**
 * Returns a message about the first registered claim with a wrong type, in the order of names;
 * undefined if all types are right. The reference decodes all claims before it checks their values.
 */
function typeProblem(claims: JsonObject): Message | undefined {
  const { aud = null } = claims
  const isAudience =
    aud === null ||
    typeof aud === 'string' ||
    (Array.isArray(aud) && aud.every((each) => typeof each === 'string'))
  if (!isAudience) return claimMessage('jwt-audience-type')
  for (const name of ['exp', 'iat', 'iss', 'jti', 'nbf', 'sub']) {
    const value = claims[name] ?? null
    if (value === null) continue
    const isDate = name === 'exp' || name === 'iat' || name === 'nbf'
    if (isDate && typeof value !== 'number') return claimMessage('jwt-date-type')
    if (!isDate && typeof value !== 'string') {
      return claimMessage('jwt-claim-type', { type: jsonType(value), claim: name })
    }
  }
  return undefined
}

function jsonType(value: Json): string {
  if (typeof value === 'boolean') return 'bool'
  if (typeof value === 'number') return 'number'
  return Array.isArray(value) ? 'array' : 'object'
}

/**
 * Returns the first error of `nbf`, `exp` and `iat`; undefined if the times are valid. Derives a
 * missing `nbf` or `exp` from the other times and the leeways (behaviour/secrets#jwt-claims).
 * @param now seconds since 1970, as in claims
 */
function timeProblem(
  claims: JsonObject,
  {
    expirationLeeway,
    notBeforeLeeway,
    clockSkewLeeway,
    requiresTimeClaim: requiresTime,
  }: ExpectedClaims,
  now: number,
): Message | undefined {
  const issueTime = numericDate(claims['iat'])
  const [exp, nbf] = [numericDate(claims['exp']), numericDate(claims['nbf'])]
  if (issueTime === 0 && exp === 0 && nbf === 0)
    return requiresTime ? claimMessage('jwt-undated') : undefined
  const expiryTime = exp || Math.max(issueTime, nbf) + leewayOf(expirationLeeway, defaultLeeway)
  const beginTime = nbf || issueTime || expiryTime - leewayOf(notBeforeLeeway, defaultLeeway)
  const skew = leewayOf(clockSkewLeeway, defaultSkew)
  if (now + skew < beginTime) return claimMessage('jwt-too-early')
  if (now - skew > expiryTime) return claimMessage('jwt-expired')
  return now + skew < issueTime ? claimMessage('jwt-issued-later') : undefined
}

function numericDate(value: Json | undefined): number {
  return typeof value === 'number' ? Math.trunc(value) : 0
}

function leewayOf(requested: number, defaultValue: number): number {
  return requested === 0 ? defaultValue : Math.max(requested, 0)
}
