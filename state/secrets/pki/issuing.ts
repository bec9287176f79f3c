import type { KeyObject } from 'node:crypto'
import type { Message } from '../../kernel/message.ts'
import { formatTimestamp } from '../../kernel/time.ts'
import type { World } from '../../kernel/worlds/world.ts'
import type { Mount } from '../mounts/mounts.ts'
import { optionsOf } from '../options.ts'
import { type CertificateContent, extensionOids, signCertificate } from './certificate.ts'
import { anyKeyLimits, checkRequestKey, checkRequestSignature } from './csr.ts'
import { addCertificate, addressesOf, chainOf, signerOf } from './issuers.ts'
import { makePkiKey } from './key-making.ts'
import { certificateLifetime, hour, type Lifetime, wholeSeconds } from './lifetime.ts'
import { message, refuse } from './messages.ts'
import { checkSubject, checkUserIds } from './name-rules.ts'
import { type ParsedCertificate, type ParsedCsr, readCertificate } from './parsed.ts'
import { certificatePolicies } from './policy-identifiers.ts'
import { alternativeNames, type RequestedNames } from './requested-names.ts'
import type { PkiRole } from './roles.ts'
import { newSerial } from './roots.ts'
import { encodedPublicKey } from './signing.ts'
import { encodeSubject } from './subject-names.ts'
import { findIssuer, type PkiIssuer, parsedCertificate } from './tables.ts'
import { extendedUsageOids, keyUsageBits } from './usages.ts'

/**
 * Members of a request for a certificate (behaviour/secrets#pki-issuing). `ttl` is in seconds. 0
 * and empty strings mean that the request does not set the member.
 */
interface IssueRequest extends RequestedNames {
  readonly ttl: number
  readonly not_after: string
  readonly serial_number: string
  readonly user_ids: readonly string[]
}

export interface IssuedCertificate {
  readonly parsed: ParsedCertificate
  readonly issuer: PkiIssuer
  /** PEM of the issuer's certificate and of the authorities above it. */
  readonly chain: readonly string[]
  /** The generated private key; undefined if a signing request was signed. */
  readonly key: KeyObject | undefined
  readonly warnings: readonly Message[]
}

/**
 * Resolves a reference to an issuer. Throws an `invalid` or `absent` refusal if the issuer is
 * unknown or lacks the usage `issuing-certificates`.
 */
export function issuingIssuer(world: World, mount: Mount, ref: string): PkiIssuer {
  const issuer = findIssuer(world, mount, ref)
  if (issuer === undefined) {
    throw ref === 'default' ? refuse('pki-no-ca') : refuse('pki-ca-unknown', { ref })
  }
  const usage = 'issuing-certificates'
  if (issuer.usage.includes(usage)) return issuer
  const { id, name } = issuer
  throw refuse('pki-usage-missing', { id, name, usage, usages: [...issuer.usage].sort().join(',') })
}

/**
 * Issues a certificate within the limits of a role, and stores it unless the role has `no_store`.
 * Without `csr`, generates a key. Throws `invalid` or `absent` refusals for an unusable issuer, and
 * `invalid` refusals for keys, names and lifetimes that the role or the issuer does not allow.
 */
