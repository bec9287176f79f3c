import type { World } from '../../../kernel/worlds/world.ts'
import type { Node } from '../model/node-shapes.ts'
import { portPrefix } from '../model/port-index.ts'
import { allocations } from '../model/tables.ts'

/** The dynamic ports of every node, as the reference's: the first and the last. */
export const dynamicPorts = { first: 20_000, last: 32_000 } as const

const portCount = dynamicPorts.last - dynamicPorts.first + 1

/** The dynamic ports that nobody has on a node (behaviour/scheduler#nodes). */
export class FreePorts {
  readonly #world: World
  readonly #node: Node
  readonly #allocated = new Set<number>()

  constructor(world: World, node: Node) {
    this.#world = world
    this.#node = node
  }

  /** Takes one of them by the world's generator; beyond the last one they are shared. */
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
