import type { StoreSnapshot } from '../kernel/store/open-table.ts'
import type { TableDefinition } from '../kernel/store/table.ts'
import type { World } from '../kernel/worlds/world.ts'
import { leases } from './leases/leases.ts'
import { findToken, tokens } from './tokens/rows.ts'

/** Secrets that a test created and did not revoke (behaviour/program#reports). */
interface UnrevokedSecrets {
  /**
   * Accessors of valid tokens. Batch tokens are left out, because they cannot be revoked and have
   * no accessor.
   */
  readonly tokens: readonly string[]
  /** Ids of active leases. */
  readonly leases: readonly string[]
}

/** Returns the secrets that are still valid but did not exist in the snapshot. */
export function findUnrevoked(world: World, baseline: StoreSnapshot): UnrevokedSecrets {
  const isNew = ({ id }: TableDefinition, key: string) =>
    baseline.tables.get(id)?.tree.has(key) !== true
  const now = world.clock.now()
  const liveTokens = [...world.table(tokens).entries()].filter(
    ([key, { accessor }]) =>
      accessor !== '' &&
      isNew(tokens as TableDefinition, key) &&
      findToken(world, key) !== undefined,
  )
  const liveLeases = [...world.table(leases).entries()].filter(
    ([key, { expire_time }]) => isNew(leases as TableDefinition, key) && expire_time > now,
  )
  return {
    tokens: liveTokens.map(([, { accessor }]) => accessor).sort(),
    leases: liveLeases.map(([, { id }]) => id).sort(),
  }
}
