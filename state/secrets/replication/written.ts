import { uint } from '../../kernel/shape/kinds.ts'
import { described, optional } from '../../kernel/shape/members.ts'
import type { World } from '../../kernel/world.ts'

/**
 * The member of engine data that says when a row was written last: in that order it comes to a new
 * secondary (1-secrets-decisions.md section 7, first copy). Rows of earlier versions have none.
 */
export const written = {
  wal: optional(described(uint, 'The write-ahead position of the last write')),
} as const

/** The write-ahead position that the open transaction will have. */
export function nextWal(world: World): number {
  return world.store.nextIndex('secrets')
}
