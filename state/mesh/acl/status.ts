import type { World } from '../../kernel/worlds/world.ts'
import { type AclStatus, aclStatus } from './tables.ts'

const initialStatus: AclStatus = { bootstrap_index: null, stored: false }

/** Returns the state of the ACL system as a whole. */
export function aclStatusOf(world: World): AclStatus {
  return world.table(aclStatus).get('') ?? initialStatus
}

/** Updates the ACL status within the open transaction. */
export function updateAclStatus(world: World, changes: Partial<AclStatus>): void {
  world.table(aclStatus).put('', { ...aclStatusOf(world), ...changes })
}

/** Records within the open transaction that a policy or role has been stored. */
export function markStored(world: World): void {
  if (!aclStatusOf(world).stored) updateAclStatus(world, { stored: true })
}
