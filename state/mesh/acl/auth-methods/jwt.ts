import { createPublicKey, type JsonWebKey, type KeyObject, verify } from 'node:crypto'
import { refuse } from '../messages.ts'

export type Claims = Readonly<Record<string, unknown>>

/** A parsed JWT whose signature has not been checked. */
interface SignedToken {
  readonly algorithm: string
  readonly claims: Claims
  readonly signedContent: Buffer
  readonly signature: Buffer
}

/** Parses a public key in PEM format; undefined if the text is malformed. */
export function publicKeyOf(pem: string): KeyObject | undefined {
  try {
    return createPublicKey(pem)
  } catch {
    return undefined
  }
}

/** Reads the keys of a JSON Web Key Set. Keys that cannot be read are left out. */
export function publicKeysOfSet(
  keys: readonly Readonly<Record<string, unknown>>[],
): readonly KeyObject[] {
  return keys.flatMap((key) => {
    try {
      return [createPublicKey({ key: key as JsonWebKey, format: 'jwk' })]
    } catch {
      return []
    }
  })
}

/**
 * Parses a JWT without checking its signature. Returns an error message if the JWT is malformed.
 */
export function parseToken(token: string): SignedToken | string {
  const parts = token.split('.')
  const [encodedHeader = '', payload = '', signature = ''] = parts
  if (parts.length !== 3) return 'go-jose/go-jose: compact JWS format must have three parts'
  for (const part of parts) {
    const at = part.search(/[^\w-]/)
    if (at >= 0) return `illegal base64 data at input byte ${at}`
    if (part.length % 4 === 1) return `illegal base64 data at input byte ${part.length - 1}`
  }
  const header = objectOf(encodedHeader)
  const algorithm = header?.['alg']
  if (typeof algorithm !== 'string') return 'go-jose/go-jose: missing payload in JWS message'
  return {
    algorithm,
    claims: objectOf(payload) ?? {},
    signedContent: Buffer.from(`${encodedHeader}.${payload}`),
    signature: Buffer.from(signature, 'base64url'),
  }
}

function objectOf(part: string): Claims | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, 'base64url').toString('utf8'))
    return typeof value === 'object' && value !== null ? (value as Claims) : undefined
  } catch {
    return undefined
  }
}

const hashes: Readonly<Record<string, string>> = { 256: 'sha256', 384: 'sha384', 512: 'sha512' }

/**
 * Returns whether the key matches the signature of a JWT. Algorithms other than RS, PS, ES and
 * EdDSA never match.
 */
export function isSignedBy(
  { algorithm, signedContent, signature }: SignedToken,
  key: KeyObject,
): boolean {
  const [, family = '', bits = ''] = /^(RS|PS|ES)(256|384|512)$/.exec(algorithm) ?? []
  const type = key.asymmetricKeyType
  try {
    if (algorithm === 'EdDSA')
      return type === 'ed25519' && verify(null, signedContent, key, signature)
    const hash = hashes[bits]
    if (hash === undefined) return false
    if (family === 'ES') {
      const options = { key, dsaEncoding: 'ieee-p1363' } as const
      return type === 'ec' && verify(hash, signedContent, options, signature)
    }
    if (type !== 'rsa') return false
    const padding = family === 'PS' ? 6 : 1
    const options = family === 'PS' ? { key, padding, saltLength: -1 } : { key, padding }
    return verify(hash, signedContent, options, signature)
  } catch {
    return false
  }
}

/**
 * Requirements on the claims of a JWT. Leeways are in seconds. 0 stands for the default leeway, and
 * a negative value for no leeway.
 */
interface ClaimRules {
  readonly issuer: string
  readonly audiences: readonly string[]
  readonly expirationLeeway: number
  readonly notBeforeLeeway: number
  readonly clockSkewLeeway: number
}

/** Default leeway, in seconds, for a JWT that has no expiry or no start time. */
const defaultLeeway = 150
/** Default leeway, in seconds, for differences between clocks. */
const defaultSkew = 60

const leewayOrDefault = (seconds: number, defaultSeconds: number) =>
  seconds < 0 ? 0 : seconds === 0 ? defaultSeconds : seconds

const numberOf = (value: unknown) => (typeof value === 'number' ? Math.trunc(value) : 0)

function claimError(problem: string): Error {
  return refuse('login-claims-invalid', { problem })
}

/**
 * Throws a refusal if the issuer, the times or the audiences in the claims are not accepted. `now`
 * is in seconds since 1970.
 */
export function validateClaims(claims: Claims, rules: ClaimRules, now: number): void {
  const issuedAt = numberOf(claims['iat'])
  const [sentStart, sentEnd] = [numberOf(claims['nbf']), numberOf(claims['exp'])]
  if (issuedAt === 0 && sentStart === 0 && sentEnd === 0) throw refuse('login-timeless')
  const latestStart = Math.max(issuedAt, sentStart)
  const end = sentEnd || latestStart + leewayOrDefault(rules.expirationLeeway, defaultLeeway)
  const start = sentStart || issuedAt || end - leewayOrDefault(rules.notBeforeLeeway, defaultLeeway)
  const failed = 'go-jose/go-jose/jwt: validation failed,'
  if (rules.issuer !== '' && claims['iss'] !== rules.issuer) {
    throw claimError(`${failed} invalid issuer claim (iss)`)
  }
  const skew = leewayOrDefault(rules.clockSkewLeeway, defaultSkew)
  if (now + skew < start) throw claimError(`${failed} token not valid yet (nbf)`)
  if (now - skew > end) throw claimError(`${failed} token is expired (exp)`)
  if (now + skew < issuedAt) {
    throw claimError('go-jose/go-jose/jwt: validation field, token issued in the future (iat)')
  }
  const audiences = [claims['aud'] ?? []].flat()
  if (rules.audiences.length === 0 && audiences.length > 0) {
    throw claimError('audience claim found in JWT but no audiences are bound')
  }
  const isBound = rules.audiences.some((each) => audiences.includes(each))
  if (rules.audiences.length > 0 && !isBound) {
    throw claimError('aud claim does not match any bound audience')
  }
}

/**
 * Looks up a claim by its name or, if the name begins with `/`, by a JSON pointer. Returns
 * undefined if the claim is missing.
 */
export function claimAt(claims: Claims, name: string): unknown {
  if (!name.startsWith('/')) return claims[name]
  const parts = name.slice(1).split('/')
  return parts.reduce<unknown>(
    (value, part) => Object(value)[part.replaceAll('~1', '/').replaceAll('~0', '~')],
    claims,
  )
}
