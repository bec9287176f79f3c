import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto'
import type { JobHandler } from '../../kernel/worlds/service.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { type Lease, registerLease } from '../leases/leases.ts'
import { type Mount, mounts, storagePrefix } from '../mounts/mounts.ts'
import type { Namespace } from '../namespaces/namespaces.ts'
import type { Token } from '../tokens/rows.ts'
import { crlJobs, markRevoked } from './crl.ts'
import { certificateRow } from './issuers.ts'
import { refuse } from './messages.ts'
import { isSignedBy, type ParsedCertificate, readCertificate } from './parsed.ts'
import { encodedPublicKey, pemBlocks, toPem } from './signing.ts'
import {
  issuersOf,
  type PkiCertificate,
  parsedCertificate,
  pkiCertificates,
  pkiCertificateTable,
} from './tables.ts'
import { tidyJobs } from './tidy.ts'

const revokeJob = 'secrets.pki.revoke'

export const pkiJobs: Readonly<Record<string, JobHandler>> = {
  ...crlJobs,
  ...tidyJobs,
  // The agenda runs this job when the lease of a certificate ends; `id` is the key of the
  // certificate's row.
  [revokeJob]: (world, { id }) => {
    const row = world.table(pkiCertificateTable).get(id)
    if (row === undefined) return
    for (const mount of world.table(mounts).rows('')) {
      if (id.startsWith(storagePrefix(mount))) markRevoked(world, mount, row)
    }
  },
}

interface LeaseCaller {
  readonly mount: Mount
  readonly namespace: Pick<Namespace, 'id' | 'path'>
  readonly path: string
  readonly token: Token
}

/**
 * Registers a lease that ends when the certificate expires. The end of the lease, by time or by
 * revocation, revokes the certificate.
 */
export function leaseCertificate(
  world: World,
  { mount, namespace, path, token }: LeaseCaller,
  { serial, notAfter }: ParsedCertificate,
): Lease {
  const ttl = Math.max(0, Math.floor((notAfter - world.clock.now()) / 1000))
  const revoke = { job: revokeJob, id: pkiCertificates.keyOf(mount, serial) }
  return registerLease(world, { namespace, path, token, renewable: false, ttl, revoke })
}

export function revokedSerials(world: World, mount: Mount): string[] {
  return pkiCertificates
    .names(world, mount)
    .filter((serial) => pkiCertificates.read(world, mount, serial).revoked_at !== null)
}

/**
 * Converts a serial from a request to its stored form: trimmed, in lower case, with colons instead
 * of hyphens.
 */
export function normalizeSerial(serial: string): string {
  return serial.trim().toLowerCase().replaceAll('-', ':')
}

/**
 * Length of the period before a certificate's `not_after`, in milliseconds, in which the
 * certificate is already treated as expired.
 */
const expiryMargin = 2000

/** The certificate to revoke: its serial, or its PEM. Exactly one member must be set. */
interface RevocationRequest {
  readonly serial_number: string
  readonly certificate: string
}

/**
 * Revokes a certificate and returns the time of its revocation. An expired certificate is not
 * revoked, and the time is undefined. Throws an `invalid` refusal in each of these cases: not
 * exactly one member of the request is set; the certificate is unknown, malformed or that of an
 * issuer; the private key is unusable or does not belong to the certificate.
 *
 * @param keyPem private key with which the caller proves possession of the certificate; undefined
 *   if no proof is required
 */
export function revokeCertificate(
  world: World,
  mount: Mount,
  { serial_number, certificate }: RevocationRequest,
  keyPem?: string,
): { readonly serial: string; readonly revokedAt: number | undefined } {
  if (serial_number === '' && certificate === '') throw refuse('pki-revoke-nothing')
  if (serial_number !== '' && certificate !== '') throw refuse('pki-revoke-both')
  if (keyPem !== undefined) checkKeyLength(keyPem)
  const row =
    certificate === ''
      ? storedCertificate(world, mount, serial_number)
      : certificateFromPem(world, mount, certificate)
  if (keyPem !== undefined) checkPossession(row, keyPem)
  return world.write(() => revokeRow(world, mount, row))
}

