import { Ids } from '../kernel/worlds/ids.ts'
import type { World } from '../kernel/worlds/world.ts'
import { rootKeys } from './operator/root-keys.ts'

/**
 * Returns the ID of a world's initial key (behaviour/scheduler#operator). The ID is a UUID
 * derived from the seed, so nothing is stored for it and other IDs do not depend on it.
 */
export function firstKeyId({ seed }: World): string {
  return new Ids(`${seed}/signing-key`).uuid()
}

/**
 * Returns the ID of the key that was active at an index. This key signed the identities of
 * allocations created then and encrypted the variables written then. The read is not observed,
 * because the past does not change.
 */
export function signingKeyId(world: World, index: number): string {
  const signing = world.unobserved(() =>
    Array.from(world.table(rootKeys).rows())
      .flatMap(({ KeyID, since }) => (since === null || since > index ? [] : [{ KeyID, since }]))
      .sort((a, b) => b.since - a.since),
  )
  return signing[0]?.KeyID ?? firstKeyId(world)
}
