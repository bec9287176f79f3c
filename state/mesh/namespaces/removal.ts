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

/** Kind of the namespaces' transition, and name of the job that removes them. */
export const namespaceKind = 'mesh.namespace'

/**
 * Returns the delay of removals. A timing set through the control plane takes precedence over the
 * option.
 */
function removalTiming(world: World): Timing {
  const configured = world.table(timings).get(namespaceKind)?.pace
  if (configured !== undefined) return configured
  const { namespaceRemovalDelay } = optionsOf(world)
  return namespaceRemovalDelay === 'manual' ? 'manual' : { after: namespaceRemovalDelay }
}

/** Schedules a removal (behaviour/mesh#removal), unless it waits for a forced transition. */
export function scheduleRemoval(world: World, name: string): void {
  const timing = removalTiming(world)
  if (timing === 'manual') return
  const delay = timing === 'immediate' ? 0 : milliseconds(timing.after)
  scheduleRemovalAt(world, name, world.clock.now() + delay)
}

/** Schedules a removal for an instant, replacing an earlier schedule. */
export function scheduleRemovalAt(world: World, name: string, at: number): void {
  world.agenda.schedule({ at, job: namespaceKind, id: namespaceKey(name) })
}

/** Returns whether the removal of a marked namespace waits for a forced transition. */
export function isHeld(world: World, name: string): boolean {
  return world.agenda.find(namespaceKind, namespaceKey(name)) === undefined
}

/** Cancels the scheduled removal of a marked namespace until a forced transition. */
export function holdRemoval(world: World, name: string): void {
  world.agenda.cancel(namespaceKind, namespaceKey(name))
}

/**
 * Runs one step of a removal: deletes one kind of the namespace's data, or the namespace itself
 * when no data is left. Each step is its own transaction and raises the index; all steps happen at
 * the same instant.
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
