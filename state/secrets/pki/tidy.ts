import { bool, instant, text, uint } from '../../kernel/shape/kinds.ts'
import { struct } from '../../kernel/shape/members.ts'
import type { StoredOf } from '../../kernel/shape/values.ts'
import type { JobHandler } from '../../kernel/worlds/service.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { type Mount, MountRow, storagePrefix, walField } from '../mounts/mounts.ts'
import { secretsTable } from '../table.ts'
import { rebuildCrls, runForMount } from './crl.ts'
import { refuse } from './messages.ts'
import { issuersOf, parsedCertificate, pkiCertificates, pkiDefaults, pkiIssuers } from './tables.ts'

/** Switches of a tidy run, in the order in which messages list them. */
export const tidyKinds = [
  'tidy_cert_store',
  'tidy_revoked_certs',
  'tidy_revoked_cert_issuer_associations',
  'tidy_expired_issuers',
  'tidy_move_legacy_ca_bundle',
  'tidy_revocation_queue',
  'tidy_cross_cluster_revoked_certs',
  'tidy_acme',
] as const

const kindMembers = {
  tidy_cert_store: bool,
  tidy_revoked_certs: bool,
  tidy_revoked_cert_issuer_associations: bool,
  tidy_expired_issuers: bool,
  tidy_move_legacy_ca_bundle: bool,
  tidy_revocation_queue: bool,
  tidy_cross_cluster_revoked_certs: bool,
  tidy_acme: bool,
} as const

/**
 * Seconds for which expired certificates and issuers, entries of the revocation queue and ACME
 * accounts are kept.
 */
const bufferMembers = {
  safety_buffer: uint,
  issuer_safety_buffer: uint,
  revocation_queue_safety_buffer: uint,
  acme_account_safety_buffer: uint,
} as const

/**
 * Members of the auto-tidy settings in a reply. Durations are in seconds, except `pause_duration`,
 * which is a string such as `0s`.
 */
export const autoTidyMembers = {
  enabled: bool,
  interval_duration: uint,
  ...kindMembers,
  ...bufferMembers,
  pause_duration: text,
  maintain_stored_certificate_counts: bool,
  publish_stored_certificate_count_metrics: bool,
} as const

const autoTidyShape = struct({ ...autoTidyMembers, ...walField })
export interface AutoTidy extends StoredOf<typeof autoTidyShape> {}

/** Settings of one run, automatic or requested. */
type TidySettings = StoredOf<typeof settingsShape>

const settingsShape = struct({ ...kindMembers, ...bufferMembers, pause_duration: text })

const tidyStatusShape = struct({
  settings: settingsShape,
  time_started: instant,
  time_finished: instant,
  cert_store_deleted_count: uint,
  revoked_cert_deleted_count: uint,
  missing_issuer_cert_count: uint,
  ...walField,
})
export interface TidyStatus extends StoredOf<typeof tidyStatusShape> {}

const autoTidyTable = secretsTable('pki-auto-tidy', autoTidyShape, { secrets: 'none' })
const tidyStatusTable = secretsTable('pki-tidy-status', tidyStatusShape, { secrets: 'none' })

export const pkiTidyTables = [autoTidyTable, tidyStatusTable] as const

const autoTidyRows = new MountRow(autoTidyTable, () => refuse('nothing-here'))
const tidyStatusRows = new MountRow(tidyStatusTable, () => refuse('nothing-here'))

const autoTidyJob = 'secrets.pki.tidy'

/**
 * Handler of the job that runs automatic tidying. The id of the job is the storage prefix of the
 * mount.
 */
export const tidyJobs: Readonly<Record<string, JobHandler>> = {
  [autoTidyJob]: (world, { id }) => runForMount(world, id, runAutoTidy),
}

const defaults: AutoTidy = {
  enabled: false,
  interval_duration: 12 * 3600,
  tidy_cert_store: false,
  tidy_revoked_certs: false,
  tidy_revoked_cert_issuer_associations: false,
  tidy_expired_issuers: false,
  tidy_move_legacy_ca_bundle: false,
  tidy_revocation_queue: false,
  tidy_cross_cluster_revoked_certs: false,
  tidy_acme: false,
  safety_buffer: 72 * 3600,
  issuer_safety_buffer: 365 * 24 * 3600,
  revocation_queue_safety_buffer: 48 * 3600,
  acme_account_safety_buffer: 30 * 24 * 3600,
  pause_duration: '0s',
  maintain_stored_certificate_counts: false,
  publish_stored_certificate_count_metrics: false,
}

/** Returns the settings of automatic tidying; the defaults if no settings are stored. */
export function autoTidy(world: World, mount: Mount): AutoTidy {
  return autoTidyRows.find(world, mount) ?? defaults
}

/** Returns the result of the latest run; undefined if the mount was never tidied. */
export function tidyStatus(world: World, mount: Mount): TidyStatus | undefined {
  return tidyStatusRows.find(world, mount)
}

