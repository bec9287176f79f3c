import { X509Certificate } from 'node:crypto'
import { childrenOf, DerSyntaxError, derTag, readElement } from '../../kernel/der.ts'
import { bool, int, list, map, nullable, text } from '../../kernel/shape/kinds.ts'
import { struct } from '../../kernel/shape/members.ts'
import type { StoredOf } from '../../kernel/shape/values.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { applyChangeUnderBothNames, type DeprecatedFieldsChange } from '../logins/old-names.ts'
import {
  defaultTokenFields,
  type TokenFields,
  type TokenFieldsChange,
  tokenFields,
} from '../logins/token-fields.ts'
import { type Mount, MountRow, NamedRows, walField } from '../mounts/mounts.ts'
import { pemBlocks } from '../pki/signing.ts'
import { secretsTable } from '../table.ts'
import type { Token } from '../tokens/rows.ts'
import { refuse } from './messages.ts'

const texts = nullable(list(text))

/** Lists of an entry. A list that no request has set is null, also in replies. */
const certLists = {
  allowed_common_names: texts,
  allowed_dns_sans: texts,
  allowed_email_sans: texts,
  allowed_metadata_extensions: texts,
  allowed_names: texts,
  allowed_organizational_units: texts,
  allowed_uri_sans: texts,
  ocsp_servers_override: texts,
  required_extensions: texts,
} as const

/** Members of an entry that replies contain in addition to the token fields. */
export const certMembers = {
  ...certLists,
  certificate: text,
  display_name: text,
  ocsp_ca_certificates: text,
  ocsp_enabled: bool,
  ocsp_fail_open: bool,
  ocsp_query_all_servers: bool,
} as const

/**
 * A trusted certificate of a client or of a CA whose clients may log in (behaviour/secrets#cert).
 */
const certShape = struct({
  ...certMembers,
  ...tokenFields,
  /**
   * Deprecated names of token fields that requests have used. Replies also return the fields under
   * these names.
   */
  old_names: list(text),
  ...walField,
})
export interface CertEntry extends StoredOf<typeof certShape> {}

export const certTable = secretsTable('cert-entries', certShape, { secrets: 'none' })

export const certEntries = new NamedRows<CertEntry>(certTable, () => refuse('nothing-here'))

const defaults: CertEntry = {
  allowed_common_names: null,
  allowed_dns_sans: null,
  allowed_email_sans: null,
  allowed_metadata_extensions: null,
  allowed_names: null,
  allowed_organizational_units: null,
  allowed_uri_sans: null,
  ocsp_servers_override: null,
  required_extensions: null,
  certificate: '',
  display_name: '',
  ocsp_ca_certificates: '',
  ocsp_enabled: false,
  ocsp_fail_open: false,
  ocsp_query_all_servers: false,
  old_names: [],
  ...defaultTokenFields,
}

/** Members that a request sets; all other members keep their values. */
type CertChange = TokenFieldsChange &
  DeprecatedFieldsChange &
  Partial<Pick<CertEntry, keyof typeof certMembers>>

/**
 * Extended key usages (RFC 5280, section 4.2.1.12) that allow client authentication. A certificate
 * that has extended key usages needs one of these usages, unless it belongs to a CA.
 */
const clientUsages = ['1.3.6.1.5.5.7.3.2', '2.5.29.37.0']

/**
 * Creates an entry or changes the given members of an existing entry.
 *
 * @throws Refusal `invalid` for invalid token fields, a `token_ttl` above `token_max_ttl`, an
 *   unreadable certificate, and a certificate that belongs neither to a CA nor to a client
 */
export function writeCertEntry(world: World, mount: Mount, name: string, change: CertChange): void {
  const before = certEntries.find(world, mount, name) ?? defaults
  const changes = applyChangeUnderBothNames(before, before.old_names, change)
  const { tokens, oldNamesInUse, otherFields } = changes
  const merged: CertEntry = { ...before, ...otherFields }
  const { token_ttl, token_max_ttl } = tokens
  if (token_max_ttl !== 0 && token_ttl > token_max_ttl) throw refuse('cert-ttl-order')
  const [firstCertificate] = certificatesIn(merged.certificate)
  if (firstCertificate === undefined) throw refuse('cert-unreadable')
  // Node's `keyUsage` contains the extended key usages. A certificate without extended key usages
  // has no `keyUsage`.
  const usages: readonly string[] = firstCertificate.ca
    ? clientUsages
    : (firstCertificate.keyUsage ?? clientUsages)
  if (!usages.some((usage) => clientUsages.includes(usage))) throw refuse('cert-not-for-clients')
  certEntries.put(world, mount, name, {
    ...merged,
    ...tokens,
    old_names: oldNamesInUse,
    display_name: merged.display_name || name,
  })
}

