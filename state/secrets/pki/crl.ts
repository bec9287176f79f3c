import { instant, text, uint } from '../../kernel/shape/kinds.ts'
import { struct } from '../../kernel/shape/members.ts'
import type { StoredOf } from '../../kernel/shape/values.ts'
import type { JobHandler } from '../../kernel/worlds/service.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { type Mount, mounts, NamedRows, storagePrefix, walField } from '../mounts/mounts.ts'
import { secretsTable } from '../table.ts'
import { extension, extensionOids, type SigningIssuer } from './certificate.ts'
import { crlConfig, crlSeconds } from './crl-config.ts'
import { explicit, implicit, integer, sequence, time, unsigned } from './der.ts'
import { signerOf } from './issuers.ts'
import { refuse } from './messages.ts'
import { signatureAlgorithm, signStructure } from './signing.ts'
import {
  issuersOf,
  type PkiCertificate,
  type PkiIssuer,
  pkiCertificates,
  pkiCertificateTable,
} from './tables.ts'

/** The last CRL of an issuer. */
const crlShape = struct({
  issuer_id: text,
  number: uint,
  /** DER as base64. */
  crl: text,
  next_update: instant,
  ...walField,
})
export interface PkiCrl extends StoredOf<typeof crlShape> {}

/** CRLs by mount and id of the issuer. */
export const crlTable = secretsTable('pki-crls', crlShape, { secrets: 'none' })

const crls = new NamedRows(crlTable, () => refuse('nothing-here'))

const rebuildJob = 'secrets.pki.crl'

/** Handler of the job that rebuilds the CRLs of a mount before they end. */
export const crlJobs: Readonly<Record<string, JobHandler>> = {
  [rebuildJob]: (world, { id }) => {
    for (const mount of world.table(mounts).rows('')) {
      if (storagePrefix(mount) === id) rebuildCrls(world, mount)
    }
  },
}

/** Rebuilds the CRL of every issuer that may sign one, and schedules the next rebuilding. */
export function rebuildCrls(world: World, mount: Mount): void {
  for (const issuer of issuersOf(world, mount)) rebuildCrl(world, mount, issuer)
  const { auto_rebuild, auto_rebuild_grace_period: grace, expiry } = crlConfig(world, mount)
  const id = storagePrefix(mount)
  world.write(() => {
    world.agenda.cancel(rebuildJob, id)
    if (!auto_rebuild) return
    const at = world.clock.now() + (crlSeconds(expiry) - crlSeconds(grace)) * 1000
    world.agenda.schedule({ at, job: rebuildJob, id })
  })
}

/** Rebuilds the CRL of an issuer; returns undefined if the issuer cannot sign one. */
function rebuildCrl(world: World, mount: Mount, issuer: PkiIssuer): PkiCrl | undefined {
  const signer = signerOf(world, mount, issuer)
  if (signer === undefined || !issuer.usage.includes('crl-signing')) return undefined
  const { disable, expiry } = crlConfig(world, mount)
  const now = Math.floor(world.clock.now() / 1000) * 1000
  const next_update = now + crlSeconds(expiry) * 1000
  const number = (crls.find(world, mount, issuer.id)?.number ?? 0) + 1
  const revoked = disable ? [] : revokedBy(world, mount, issuer)
  const der = encodeCrl(signer, { number, thisUpdate: now, nextUpdate: next_update, revoked })
  const crl = { issuer_id: issuer.id, number, crl: der.toString('base64'), next_update }
  crls.put(world, mount, issuer.id, crl)
  return crl
}

function revokedBy(world: World, mount: Mount, issuer: PkiIssuer): PkiCertificate[] {
  const prefix = storagePrefix(mount)
  return [...world.table(pkiCertificateTable).rows(prefix)].filter(
    ({ issuer_id, revoked_at }) => revoked_at !== null && issuer_id === issuer.id,
  )
}

/** The content of a CRL. */
interface CrlContent {
  readonly number: number
  readonly thisUpdate: number
  readonly nextUpdate: number
  readonly revoked: readonly PkiCertificate[]
}

function encodeCrl(signer: SigningIssuer, content: CrlContent): Buffer {
  const { number, thisUpdate, nextUpdate, revoked } = content
  const options = { hashBits: 0, pss: false }
  const entries = revoked.map(({ serial, revoked_at }) =>
    sequence(unsigned(Buffer.from(serial.replaceAll(':', ''), 'hex')), time(revoked_at ?? 0)),
  )
  const extensions = sequence(
    extension(extensionOids.authorityKeyId, sequence(implicit(0, signer.keyId))),
    extension(extensionOids.crlNumber, integer(number)),
  )
  const body = sequence(
    integer(1),
    signatureAlgorithm(signer.key, options),
    signer.subject,
    time(thisUpdate),
    time(nextUpdate),
    ...(entries.length === 0 ? [] : [sequence(...entries)]),
    explicit(0, extensions),
  )
  return signStructure(body, signer.key, options)
}

/**
 * Returns the CRL of an issuer as DER; undefined if the issuer cannot sign one. A CRL that has ended
 * is rebuilt first.
 */
export function currentCrl(world: World, mount: Mount, issuer: PkiIssuer): Buffer | undefined {
  const stored = crls.find(world, mount, issuer.id)
  const isCurrent = stored !== undefined && stored.next_update > world.clock.now()
  const crl = isCurrent ? stored : rebuildCrl(world, mount, issuer)
  return crl === undefined ? undefined : Buffer.from(crl.crl, 'base64')
}

/** Marks a stored certificate as revoked and rebuilds the CRLs unless that happens by the clock. */
export function markRevoked(world: World, mount: Mount, certificate: PkiCertificate): number {
  if (certificate.revoked_at !== null) return certificate.revoked_at
  const revoked_at = world.clock.now()
  world.write(() => {
    pkiCertificates.put(world, mount, certificate.serial, { ...certificate, revoked_at })
    if (!crlConfig(world, mount).auto_rebuild) rebuildCrls(world, mount)
  })
  return revoked_at
}
