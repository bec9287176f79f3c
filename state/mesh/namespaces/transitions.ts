import type { TransitionKind } from '../../kernel/worlds/service.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { refuse } from '../messages.ts'
import { allNamespaces, isMarkedForDeletion, type Namespace, namespaceNamed } from './namespaces.ts'
import { holdRemoval, isHeld, namespaceKind, scheduleRemovalAt } from './removal.ts'

const targets = ['held', 'removed'] as const

function stateOf(world: World, namespace: Namespace): 'active' | 'removing' | 'held' {
  if (!isMarkedForDeletion(namespace)) return 'active'
  return isHeld(world, namespace.name) ? 'held' : 'removing'
}

const reachableTargets = { active: [], removing: targets, held: ['removed'] } as const

/**
 * Transitions of namespaces for `/_mock/transitions` (behaviour/program#control-plane). A namespace
 * that is marked for deletion is `removing` until its removal is due. `held` cancels the schedule,
 * `removed` deletes the namespace and its data now.
 */
export const namespaceTransition: TransitionKind = {
  kind: namespaceKind,
  summary: 'Namespaces marked for deletion; unless a pace is set, namespaceRemovalDelay says when.',
  targets,
  timing: { after: '500ms' },
  items: (world) =>
    allNamespaces(world).map((namespace) => {
      const state = stateOf(world, namespace)
      return { id: namespace.name, state, to: reachableTargets[state] }
    }),
  force(world, id, to) {
    const namespace = namespaceNamed(world, id)
    if (namespace === undefined) throw refuse('nothing-to-push', { name: id })
    const { name } = namespace
    const state = stateOf(world, namespace)
    if (!reachableTargets[state].some((target) => target === to)) {
      throw refuse('push-impossible', { state, target: to })
    }
    world.write(() => {
      if (to === 'held') holdRemoval(world, name)
      else scheduleRemovalAt(world, name, world.clock.now())
    })
  },
}
