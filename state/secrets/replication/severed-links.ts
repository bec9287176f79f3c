import { constant } from '../../kernel/shape/kinds.ts'
import { struct } from '../../kernel/shape/members.ts'
import { defineTable } from '../../kernel/store/table.ts'
import type { World } from '../../kernel/worlds/world.ts'

/** Links that are cut by hand, by what is at the other end: `primary`, or a secondary's id. */
export const severedLinks = defineTable({
  service: 'secrets',
  name: 'replication-links',
  local: true,
  shape: struct({
    cut: constant(true),
  }),
})

/** The name of a secondary's one link. */
export const primaryLinkId = 'primary'

/** Tells whether a link is cut by hand at this end. */
export function isSevered(world: World, id: string): boolean {
  return world.table(severedLinks).has(id)
}

/** Cuts a link at this end. */
export function severLink(world: World, id: string): void {
  world.write(() => world.table(severedLinks).put(id, { cut: true }))
}

/** Restores a link at this end, if it is cut: by hand, or because what it was about has ended. */
export function restoreLink(world: World, id: string): void {
  world.write(() => world.table(severedLinks).delete(id))
}
