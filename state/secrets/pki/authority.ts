import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto'
import type { Message } from '../../kernel/message.ts'
import type { World } from '../../kernel/worlds/world.ts'
import type { Mount } from '../mounts/mounts.ts'
import { type CertificateContent, signRequest } from './certificate.ts'
import { rebuildCrls } from './crl.ts'
import { addIssuer, hasNoAddresses } from './issuers.ts'
import { findKeyId, type ImportedId, importKey, linkIssuersToKeys } from './keys.ts'
import { message, refuse } from './messages.ts'
import { type ParsedCertificate, readCertificate } from './parsed.ts'
import { alternativeNames } from './requested-names.ts'
import {
  checkFormat,
  chooseKey,
  exportedKey,
  type PaddingRequest,
  type RootRequest,
  requestedSubject,
  storeChosenKey,
} from './roots.ts'
import { encodedPublicKey, type PemBlock, pemBlocks, toPem } from './signing.ts'
import { encodeSubject } from './subject-names.ts'
import {
  issuersOf,
  parsedCertificate,
  pkiDefaults,
  pkiIssuers,
  pkiUrls,
  setPkiDefaults,
} from './tables.ts'

export interface AuthorityReply {
  readonly data: object
  readonly warnings: readonly Message[]
}

/**
 * Returns a certificate signing request for an intermediate authority. Stores the key of the
 * authority, but not the request. Throws an `invalid` refusal for an unknown format, malformed
 * names, and a key that cannot be used or generated.
 * @param keyOrigin origin of the key: `internal`, `exported` or `existing`
 */
export function generateIntermediate(
  world: World,
  mount: Mount,
  keyOrigin: string,
  request: Omit<RootRequest, 'issuer_name' | keyof PaddingRequest> & {
    readonly add_basic_constraints: boolean
  },
): AuthorityReply {
  checkFormat(request.format)
  const names = alternativeNames(request)
  const chosen = chooseKey(world, mount, keyOrigin, request)
  const { key } = chosen
  const subject = encodeSubject(requestedSubject(request))
  const urls = pkiUrls(world, mount)
  const content: CertificateContent = {
    subject,
    names,
    publicKey: encodedPublicKey(key),
    keyUsage: [],
    extKeyUsage: [],
    basicConstraints: request.add_basic_constraints ? { isCa: true, pathLength: -1 } : undefined,
    policies: [],
    permittedDomains: [],
    addresses: urls,
  }
  const der = signRequest(content, key, { hashBits: request.signature_bits, usesPss: false })
  const exported = exportedKey(key, keyOrigin, request)
  const csr = request.format === 'der' ? der.toString('base64') : toPem('CERTIFICATE REQUEST', der)
  const isBundle = request.format === 'pem_bundle' && exported.private_key !== undefined
  const key_id = storeChosenKey(world, mount, chosen, request.key_name)
  const data = { csr: isBundle ? `${exported.private_key}\n${csr}` : csr, key_id, ...exported }
  return { data, warnings: hasNoAddresses(urls) ? [message('pki-no-addresses-of-request')] : [] }
}

/**
 * Ids of the keys and issuers of a bundle; null instead of an empty list. `mapping` has the key id
 * of each issuer; an empty id means that the mount does not have the key.
 */
interface ImportResult {
  readonly imported_issuers: readonly string[] | null
  readonly imported_keys: readonly string[] | null
  readonly existing_issuers: readonly string[] | null
  readonly existing_keys: readonly string[] | null
  readonly mapping: Readonly<Record<string, string>>
}

const listOrNull = (ids: readonly string[]): readonly string[] | null =>
  ids.length === 0 ? null : ids

/**
 * Imports keys and certificates from a PEM text, in any order. Also assigns imported keys to
 * issuers without a key, rebuilds the CRLs, and may set the default issuer and the default key.
 * Throws an `invalid` refusal for unreadable text, certificates without CA rights, and keys if
 * `allowsKeys` is false.
 */
