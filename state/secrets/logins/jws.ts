import { constants, createPublicKey, type KeyObject, verify } from 'node:crypto'
import { JsonError, parseJson } from '../../json/json.ts'
import { isJsonObject, type Json, type JsonObject } from '../../kernel/json.ts'
import { trimEndOf } from '../../kernel/trimming.ts'

/** A decoded JWS in compact form, whose signature is not yet verified. */
export interface Jws {
  /** Algorithm in the header; empty if the header names no algorithm. */
  readonly alg: string
  /** Key id in the header; empty if the header has no key id. */
  readonly kid: string
  /** The bytes that the signature covers: header and payload in encoded form, with the period. */
  readonly signingInput: Buffer
  readonly signature: Buffer
  readonly payload: Buffer
}

/** Error for a string that is not a JWS, with the message of the reference's library. */
export class JwsError extends Error {}

/** A JSON Web Key Set (RFC 7517). */
export interface KeySet {
  readonly keys: readonly { readonly [member: string]: Json }[]
}

/**
 * A public key and its id. A JWT whose header names a key id is verified only with that key and
 * with keys without an id.
 */
export interface VerifyingKey {
  readonly key: KeyObject
  readonly kid?: string
}

/**
 * Decodes a JWT without verifying the signature.
 * @throws JwsError for other strings
 */
export function parseJws(text: string): Jws {
  const parts = text.replace(/\s/g, '').split('.')
  const [protectedHeader, content, encodedSignature] = parts
  if (
    protectedHeader === undefined ||
    content === undefined ||
    encodedSignature === undefined ||
    parts.length > 3
  ) {
    throw new JwsError('go-jose/go-jose: compact JWS format must have three parts')
  }
  const headerBytes = decode(protectedHeader)
  const payload = decode(content)
  const signature = decode(encodedSignature)
  const header = headerOf(headerBytes.toString())
  const { alg, kid } = header
  return {
    alg: typeof alg === 'string' ? alg : '',
    kid: typeof kid === 'string' ? kid : '',
    signingInput: Buffer.from(`${protectedHeader}.${content}`),
    signature,
    payload,
  }
}

/**
 * Decodes base64url, with or without padding.
 * @throws JwsError that names the offset of the first wrong character, as in Go
 */
function decode(text: string): Buffer {
  const unpadded = trimEndOf(text, '=')
  const validLength = /^[\w-]*/.exec(unpadded)?.[0].length ?? 0
  // Base64 has groups of four characters. A single character in the last group is invalid, because
  // it encodes less than a byte.
  if (validLength < unpadded.length || validLength % 4 === 1) {
    const at = validLength < unpadded.length ? validLength : validLength - 1
    throw new JwsError(`illegal base64 data at input byte ${at}`)
  }
  return Buffer.from(unpadded, 'base64url')
}

function headerOf(text: string): JsonObject {
  try {
    const header = parseJson(text)
    return isJsonObject(header) ? header : {}
  } catch (error) {
    if (error instanceof JsonError) throw new JwsError(error.message)
    throw error
  }
}

/**
 * Parameters with which Node verifies signatures of a JWS algorithm (RFC 7518 and RFC 8037).
 * `digest` is null for algorithms that hash the data themselves.
 */
interface Algorithm {
  readonly digest: 'sha256' | 'sha384' | 'sha512' | null
  readonly type: 'rsa' | 'ec' | 'ed25519'
  /** OpenSSL's name of the curve; only set for elliptic curve keys. */
  readonly curve?: string
  readonly signatureOptions?: object
}

const pssOptions = {
  padding: constants.RSA_PKCS1_PSS_PADDING,
  saltLength: constants.RSA_PSS_SALTLEN_AUTO,
}
const ecdsaOptions = { dsaEncoding: 'ieee-p1363' } as const

const algorithms: Readonly<Record<string, Algorithm>> = {
  RS256: { digest: 'sha256', type: 'rsa' },
  RS384: { digest: 'sha384', type: 'rsa' },
  RS512: { digest: 'sha512', type: 'rsa' },
  PS256: { digest: 'sha256', type: 'rsa', signatureOptions: pssOptions },
  PS384: { digest: 'sha384', type: 'rsa', signatureOptions: pssOptions },
  PS512: { digest: 'sha512', type: 'rsa', signatureOptions: pssOptions },
  ES256: { digest: 'sha256', type: 'ec', curve: 'prime256v1', signatureOptions: ecdsaOptions },
  ES384: { digest: 'sha384', type: 'ec', curve: 'secp384r1', signatureOptions: ecdsaOptions },
  ES512: { digest: 'sha512', type: 'ec', curve: 'secp521r1', signatureOptions: ecdsaOptions },
  EdDSA: { digest: null, type: 'ed25519' },
}

export const jwsAlgorithms: readonly string[] = Object.keys(algorithms)

/**
 * Verifies a JWT and returns its claims (behaviour/secrets#jwt-login). Returns undefined if none of
 * the keys verifies the signature, or if the payload is not a JSON object.
 */
export function verifiedClaimsOf(jws: Jws, keys: readonly VerifyingKey[]): JsonObject | undefined {
  const isVerified = keys.some(
    ({ key, kid }) =>
      (kid === undefined || jws.kid === '' || kid === jws.kid) && isSignedBy(jws, key),
  )
  return isVerified ? claimsOf(jws) : undefined
}

/**
 * Returns the claims of a JWT without verifying the signature. Returns undefined for a payload that
 * is not a JSON object.
 */
export function claimsOf({ payload }: Jws): JsonObject | undefined {
  try {
    const claims: Json = JSON.parse(payload.toString())
    return isJsonObject(claims) ? claims : undefined
  } catch {
    return undefined
  }
}

function isSignedBy({ alg, signingInput, signature }: Jws, key: KeyObject): boolean {
  const algorithm = Object.hasOwn(algorithms, alg) ? algorithms[alg] : undefined
  if (algorithm === undefined || key.asymmetricKeyType !== algorithm.type) return false
  const { curve, digest, signatureOptions: options } = algorithm
  if (curve !== undefined && key.asymmetricKeyDetails?.namedCurve !== curve) return false
  return verify(digest, signingInput, { key, ...options }, signature)
}

/**
 * Parses an RSA, elliptic curve or Ed25519 key from PEM, which can contain a public key or a
 * certificate (behaviour/secrets#jwt-config). Returns undefined for other strings.
 */
export function publicKeyIn(pem: string): KeyObject | undefined {
  if (!/-----BEGIN (?:PUBLIC KEY|CERTIFICATE)-----/.test(pem)) return undefined
  const key = keyFrom({ key: pem, format: 'pem' })
  const type = key?.asymmetricKeyType ?? ''
  return ['rsa', 'ec', 'ed25519'].includes(type) ? key : undefined
}

/** Imports the keys of a key set. Skips keys that Node cannot import. */
export function keysOf({ keys }: KeySet): VerifyingKey[] {
  return keys.flatMap((jwk) => {
    const key = keyFrom({ key: { ...jwk }, format: 'jwk' })
    const { kid } = jwk
    return key === undefined ? [] : [{ key, ...(typeof kid === 'string' && { kid }) }]
  })
}

function keyFrom(input: Parameters<typeof createPublicKey>[0]): KeyObject | undefined {
  try {
    return createPublicKey(input)
  } catch {
    // OpenSSL's error messages would not help the caller.
    return undefined
  }
}
