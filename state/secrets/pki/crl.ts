import { instant, text, uint } from '../../kernel/shape/kinds.ts'
import { optional, struct } from '../../kernel/shape/members.ts'
import type { StoredOf } from '../../kernel/shape/values.ts'
import type { JobHandler } from '../../kernel/worlds/service.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { type Mount, mounts, NamedRows, storagePrefix, walField } from '../mounts/mounts.ts'
import { optionsOf } from '../options.ts'
import { secretsTable } from '../table.ts'
import type { SigningIssuer } from './certificate.ts'
import { crlConfig, crlSeconds, type PkiCrlConfig, writeCrlConfig } from './crl-config.ts'
import { type CrlEntry, encodeCrl, readCrlEntries } from './crl-encoding.ts'
import { signerOf } from './issuers.ts'
import { hour, wholeSeconds } from './lifetime.ts'
import { refuse } from './messages.ts'
import { isSignedBy } from './parsed.ts'
import type { SignatureOptions } from './signing.ts'
import {
  issuersOf,
  type PkiCertificate,
  type PkiIssuer,
  parsedCertificate,
  pkiCertificates,
  pkiCertificateTable,
  pkiDefaults,
} from './tables.ts'

/** The latest CRL and the latest delta CRL of an issuer. `crl` and `delta` are DER as base64. */
const crlShape = struct({
  issuer_id: text,
  /** CRL number of `crl`, to which `delta` refers. */
  number: uint,
  crl: text,
  next_update: instant,
  delta: optional(text),
  /**
   * Greatest number that any CRL of the issuer has had. Rows of earlier releases lack the member.
   */
  last_number: optional(uint),
  ...walField,
})
export interface PkiCrl extends StoredOf<typeof crlShape> {}

/** CRLs by mount and id of the issuer. */
export const crlTable = secretsTable('pki-crls', crlShape, { secrets: 'none' })

const crls = new NamedRows(crlTable, () => refuse('nothing-here'))

const rebuildJob = 'secrets.pki.crl'
const deltaJob = 'secrets.pki.delta-crl'

/**
 * Handlers of the jobs that rebuild the complete CRLs of a mount before the CRLs expire, and of the
 * jobs that rebuild the mount's delta CRLs. The id of a job is the storage prefix of the mount.
 */
export const crlJobs: Readonly<Record<string, JobHandler>> = {
  [rebuildJob]: (world, { id }) => runForMount(world, id, rebuildCrls),
  [deltaJob]: (world, { id }) => runForMount(world, id, rebuildDeltaCrls),
}

/**
 * Calls `run` for the mount with this storage prefix. Does nothing if the mount was removed after
 * its job was scheduled.
 */
export function runForMount(
  world: World,
  prefix: string,
  run: (world: World, mount: Mount) => void,
): void {
  for (const mount of world.table(mounts).rows('')) {
    if (storagePrefix(mount) === prefix) run(world, mount)
  }
}

/**
 * Rebuilds the CRL of every issuer that may sign CRLs, and cancels the scheduled delta CRLs. If
 * `auto_rebuild` is on, also schedules the next rebuild.
 */
export function rebuildCrls(world: World, mount: Mount): void {
  for (const issuer of issuersOf(world, mount)) rebuildCrl(world, mount, issuer)
  world.write(() => world.agenda.cancel(deltaJob, storagePrefix(mount)))
  scheduleRebuild(world, mount)
}

/**
 * Schedules the next rebuild for `auto_rebuild_grace_period` before the CRLs expire. If
 * `auto_rebuild` is off, only cancels the scheduled rebuild.
 */
function scheduleRebuild(world: World, mount: Mount): void {
  const { auto_rebuild, auto_rebuild_grace_period: grace, expiry } = crlConfig(world, mount)
  const id = storagePrefix(mount)
  world.write(() => {
    world.agenda.cancel(rebuildJob, id)
    if (!auto_rebuild) return
    const at = world.clock.now() + (crlSeconds(expiry) - crlSeconds(grace)) * 1000
    world.agenda.schedule({ at, job: rebuildJob, id })
  })
}

/**
 * Changes the given CRL settings and returns all of them. As in the reference, rebuilds all CRLs if
 * the request turns CRLs on or off, turns delta CRLs on or off, or turns automatic rebuilding off.
 * If the request only turns automatic rebuilding on, schedules the first rebuild. Throws the
 * refusals of `writeCrlConfig`.
 */
export function changeCrlConfig(
  world: World,
  mount: Mount,
  change: Partial<PkiCrlConfig>,
): PkiCrlConfig {
  const before = crlConfig(world, mount)
  return world.write(() => {
    const config = writeCrlConfig(world, mount, change)
    const endsRebuilding = before.auto_rebuild && !config.auto_rebuild
    const isChanged =
      before.disable !== config.disable || before.enable_delta !== config.enable_delta
    if (isChanged || endsRebuilding) rebuildCrls(world, mount)
    else if (!before.auto_rebuild && config.auto_rebuild) scheduleRebuild(world, mount)
    return config
  })
}

