import { Ids } from '../kernel/worlds/ids.ts'
import type { World } from '../kernel/worlds/world.ts'
import { rootKeys } from './operator/root-keys.ts'

/**
 * Returns the ID of the initial key of a world (behaviour/scheduler#operator). The ID is a UUID
 * that is derived from the seed. The ID is therefore not stored, and other IDs do not depend on it.
 */
export function firstKeyId({ seed }: World): string {
  return new Ids(`${seed}/signing-key`).uuid()
}

/**
 * Returns the ID of the key that was active at an index. This key signed the identities of
 * allocations created then and encrypted the variables written then. The read is not observed,
 * because the key of a past index never changes.
 */
export function signingKeyId(world: World, index: number): string {
  const signing = world.unobserved(() =>
    Array.from(world.table(rootKeys).rows())
      .flatMap(({ KeyID, since }) => (since === null || since > index ? [] : [{ KeyID, since }]))
      .sort((a, b) => b.since - a.since),
  )
  return signing[0]?.KeyID ?? firstKeyId(world)
}
