import type { World } from '../../kernel/world.ts'
import { type AclFacts, aclFacts } from './tables.ts'

const unknown: AclFacts = { bootstrap_index: null, stored: false }

/** Returns what is known of the ACL system as a whole. */
export function factsOf(world: World): AclFacts {
  return world.table(aclFacts).get('') ?? unknown
}

/** Notes facts; part of a transaction. */
export function note(world: World, facts: Partial<AclFacts>): void {
  world.table(aclFacts).put('', { ...factsOf(world), ...facts })
}

/** Notes that a policy or role is stored; part of a transaction. */
export function noteStored(world: World): void {
  if (!factsOf(world).stored) note(world, { stored: true })
}