/**
 * Returns the signer of an issuer's CRLs. Returns undefined if the issuer lacks the usage
 * `crl-signing` or its private key.
 */
function crlSigner(world: World, mount: Mount, issuer: PkiIssuer): SigningIssuer | undefined {
  return issuer.usage.includes('crl-signing') ? signerOf(world, mount, issuer) : undefined
}

/**
 * Returns the RSA hash length and padding that the issuer's `revocation_signature_algorithm` names.
 * For other algorithms, `hashBits` is 0, which means the default.
 */
export function crlSignature({
  revocation_signature_algorithm: name,
}: PkiIssuer): SignatureOptions {
  const [, hash, pss] = /^SHA(\d+)WithRSA(PSS)?$/.exec(name) ?? []
  return { hashBits: Number(hash ?? 0), usesPss: pss !== undefined }
}

/**
 * Returns when the latest CRL of an issuer expires, in milliseconds since 1970; undefined if the
 * issuer has no CRL.
 */
export function nextCrlUpdate(world: World, mount: Mount, issuer: PkiIssuer): number | undefined {
  return crls.find(world, mount, issuer.id)?.next_update
}

/**
 * Signs and stores a new CRL; returns undefined if the issuer cannot sign CRLs. With the setting
 * `disable`, the CRL is empty.
 */
export function rebuildCrl(world: World, mount: Mount, issuer: PkiIssuer): PkiCrl | undefined {
  const signer = crlSigner(world, mount, issuer)
  if (signer === undefined) return undefined
  const { disable, expiry } = crlConfig(world, mount)
  const now = wholeSeconds(world.clock.now())
  const next_update = now + crlSeconds(expiry) * 1000
  const before = crls.find(world, mount, issuer.id)
  const number = (before?.last_number ?? before?.number ?? 0) + 1
  const entries = disable ? [] : revokedEntriesOf(world, mount, issuer)
  const times = { thisUpdate: now, nextUpdate: next_update }
  const der = encodeCrl(signer, { number, entries, ...times }, crlSignature(issuer))
  const crl: PkiCrl = {
    issuer_id: issuer.id,
    number,
    crl: der.toString('base64'),
    next_update,
    last_number: number,
  }
  crls.put(world, mount, issuer.id, crl)
  return crl
}

/**
 * Returns the entries of an issuer's CRL: the revoked certificates and the other revoked issuers
 * that the issuer signed. The CRL of the default issuer also lists the revoked certificates of
 * deleted issuers.
 */
function revokedEntriesOf(world: World, mount: Mount, issuer: PkiIssuer): CrlEntry[] {
  const issuers = issuersOf(world, mount)
  const isDefault = pkiDefaults(world, mount).issuer === issuer.id
  const isIssuedBy = ({ issuer_id }: PkiCertificate) =>
    issuer_id === issuer.id || (isDefault && !issuers.some(({ id }) => id === issuer_id))
  const issuerSerials = new Set(issuers.map((each) => parsedCertificate(each).serial))
  const { publicKey, subject } = parsedCertificate(issuer)
  const revokedIssuers = issuers.flatMap((each) => {
    const { der, serial, issuer: name } = parsedCertificate(each)
    const { revoked_at: at } = each
    if (at === null || each.id === issuer.id || !name.equals(subject)) return []
    return isSignedBy(der, publicKey) ? [{ serial, revokedAt: at }] : []
  })
  const rows = [...world.table(pkiCertificateTable).rows(storagePrefix(mount))]
  const leafEntries = rows.flatMap((row) =>
    row.revoked_at !== null && isIssuedBy(row) && !issuerSerials.has(row.serial)
      ? [{ serial: row.serial, revokedAt: row.revoked_at }]
      : [],
  )
  return [...leafEntries, ...revokedIssuers]
}

/**
 * Returns the CRL of an issuer as DER; undefined if the issuer has no CRL and cannot sign one.
 * Rebuilds a missing or expired CRL first.
 */
export function currentCrl(world: World, mount: Mount, issuer: PkiIssuer): Buffer | undefined {
  const crl = currentRow(world, mount, issuer)
  return crl === undefined ? undefined : servedCrl(world, mount, issuer, crl.crl, crl)
}

/**
 * Decodes the CRL. If the option `pkiFault` is `crl-stale` and the issuer can sign CRLs, returns
 * instead a newly signed CRL that expired an hour ago. The new CRL lists only the revocations
 * before its own start time.
 */
