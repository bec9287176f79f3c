import { formatTimestamp } from '../../kernel/time.ts'
import type { World } from '../../kernel/world.ts'
import { allocationsOnNode } from './node-allocations.ts'
import type { Node } from './node-shapes.ts'
import { writeNode } from './nodes.ts'

/**
 * A node that is drained and empty is done with it; it stays ineligible, as in the reference. Inside a
 * transaction.
 */
export function finishDrain(world: World, node: Node): Node {
  if (!node.Drain || allocationsOnNode(world, node.ID).length > 0) return node
  const LastDrain = node.LastDrain && {
    ...node.LastDrain,
    UpdatedAt: formatTimestamp(world.clock.now()),
    Status: 'complete',
  }
  return writeNode(world, { ...node, Drain: false, LastDrain })
}
