import { formatGoDuration, parseDuration, toSeconds } from '../../go/duration.ts'
import { Refusal } from '../../kernel/refusal.ts'
import { bool, text } from '../../kernel/shape/kinds.ts'
import { struct } from '../../kernel/shape/members.ts'
import type { StoredOf } from '../../kernel/shape/values.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { type Mount, MountRow, walField } from '../mounts/mounts.ts'
import { optionsOf } from '../options.ts'
import { secretsTable } from '../table.ts'
import { refuse } from './messages.ts'

/**
 * Members of the CRL settings in a reply. Durations keep the spelling of the request, such as
 * `72h`.
 */
export const crlConfigMembers = {
  auto_rebuild: bool,
  auto_rebuild_grace_period: text,
  cross_cluster_revocation: bool,
  delta_rebuild_interval: text,
  disable: bool,
  enable_delta: bool,
  expiry: text,
  ocsp_disable: bool,
  ocsp_expiry: text,
  unified_crl: bool,
  unified_crl_on_existing_paths: bool,
} as const

const crlConfigShape = struct({ ...crlConfigMembers, ...walField })
export interface PkiCrlConfig extends StoredOf<typeof crlConfigShape> {}

/**
 * CRL settings, one row per mount. A mount without a row has the defaults
 * (behaviour/secrets#pki-crl).
 */
export const crlConfigTable = secretsTable('pki-crl-configs', crlConfigShape, { secrets: 'none' })

const crlConfigs = new MountRow(crlConfigTable, () => refuse('nothing-here'))

const defaults: PkiCrlConfig = {
  auto_rebuild: false,
  auto_rebuild_grace_period: '12h',
  cross_cluster_revocation: false,
  delta_rebuild_interval: '15m',
  disable: false,
  enable_delta: false,
  expiry: '72h',
  ocsp_disable: false,
  ocsp_expiry: '12h',
  unified_crl: false,
  unified_crl_on_existing_paths: false,
}

/** Returns the stored settings or the defaults. An empty `expiry` becomes the default expiry. */
export function crlConfig(world: World, mount: Mount): PkiCrlConfig {
  const config = crlConfigs.find(world, mount) ?? defaults
  return config.expiry === '' ? { ...config, expiry: defaults.expiry } : config
}

/**
 * Converts a stored duration to seconds; an empty string is 0. Does not throw, because the duration
 * was checked when it was stored.
 */
export function crlSeconds(duration: string): number {
  return toSeconds(parseDuration(duration))
}

const durationMembers = [
  'expiry',
  'ocsp_expiry',
  'auto_rebuild_grace_period',
  'delta_rebuild_interval',
] as const

/**
 * Changes the given settings without rebuilding CRLs, and returns all settings. Throws an `invalid`
 * refusal for malformed durations, for a negative `ocsp_expiry`, and for settings that contradict
 * each other. Also refuses cluster-wide settings that the edition or a local mount does not
 * support.
 */
export function writeCrlConfig(
  world: World,
  mount: Mount,
  change: Partial<PkiCrlConfig>,
): PkiCrlConfig {
  for (const field of durationMembers) checkDuration(field, change[field])
  const config = { ...crlConfig(world, mount), ...change }
  if (config.unified_crl_on_existing_paths && !config.unified_crl) {
    throw refuse('pki-unified-paths-alone')
  }
  const { expiry, auto_rebuild_grace_period: grace, delta_rebuild_interval: interval } = config
  const most = crlSeconds(expiry)
  if (config.auto_rebuild && crlSeconds(grace) >= most) {
    throw refuse('pki-crl-grace', { grace, expiry })
  }
  if (config.enable_delta && crlSeconds(interval) >= most) {
    throw refuse('pki-crl-delta-window', { interval, expiry })
  }
  if (config.enable_delta && !config.auto_rebuild) throw refuse('pki-crl-delta-alone')
  if (config.cross_cluster_revocation && !config.auto_rebuild) throw refuse('pki-crl-cluster')
  checkClusterSettings(world, mount, config)
  crlConfigs.put(world, mount, config)
  return config
}

/**
 * Refuses cluster-wide settings in the community edition and for local mounts, and a unified CRL
 * without auto-rebuild.
 */
function checkClusterSettings(world: World, mount: Mount, config: PkiCrlConfig): void {
  const { cross_cluster_revocation: isCrossCluster, unified_crl: isUnified } = config
  if (optionsOf(world).edition !== 'enterprise') {
    if (isCrossCluster) throw refuse('pki-cross-cluster-community')
    if (isUnified) throw refuse('pki-unified-crl-community')
  }
  if (mount.local && isCrossCluster) throw refuse('pki-cross-cluster-local')
  if (mount.local && isUnified) throw refuse('pki-unified-crl-local')
  if (isUnified && !config.auto_rebuild) throw refuse('pki-unified-crl-manual')
}

function checkDuration(field: string, value: string | undefined): void {
  // An empty string is stored unchanged, as in the reference, although it is not a duration.
  if (value === undefined || value === '') return
  let duration: number
  try {
    duration = parseDuration(value)
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    throw refuse('pki-crl-duration', { field, why: error.reason })
  }
  if (field === 'ocsp_expiry' && duration < 0) {
    throw refuse('pki-ocsp-expiry-negative', { value: formatGoDuration(duration) })
  }
}
