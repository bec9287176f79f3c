import { constant } from '../../kernel/shape/kinds.ts'
import { struct } from '../../kernel/shape/members.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { secretsTable } from '../table.ts'

/** Links severed by a caller, by the other end: `primary`, or a secondary's id. */
export const severedLinks = secretsTable(
  'replication-links',
  struct({
    cut: constant(true),
  }),
  { local: true },
)

/** The id of a secondary's only link. */
export const primaryLinkId = 'primary'

/** Returns whether a caller has severed a link at this end. */
export function isSevered(world: World, id: string): boolean {
  return world.table(severedLinks).has(id)
}

/** Severs a link at this end. */
export function severLink(world: World, id: string): void {
  world.write(() => world.table(severedLinks).put(id, { cut: true }))
}

/** Restores a link at this end, if it is severed. */
export function restoreLink(world: World, id: string): void {
  world.write(() => world.table(severedLinks).delete(id))
}
