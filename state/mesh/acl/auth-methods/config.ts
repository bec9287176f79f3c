import { X509Certificate } from 'node:crypto'
import { quoteGo } from '../../../go/text.ts'
import type { JsonObject } from '../../../kernel/json.ts'
import { int, list, map, type StructShape, text } from '../../../kernel/shape/kinds.ts'
import { struct } from '../../../kernel/shape/members.ts'
import { decodeWeakly } from '../../config/weak-decoder.ts'
import { parseToken, publicKeyOf } from './jwt.ts'
import type { AuthMethod } from './tables.ts'

/** Types of auth methods that can be created. Logins with `aws-iam` are refused. */
export const methodTypes = ['aws-iam', 'jwt', 'kubernetes'] as const
export type MethodType = (typeof methodTypes)[number]

const texts = list(text)

const jwtShape = struct({
  JWTSupportedAlgs: texts,
  BoundAudiences: texts,
  ClaimMappings: map(text),
  ListClaimMappings: map(text),
  OIDCDiscoveryURL: text,
  OIDCDiscoveryCACert: text,
  JWKSURL: text,
  JWKSCACert: text,
  JWTValidationPubKeys: texts,
  BoundIssuer: text,
  ExpirationLeeway: int,
  NotBeforeLeeway: int,
  ClockSkewLeeway: int,
})

const kubernetesShape = struct({ Host: text, CACert: text, ServiceAccountJWT: text })

const shapes: Readonly<Record<Exclude<MethodType, 'aws-iam'>, StructShape>> = {
  jwt: jwtShape,
  kubernetes: kubernetesShape,
}

/** Configuration of an auth method of type `jwt`, with defaults for members that were not sent. */
export interface JwtConfig {
  readonly algorithms: readonly string[]
  readonly audiences: readonly string[]
  readonly claims: Readonly<Record<string, string>>
  readonly listClaims: Readonly<Record<string, string>>
  readonly discoveryUrl: string
  readonly discoveryCertificate: string
  readonly keySetUrl: string
  readonly keySetCertificate: string
  readonly keys: readonly string[]
  readonly issuer: string
  /**
   * Leeway for the expiry. All three leeways are in nanoseconds: 0 means the default leeway, and a
   * negative value means no leeway.
   */
  readonly expirationLeeway: number
  readonly notBeforeLeeway: number
  readonly clockSkewLeeway: number
}

/**
 * Decodes the configuration in a request according to a shape. Returns a message that lists all
 * errors if the configuration does not fit the shape.
 */
function decodeConfig(sent: JsonObject, shape: StructShape): JsonObject | string {
  const known = new Set(Object.keys(shape.fields).map((name) => name.toLowerCase()))
  const unknownNames = Object.keys(sent).filter((name) => !known.has(name.toLowerCase()))
  const { value, problems } = decodeWeakly(sent, shape, true)
  const all = [
    ...(unknownNames.length > 0 ? [`'' has invalid keys: ${unknownNames.sort().join(', ')}`] : []),
    ...problems,
  ].sort()
  if (all.length === 0) return value
  const lines = all.map((problem) => `* ${problem}`).join('\n')
  return `error decoding config: ${all.length} error(s) decoding:\n\n${lines}`
}

/**
 * Decodes the stored configuration of a method of type `jwt`. A value that cannot be converted to
 * its member's type counts as missing.
 */
export function jwtConfigOf(stored: AuthMethod['config']): JwtConfig {
  const value = decodeWeakly((stored ?? {}) as JsonObject, jwtShape, true).value as {
    readonly [Name in keyof typeof jwtShape.fields]: never
  }
  return {
    algorithms: value.JWTSupportedAlgs ?? [],
    audiences: value.BoundAudiences ?? [],
    claims: value.ClaimMappings ?? {},
    listClaims: value.ListClaimMappings ?? {},
    discoveryUrl: value.OIDCDiscoveryURL,
    discoveryCertificate: value.OIDCDiscoveryCACert,
    keySetUrl: value.JWKSURL,
    keySetCertificate: value.JWKSCACert,
    keys: value.JWTValidationPubKeys ?? [],
    issuer: value.BoundIssuer,
    expirationLeeway: value.ExpirationLeeway,
    notBeforeLeeway: value.NotBeforeLeeway,
    clockSkewLeeway: value.ClockSkewLeeway,
  }
}

