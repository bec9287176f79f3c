import type { KeyObject } from 'node:crypto'
import {
  element,
  encodedTrue,
  explicit,
  implicit,
  integer,
  namedBits,
  octets,
  oid,
  sequence,
  time,
  unsigned,
} from '../../kernel/der.ts'
import { type CertificatePolicy, encodePolicy } from './policy-identifiers.ts'
import {
  keyIdentifier,
  type SignatureOptions,
  signatureAlgorithm,
  signStructure,
} from './signing.ts'
import { type AlternativeNames, encodeNames, hasNoNames } from './subject-names.ts'

/** Object identifiers of certificate extensions (RFC 5280). */
export const extensionOids = {
  authorityInfo: '1.3.6.1.5.5.7.1.1',
  subjectKeyId: '2.5.29.14',
  keyUsage: '2.5.29.15',
  alternativeNames: '2.5.29.17',
  basicConstraints: '2.5.29.19',
  crlNumber: '2.5.29.20',
  deltaCrl: '2.5.29.27',
  nameConstraints: '2.5.29.30',
  crlDistribution: '2.5.29.31',
  policies: '2.5.29.32',
  authorityKeyId: '2.5.29.35',
  extKeyUsage: '2.5.29.37',
} as const

/**
 * Addresses that certificates contain: of the issuer's certificate, of its CRL and of its OCSP
 * server.
 */
export interface AuthorityAddresses {
  readonly issuing_certificates: readonly string[]
  readonly crl_distribution_points: readonly string[]
  readonly ocsp_servers: readonly string[]
}

/** Content of a certificate or a signing request. `subject` and `publicKey` are DER. */
export interface CertificateContent {
  readonly subject: Buffer
  readonly names: AlternativeNames
  /** `SubjectPublicKeyInfo` of RFC 5280. */
  readonly publicKey: Buffer
  /** Bit numbers of the `KeyUsage` of RFC 5280. If empty, the extension is left out. */
  readonly keyUsage: readonly number[]
  /** Object identifiers in dotted notation. */
  readonly extKeyUsage: readonly string[]
  /** If undefined, the extension is left out. A `pathLength` below 0 means unlimited. */
  readonly basicConstraints?: { readonly isCa: boolean; readonly pathLength: number } | undefined
  readonly policies: readonly CertificatePolicy[]
  /** DNS domains to which a CA restricts the names in the certificates below it. */
  readonly permittedDomains: readonly string[]
  readonly addresses: AuthorityAddresses
  /** Subject key identifier; by default the SHA-1 hash of the public key. */
  readonly subjectKeyId?: Buffer | undefined
  /** Extensions that are copied from a signing request. */
  readonly moreExtensions?: readonly Buffer[]
}

/** Parts of an issuer that signatures of certificates and CRLs need. */
export interface SigningIssuer {
  /** DER of the issuer's name. */
  readonly subject: Buffer
  readonly keyId: Buffer
  readonly key: KeyObject
}

interface Validity {
  readonly serial: Uint8Array
  /** Start and end in milliseconds since 1970. */
  readonly notBefore: number
  readonly notAfter: number
}

/** Returns the DER of a certificate (X.509 version 3). */
export function signCertificate(
  content: CertificateContent,
  { serial, notBefore, notAfter }: Validity,
  issuer: SigningIssuer,
  options: SignatureOptions,
): Buffer {
  const extensions = [
    ...subjectExtensions(content, true),
    extension(extensionOids.authorityKeyId, sequence(implicit(0, issuer.keyId))),
    ...addressExtensions(content.addresses),
    ...(content.moreExtensions ?? []),
  ]
  const body = sequence(
    explicit(0, integer(2)),
    unsigned(serial),
    signatureAlgorithm(issuer.key, options),
    issuer.subject,
    sequence(time(notBefore), time(notAfter)),
    content.subject,
    content.publicKey,
    explicit(3, sequence(...extensions)),
  )
  return signStructure(body, issuer.key, options)
}

/** Returns the DER of a certificate signing request (PKCS #10). */
export function signRequest(
  content: CertificateContent,
  key: KeyObject,
  options: SignatureOptions,
): Buffer {
  const extensions = subjectExtensions(content, false)
  const extensionRequest = sequence(
    oid('1.2.840.113549.1.9.14'),
    element(0x31, sequence(...extensions)),
  )
  const attributes = extensions.length === 0 ? [] : [extensionRequest]
  const body = sequence(
    integer(0),
    content.subject,
    content.publicKey,
    element(0xa0, ...attributes),
  )
  return signStructure(body, key, options)
}

/** Encodes an `Extension` of RFC 5280. */
export function extension(identifier: string, value: Uint8Array, isCritical = false): Buffer {
  return sequence(oid(identifier), ...(isCritical ? [encodedTrue] : []), octets(value))
}

/**
 * Returns the encoded extensions for a subject, in the order of the reference. Signing requests
 * have no subject key identifier.
 */
function subjectExtensions(content: CertificateContent, isCertificate: boolean): Buffer[] {
  const { keyUsage, extKeyUsage, basicConstraints, names, policies, permittedDomains } = content
  const found: Buffer[] = []
  if (keyUsage.length > 0) found.push(extension(extensionOids.keyUsage, namedBits(keyUsage), true))
  if (extKeyUsage.length > 0) {
    found.push(extension(extensionOids.extKeyUsage, sequence(...extKeyUsage.map(oid))))
  }
  if (basicConstraints !== undefined) {
    const { isCa, pathLength } = basicConstraints
    const length = isCa && pathLength >= 0 ? [integer(pathLength)] : []
    const value = sequence(...(isCa ? [encodedTrue] : []), ...length)
    found.push(extension(extensionOids.basicConstraints, value, true))
  }
  if (isCertificate) {
    const id = content.subjectKeyId ?? keyIdentifier(content.publicKey)
    found.push(extension(extensionOids.subjectKeyId, octets(id)))
  }
  if (!hasNoNames(names)) {
    const isOnlyName = content.subject.length === 2
    found.push(extension(extensionOids.alternativeNames, encodeNames(names), isOnlyName))
  }
  if (policies.length > 0) {
    found.push(extension(extensionOids.policies, sequence(...policies.map(encodePolicy))))
  }
  if (permittedDomains.length > 0) {
    const subtrees = permittedDomains.map((each) => sequence(implicit(2, Buffer.from(each))))
    const value = sequence(explicit(0, ...subtrees))
    found.push(extension(extensionOids.nameConstraints, value, true))
  }
  return found
}

/**
 * Returns the extensions "authority information access" and "CRL distribution points". Omits an
 * extension without addresses.
 */
export function addressExtensions(addresses: AuthorityAddresses): Buffer[] {
  const uri = (address: string) => implicit(6, Buffer.from(address))
  const access = (method: string) => (address: string) => sequence(oid(method), uri(address))
  const descriptions = [
    ...addresses.ocsp_servers.map(access('1.3.6.1.5.5.7.48.1')),
    ...addresses.issuing_certificates.map(access('1.3.6.1.5.5.7.48.2')),
  ]
  const points = addresses.crl_distribution_points.map((address) =>
    sequence(explicit(0, explicit(0, uri(address)))),
  )
  return [
    ...(descriptions.length === 0
      ? []
      : [extension(extensionOids.authorityInfo, sequence(...descriptions))]),
    ...(points.length === 0 ? [] : [extension(extensionOids.crlDistribution, sequence(...points))]),
  ]
}