export function importBundle(
  world: World,
  mount: Mount,
  bundle: string,
  allowsKeys: boolean,
): { readonly imported: ImportResult; readonly warnings: readonly Message[] } {
  if (bundle.length < 75) throw refuse('pki-import-short')
  const blocks = pemBlocks(bundle)
  const rest = bundle.slice(bundle.lastIndexOf('-----END ')).replace(/^-----END [^\n]*-----/, '')
  if (blocks.length === 0 || rest.trim() !== '') throw refuse('pki-import-undecodable')
  const keys = blocks.filter(({ label }) => label.endsWith('PRIVATE KEY'))
  if (keys.length > 0 && !allowsKeys) throw refuse('pki-import-key')
  const certificates = blocks.filter(({ label }) => label === 'CERTIFICATE')
  return world.write(() => {
    const keyIds = keys.map((block, index) => importKey(world, mount, readPrivateKey(block, index)))
    linkIssuersToKeys(world, mount)
    const issuerIds = certificates.map((block, index) =>
      importCertificate(world, mount, block, index),
    )
    rebuildCrls(world, mount)
    const ids = (from: readonly ImportedId[], isNew: boolean) =>
      listOrNull([...new Set(from.filter((each) => each.isNew === isNew).map(({ id }) => id))])
    const mapping = issuerIds.map(({ id }) => [id, pkiIssuers.read(world, mount, id).key_id])
    const imported = {
      imported_issuers: ids(issuerIds, true),
      imported_keys: ids(keyIds, true),
      existing_issuers: ids(issuerIds, false),
      existing_keys: ids(keyIds, false),
      mapping: Object.fromEntries(mapping),
    }
    return { imported, warnings: updateDefault(world, mount, imported) }
  })
}

/**
 * Makes a new issuer the default issuer if no other new issuer has a key and the setting
 * `follows_latest` is on. Returns warnings about the default issuer.
 */
function updateDefault(
  world: World,
  mount: Mount,
  { imported_issuers, mapping }: ImportResult,
): Message[] {
  const added = imported_issuers ?? []
  const [latest, ...others] = added.filter((id) => mapping[id] !== '')
  const isOnly = others.length === 0
  const followsLatest = latest !== undefined && pkiDefaults(world, mount).follows_latest
  if (followsLatest && isOnly) setPkiDefaults(world, mount, { issuer: latest })
  const { issuer } = pkiDefaults(world, mount)
  return [
    ...(followsLatest && !isOnly ? [message('pki-default-unchanged')] : []),
    ...(mapping[issuer] === '' ? [message('pki-default-without-key')] : []),
    ...(!isOnly && added.includes(issuer) ? [message('pki-default-uncertain')] : []),
  ]
}

function importCertificate(
  world: World,
  mount: Mount,
  { der }: PemBlock,
  index: number,
): ImportedId {
  const known = issuersOf(world, mount).find((issuer) => parsedCertificate(issuer).der.equals(der))
  if (known !== undefined) return { id: known.id, isNew: false }
  const parsed = readIssuerCertificate(der, index)
  const key_id = findKeyId(world, mount, parsed.publicKey)
  const { id } = addIssuer(world, mount, { name: '', key_id, der })
  return { id, isNew: true }
}

/**
 * Parses a private key. Throws an `invalid` refusal with the index of the key if its PEM is
 * unreadable.
 */
function readPrivateKey({ label, der }: PemBlock, index: number): KeyObject {
  try {
    return createPrivateKey(toPem(label, der))
  } catch {
    throw refuse('pki-import-private-key', { index })
  }
}

/**
 * Decodes the certificate of an issuer. Throws an `invalid` refusal with the index of the
 * certificate if it is malformed or not a CA certificate.
 */
function readIssuerCertificate(der: Buffer, index: number): ParsedCertificate {
  const fail = (why: string) =>
    refuse('pki-import-issuer', { index, why, pem: toPem('CERTIFICATE', der) })
  let isAuthority: boolean
  try {
    isAuthority = new X509Certificate(der).ca
  } catch {
    // The message of OpenSSL differs from that of Go, so the reason is fixed.
    throw fail('x509: malformed certificate')
  }
  if (!isAuthority) throw fail('Refusing to import non-CA certificate')
  return readCertificate(der)
}