/**
 * Changes only the given settings, schedules or cancels the next run, and returns all settings.
 * Throws an `invalid` refusal for buffers below one second and for contradictory settings.
 */
export function writeAutoTidy(world: World, mount: Mount, change: Partial<AutoTidy>): AutoTidy {
  for (const [field, name] of bufferNames) {
    const value = change[field]
    if (value === undefined || value >= 1) continue
    throw refuse('pki-tidy-buffer-short', { name, value }).withDetails({ field })
  }
  const config = { ...autoTidy(world, mount), ...change }
  if (config.enabled && !tidyKinds.some((kind) => config[kind])) {
    throw refuse('pki-auto-tidy-nothing', { names: tidyKinds.join(' / ') })
  }
  const { publish_stored_certificate_count_metrics: publishes } = config
  if (publishes && !config.maintain_stored_certificate_counts) throw refuse('pki-tidy-metrics')
  world.write(() => {
    autoTidyRows.put(world, mount, config)
    scheduleTidy(world, mount, config)
  })
  return config
}

/** Fields with their names in messages. The reference calls two fields `safety_buffer`. */
const bufferNames = [
  ['safety_buffer', 'safety_buffer'],
  ['issuer_safety_buffer', 'safety_buffer'],
  ['revocation_queue_safety_buffer', 'revocation_queue_safety_buffer'],
  ['acme_account_safety_buffer', 'acme_account_safety_buffer'],
] as const

function scheduleTidy(world: World, mount: Mount, { enabled, interval_duration }: AutoTidy): void {
  const id = storagePrefix(mount)
  world.agenda.cancel(autoTidyJob, id)
  if (!enabled || interval_duration === 0) return
  const at = world.clock.now() + interval_duration * 1000
  world.agenda.schedule({ at, job: autoTidyJob, id })
}

function runAutoTidy(world: World, mount: Mount): void {
  const config = autoTidy(world, mount)
  world.write(() => {
    runTidy(world, mount, config)
    scheduleTidy(world, mount, config)
  })
}

export function checkTidyBuffers(settings: TidySettings): void {
  for (const [name] of bufferNames) {
    if (settings[name] < 1) throw refuse('pki-tidy-buffer-zero', { name })
  }
}

/**
 * Tidies a mount at once and stores the result as its status (behaviour/secrets#pki-tidy). Rebuilds
 * the CRLs if a revoked certificate was removed or the settings include expired issuers.
 */
export function runTidy(world: World, mount: Mount, settings: TidySettings): void {
  const now = world.clock.now()
  const removed = { certificates: 0, revoked: 0 }
  world.write(() => {
    const { tidy_cert_store: tidiesStore, tidy_revoked_certs: tidiesRevoked } = settings
    const expiryLimit = now - settings.safety_buffer * 1000
    for (const serial of pkiCertificates.names(world, mount)) {
      const row = pkiCertificates.read(world, mount, serial)
      if (row.not_after >= expiryLimit) continue
      const isRevoked = row.revoked_at !== null
      if (!(isRevoked ? tidiesRevoked : tidiesStore)) continue
      pkiCertificates.remove(world, mount, serial)
      if (tidiesStore) removed.certificates += 1
      if (isRevoked) removed.revoked += 1
    }
    if (settings.tidy_expired_issuers) removeExpiredIssuers(world, mount, settings)
    if (removed.revoked > 0 || settings.tidy_expired_issuers) rebuildCrls(world, mount)
    tidyStatusRows.put(world, mount, {
      settings: pickSettings(settings),
      time_started: now,
      time_finished: now,
      cert_store_deleted_count: removed.certificates,
      revoked_cert_deleted_count: removed.revoked,
      missing_issuer_cert_count: 0,
    })
  })
}

/** Returns a copy without the settings that only automatic tidying has. */
function pickSettings(from: TidySettings): TidySettings {
  const { safety_buffer, issuer_safety_buffer, pause_duration } = from
  const { revocation_queue_safety_buffer, acme_account_safety_buffer } = from
  const kinds = Object.fromEntries(tidyKinds.map((kind) => [kind, from[kind]]))
  return {
    ...(kinds as Record<(typeof tidyKinds)[number], boolean>),
    safety_buffer,
    issuer_safety_buffer,
    revocation_queue_safety_buffer,
    acme_account_safety_buffer,
    pause_duration,
  }
}

/**
 * Removes issuers that expired longer ago than `issuer_safety_buffer`. Keeps the default issuer.
 */
function removeExpiredIssuers(world: World, mount: Mount, settings: TidySettings): void {
  const end = world.clock.now() - settings.issuer_safety_buffer * 1000
  for (const issuer of issuersOf(world, mount)) {
    if (parsedCertificate(issuer).notAfter >= end) continue
    if (pkiDefaults(world, mount).issuer === issuer.id) continue
    pkiIssuers.remove(world, mount, issuer.id)
  }
}
