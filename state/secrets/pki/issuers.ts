import { Refusal } from '../../kernel/refusal.ts'
import type { World } from '../../kernel/worlds/world.ts'
import type { Mount } from '../mounts/mounts.ts'
import { type AddressTemplates, filledAddresses } from './address-templates.ts'
import type { AuthorityAddresses, SigningIssuer } from './certificate.ts'
import { refuse } from './messages.ts'
import { isSignedBy, maySignCrls, type ReadCertificate } from './parsed.ts'
import { pemBlocks, toPem } from './signing.ts'
import {
  findIssuer,
  findKey,
  issuersOf,
  issuerUsages,
  keyObjectOf,
  type PkiCertificate,
  type PkiIssuer,
  parsedOf,
  pkiCertificates,
  pkiDefaults,
  pkiIssuers,
  pkiKeys,
  pkiUrls,
  setPkiDefaults,
} from './tables.ts'

/** Returns the issuer of a reference; refuses an unknown one with `absent`. */
export function requireIssuer(world: World, mount: Mount, ref: string): PkiIssuer {
  const issuer = findIssuer(world, mount, ref)
  if (issuer !== undefined) return issuer
  throw ref === 'default' ? refuse('pki-no-default-issuer') : refuse('pki-issuer-unknown', { ref })
}

/** Returns the parts of an issuer that sign; undefined if the mount does not have its key. */
export function signerOf(world: World, mount: Mount, issuer: PkiIssuer): SigningIssuer | undefined {
  const key = pkiKeys.find(world, mount, issuer.key_id)
  if (key === undefined) return undefined
  const { subject, keyId } = parsedOf(issuer)
  return { subject, keyId, key: keyObjectOf(world, key) }
}

/** Throws an `invalid` refusal for a name that no new issuer of the mount can have. */
export function checkIssuerName(world: World, mount: Mount, name: string, id = ''): void {
  if (name === '') return
  if (name.toLowerCase() === 'default') throw refuse('pki-issuer-name-reserved')
  if (!isEntityName(name)) throw refuse('pki-issuer-name-invalid')
  const other = findIssuer(world, mount, name)
  if (other !== undefined && other.id !== id) throw refuse('pki-issuer-name-taken')
}

/** Throws an `invalid` refusal for a name that no new key of the mount can have. */
export function checkKeyName(world: World, mount: Mount, name: string, id = ''): void {
  if (name === '') return
  if (name.toLowerCase() === 'default') throw refuse('pki-key-name-reserved')
  if (!isEntityName(name)) throw refuse('pki-key-name-invalid')
  const other = findKey(world, mount, name)
  if (other !== undefined && other.id !== id) throw refuse('pki-key-name-taken')
}

/** Returns whether a text has the form of a name of an issuer or a key. */
export function isEntityName(name: string): boolean {
  return /^\w(?:[\w.-]*\w)?$/.test(name)
}

/** Stores a new key, which becomes the default if there is none. */
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
  /** Name of the algorithm of CRLs; empty for the default of the key. */
  readonly algorithm?: string
}

/** Stores a new issuer. The first issuer with a key is the default. */
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

/** Stores a certificate under its serial. */
export function addCertificate(
  world: World,
  mount: Mount,
  certificate: ReadCertificate,
  issuerId: string,
): void {
  pkiCertificates.put(world, mount, certificate.serial, certificateRow(certificate, issuerId))
}

/** Returns the row of a certificate that is not revoked. */
export function certificateRow(
  { der, serial, notAfter }: ReadCertificate,
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
 * Returns the chain of an issuer as PEM, the issuer first. Each certificate is followed by that of
 * the issuer that signed it, as far as the mount has it.
 */
export function chainOf(world: World, mount: Mount, issuer: PkiIssuer): string[] {
  if (issuer.manual_chain !== null) {
    return issuer.manual_chain.map((ref) => requireIssuer(world, mount, ref).certificate)
  }
  const all = issuersOf(world, mount)
  const chain = [issuer]
  for (let last: PkiIssuer | undefined = issuer; last !== undefined; ) {
    const { issuer: name, der } = parsedOf(last)
    last = all.find((each) => {
      if (chain.includes(each) || chain.some(({ id }) => id === each.id)) return false
      const parent = parsedOf(each)
      return parent.subject.equals(name) && isSignedBy(der, parent.publicKey)
    })
    if (last !== undefined) chain.push(last)
  }
  return chain.map(({ certificate }) => certificate)
}

/** Returns whether there is no address of any kind. */
export function hasNoAddresses(addresses: AuthorityAddresses): boolean {
  const { issuing_certificates, crl_distribution_points, ocsp_servers } = addresses
  return [issuing_certificates, crl_distribution_points, ocsp_servers].every(
    (list) => list.length === 0,
  )
}

/** Returns the addresses in certificates of an issuer: its own ones, or those of the mount. */
export function addressesOf(world: World, mount: Mount, issuer: PkiIssuer): AuthorityAddresses {
  const filled = filledAddresses(world, mount, templatesOf(world, mount, issuer), issuer.id)
  if (filled instanceof Refusal) {
    const { rule: cause, params, reason: why } = filled
    throw refuse('pki-addresses-unfilled', { why }).withDetails({ ...params, cause })
  }
  return filled
}

/** Returns the addresses that an issuer uses, with the flag that says whether they are templates. */
export function templatesOf(world: World, mount: Mount, issuer: PkiIssuer): AddressTemplates {
  if (hasNoAddresses(issuer)) return pkiUrls(world, mount)
  return { ...issuer, enable_templating: issuer.enable_aia_url_templating }
}

/** Returns a certificate as the request's format asks for it. */
export function formatCertificate(certificate: string, format: string): string {
  if (format !== 'der') return certificate
  return (pemBlocks(certificate)[0]?.der ?? Buffer.alloc(0)).toString('base64')
}
