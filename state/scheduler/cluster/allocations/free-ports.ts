import type { World } from '../../../kernel/worlds/world.ts'
import type { Node } from '../model/node-shapes.ts'
import { allocations, portPrefix } from '../model/tables.ts'

/** The range from which every node takes dynamic ports, as in the reference. */
export const dynamicPorts = { first: 20_000, last: 32_000 } as const

const portCount = dynamicPorts.last - dynamicPorts.first + 1

/**
 * Allocator of dynamic ports on a node for the networks of one allocation
 * (behaviour/scheduler#nodes).
 */
export class FreePorts {
  readonly #world: World
  readonly #node: Node
  readonly #allocated = new Set<number>()

  constructor(world: World, node: Node) {
    this.#world = world
    this.#node = node
  }

  /**
   * Returns a port that no allocation on the node uses. The search starts at a random port. If all
   * ports are in use, returns the random port.
   */
  allocate(): number {
    const randomOffset = this.#world.ids.integerBelow(portCount)
    for (let attempt = 0; attempt < portCount; attempt++) {
      const port = dynamicPorts.first + ((randomOffset + attempt) % portCount)
      if (this.#isTaken(port)) continue
      this.#allocated.add(port)
      return port
    }
    return dynamicPorts.first + randomOffset
  }

  #isTaken(port: number): boolean {
    if (this.#allocated.has(port)) return true
    const used = this.#world.table(allocations).index('ports')
    return used.first(portPrefix(this.#node.ID, port)) !== undefined
  }
}
