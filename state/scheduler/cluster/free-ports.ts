import type { World } from '../../kernel/world.ts'
import type { Network } from '../job/scheduling-shapes.ts'
import { allocationsOnNode } from './node-allocations.ts'
import type { Node } from './node-shapes.ts'

/** Dynamic ports lie here, as the reference's do. */
const firstDynamicPort = 20_000
const dynamicPorts = 12_001

/** The dynamic ports that nobody has on a node (3b-scheduler-decisions.md section 7, Objects). */
export class FreePorts {
  readonly #world: World
  readonly #node: Node
  #used: Set<number> | undefined

  constructor(world: World, node: Node) {
    this.#world = world
    this.#node = node
  }

  /** Takes one of them by the world's generator; beyond the last one they are shared. */
  take(): number {
    this.#used ??= usedPorts(this.#world, this.#node)
    const drawn = this.#world.ids.below(dynamicPorts)
    for (let step = 0; step < dynamicPorts; step++) {
      const port = firstDynamicPort + ((drawn + step) % dynamicPorts)
      if (this.#used.has(port)) continue
      this.#used.add(port)
      return port
    }
    return firstDynamicPort + drawn
  }
}

function usedPorts(world: World, { ID }: Node): Set<number> {
  const used = new Set<number>()
  const add = (networks: readonly Network[] | null) => {
    for (const { ReservedPorts, DynamicPorts } of networks ?? []) {
      for (const { Value } of [...(ReservedPorts ?? []), ...(DynamicPorts ?? [])]) used.add(Value)
    }
  }
  for (const { AllocatedResources } of allocationsOnNode(world, ID)) {
    add(AllocatedResources.Shared.Networks)
    for (const { Networks } of Object.values(AllocatedResources.Tasks ?? {})) add(Networks)
  }
  return used
}
