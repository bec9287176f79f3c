import { DurationError, formatGoDuration, MILLISECOND, parseGoDuration } from '../../go/duration.ts'
import { defineRule } from '../../kernel/store/rules.ts'
import type { JobHandler } from '../../kernel/worlds/service.ts'
import type { World } from '../../kernel/worlds/world.ts'
import {
  type CatalogCheck,
  catalogChecks,
  catalogNodes,
  keyPart,
  nodeKey,
} from '../catalog/tables.ts'
import { forgetIndex, indexOf, nextIndex, touch } from '../indexes.ts'
import { refuse } from '../messages.ts'
import {
  namespaceKey,
  requireNamespaceForData,
  requireWritableNamespace,
} from '../namespaces/namespaces.ts'
import { optionsOf } from '../options.ts'
import { removeQueriesOfSession } from '../queries/tables.ts'
import { serfHealth } from '../server.ts'
import { delayLock, dropKeys, storeKey } from './keys.ts'
import { checkNamesOf, keyEntries, type MeshSession, meshSessions, rowKeyOf } from './tables.ts'

/**
 * Members of a request that creates a session. `createSession` replaces missing members with
 * defaults.
 */
export interface SessionInput {
  readonly name?: string | undefined
  readonly node?: string | undefined
  /** Duration in nanoseconds. */
  readonly lockDelay?: number | undefined
  readonly behavior?: string | undefined
  /** TTL as a Go duration. If it is empty or zero, the session never expires. */
  readonly ttl?: string | undefined
  readonly nodeChecks?: readonly string[] | null | undefined
  /** IDs of checks in the member `Checks`, which is older than `NodeChecks`. */
  readonly checks?: readonly string[] | undefined
  readonly serviceChecks?: MeshSession['service_checks']
}

/** Default lock delay in nanoseconds: 15 seconds. */
const defaultLockDelay = 15_000 * MILLISECOND

const minTtl = 10_000 * MILLISECOND
const maxTtl = 86_400_000 * MILLISECOND

const expiryJob = 'mesh.session-expiry'

/** Handler of the job that ends a session when its TTL has expired. */
export const sessionJobs: Readonly<Record<string, JobHandler>> = {
  [expiryJob]: (world, { id }) => {
    const session = world.table(meshSessions).get(id)
    if (session !== undefined) endSession(world, session)
  },
}

const sessionDataKind = (namespace: string): string => `sessions/${namespaceKey(namespace)}`

/**
 * Returns the index at which a session of a namespace was last created or ended; 1 if the namespace
 * never had a session. The read is not observed.
 */
export function sessionsIndex(world: World, namespace: string): number {
  return world.unobserved(() => indexOf(world, sessionDataKind(namespace)))
}

/**
 * Returns the session with an ID; undefined if the namespace has no such session. Throws a refusal
 * if the namespace does not exist.
 */
export function sessionWithId(
  world: World,
  namespace: string,
  id: string,
): MeshSession | undefined {
  requireNamespaceForData(world, namespace)
  return world.table(meshSessions).get(rowKeyOf(namespace, id))
}

/**
 * Returns the sessions of a namespace, ordered by ID. Throws a refusal if the namespace does not
 * exist.
 */
export function sessionsIn(world: World, namespace: string): readonly MeshSession[] {
  requireNamespaceForData(world, namespace)
  return [...world.table(meshSessions).rows(rowKeyOf(namespace, ''))]
}

/**
 * Creates a session and schedules its end if it has a TTL (behaviour/mesh#sessions). Throws a
 * refusal for a namespace that cannot be written, for invalid members, for an unknown node, and if
 * one of the checks is missing or critical.
 */
export function createSession(world: World, namespace: string, input: SessionInput): MeshSession {
  requireWritableNamespace(world, namespace)
  const { name = '', lockDelay = defaultLockDelay, ttl = '' } = input
  const { nodeName } = optionsOf(world)
  const { node = nodeName } = input
  if (node === '') throw refuse('session-node-unsaid')
  const behavior = behaviorOf(input.behavior ?? '')
  checkTtl(ttl)
  if (!world.table(catalogNodes).has(nodeKey(node))) throw refuse('session-node-unknown')
  const { checks, nodeChecks = [serfHealth], serviceChecks = [] } = input
  const node_checks = nodeChecks === null ? null : [...nodeChecks]
  const checkLinks = {
    ...(checks && { checks: [...checks] }),
    node_checks,
    service_checks: serviceChecks,
  }
  requireHealthyChecks(world, node, checkNamesOf(checkLinks))
  return world.write(() => {
    const index = nextIndex(world)
    const session: MeshSession = {
      ...{ id: world.ids.uuid(), name, node, lock_delay: lockDelay, behavior, ttl, node_checks },
      ...{ create_index: index, modify_index: index, namespace: namespaceKey(namespace) },
      ...(checks === undefined ? {} : { checks: [...checks] }),
      ...(input.serviceChecks === undefined ? {} : { service_checks: input.serviceChecks }),
    }
    world.table(meshSessions).put(rowKeyOf(namespace, session.id), session)
    touch(world, sessionDataKind(namespace))
    scheduleExpiry(world, session)
    return session
  })
}

