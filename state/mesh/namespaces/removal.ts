import { type Timing, timings } from '../../kernel/time/transitions.ts'
import type { JobHandler } from '../../kernel/worlds/service.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { removeAclData } from '../acl/removal.ts'
import { touch } from '../indexes.ts'
import { removeKeys } from '../kv/keys.ts'
import { removeSessions } from '../kv/sessions.ts'
import { milliseconds, optionsOf } from '../options.ts'
import {
  isMarkedForDeletion,
  namespaceDataKind,
  namespaceKey,
  namespaceNamed,
  namespaces,
} from './namespaces.ts'

/** Namespaces as things that move: the transition's kind and the job that removes them. */
export const namespaceKind = 'mesh.namespace'

/** Returns how fast marked namespaces go: a pace that was set goes before the option. */
function removalTiming(world: World): Timing {
  const configured = world.table(timings).get(namespaceKind)?.pace
  if (configured !== undefined) return configured
  const { namespaceRemovalDelay } = optionsOf(world)
  return namespaceRemovalDelay === 'manual' ? 'manual' : { after: namespaceRemovalDelay }
}

/** Makes the appointment for a removal (behaviour/mesh#removal), unless it waits for a push. */
export function scheduleRemoval(world: World, name: string): void {
  const timing = removalTiming(world)
  if (timing === 'manual') return
  const delay = timing === 'immediate' ? 0 : milliseconds(timing.after)
  scheduleRemovalAt(world, name, world.clock.now() + delay)
}

/** Makes the appointment for a removal at an instant, in place of an earlier one. */
export function scheduleRemovalAt(world: World, name: string, at: number): void {
  world.agenda.schedule({ at, job: namespaceKind, id: namespaceKey(name) })
}

/** Tells whether a marked namespace waits for a push. */
export function isHeld(world: World, name: string): boolean {
  return world.agenda.find(namespaceKind, namespaceKey(name)) === undefined
}

/** Calls the removal of a marked namespace off until a push. */
export function holdRemoval(world: World, name: string): void {
  world.agenda.cancel(namespaceKind, namespaceKey(name))
}

/**
 * One step of a removal: one kind of data goes, or, when there is none left, the namespace. Each step
 * is a transaction of its own, so each raises the index; all of them happen at the same instant.
 */
export const removalJobs: Readonly<Record<string, JobHandler>> = {
  [namespaceKind]: (world, { at, id }) => {
    const namespace = namespaceNamed(world, id)
    if (namespace === undefined || !isMarkedForDeletion(namespace)) return
    if (removeKeys(world, id) || removeSessions(world, id) || removeAclData(world, id)) {
      scheduleRemovalAt(world, id, at)
      return
    }
    world.table(namespaces).delete(id)
    touch(world, namespaceDataKind)
  },
}
