import { DurationError, formatGoDuration, MILLISECOND, parseGoDuration } from '../../go/duration.ts'
import type { JobHandler } from '../../kernel/service.ts'
import type { World } from '../../kernel/world.ts'
import { forget, indexOf, nextIndex, touch } from '../indexes.ts'
import { existingNamespace, namespaceKey, writableNamespace } from '../namespaces/namespaces.ts'
import { optionsOf } from '../options.ts'
import { serfHealth } from '../server.ts'
import { refuse } from '../texts.ts'
import { dropKeys, storeKey } from './keys.ts'
import { delayLock } from './locks.ts'
import { keyEntries, keyPlace, type MeshSession, meshSessions } from './tables.ts'

/** What a caller says of a session; what is left out is as usual. */
export interface SessionInput {
  readonly name?: string | undefined
  readonly node?: string | undefined
  /** In nanoseconds. */
  readonly lockDelay?: number | undefined
  readonly behavior?: string | undefined
  /** A Go duration; empty for none. */
  readonly ttl?: string | undefined
  readonly nodeChecks?: readonly string[] | undefined
  readonly serviceChecks?: readonly string[] | undefined
}

/** The usual lock delay, in nanoseconds: 15 seconds. */
const usualDelay = 15_000 * MILLISECOND

const shortestTtl = 10_000 * MILLISECOND
const longestTtl = 86_400_000 * MILLISECOND

const expiryJob = 'mesh.session-expiry'

/** Ends sessions whose time is over. */
export const sessionJobs: Readonly<Record<string, JobHandler>> = {
  [expiryJob]: (world, { id }) => {
    const session = world.table(meshSessions).get(id)
    if (session !== undefined) end(world, session)
  },
}

const dataOf = (namespace: string): string => `sessions/${namespaceKey(namespace)}`

/** The index of the last creation or end of a session in a namespace; 1 where there was none. */
export function sessionsIndex(world: World, namespace: string): number {
  return world.unobserved(() => indexOf(world, dataOf(namespace)))
}

/** A session of a namespace that exists, else refuses. */
export function sessionWithId(
  world: World,
  namespace: string,
  id: string,
): MeshSession | undefined {
  existingNamespace(world, namespace)
  return world.table(meshSessions).get(keyPlace(namespace, id))
}

/** The sessions of a namespace, by ID. */
export function sessionsIn(world: World, namespace: string): readonly MeshSession[] {
  existingNamespace(world, namespace)
  return [...world.table(meshSessions).rows(keyPlace(namespace, ''))]
}

/** Creates a session on the only node there is (behaviour/mesh#sessions). */
export function createSession(world: World, namespace: string, input: SessionInput): MeshSession {
  writableNamespace(world, namespace)
  const { name = '', lockDelay = usualDelay, ttl = '' } = input
  const { nodeName } = optionsOf(world)
  const { node = nodeName } = input
  if (node === '') throw refuse('session-node-unsaid')
  const behavior = behaviorOf(input.behavior ?? '')
  checkTtl(ttl)
  if (node !== nodeName) throw refuse('session-node-unknown')
  const node_checks = input.nodeChecks ?? [serfHealth]
  const missing = [...node_checks.filter((id) => id !== serfHealth), ...(input.serviceChecks ?? [])]
  for (const id of missing) throw refuse('session-check-unknown', { id })
  return world.write(() => {
    const index = nextIndex(world)
    const session: MeshSession = {
      ...{ id: world.ids.uuid(), name, node, lock_delay: lockDelay, behavior, ttl, node_checks },
      ...{ create_index: index, modify_index: index, namespace: namespaceKey(namespace) },
    }
    world.table(meshSessions).put(keyPlace(namespace, session.id), session)
    touch(world, dataOf(namespace))
    scheduleEnd(world, session)
    return session
  })
}

/** Starts the time of a session anew; undefined for one that there is not. */
export function renewSession(world: World, namespace: string, id: string): MeshSession | undefined {
  writableNamespace(world, namespace)
  const session = sessionWithId(world, namespace, id)
  if (session !== undefined) world.write(() => scheduleEnd(world, session))
  return session
}

/** Ends a session, if there is one. */
export function destroySession(world: World, namespace: string, id: string): void {
  writableNamespace(world, namespace)
  const session = sessionWithId(world, namespace, id)
  if (session !== undefined) world.write(() => end(world, session))
}

/** Ends a namespace's sessions, for its removal; true while there were some. */
export function removeSessions(world: World, namespace: string): boolean {
  const sessions = [...world.table(meshSessions).rows(keyPlace(namespace, ''))]
  world.write(() => {
    for (const session of sessions) end(world, session)
    if (sessions.length === 0) forget(world, dataOf(namespace))
  })
  return sessions.length > 0
}

/** A session without renewal ends after twice its TTL; the reference grants as much. */
function scheduleEnd(world: World, { id, ttl, namespace }: MeshSession): void {
  const lasts = ttl === '' ? 0 : parseGoDuration(ttl)
  if (lasts === 0) return
  const at = world.clock.now() + Math.ceil((2 * lasts) / MILLISECOND)
  world.agenda.schedule({ at, job: expiryJob, id: keyPlace(namespace, id) })
}

/** Takes a session away and lets go of its keys; part of a transaction. */
function end(world: World, { id, namespace, behavior, lock_delay }: MeshSession): void {
  const held = [...world.table(keyEntries).index('bySession').rows(`${id}/`)]
  for (const entry of held) {
    const { key, value, flags, lock_index: lockIndex = 0 } = entry
    if (behavior === 'delete') dropKeys(world, entry.namespace, [entry])
    else storeKey(world, entry.namespace, key, { value, flags, lockIndex, session: undefined })
    delayLock(world, keyPlace(entry.namespace, key), Math.ceil(lock_delay / MILLISECOND))
  }
  const place = keyPlace(namespace, id)
  world.table(meshSessions).delete(place)
  world.agenda.cancel(expiryJob, place)
  touch(world, dataOf(namespace))
}

function behaviorOf(text: string): MeshSession['behavior'] {
  if (text === '' || text === 'release') return 'release'
  if (text === 'delete') return 'delete'
  throw refuse('session-behavior-unknown', { text })
}

function checkTtl(text: string): void {
  if (text === '') return
  const ttl = ttlOf(text)
  if (ttl === 0 || (ttl >= shortestTtl && ttl <= longestTtl)) return
  throw refuse('session-ttl-out-of-range', {
    ttl,
    shortest: formatGoDuration(shortestTtl),
    longest: formatGoDuration(longestTtl),
  })
}

function ttlOf(text: string): number {
  try {
    return parseGoDuration(text)
  } catch (error) {
    if (!(error instanceof DurationError)) throw error
    throw refuse('session-ttl-unreadable', { text, problem: error.reason })
  }
}