/**
 * Restarts the TTL of a session and returns the session; undefined if it does not exist. Throws a
 * refusal if the namespace cannot be written.
 */
export function renewSession(world: World, namespace: string, id: string): MeshSession | undefined {
  requireWritableNamespace(world, namespace)
  const session = sessionWithId(world, namespace, id)
  if (session !== undefined) world.write(() => scheduleExpiry(world, session))
  return session
}

/** Ends a session if it exists. Throws a refusal if the namespace cannot be written. */
export function destroySession(world: World, namespace: string, id: string): void {
  requireWritableNamespace(world, namespace)
  const session = sessionWithId(world, namespace, id)
  if (session !== undefined) world.write(() => endSession(world, session))
}

/**
 * Runs one step of a namespace's removal. Ends the sessions of the namespace; if there are none,
 * deletes the stored index of its sessions. Returns whether there were sessions. The removal job
 * calls this function until it returns false.
 */
export function removeSessions(world: World, namespace: string): boolean {
  const sessions = [...world.table(meshSessions).rows(rowKeyOf(namespace, ''))]
  world.write(() => {
    for (const session of sessions) endSession(world, session)
    if (sessions.length === 0) forgetIndex(world, sessionDataKind(namespace))
  })
  return sessions.length > 0
}

/**
 * Schedules the end of a session after twice its TTL, as the reference does. Replaces an earlier
 * schedule. Does nothing if the session has no TTL.
 */
function scheduleExpiry(world: World, { id, ttl, namespace }: MeshSession): void {
  const ttlNanoseconds = ttl === '' ? 0 : parseGoDuration(ttl)
  if (ttlNanoseconds === 0) return
  const at = world.clock.now() + Math.ceil((2 * ttlNanoseconds) / MILLISECOND)
  world.agenda.schedule({ at, job: expiryJob, id: rowKeyOf(namespace, id) })
}

/** Throws a refusal if a named check is critical or does not exist on the node. */
function requireHealthyChecks(world: World, node: string, names: readonly string[]): void {
  const existing = [...world.table(catalogChecks).rows(`${nodeKey(node)}/`)]
  for (const id of names) {
    const check = existing.find(({ check_id }) => check_id === id)
    if (check === undefined) throw refuse('session-check-unknown', { id })
    if (check.status === 'critical') throw refuse('session-check-critical', { id })
  }
}

/**
 * Deletes a session and the prepared queries that are bound to the session. Releases or deletes the
 * keys that the session has locked, as its `behavior` requires, and starts the lock delays of these
 * keys. Must run inside a transaction.
 */
export function endSession(
  world: World,
  { id, namespace, behavior, lock_delay }: MeshSession,
): void {
  const heldKeys = [...world.table(keyEntries).index('bySession').rows(`${id}/`)]
  for (const entry of heldKeys) {
    const { key, value, flags, lock_index: lockIndex = 0 } = entry
    if (behavior === 'delete') dropKeys(world, entry.namespace, [entry])
    else storeKey(world, entry.namespace, key, { value, flags, lockIndex, session: undefined })
    delayLock(world, rowKeyOf(entry.namespace, key), Math.ceil(lock_delay / MILLISECOND))
  }
  const rowKey = rowKeyOf(namespace, id)
  world.table(meshSessions).delete(rowKey)
  world.agenda.cancel(expiryJob, rowKey)
  removeQueriesOfSession(world, id)
  touch(world, sessionDataKind(namespace))
}

function behaviorOf(text: string): MeshSession['behavior'] {
  if (text === '' || text === 'release') return 'release'
  if (text === 'delete') return 'delete'
  throw refuse('session-behavior-unknown', { text })
}

function checkTtl(text: string): void {
  if (text === '') return
  const ttl = ttlOf(text)
  if (ttl === 0 || (ttl >= minTtl && ttl <= maxTtl)) return
  throw refuse('session-ttl-out-of-range', {
    ttl,
    shortest: formatGoDuration(minTtl),
    longest: formatGoDuration(maxTtl),
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

/**
 * Rule that ends a session when its node is removed, or when one of its checks is removed or
 * becomes critical (behaviour/mesh#sessions).
 */
export const sessionRule = defineRule<World, typeof catalogChecks | typeof catalogNodes>({
  name: 'sessions end with their nodes and checks',
  tables: [catalogChecks, catalogNodes],
  apply(world, changes) {
    const endedSessions = new Set<MeshSession>()
    const sessions = world.table(meshSessions).index('byCheck')
    for (const { table, key, before, after } of changes) {
      if (table === catalogNodes.id) {
        if (after === undefined)
          for (const each of sessions.rows(`${key}/`)) endedSessions.add(each)
        continue
      }
      const check = (after ?? before) as CatalogCheck
      if (after !== undefined && check.status !== 'critical') continue
      const prefix = `${nodeKey(check.node)}/${keyPart(check.check_id)}/`
      for (const each of sessions.rows(prefix)) endedSessions.add(each)
    }
    for (const session of endedSessions) endSession(world, session)
  },
})