/** Returns the certificates in PEM data, or an empty list if any certificate is unreadable. */
export function certificatesIn(pem: string): X509Certificate[] {
  try {
    return pemBlocks(pem).map(({ der }) => new X509Certificate(der))
  } catch {
    // OpenSSL's message is dropped, because callers throw refusals with their own messages.
    return []
  }
}

/** Members of a mount's configuration that replies contain. */
export const certConfigMembers = {
  disable_binding: bool,
  enable_identity_alias_metadata: bool,
  ocsp_cache_size: int,
} as const

const certConfigShape = struct({ ...certConfigMembers, ...walField })
interface CertConfig extends StoredOf<typeof certConfigShape> {}

/** One row per mount whose configuration was changed. */
export const certConfigTable = secretsTable('cert-configs', certConfigShape, { secrets: 'none' })

const certConfigs = new MountRow<CertConfig>(certConfigTable, () => refuse('nothing-here'))

/** Returns the configuration of a mount, or the defaults if no configuration is stored. */
export function certConfig(world: World, mount: Mount): CertConfig {
  const defaults = { disable_binding: false, enable_identity_alias_metadata: false }
  return certConfigs.find(world, mount) ?? { ...defaults, ocsp_cache_size: 100 }
}

/**
 * Changes the given members of a mount's configuration. Throws an `invalid` refusal for a cache
 * size below 2 or above 100,000.
 */
export function writeCertConfig(world: World, mount: Mount, change: Partial<CertConfig>): void {
  const merged = { ...certConfig(world, mount), ...change }
  const { ocsp_cache_size: size } = merged
  if (size < 2 || size > 100_000) throw refuse('cert-cache-size')
  certConfigs.put(world, mount, merged)
}

const crlShape = struct({ serials: map(struct({})), ...walField })
interface Crl extends StoredOf<typeof crlShape> {}

/** CRLs by mount and name. The keys of `serials` are serial numbers in decimal. */
export const certCrlTable = secretsTable('cert-crls', crlShape, { secrets: 'none' })

export const certCrls = new NamedRows<Crl>(certCrlTable, () => refuse('nothing-here'))

/** Returns the serial numbers of a CRL. Throws a refusal for an unknown name. */
export function requireCrl(world: World, mount: Mount, name: string): Crl {
  const crl = certCrls.find(world, mount, name)
  if (crl === undefined) throw refuse('cert-crl-unknown', { name })
  return crl
}

/**
 * Stores the serial numbers of the certificates that a CRL revokes. Throws an `invalid` refusal if
 * `pem` is not a CRL in PEM or DER form.
 */
export function writeCrl(world: World, mount: Mount, name: string, pem: string): void {
  const [block] = pemBlocks(pem)
  try {
    const der = block?.der ?? Buffer.from(pem)
    const serials = Object.fromEntries(revokedSerials(der).map((serial) => [serial, {}]))
    certCrls.put(world, mount, name, { serials })
  } catch (error) {
    if (!(error instanceof DerSyntaxError)) throw error
    throw refuse('cert-crl-unreadable', { why: 'x509: malformed crl' })
  }
}

/**
 * Returns the serial numbers, in decimal, of the certificates that a CRL revokes.
 *
 * @throws DerSyntaxError for bytes that are not a CRL in DER form
 */
function revokedSerials(der: Buffer): string[] {
  const [body] = childrenOf(readElement(der), derTag.sequence)
  const members = childrenOf(body, derTag.sequence)
  // A CRL contains its issue date and, optionally, the date of the next update. The list of revoked
  // certificates follows the last date. The sequences before the dates are the algorithm and the
  // issuer.
  const lastTimeIndex = members.findLastIndex(({ tag }) => tag === derTag.utcTime || tag === 0x18)
  const revokedList = members[lastTimeIndex + 1]
  if (lastTimeIndex < 0) throw new DerSyntaxError('no times')
  if (revokedList === undefined || revokedList.tag !== derTag.sequence) return []
  return childrenOf(revokedList, derTag.sequence).map((each) => {
    const [serial] = childrenOf(each, derTag.sequence)
    return BigInt(`0x${serial?.content.toString('hex') || '0'}`).toString()
  })
}

/**
 * Returns the current token settings of the entry with which a token's user logged in. Called when
 * the token is renewed. Throws a refusal if the entry was deleted.
 */
export function certFieldsOf(world: World, mount: Mount, token: Token): TokenFields {
  const name = token.meta?.['cert_name'] ?? ''
  const entry = certEntries.find(world, mount, name)
  if (entry === undefined) throw refuse('login-role-gone', { role: name })
  return entry
}
