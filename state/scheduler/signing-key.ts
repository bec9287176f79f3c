import { Ids } from '../kernel/worlds/ids.ts'
import type { World } from '../kernel/worlds/world.ts'
import { rootKeys } from './operator/root-keys.ts'

/**
 * The id of the key with which a world begins (behaviour/scheduler#operator). A UUID that
 * the world's seed gives, so that nothing has to be kept for it and no other id depends on who asked.
 */
export function firstKeyId({ seed }: World): string {
  return new Ids(`${seed}/signing-key`).uuid()
}

/**
 * The id of the key that was active at an index: it signed the identities of the allocations that were
 * made then, and encrypted the variables that were written. What was done stays, so no observation notes
 * it.
 */
export function signingKeyId(world: World, index: number): string {
  const signing = world.unobserved(() =>
    Array.from(world.table(rootKeys).rows())
      .flatMap(({ KeyID, since }) => (since === null || since > index ? [] : [{ KeyID, since }]))
      .sort((a, b) => b.since - a.since),
  )
  return signing[0]?.KeyID ?? firstKeyId(world)
}