const algorithmPattern = /^(?:RS|ES|PS)(?:256|384|512)$/

function repeatedTarget(mappings: Readonly<Record<string, string>>): string | undefined {
  const targets = Object.values(mappings)
  return targets.find((target, at) => targets.indexOf(target) < at)
}

function jwtProblem(config: JwtConfig): string | undefined {
  const { keys, keySetUrl, discoveryUrl } = config
  const configuredSources = [keys.length > 0, keySetUrl !== '', discoveryUrl !== '']
  if (configuredSources.filter(Boolean).length !== 1) {
    return `exactly one of 'JWTValidationPubKeys', 'JWKSURL', or 'OIDCDiscoveryURL' must be set for type "jwt"`
  }
  if (config.keySetCertificate !== '' && keySetUrl === '') {
    return "'JWKSCACert' should not be set unless 'JWKSURL' is set"
  }
  const invalidKeyIndex = keys.findIndex((key) => publicKeyOf(key) === undefined)
  if (invalidKeyIndex >= 0) {
    return `error parsing public key JWTValidationPubKeys[${invalidKeyIndex}]: data does not contain any valid RSA, ECDSA, or ED25519 public keys`
  }
  if (config.discoveryCertificate !== '' && discoveryUrl === '') {
    return "'OIDCDiscoveryCACert' should not be set unless 'OIDCDiscoveryURL' is set"
  }
  const unknownNames = config.algorithms.find((each) => !algorithmPattern.test(each))
  if (unknownNames !== undefined) return `Invalid supported algorithm: ${unknownNames}`
  for (const [name, mappings] of [
    ['ClaimMappings', config.claims],
    ['ListClaimMappings', config.listClaims],
  ] as const) {
    const repeatedKey = repeatedTarget(mappings)
    if (repeatedKey === undefined) continue
    return `${name} contains multiple mappings for key ${quoteGo(repeatedKey)}`
  }
  return undefined
}

function isCertificate(pem: string): boolean {
  try {
    return new X509Certificate(pem).subject !== undefined
  } catch {
    return false
  }
}

function kubernetesProblem(config: JsonObject): string | undefined {
  const { Host, CACert, ServiceAccountJWT } = config
  if (Host === '') return 'Config.Host is required'
  if (CACert === '') return 'Config.CACert is required'
  if (!isCertificate(String(CACert))) {
    return 'error parsing kubernetes ca cert: data does not contain any valid RSA or ECDSA certificates'
  }
  if (ServiceAccountJWT === '') return 'Config.ServiceAccountJWT is required'
  const token = parseToken(String(ServiceAccountJWT))
  return typeof token === 'string'
    ? `Config.ServiceAccountJWT is not a valid JWT: ${token}`
    : undefined
}

/**
 * Validates the configuration of a method. Returns a message about all members that do not fit the
 * shape. If all members fit, returns a message about the first broken rule, or undefined if no rule
 * is broken.
 */
export function configProblem(type: MethodType, sent: JsonObject): string | undefined {
  if (type === 'aws-iam') {
    const { BoundIAMPrincipalARNs: principals } = sent
    return Array.isArray(principals) && principals.length > 0
      ? undefined
      : 'BoundIAMPrincipalARNs is required and must have at least 1 entry'
  }
  const config = decodeConfig(sent, shapes[type])
  if (typeof config === 'string') return config
  return type === 'jwt' ? jwtProblem(jwtConfigOf(sent)) : kubernetesProblem(config)
}