function servedCrl(
  world: World,
  mount: Mount,
  issuer: PkiIssuer,
  encoded: string,
  { number, baseNumber }: { readonly number: number; readonly baseNumber?: number },
): Buffer {
  const crl = Buffer.from(encoded, 'base64')
  const signer = crlSigner(world, mount, issuer)
  if (optionsOf(world).pkiFault !== 'crl-stale' || signer === undefined) return crl
  const nextUpdate = wholeSeconds(world.clock.now()) - hour
  const thisUpdate = nextUpdate - crlSeconds(crlConfig(world, mount).expiry) * 1000
  const entries = readCrlEntries(crl).filter(({ revokedAt }) => revokedAt < thisUpdate)
  const content = { number, baseNumber, entries, thisUpdate, nextUpdate }
  return encodeCrl(signer, content, crlSignature(issuer))
}

function currentRow(world: World, mount: Mount, issuer: PkiIssuer): PkiCrl | undefined {
  const stored = crls.find(world, mount, issuer.id)
  const isCurrent = stored !== undefined && stored.next_update > world.clock.now()
  if (isCurrent) return stored
  // An issuer that has lost the right or the key to sign CRLs keeps its last CRL.
  return rebuildCrl(world, mount, issuer) ?? stored
}

export function rebuildDeltaCrls(world: World, mount: Mount): void {
  for (const issuer of issuersOf(world, mount)) rebuildDelta(world, mount, issuer)
}

/**
 * Signs and stores a delta CRL with the revocations that the complete CRL does not have. With
 * `enable_delta` off, the delta CRL is empty. Returns undefined if the issuer cannot sign CRLs.
 */
function rebuildDelta(world: World, mount: Mount, issuer: PkiIssuer): PkiCrl | undefined {
  const signer = crlSigner(world, mount, issuer)
  const base = signer && currentRow(world, mount, issuer)
  if (signer === undefined || base === undefined) return undefined
  const { enable_delta, expiry } = crlConfig(world, mount)
  const known = new Set(readCrlEntries(Buffer.from(base.crl, 'base64')).map(({ serial }) => serial))
  const entries = enable_delta
    ? revokedEntriesOf(world, mount, issuer).filter(({ serial }) => !known.has(serial))
    : []
  const now = wholeSeconds(world.clock.now())
  const times = { thisUpdate: now, nextUpdate: now + crlSeconds(expiry) * 1000 }
  // The first delta CRL after a new complete CRL has the number of the complete CRL. An empty delta
  // CRL (`enable_delta` off) repeats the last number.
  const last = base.last_number ?? base.number
  const number = enable_delta && base.delta !== undefined ? last + 1 : last
  const content = { number, entries, ...times, baseNumber: base.number }
  const delta = encodeCrl(signer, content, crlSignature(issuer)).toString('base64')
  const row = { ...base, delta, last_number: number }
  crls.put(world, mount, issuer.id, row)
  return row
}

/**
 * Returns the delta CRL of an issuer as DER; undefined if the issuer has no delta CRL and cannot
 * sign one. Builds and stores a missing delta CRL first.
 */
export function currentDeltaCrl(world: World, mount: Mount, issuer: PkiIssuer): Buffer | undefined {
  const row = currentRow(world, mount, issuer)
  const current = row?.delta === undefined ? rebuildDelta(world, mount, issuer) : row
  if (current?.delta === undefined) return undefined
  const { delta, number: baseNumber, last_number: number = baseNumber } = current
  return servedCrl(world, mount, issuer, delta, { number, baseNumber })
}

/**
 * Marks a stored certificate as revoked and updates the CRLs, either now or by a scheduled job.
 * Returns the time of revocation, which a second call does not change.
 */
export function markRevoked(world: World, mount: Mount, certificate: PkiCertificate): number {
  if (certificate.revoked_at !== null) return certificate.revoked_at
  const revoked_at = world.clock.now()
  world.write(() => {
    pkiCertificates.put(world, mount, certificate.serial, { ...certificate, revoked_at })
    announceRevocation(world, mount)
  })
  return revoked_at
}

/**
 * Rebuilds the CRLs after a revocation if `auto_rebuild` is off. Otherwise, only schedules delta
 * CRLs, if these are enabled.
 */
function announceRevocation(world: World, mount: Mount): void {
  const { auto_rebuild, enable_delta, delta_rebuild_interval } = crlConfig(world, mount)
  if (!auto_rebuild) {
    rebuildCrls(world, mount)
    return
  }
  const id = storagePrefix(mount)
  if (!enable_delta) return
  const interval = crlSeconds(delta_rebuild_interval) * 1000
  world.write(() => {
    world.agenda.cancel(deltaJob, id)
    world.agenda.schedule({ at: nextMultiple(world.clock.now(), interval), job: deltaJob, id })
  })
}

function nextMultiple(now: number, interval: number): number {
  return interval <= 0 ? now : (Math.floor(now / interval) + 1) * interval
}