export function issueByRole(
  world: World,
  mount: Mount,
  role: PkiRole,
  ref: string,
  request: IssueRequest,
  csr?: ParsedCsr,
): IssuedCertificate {
  if (csr === undefined && role.key_type === 'any') throw refuse('pki-any-key')
  const issuer = issuingIssuer(world, mount, ref)
  if (csr !== undefined) checkRequestKey(role, csr)
  const fromRequest = csr !== undefined && role.use_csr_sans
  const commonName = commonNameOf(role, request, csr)
  const serialNumber = request.serial_number || csr?.subject.serial_number?.[0] || ''
  const source = fromRequest ? 'CSR' : 'API'
  const checks = checkSubject(role, { commonName, serialNumber, source })
  const names = alternativeNames(
    requestedNames(request, commonName, fromRequest ? csr : undefined),
    checks,
  )
  const lifetime = leafLifetime(world, mount, issuer, role, request)
  const userIdsInCsr = csr?.subject.user_ids ?? []
  const userIds = request.user_ids.length > 0 ? request.user_ids : userIdsInCsr
  checkUserIds(role, userIds)
  if (csr !== undefined) checkRequestSignature(csr)
  const key = csr === undefined ? makeRoleKey(world, role) : undefined
  const subject = encodeSubject({
    ...role,
    common_name: [commonName],
    serial_number: [serialNumber],
    user_ids: userIds,
  })
  const content: CertificateContent = {
    subject,
    names,
    publicKey: key === undefined ? (csr?.publicKey ?? Buffer.alloc(0)) : encodedPublicKey(key),
    ...roleContent(world, mount, role, issuer),
  }
  const issued = signLeaf(world, mount, issuer, role, content, lifetime)
  return {
    ...issued,
    key,
    warnings: [
      ...requestWarnings(role, request, csr),
      ...lifetime.warnings,
      ...(csr === undefined ? [] : constraintsWarnings(csr)),
    ],
  }
}

/**
 * Returns the names for the certificate. If `csr` is given, its names replace the names of the
 * request. Only for `other_sans`, the names of both are used.
 */
function requestedNames(
  request: RequestedNames,
  common_name: string,
  csr: ParsedCsr | undefined,
): RequestedNames {
  if (csr === undefined) return { ...request, common_name }
  const { names } = csr
  return {
    ...request,
    common_name,
    alt_names: [...names.dns, ...names.email],
    ip_sans: names.ip,
    uri_sans: names.uri,
    other_sans: [...request.other_sans, ...names.other],
  }
}

/**
 * Signs a signing request with its own subject, names and extensions. The role determines the
 * lifetime, the policies, the basic constraints, the hash and padding, whether to store the
 * certificate, and the usages that the request does not set. Throws `invalid` or `absent` refusals
 * for an unusable issuer, and `invalid` refusals for a weak key, a wrong signature, or a lifetime
 * that the issuer does not allow.
 */
export function signVerbatim(
  world: World,
  mount: Mount,
  role: PkiRole,
  ref: string,
  request: IssueRequest,
  csr: ParsedCsr,
): IssuedCertificate {
  const issuer = issuingIssuer(world, mount, ref)
  checkRequestKey(anyKeyLimits, csr)
  const lifetime = leafLifetime(world, mount, issuer, role, request)
  checkRequestSignature(csr)
  const { extensions, names, publicKey, rawSubject: subject } = csr
  const hasExtension = (identifier: string) => extensions.has(identifier)
  const copiedExtensions = [...extensions].filter(
    ([identifier]) => !recomputedExtensions.has(identifier),
  )
  const base = roleContent(world, mount, role, issuer)
  const content: CertificateContent = {
    ...base,
    subject,
    names,
    publicKey,
    keyUsage: hasExtension(extensionOids.keyUsage) ? [] : base.keyUsage,
    extKeyUsage: hasExtension(extensionOids.extKeyUsage) ? [] : base.extKeyUsage,
    moreExtensions: copiedExtensions.map(([, { raw }]) => raw),
  }
  const issued = signLeaf(world, mount, issuer, role, content, lifetime)
  return {
    ...issued,
    key: undefined,
    warnings: [...lifetime.warnings, ...constraintsWarnings(csr)],
  }
}

/** Extensions that are computed for each certificate instead of copied from a signing request. */
const recomputedExtensions: ReadonlySet<string> = new Set([
  extensionOids.alternativeNames,
  extensionOids.basicConstraints,
  extensionOids.subjectKeyId,
  extensionOids.authorityKeyId,
])

function roleContent(world: World, mount: Mount, role: PkiRole, issuer: PkiIssuer) {
  const isCa = false
  return {
    keyUsage: keyUsageBits(role.key_usage),
    extKeyUsage: extendedUsageOids(role),
    basicConstraints: role.basic_constraints_valid_for_non_ca
      ? { isCa, pathLength: -1 }
      : undefined,
    policies: certificatePolicies(role.policy_identifiers),
    permittedDomains: [],
    addresses: addressesOf(world, mount, issuer),
  }
}

