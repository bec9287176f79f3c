import type { TransitionKind } from '../../kernel/worlds/service.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { refuse } from '../messages.ts'
import { defaultNamespace } from '../namespaces/namespaces.ts'
import { optionsOf } from '../options.ts'
import { serfCheck, serfHealth, serfOutputs } from '../server.ts'
import { catalogChecks, catalogNodes, instanceKey, nodeKey } from './tables.ts'
import { dropNode, storeCheck } from './writes.ts'

const targets = ['alive', 'failed', 'left'] as const

function isOwnNode(world: World, node: string): boolean {
  return nodeKey(node) === nodeKey(optionsOf(world).nodeName)
}

function gossipCheck(world: World, node: string) {
  return world.table(catalogChecks).get(instanceKey(node, defaultNamespace, serfHealth))
}

/**
 * Returns whether the check `serfHealth` of a node is critical. Nodes without the check count as
 * alive.
 */
export function hasFailed(world: World, node: string): boolean {
  return gossipCheck(world, node)?.status === 'critical'
}

/** Returns the states that a node can be forced into. The agent's own node cannot leave. */
function targetsOf(world: World, node: string): readonly string[] {
  const state = hasFailed(world, node) ? 'failed' : 'alive'
  const isKnown = gossipCheck(world, node) !== undefined
  return targets.filter((target) => {
    if (target === 'left') return !isOwnNode(world, node)
    return target !== state || !isKnown
  })
}

/**
 * Transitions of nodes for `/_mock/transitions` (behaviour/mesh#catalog). If a node lacks the check
 * `serfHealth`, its first transition to `alive` or `failed` adds the check.
 */
export const nodeTransition: TransitionKind = {
  kind: 'mesh.node',
  summary: 'Nodes of the catalog, as the gossip sees them; `left` removes a node.',
  targets,
  timing: 'manual',
  items: (world) =>
    Array.from(world.table(catalogNodes).rows(), ({ node }) => ({
      id: node,
      state: hasFailed(world, node) ? 'failed' : 'alive',
      to: targetsOf(world, node),
    })),
  force(world, id, to) {
    const known = world.table(catalogNodes).get(nodeKey(id))
    if (known === undefined) throw refuse('node-to-push-absent', { id })
    const { node } = known
    if (to === 'left' && isOwnNode(world, node)) throw refuse('own-node-stays', { id })
    const status = to === 'alive' ? 'passing' : 'critical'
    world.write(() => {
      if (to === 'left') dropNode(world, node)
      else storeCheck(world, { ...serfCheck(node), status, output: serfOutputs[status] })
    })
  },
}
