import { X509Certificate } from 'node:crypto'
import type { JobHandler } from '../../kernel/worlds/service.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { type Lease, registerLease } from '../leases/leases.ts'
import { type Mount, mounts, storagePrefix } from '../mounts/mounts.ts'
import type { Namespace } from '../namespaces/namespaces.ts'
import type { Token } from '../tokens/rows.ts'
import { crlJobs, markRevoked } from './crl.ts'
import { addCertificate } from './issuers.ts'
import { refuse } from './messages.ts'
import { isSignedBy, type ReadCertificate, readCertificate } from './parsed.ts'
import { pemBlocks } from './signing.ts'
import {
  issuersOf,
  type PkiCertificate,
  parsedOf,
  pkiCertificates,
  pkiCertificateTable,
} from './tables.ts'

const revokeJob = 'secrets.pki.revoke'

/** Handlers of the jobs of the engine. */
export const pkiJobs: Readonly<Record<string, JobHandler>> = {
  ...crlJobs,
  // Revokes the certificate of a lease that has ended.
  [revokeJob]: (world, { id }) => {
    const row = world.table(pkiCertificateTable).get(id)
    if (row === undefined) return
    for (const mount of world.table(mounts).rows('')) {
      if (id.startsWith(storagePrefix(mount))) markRevoked(world, mount, row)
    }
  },
}

/** The caller who gets a lease, and the mount. */
interface LeaseCaller {
  readonly mount: Mount
  readonly namespace: Pick<Namespace, 'id' | 'path'>
  readonly path: string
  readonly token: Token
}

/** Issues a lease that ends with a certificate; revoking the lease revokes the certificate. */
export function leaseCertificate(
  world: World,
  { mount, namespace, path, token }: LeaseCaller,
  { serial, notAfter }: ReadCertificate,
): Lease {
  const ttl = Math.max(0, Math.floor((notAfter - world.clock.now()) / 1000))
  const revoke = { job: revokeJob, id: pkiCertificates.keyOf(mount, serial) }
  return registerLease(world, { namespace, path, token, renewable: false, ttl, revoke })
}

/** Returns a serial as it is stored. */
export function normalizeSerial(serial: string): string {
  return serial.trim().toLowerCase().replaceAll('-', ':')
}

/** The certificate to revoke; empty texts if not given. */
interface RevocationRequest {
  readonly serial_number: string
  /** PEM. */
  readonly certificate: string
}

/**
 * Revokes a certificate and returns the time of its revocation; returns the serial alone if the
 * certificate has ended. Throws `invalid` refusals.
 */
export function revokeCertificate(
  world: World,
  mount: Mount,
  { serial_number, certificate }: RevocationRequest,
): { readonly serial: string; readonly revokedAt: number | undefined } {
  if (serial_number === '' && certificate === '') throw refuse('pki-revoke-nothing')
  if (serial_number !== '' && certificate !== '') throw refuse('pki-revoke-both')
  const row =
    certificate === ''
      ? storedCertificate(world, mount, serial_number)
      : givenCertificate(world, mount, certificate)
  const { serial } = row
  const own = issuersOf(world, mount).find((issuer) => parsedOf(issuer).serial === serial)
  if (own !== undefined) throw refuse('pki-revoke-issuer', { id: own.id })
  if (row.revoked_at === null && row.not_after < world.clock.now()) {
    return { serial, revokedAt: undefined }
  }
  return { serial, revokedAt: markRevoked(world, mount, row) }
}

function storedCertificate(world: World, mount: Mount, serial: string): PkiCertificate {
  const row = pkiCertificates.find(world, mount, normalizeSerial(serial))
  if (row === undefined) throw refuse('pki-revoke-unknown', { serial: normalizeSerial(serial) })
  return row
}

/** Returns the row of a certificate; one that an issuer of the mount signed is stored first. */
function givenCertificate(world: World, mount: Mount, pem: string): PkiCertificate {
  if (pem.length < 75) throw refuse('pki-revoke-short')
  const der = pemBlocks(pem)[0]?.der
  if (der === undefined || !isCertificate(der)) throw refuse('pki-certificate-undecodable')
  const parsed = readCertificate(der)
  const stored = pkiCertificates.find(world, mount, parsed.serial)
  if (stored !== undefined) return stored
  const issuer = issuersOf(world, mount).find((each) => isSignedBy(der, parsedOf(each).publicKey))
  if (issuer === undefined) throw refuse('pki-revoke-unknown', { serial: parsed.serial })
  addCertificate(world, mount, parsed, issuer.id)
  return pkiCertificates.read(world, mount, parsed.serial)
}

function isCertificate(der: Buffer): boolean {
  try {
    return new X509Certificate(der).raw.length > 0
  } catch {
    return false
  }
}