function makeRoleKey(world: World, { key_type, key_bits }: PkiRole): KeyObject {
  const type = key_type === 'ec' || key_type === 'ed25519' ? key_type : 'rsa'
  return makePkiKey(world, { type, bits: key_bits })
}

/**
 * Returns the common name of the signing request if the role uses that name and it is not empty.
 * Otherwise, returns the common name of the request.
 */
function commonNameOf(role: PkiRole, request: IssueRequest, csr: ParsedCsr | undefined): string {
  const nameInCsr = role.use_csr_common_name ? csr?.subject.common_name?.[0] : undefined
  return nameInCsr || request.common_name
}

/**
 * Returns warnings about names in the request that are ignored because the role takes them from the
 * signing request.
 */
function requestWarnings(role: PkiRole, request: IssueRequest, csr: unknown): Message[] {
  if (csr === undefined) return []
  const ignoresName = role.use_csr_common_name && request.common_name !== ''
  const ignoresNames = role.use_csr_sans && request.alt_names.length > 0
  return [
    ...(ignoresName ? [message('pki-cn-of-csr')] : []),
    ...(ignoresNames ? [message('pki-names-of-csr')] : []),
  ]
}

/** Returns a warning if the signing request has basic constraints, which are ignored. */
function constraintsWarnings(csr: ParsedCsr): Message[] {
  const hasConstraints = csr.extensions.has(extensionOids.basicConstraints)
  return hasConstraints ? [message('pki-csr-constraints-ignored')] : []
}

/**
 * Returns the validity of a certificate. If the certificate would outlive its issuer, the issuer's
 * `leaf_not_after_behavior` decides: reject, shorten, or permit. Throws an `invalid` refusal for a
 * rejected or malformed lifetime.
 */
function leafLifetime(
  world: World,
  mount: Mount,
  issuer: PkiIssuer,
  role: PkiRole,
  request: IssueRequest,
): Lifetime {
  const { not_before_duration } = role
  const not_after = role.not_after || request.not_after
  const requestedLifetime = { ttl: request.ttl, not_after, not_before_duration }
  const lifetime = certificateLifetime(world, mount, requestedLifetime, role)
  const end = issuerEnd(world, issuer)
  if (lifetime.notAfter <= end || issuer.leaf_not_after_behavior === 'permit') return lifetime
  if (issuer.leaf_not_after_behavior === 'truncate') return { ...lifetime, notAfter: end }
  throw refuse('pki-beyond-issuer', {
    wanted: formatTimestamp(lifetime.notAfter),
    end: formatTimestamp(end),
  })
}

/**
 * Returns when an issuer expires, in milliseconds since 1970. If the option `pkiFault` is
 * `ca-expired`, every issuer expired at least an hour ago.
 */
function issuerEnd(world: World, issuer: PkiIssuer): number {
  const { notAfter } = parsedCertificate(issuer)
  if (optionsOf(world).pkiFault !== 'ca-expired') return notAfter
  return Math.min(notAfter, wholeSeconds(world.clock.now()) - hour)
}

/**
 * Signs a certificate and stores it unless the role has `no_store`. Throws an `absent` refusal if
 * the mount does not have the issuer's key.
 */
function signLeaf(
  world: World,
  mount: Mount,
  issuer: PkiIssuer,
  role: PkiRole,
  content: CertificateContent,
  { notBefore, notAfter }: Lifetime,
) {
  const signer = signerOf(world, mount, issuer)
  if (signer === undefined) throw refuse('pki-key-unknown', { ref: issuer.key_id })
  const options = { hashBits: role.signature_bits, usesPss: role.use_pss }
  const validity = { serial: newSerial(world), notBefore, notAfter }
  const parsed = readCertificate(signCertificate(content, validity, signer, options))
  if (!role.no_store) addCertificate(world, mount, parsed, issuer.id)
  return { parsed, issuer, chain: chainOf(world, mount, issuer) }
}
