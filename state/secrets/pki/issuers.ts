import { Refusal } from '../../kernel/refusal.ts'
import type { World } from '../../kernel/worlds/world.ts'
import type { Mount } from '../mounts/mounts.ts'
import { type AddressTemplates, filledAddresses } from './address-templates.ts'
import type { AuthorityAddresses, SigningIssuer } from './certificate.ts'
import { refuse } from './messages.ts'
import { isSignedBy, maySignCrls, type ParsedCertificate } from './parsed.ts'
import { pemBlocks, toPem } from './signing.ts'
import {
  findIssuer,
  findKey,
  issuersOf,
  issuerUsages,
  keyObjectOf,
  type PkiCertificate,
  type PkiIssuer,
  parsedCertificate,
  pkiCertificates,
  pkiDefaults,
  pkiIssuers,
  pkiKeys,
  pkiUrls,
  setPkiDefaults,
} from './tables.ts'

/**
 * Resolves a reference: `default`, an id or a name. Throws an `absent` refusal for an unknown
 * issuer.
 */
export function requireIssuer(world: World, mount: Mount, ref: string): PkiIssuer {
  const issuer = findIssuer(world, mount, ref)
  if (issuer !== undefined) return issuer
  throw ref === 'default' ? refuse('pki-no-default-issuer') : refuse('pki-issuer-unknown', { ref })
}

/**
 * Returns the parts of an issuer that signatures need. Returns undefined if the mount does not have
 * the issuer's private key.
 */
export function signerOf(world: World, mount: Mount, issuer: PkiIssuer): SigningIssuer | undefined {
  const key = pkiKeys.find(world, mount, issuer.key_id)
  if (key === undefined) return undefined
  const { subject, keyId } = parsedCertificate(issuer)
  return { subject, keyId, key: keyObjectOf(world, key) }
}

/**
 * Throws an `invalid` refusal for a name that is reserved, malformed, or used by another issuer.
 * Accepts an empty name.
 *
 * @param id id of the issuer that is renamed; empty for a new issuer
 */
export function checkIssuerName(world: World, mount: Mount, name: string, id = ''): void {
  if (name === '') return
  if (name.toLowerCase() === 'default') throw refuse('pki-issuer-name-reserved')
  if (!isEntityName(name)) throw refuse('pki-issuer-name-invalid')
  const other = findIssuer(world, mount, name)
  if (other !== undefined && other.id !== id) throw refuse('pki-issuer-name-taken')
}

/**
 * Throws an `invalid` refusal for a name that is reserved, malformed, or used by another key.
 * Accepts an empty name.
 *
 * @param id id of the key that is renamed; empty for a new key
 */
export function checkKeyName(world: World, mount: Mount, name: string, id = ''): void {
  if (name === '') return
  if (name.toLowerCase() === 'default') throw refuse('pki-key-name-reserved')
  if (!isEntityName(name)) throw refuse('pki-key-name-invalid')
  const other = findKey(world, mount, name)
  if (other !== undefined && other.id !== id) throw refuse('pki-key-name-taken')
}

/**
 * Returns whether a string consists of letters, digits, `_`, `.` and `-`, with neither `.` nor `-`
 * at its ends.
 */
export function isEntityName(name: string): boolean {
  return /^\w(?:[\w.-]*\w)?$/.test(name)
}

/**
 * Stores a new key and returns its id. The key becomes the default if the mount has no default key.
 */
export function addKey(
  world: World,
  mount: Mount,
  key: { readonly name: string; readonly type: 'rsa' | 'ec' | 'ed25519'; readonly pem: string },
): string {
  const id = world.ids.uuid()
  const { name, type, pem } = key
  const isFirst = pkiDefaults(world, mount).key === ''
  world.write(() => {
    pkiKeys.put(world, mount, id, { id, name, type, private_key: pem })
    if (isFirst) setPkiDefaults(world, mount, { key: id })
  })
  return id
}

interface NewIssuer {
  readonly name: string
  readonly key_id: string
  readonly der: Buffer
  /**
   * Signature algorithm of CRLs, in the spelling of the reference; empty for the default of the key
   * type.
   */
  readonly algorithm?: string
}

/**
 * Stores a new issuer. An issuer with a key becomes the default if the mount has no default issuer.
 */
