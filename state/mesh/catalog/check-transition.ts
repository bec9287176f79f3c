import { text } from '../../kernel/shape/kinds.ts'
import { described, optional, struct } from '../../kernel/shape/members.ts'
import type { TransitionKind } from '../../kernel/worlds/service.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { refuse } from '../messages.ts'
import { defaultNamespace, namespaceKey } from '../namespaces/namespaces.ts'
import { serfHealth, serfOutputs } from '../server.ts'
import { forceCheckState } from './check-states.ts'
import { type CatalogCheck, catalogChecks } from './tables.ts'

const targets = ['passing', 'warning', 'critical'] as const

const checkExtras = struct({
  output: optional(described(text, 'Output of the check; unchanged if left out')),
})

/**
 * Formats the ID of a check in `/_mock/transitions`: `<node>:<check>`, preceded by the namespace
 * unless that is `default`.
 */
function transitionId({ namespace, node, check_id }: CatalogCheck): string {
  const id = `${node}:${check_id}`
  return namespaceKey(namespace) === defaultNamespace ? id : `${namespace}/${id}`
}

const allChecks = (world: World) => [...world.table(catalogChecks).rows()]

/**
 * Transitions of checks for `/_mock/transitions` (behaviour/mesh#agent-checks). Forcing a status of
 * a TTL check restarts the TTL.
 */
export const checkTransition: TransitionKind = {
  kind: 'mesh.check',
  summary: 'Health checks of any node; requests, TTLs, forced transitions and calls change them.',
  targets,
  takes: Object.fromEntries(targets.map((target) => [target, checkExtras])),
  timing: 'manual',
  items: (world) =>
    allChecks(world).map((check) => ({
      id: transitionId(check),
      state: check.status,
      to: targets.filter((target) => target !== check.status),
    })),
  force(world, id, to, extra) {
    const check = allChecks(world).find((each) => transitionId(each) === id)
    if (check === undefined) throw refuse('check-to-push-absent', { id })
    const kept =
      check.check_id === serfHealth
        ? serfOutputs[to === 'passing' ? 'passing' : 'critical']
        : check.output
    const output = typeof extra['output'] === 'string' ? extra['output'] : kept
    world.write(() => forceCheckState(world, check, { status: to, output }))
  },
}
