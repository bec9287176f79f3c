import type { World } from '../../../kernel/worlds/world.ts'
import type { Allocation } from '../model/allocation-shapes.ts'
import { allocations } from '../model/tables.ts'

/** Returns the allocations on a node that have not ended, ordered by ID. */
export function allocationsOnNode(world: World, id: string): Allocation[] {
  return [...world.table(allocations).index('onNode').rows(`${id} `)]
}

/** Returns all allocations ever placed on a node, ordered by ID. */
export function allAllocationsOnNode(world: World, id: string): Allocation[] {
  return [...world.table(allocations).index('byNode').rows(`${id} `)]
}
