import { X509Certificate } from 'node:crypto'
import { decodeHex, HexError } from '../../go/hex.ts'
import {
  childrenOf,
  derTag,
  element,
  explicit,
  implicit,
  readElement,
  sequence,
} from '../../kernel/der.ts'
import type { World } from '../../kernel/worlds/world.ts'
import type { Mount } from '../mounts/mounts.ts'
import type { AuthorityReply } from './authority.ts'
import {
  type AuthorityAddresses,
  addressExtensions,
  type CertificateContent,
  extension,
  extensionOids,
  type SigningIssuer,
  signCertificate,
} from './certificate.ts'
import { anyKeyLimits, checkRequestKey, checkRequestSignature, parseRequest } from './csr.ts'
import {
  addCertificate,
  addressesOf,
  chainOf,
  formatCertificate,
  hasNoAddresses,
  signerOf,
} from './issuers.ts'
import { issuingIssuer } from './issuing.ts'
import { certificateLifetime } from './lifetime.ts'
import { message, refuse } from './messages.ts'
import { isSelfIssued, readCertificate, readExtensions } from './parsed.ts'
import { alternativeNames } from './requested-names.ts'
import {
  authorityKeyUsage,
  checkFormat,
  type KeyRequest,
  newSerial,
  type RootRequest,
  requestedSubject,
} from './roots.ts'
import {
  algorithmName,
  pemBlocks,
  type SignatureOptions,
  signatureAlgorithm,
  signStructure,
  toPem,
} from './signing.ts'
import { encodeSubject } from './subject-names.ts'
import { type PkiIssuer, parsedCertificate } from './tables.ts'

interface SignIntermediateRequest
  extends Omit<RootRequest, 'issuer_name' | 'max_path_length' | keyof KeyRequest> {
  readonly signature_bits: number
  readonly csr: string
  readonly use_csr_values: boolean
  /**
   * Maximum path length. If undefined, the certificate gets the issuer's path length minus one, or
   * no limit if the issuer has no limit.
   */
  readonly max_path_length?: number
  /** Subject key identifier in hexadecimal; empty means the SHA-1 hash of the public key. */
  readonly skid: string
}

/**
 * Issues and stores the certificate of an intermediate authority. Throws an `absent` refusal for an
 * unknown issuer, `invalid` for other errors and for a missing default issuer.
 */
export function signIntermediate(
  world: World,
  mount: Mount,
  ref: string,
  request: SignIntermediateRequest,
): AuthorityReply {
  checkFormat(request.format)
  const issuer = issuingIssuer(world, mount, ref)
  const csr = parseRequest(request.csr)
  checkRequestKey(anyKeyLimits, csr)
  const common_name = request.common_name || csr.subject.common_name?.[0] || ''
  const serial_number = request.serial_number || csr.subject.serial_number?.[0] || ''
  const named = { ...request, common_name, serial_number }
  const requested = alternativeNames(named)
  const names = request.use_csr_values ? csr.names : requested
  const subject = request.use_csr_values ? csr.rawSubject : encodeSubject(requestedSubject(named))
  const { notBefore, notAfter, warnings } = certificateLifetime(world, mount, request)
  const subjectKeyId = readKeyId(request.skid)
  checkRequestSignature(csr)
  const addresses = addressesOf(world, mount, issuer)
  const signer = requireSigner(world, mount, issuer)
  const pathLength = pathLengthBelow(issuer, request.max_path_length)
  const content: CertificateContent = {
    subject,
    names,
    publicKey: csr.publicKey,
    keyUsage: authorityKeyUsage,
    extKeyUsage: [],
    basicConstraints: { isCa: true, pathLength },
    policies: [],
    permittedDomains: request.permitted_dns_domains,
    addresses,
    subjectKeyId,
  }
  const validity = { serial: newSerial(world), notBefore, notAfter }
  const options = {
    hashBits: request.signature_bits,
    usesPss: request.use_pss || request.use_rsa_pss,
  }
  const parsed = readCertificate(signCertificate(content, validity, signer, options))
  addCertificate(world, mount, parsed, issuer.id)
  const certificate = toPem('CERTIFICATE', parsed.der)
  const chain = [certificate, ...chainOf(world, mount, issuer)]
  const format = (pem: string) => formatCertificate(pem, request.format)
  const isBundle = request.format === 'pem_bundle'
  const outlivesIssuer = notAfter > parsedCertificate(issuer).notAfter
  return {
    data: {
      ca_chain: chain.map(format),
      certificate: isBundle ? chain.join('\n') : format(certificate),
      expiration: Math.floor(notAfter / 1000),
      issuing_ca: format(issuer.certificate),
      serial_number: parsed.serial,
    },
    warnings: [
      ...(outlivesIssuer ? [message('pki-outlives-issuer')] : []),
      ...(subject.length === 2 ? [message('pki-no-subject')] : []),
      ...(hasNoAddresses(addresses) ? [message('pki-no-addresses')] : []),
      ...(pathLength === 0 ? [message('pki-signed-path-zero')] : []),
      ...warnings,
    ],
  }
}

