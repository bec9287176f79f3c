import type { World } from '../../../kernel/worlds/world.ts'
import type { Allocation } from '../model/allocation-shapes.ts'
import { allocations } from '../model/tables.ts'

/** The allocations that have not ended on a node, in order of ID. */
export function allocationsOnNode(world: World, id: string): Allocation[] {
  return [...world.table(allocations).index('onNode').rows(`${id} `)]
}

/** The allocations that were ever placed on a node, in order of ID. */
export function allAllocationsOnNode(world: World, id: string): Allocation[] {
  return [...world.table(allocations).index('byNode').rows(`${id} `)]
}