export function addIssuer(world: World, mount: Mount, added: NewIssuer): PkiIssuer {
  const { name, key_id, der, algorithm = '' } = added
  const isDefault = key_id !== '' && pkiDefaults(world, mount).issuer === ''
  const issuer: PkiIssuer = {
    id: world.ids.uuid(),
    name,
    key_id,
    certificate: toPem('CERTIFICATE', der),
    leaf_not_after_behavior: 'err',
    usage: issuerUsages.filter((usage) => usage !== 'crl-signing' || maySignCrls({ der })),
    manual_chain: null,
    issuing_certificates: [],
    crl_distribution_points: [],
    ocsp_servers: [],
    enable_aia_url_templating: false,
    revocation_signature_algorithm: algorithm,
    revoked_at: null,
  }
  world.write(() => {
    pkiIssuers.put(world, mount, issuer.id, issuer)
    if (isDefault) setPkiDefaults(world, mount, { issuer: issuer.id })
  })
  return issuer
}

export function addCertificate(
  world: World,
  mount: Mount,
  certificate: ParsedCertificate,
  issuerId: string,
): void {
  pkiCertificates.put(world, mount, certificate.serial, certificateRow(certificate, issuerId))
}

/** Builds the row of a new, unrevoked certificate without storing the row. */
export function certificateRow(
  { der, serial, notAfter }: ParsedCertificate,
  issuerId: string,
): PkiCertificate {
  return {
    serial,
    certificate: toPem('CERTIFICATE', der),
    issuer_id: issuerId,
    not_after: notAfter,
    revoked_at: null,
  }
}

/**
 * Returns the certificates of an issuer's chain as PEM, beginning with the issuer. The chain is the
 * manual chain if the issuer has one. Otherwise, each certificate is followed by the certificate
 * that signed it, as long as the mount has the signer. Throws an `absent` refusal if an issuer in
 * the manual chain no longer exists.
 */
export function chainOf(world: World, mount: Mount, issuer: PkiIssuer): string[] {
  if (issuer.manual_chain !== null) {
    return issuer.manual_chain.map((ref) => requireIssuer(world, mount, ref).certificate)
  }
  const all = issuersOf(world, mount)
  const chain = [issuer]
  for (let last: PkiIssuer | undefined = issuer; last !== undefined; ) {
    const { issuer: name, der } = parsedCertificate(last)
    last = all.find((each) => {
      if (chain.includes(each) || chain.some(({ id }) => id === each.id)) return false
      const parent = parsedCertificate(each)
      return parent.subject.equals(name) && isSignedBy(der, parent.publicKey)
    })
    if (last !== undefined) chain.push(last)
  }
  return chain.map(({ certificate }) => certificate)
}

export function hasNoAddresses(addresses: AuthorityAddresses): boolean {
  const { issuing_certificates, crl_distribution_points, ocsp_servers } = addresses
  return [issuing_certificates, crl_distribution_points, ocsp_servers].every(
    (list) => list.length === 0,
  )
}

/**
 * Returns the addresses for certificates of an issuer: the issuer's own addresses, or those of the
 * mount if the issuer has no addresses. Throws an `invalid` refusal if an address template lacks a
 * value or does not result in a URL.
 */
export function addressesOf(world: World, mount: Mount, issuer: PkiIssuer): AuthorityAddresses {
  const filled = filledAddresses(world, mount, templatesOf(world, mount, issuer), issuer.id)
  if (filled instanceof Refusal) {
    const { rule: cause, params, reason: why } = filled
    throw refuse('pki-addresses-unfilled', { why }).withDetails({ ...params, cause })
  }
  return filled
}

/**
 * Returns the issuer's own addresses, or those of the mount if the issuer has no addresses.
 * Addresses that are templates are returned unchanged.
 */
export function templatesOf(world: World, mount: Mount, issuer: PkiIssuer): AddressTemplates {
  if (hasNoAddresses(issuer)) return pkiUrls(world, mount)
  return { ...issuer, enable_templating: issuer.enable_aia_url_templating }
}

/**
 * Converts a PEM certificate to base64 DER for the format `der`; returns it unchanged for other
 * formats.
 */
export function formatCertificate(certificate: string, format: string): string {
  if (format !== 'der') return certificate
  return (pemBlocks(certificate)[0]?.der ?? Buffer.alloc(0)).toString('base64')
}
