import { type Timing, timings } from '../../kernel/time/transitions.ts'
import type { JobHandler, TransitionKind } from '../../kernel/worlds/service.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { removeAuthMethods } from '../acl/auth-methods/auth-methods.ts'
import { dropPolicy, policiesIn } from '../acl/policies.ts'
import { dropRole, rolesIn } from '../acl/roles.ts'
import { aclTokens, namespacePrefix } from '../acl/tables.ts'
import { dropToken } from '../acl/tokens.ts'
import { removeServices } from '../agent/registry.ts'
import { removeEntries } from '../config/entries.ts'
import { touch } from '../indexes.ts'
import { removeKeys } from '../kv/keys.ts'
import { removeSessions } from '../kv/sessions.ts'
import { refuse } from '../messages.ts'
import { milliseconds, optionsOf } from '../options.ts'
import {
  allNamespaces,
  isMarkedForDeletion,
  type Namespace,
  namespaceDataKind,
  namespaceKey,
  namespaceNamed,
  namespaces,
} from './namespaces.ts'

/**
 * Runs one step of a namespace's removal (behaviour/mesh#removal): deletes all its tokens; if there
 * are none, all its roles; if there are none either, all its policies. Returns false if there was
 * nothing to delete. The removal job calls this function until it returns false.
 */
export function removeAclData(world: World, namespace: string): boolean {
  return [removeTokens, removeRoles, removePolicies].some((remove) => remove(world, namespace) > 0)
}

function removeTokens(world: World, namespace: string): number {
  // The index also contains expired tokens, which must not outlive the namespace.
  const tokens = world.table(aclTokens).index('byNamespace').rows(namespacePrefix(namespace))
  return removeEach(world, Array.from(tokens), dropToken)
}

function removeRoles(world: World, namespace: string): number {
  return removeEach(world, rolesIn(world, namespace), dropRole)
}

function removePolicies(world: World, namespace: string): number {
  return removeEach(world, policiesIn(world, namespace), dropPolicy)
}

function removeEach<R>(world: World, rows: readonly R[], drop: (world: World, row: R) => void) {
  world.write(() => {
    for (const row of rows) drop(world, row)
  })
  return rows.length
}

/** Kind of the namespace transitions, and name of the job that removes namespaces. */
const namespaceTransitionKind = 'mesh.namespace'

/**
 * Returns the timing of removals. A timing that was set through the control plane takes precedence
 * over the option `namespaceRemovalDelay`.
 */
function removalTiming(world: World): Timing {
  const configured = world.table(timings).get(namespaceTransitionKind)?.pace
  if (configured !== undefined) return configured
  const { namespaceRemovalDelay } = optionsOf(world)
  return namespaceRemovalDelay === 'manual' ? 'manual' : { after: namespaceRemovalDelay }
}

/**
 * Schedules the removal of a namespace (behaviour/mesh#removal). With the timing `manual`, only a
 * forced transition removes the namespace.
 */
export function scheduleRemoval(world: World, name: string): void {
  const timing = removalTiming(world)
  if (timing === 'manual') return
  const delay = timing === 'immediate' ? 0 : milliseconds(timing.after)
  scheduleRemovalAt(world, name, world.clock.now() + delay)
}

/** Schedules the removal of a namespace at the instant `at`, in place of an earlier schedule. */
function scheduleRemovalAt(world: World, name: string, at: number): void {
  world.agenda.schedule({ at, job: namespaceTransitionKind, id: namespaceKey(name) })
}

/**
 * Returns true if no removal of a marked namespace is scheduled. Only a forced transition then
 * removes the namespace.
 */
function isHeld(world: World, name: string): boolean {
  return world.agenda.find(namespaceTransitionKind, namespaceKey(name)) === undefined
}

/**
 * Cancels the scheduled removal of a marked namespace, so that only a forced transition removes the
 * namespace.
 */
function holdRemoval(world: World, name: string): void {
  world.agenda.cancel(namespaceTransitionKind, namespaceKey(name))
}

/**
 * Handler of the removal job. Each run deletes one kind of data of the namespace, or the namespace
 * itself if no data are left. Each run is a separate transaction and raises the index, but all runs
 * are due at the same instant of the world's clock.
 */
export const removalJobs: Readonly<Record<string, JobHandler>> = {
  [namespaceTransitionKind]: (world, { at, id }) => {
    const namespace = namespaceNamed(world, id)
    if (namespace === undefined || !isMarkedForDeletion(namespace)) return
    const removers = [
      removeKeys,
      removeSessions,
      removeServices,
      removeEntries,
      removeAuthMethods,
      removeAclData,
    ]
    if (removers.some((remove) => remove(world, id))) {
      scheduleRemovalAt(world, id, at)
      return
    }
    world.table(namespaces).delete(id)
    touch(world, namespaceDataKind)
  },
}

const targets = ['held', 'removed'] as const

function stateOf(world: World, namespace: Namespace): 'active' | 'removing' | 'held' {
  if (!isMarkedForDeletion(namespace)) return 'active'
  return isHeld(world, namespace.name) ? 'held' : 'removing'
}

const reachableTargets = { active: [], removing: targets, held: ['removed'] } as const

/**
 * Transitions of namespaces for `/_mock/transitions` (behaviour/program#control-plane). A namespace
 * that is marked for deletion has the state `removing` while its removal is scheduled, and
 * otherwise the state `held`. A forced transition to `held` cancels the scheduled removal. A forced
 * transition to `removed` reschedules the removal for the current instant.
 */
export const namespaceTransition: TransitionKind = {
  kind: namespaceTransitionKind,
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
