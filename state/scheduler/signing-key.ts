import { Ids } from '../kernel/worlds/ids.ts'
import type { World } from '../kernel/worlds/world.ts'
import { rootKeys } from './operator/root-keys.ts'

/**
 * Derives the ID of a world's initial key, a UUID, from the seed (behaviour/scheduler#operator).
 * The derivation does not affect other random IDs. No row contains the ID before the first
 * rotation.
 */
export function initialKeyId({ seed }: World): string {
  return new Ids(`${seed}/signing-key`).uuid()
}

/**
 * Returns the ID of the key that was active at an index. The key signed the identities of
 * allocations created at the index and encrypted the variables written at the index. The read is
 * not observed, because the key of a past index never changes.
 */
export function signingKeyId(world: World, index: number): string {
  const activeKeys = world.unobserved(() =>
    Array.from(world.table(rootKeys).rows())
      .flatMap(({ KeyID, since }) => (since === null || since > index ? [] : [{ KeyID, since }]))
      .sort((a, b) => b.since - a.since),
  )
  return activeKeys[0]?.KeyID ?? initialKeyId(world)
}