/**
 * Stores the certificate if it is new, and revokes it unless it has expired. Returns its serial and
 * the time of its revocation. The time is undefined if the certificate was not revoked. Throws an
 * `invalid` refusal for the certificate of an issuer.
 */
function revokeRow(world: World, mount: Mount, row: PkiCertificate) {
  const { serial } = row
  if (pkiCertificates.find(world, mount, serial) === undefined) {
    pkiCertificates.put(world, mount, serial, row)
  }
  const revokedIssuer = issuersOf(world, mount).find(
    (issuer) => parsedCertificate(issuer).serial === serial,
  )
  if (revokedIssuer !== undefined) throw refuse('pki-revoke-issuer', { id: revokedIssuer.id })
  if (row.revoked_at === null && row.not_after < world.clock.now() + expiryMargin) {
    return { serial, revokedAt: undefined }
  }
  return { serial, revokedAt: markRevoked(world, mount, row) }
}

function storedCertificate(world: World, mount: Mount, serial: string): PkiCertificate {
  const row = pkiCertificates.find(world, mount, normalizeSerial(serial))
  if (row === undefined) throw refuse('pki-revoke-unknown', { serial })
  return row
}

/**
 * Returns the stored row of a PEM certificate, or builds a row if an issuer of the mount signed the
 * certificate. Throws an `invalid` refusal for a malformed certificate, for a certificate that no
 * issuer of the mount signed, and if another certificate with its serial is stored.
 */
function certificateFromPem(world: World, mount: Mount, pem: string): PkiCertificate {
  if (pem.length < 75) throw refuse('pki-revoke-short')
  const der = pemBlocks(pem)[0]?.der
  if (der === undefined) throw refuse('pki-revoke-no-pem')
  if (!isCertificate(der))
    throw refuse('pki-revoke-unparsable', { why: 'x509: malformed certificate' })
  const parsed = readCertificate(der)
  const stored = pkiCertificates.find(world, mount, parsed.serial)
  if (stored !== undefined) {
    if (parsedCertificate(stored).der.equals(der)) return stored
    throw refuse('pki-revoke-unequal').withDetails({ serial: parsed.serial })
  }
  const issuer = issuersOf(world, mount).find((each) =>
    isSignedBy(der, parsedCertificate(each).publicKey),
  )
  if (issuer === undefined) throw refuse('pki-revoke-foreign')
  return certificateRow(parsed, issuer.id)
}

function isCertificate(der: Buffer): boolean {
  try {
    return new X509Certificate(der).raw.length > 0
  } catch {
    return false
  }
}

/** Throws an `invalid` refusal for a missing key and for a text too short to be a key. */
function checkKeyLength(pem: string): void {
  if (pem === '') throw refuse('pki-revoke-key-missing')
  if (pem.length < 64) throw refuse('pki-revoke-key-short')
}

/** Throws an `invalid` refusal unless the private key belongs to the certificate. */
function checkPossession(row: PkiCertificate, pem: string): void {
  const [block] = pemBlocks(pem)
  if (block === undefined) throw refuse('pki-revoke-key-undecodable')
  let key: KeyObject
  try {
    key = createPrivateKey(toPem(block.label, block.der))
  } catch {
    throw refuse('pki-revoke-key-unreadable')
  }
  const { publicKey } = parsedCertificate(row)
  if (encodedPublicKey(key).equals(publicKey)) return
  const { publicKey: wanted } = new X509Certificate(row.certificate)
  throw wanted.asymmetricKeyType === key.asymmetricKeyType
    ? refuse('pki-revoke-key-other')
    : refuse('pki-revoke-key-type')
}
