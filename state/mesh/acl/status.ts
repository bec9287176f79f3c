import type { World } from '../../kernel/worlds/world.ts'
import { type AclStatus, aclStatus } from './tables.ts'

const initialStatus: AclStatus = { bootstrap_index: null, stored: false }

/** Returns what is known of the ACL system as a whole. */
export function aclStatusOf(world: World): AclStatus {
  return world.table(aclStatus).get('') ?? initialStatus
}

/** Notes facts; part of a transaction. */
export function updateAclStatus(world: World, changes: Partial<AclStatus>): void {
  world.table(aclStatus).put('', { ...aclStatusOf(world), ...changes })
}

/** Notes that a policy or role is stored; part of a transaction. */
export function markStored(world: World): void {
  if (!aclStatusOf(world).stored) updateAclStatus(world, { stored: true })
}
