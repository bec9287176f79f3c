import type { StoreSnapshot } from '../kernel/store/open-table.ts'
import type { TableDefinition } from '../kernel/store/table.ts'
import type { World } from '../kernel/worlds/world.ts'
import { leases } from './leases/leases.ts'
import { findToken, tokens } from './tokens/rows.ts'

/** Secrets issued since a snapshot and not revoked (behaviour/program#reports). */
interface UnrevokedSecrets {
  /** Accessors of valid tokens; batch tokens cannot be revoked and have no accessor. */
  readonly tokens: readonly string[]
  /** Ids of active leases. */
  readonly leases: readonly string[]
}

/** Returns the secrets issued since a snapshot of the world that are still valid. */
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
