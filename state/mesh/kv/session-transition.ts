import type { TransitionKind } from '../../kernel/worlds/service.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { refuse } from '../messages.ts'
import { endSession } from './sessions.ts'
import { type MeshSession, meshSessions } from './tables.ts'

/**
 * Ends the session with the ID `id`, in whatever namespace it exists. Returns false if no namespace
 * has such a session.
 */
export function invalidateSession(world: World, id: string): boolean {
  const session = allSessions(world).find((each) => each.id === id)
  if (session === undefined) return false
  world.write(() => endSession(world, session))
  return true
}

function allSessions(world: World): readonly MeshSession[] {
  return [...world.table(meshSessions).rows()]
}

/** Transitions of sessions for `/_mock/transitions` (behaviour/mesh#sessions). */
export const sessionTransition: TransitionKind = {
  kind: 'mesh.session',
  summary: 'Sessions; `invalidated` ends a session and releases its keys.',
  targets: ['invalidated'],
  timing: 'manual',
  items: (world) =>
    allSessions(world)
      .map(({ id }) => ({ id, state: 'active', to: ['invalidated'] }))
      .sort((a, b) => (a.id < b.id ? -1 : 1)),
  force(world, id) {
    if (!invalidateSession(world, id)) throw refuse('session-to-push-absent', { id })
  },
}