/**
 * Returns the signer of an issuer. Throws an `invalid` refusal if the mount does not have the
 * private key of the issuer.
 */
function requireSigner(world: World, mount: Mount, issuer: PkiIssuer) {
  const signer = signerOf(world, mount, issuer)
  if (signer === undefined) throw refuse('pki-ca-without-key', { id: issuer.id })
  return signer
}

/**
 * Returns the path length of a certificate below an issuer; -1 means unlimited. Throws an `invalid`
 * refusal if the issuer's path length is 0, or for a requested length below -1.
 */
function pathLengthBelow(issuer: PkiIssuer, requestedLength: number | undefined): number {
  const { pathLength } = parsedCertificate(issuer)
  if (pathLength === 0) throw refuse('pki-path-length-zero')
  const length = requestedLength ?? (pathLength < 0 ? -1 : pathLength - 1)
  if (length < -1) throw refuse('pki-signed-path-length')
  return length
}

/**
 * Decodes hexadecimal digits with optional separators; returns undefined if the text has no digits.
 * Throws an `invalid` refusal for other characters.
 */
function readKeyId(skid: string): Buffer | undefined {
  try {
    const bytes = decodeHex(skid.replace(/[:\- ]/g, ''))
    return bytes.length === 0 ? undefined : bytes
  } catch (error) {
    if (!(error instanceof HexError)) throw error
    throw refuse('pki-skid-unreadable', { why: error.reason })
  }
}

/**
 * Cross-signs a self-issued CA certificate: returns a copy that an issuer of the mount has signed,
 * and the issuer's certificate. Stores nothing. Throws an `absent` refusal for an unknown issuer,
 * and `invalid` for other errors: an unusable issuer, a certificate that is not a self-issued CA
 * certificate, or different key algorithms if the request requires equal algorithms.
 */
export function signSelfIssued(
  world: World,
  mount: Mount,
  ref: string,
  request: {
    readonly certificate: string
    readonly require_matching_certificate_algorithms: boolean
  },
): object {
  const { certificate, require_matching_certificate_algorithms: mustMatch } = request
  const der = pemBlocks(certificate)[0]?.der
  if (der === undefined || der.length === 0) throw refuse('pki-certificate-undecodable')
  let x509: X509Certificate
  try {
    x509 = new X509Certificate(der)
  } catch {
    throw refuse('pki-certificate-unparsable', { why: 'x509: malformed certificate' })
  }
  if (!x509.ca) throw refuse('pki-no-authority')
  if (!isSelfIssued(readCertificate(der))) throw refuse('pki-not-self-issued')
  const issuer = issuingIssuer(world, mount, ref)
  const signer = requireSigner(world, mount, issuer)
  const signerAlgorithm = algorithmName(signer.key)
  const certificateAlgorithm = algorithmName(x509.publicKey)
  if (mustMatch && signerAlgorithm !== certificateAlgorithm) {
    throw refuse('pki-algorithms-differ', {
      ofSigner: signerAlgorithm,
      ofCertificate: certificateAlgorithm,
    })
  }
  const reissuedCertificate = reissueCertificate(der, signer, addressesOf(world, mount, issuer))
  return { certificate: toPem('CERTIFICATE', reissuedCertificate), issuing_ca: issuer.certificate }
}

/** Extensions that depend on the issuer and are replaced when a certificate is signed again. */
const issuerExtensions: ReadonlySet<string> = new Set([
  extensionOids.authorityKeyId,
  extensionOids.authorityInfo,
  extensionOids.crlDistribution,
])

/**
 * Signs a certificate again with another issuer and returns the DER. Only the version (3), the
 * issuer, the signature with its algorithm, and the extensions that depend on the issuer change.
 */
function reissueCertificate(
  der: Buffer,
  issuer: SigningIssuer,
  addresses: AuthorityAddresses,
): Buffer {
  const options: SignatureOptions = { hashBits: 0, usesPss: false }
  const [body] = childrenOf(readElement(der), derTag.sequence)
  const members = childrenOf(body, derTag.sequence)
  const version = members[0]?.tag === 0xa0 ? 1 : 0
  const kept = members.map(({ raw }) => raw)
  const at = (index: number) => kept[version + index] ?? Buffer.alloc(0)
  const block = members.find(({ tag }) => tag === 0xa3)
  const known = block === undefined ? new Map() : readExtensions(readElement(block.content))
  const extensions = [...known].filter(([identifier]) => !issuerExtensions.has(identifier))
  const content = sequence(
    explicit(0, element(derTag.integer, Buffer.from([2]))),
    at(0),
    signatureAlgorithm(issuer.key, options),
    issuer.subject,
    at(3),
    at(4),
    at(5),
    explicit(
      3,
      sequence(
        ...extensions.map(([, { raw }]) => raw),
        extension(extensionOids.authorityKeyId, sequence(implicit(0, issuer.keyId))),
        ...addressExtensions(addresses),
      ),
    ),
  )
  return signStructure(content, issuer.key, options)
}
