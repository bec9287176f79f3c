import type { World } from '../../kernel/world.ts'
import type { Node } from './node-shapes.ts'
import { allocations } from './tables.ts'
import { portPrefix } from './taken.ts'

/** Dynamic ports lie here, as the reference's do. */
const firstDynamicPort = 20_000
const dynamicPorts = 12_001

/** The dynamic ports that nobody has on a node (3b-scheduler-decisions.md section 7, Objects). */
export class FreePorts {
  readonly #world: World
  readonly #node: Node
  readonly #taken = new Set<number>()

  constructor(world: World, node: Node) {
    this.#world = world
    this.#node = node
  }

  /** Takes one of them by the world's generator; beyond the last one they are shared. */
  take(): number {
    const drawn = this.#world.ids.below(dynamicPorts)
    for (let step = 0; step < dynamicPorts; step++) {
      const port = firstDynamicPort + ((drawn + step) % dynamicPorts)
      if (this.#isUsed(port)) continue
      this.#taken.add(port)
      return port
    }
    return firstDynamicPort + drawn
  }

  #isUsed(port: number): boolean {
    if (this.#taken.has(port)) return true
    const used = this.#world.table(allocations).index('ports')
    return used.first(portPrefix(this.#node.ID, port)) !== undefined
  }
}
