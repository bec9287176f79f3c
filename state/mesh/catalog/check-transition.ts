import type { TransitionKind } from '../../kernel/worlds/service.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { agentCheck, setCheckState } from '../agent/registry.ts'
import { refuse } from '../messages.ts'
import { defaultNamespace, namespaceKey } from '../namespaces/namespaces.ts'
import { optionsOf } from '../options.ts'
import { serfHealth } from '../server.ts'
import { type CatalogCheck, catalogChecks, nodeKey } from './tables.ts'
import { storeCheck } from './writes.ts'

const targets = ['passing', 'warning', 'critical'] as const

/** Returns the ID of a check: `<node>:<check>`, after its namespace unless that is `default`. */
function transitionId({ namespace, node, check_id }: CatalogCheck): string {
  const id = `${node}:${check_id}`
  return namespaceKey(namespace) === defaultNamespace ? id : `${namespace}/${id}`
}

const allChecks = (world: World) => [...world.table(catalogChecks).rows()]

/**
 * Transitions of checks for `/_mock/transitions` (behaviour/mesh#agent-checks). A forced status of a
 * TTL check starts its time anew.
 */
export const checkTransition: TransitionKind = {
  kind: 'mesh.check',
  summary: 'Health checks of any node; only requests, TTLs and forced transitions change them.',
  targets,
  timing: 'manual',
  items: (world) =>
    allChecks(world).map((check) => ({
      id: transitionId(check),
      state: check.status,
      to: targets.filter((target) => target !== check.status),
    })),
  force(world, id, to) {
    const check = allChecks(world).find((each) => transitionId(each) === id)
    if (check === undefined) throw refuse('check-to-push-absent', { id })
    const { create_index: _, modify_index: __, ...facts } = check
    const isOwn = nodeKey(check.node) === nodeKey(optionsOf(world).nodeName)
    const atAgent = isOwn ? agentCheck(world, check.namespace, check.check_id) : undefined
    const isSerf = check.check_id === serfHealth
    const serfOutput =
      to === 'passing' ? 'Agent alive and reachable' : 'Agent not live or unreachable'
    const output = isSerf ? serfOutput : check.output
    world.write(() => {
      if (atAgent === undefined) storeCheck(world, { ...facts, status: to, output })
      else setCheckState(world, atAgent, { status: to, output })
    })
  },
}
