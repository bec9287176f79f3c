import { Refusal } from '../../../state/kernel/refusal.ts'
import type { TransitionKind } from '../../../state/kernel/worlds/service.ts'
import type { World } from '../../../state/kernel/worlds/world.ts'
import { isUpgrading, setUpgrading } from '../../../state/secrets/kv/v2-store.ts'
import { cancelUpgrade, upgradeToVersion2 } from '../../../state/secrets/kv/v2-upgrade.ts'
import {
  isVersioned,
  type Mount,
  mountsIn,
  storagePrefix,
} from '../../../state/secrets/mounts/mounts.ts'
import { rootNamespace } from '../../../state/secrets/namespaces/namespaces.ts'
import { optionsOf } from '../../../state/secrets/options.ts'
import { replicationRow } from '../../../state/secrets/replication/modes.ts'
import {
  demotePrimary,
  disableSecondary,
  enablePrimary,
  promoteSecondary,
} from '../../../state/secrets/replication/replication.ts'
import { parseMilliseconds } from '../../faults/declare/latency.ts'

/**
 * Placeholder for the API address of a cluster that a preset turns into a secondary. A request that
 * demotes a cluster supplies its own origin, but a preset has no request.
 */
const address = 'http://127.0.0.1:8200'

/**
 * Transitions of the cluster's role in DR replication. A cluster that becomes a secondary in this
 * way follows no primary and keeps its data. Only presets force these transitions. `force` throws a
 * `conflict` refusal in the community edition.
 */
export const replicationKind: TransitionKind = {
  kind: 'secrets.replication',
  summary: "The cluster's role in DR replication.",
  targets: ['disabled', 'primary', 'secondary'],
  items: (world) => [{ id: 'dr', state: replicationRow(world)?.mode ?? 'disabled', to: [] }],
  force(world, _id, to) {
    if (optionsOf(world).edition !== 'enterprise') {
      throw new Refusal('conflict', 'the community edition has no DR replication')
    }
    const mode = replicationRow(world)?.mode ?? 'disabled'
    if (mode === 'disabled') enablePrimary(world, '')
    if (to === 'secondary' && mode !== 'secondary') demotePrimary(world, address)
    if (to === 'primary') promoteSecondary(world, '')
    if (to === 'disabled') disableSecondary(world)
  },
}

/** Returns the versioned key-value engines of the root namespace, ordered by path. */
export function engineMounts(world: World): Mount[] {
  return mountsIn(world, rootNamespace).filter(isVersioned)
}

/**
 * Transitions of versioned key-value engines, by path. `duration` is the length of an upgrade;
 * without a duration, the upgrade lasts until the transition to `ready`. Only presets force these
 * transitions.
 */
export const engineKind: TransitionKind = {
  kind: 'secrets.kv-engine',
  summary: 'Versioned key-value engines: ready, or being upgraded.',
  targets: ['ready', 'upgrading'],
  items: (world) =>
    engineMounts(world).map((mount) => ({
      id: mount.path,
      state: isUpgrading(world, mount) ? 'upgrading' : 'ready',
      to: [],
    })),
  force(world, id, to, { duration }) {
    for (const mount of engineMounts(world).filter(({ path }) => path === id)) {
      if (to === 'ready') {
        cancelUpgrade(world, mount)
        setUpgrading(world, storagePrefix(mount), false)
      } else if (duration === undefined) setUpgrading(world, storagePrefix(mount), true)
      else upgradeToVersion2(world, mount, parseMilliseconds(String(duration)))
    }
  },
}
