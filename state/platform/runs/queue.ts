import { text } from '../../kernel/shape/kinds.ts'
import { struct } from '../../kernel/shape/members.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { optionsOf } from '../options.ts'
import { platformTable } from '../table.ts'
import { putLock } from '../workspaces/locks.ts'
import { workspacesOf, workspaceWithId } from '../workspaces/workspaces.ts'
import { isOrdinary, isRunOver, openRunsOf, type Run, runWithId } from './runs.ts'

/** Id of the current run of each workspace that had one, by workspace. */
export const currentRuns = platformTable('current-runs', struct({ run: text }), {
  secrets: 'none',
})

/** Returns the current run of a workspace, which may be over (behaviour/platform#run-order). */
export function currentRunOf(world: World, workspace: string): Run | undefined {
  const row = world.table(currentRuns).get(workspace)
  return row === undefined ? undefined : runWithId(world, row.run)
}

/** Makes a run the current one of its workspace. Must run inside a transaction. */
export function makeCurrent(world: World, { id, workspace }: Run): void {
  world.table(currentRuns).put(workspace, { run: id })
}

/**
 * Makes the oldest waiting run of a workspace the current one, unless the current one is under way.
 * Returns that run, if there is any. Must run inside a transaction.
 */
export function takeOver(world: World, workspace: string): Run | undefined {
  const current = currentRunOf(world, workspace)
  if (current !== undefined && !isRunOver(current)) return current
  const next = openRunsOf(world, workspace).filter(isOrdinary).at(-1)
  if (next !== undefined) makeCurrent(world, next)
  return next
}

/** Returns whether a run waits for another run, or for a lock that it does not hold. */
export function isRunBlocked(world: World, run: Run): boolean {
  if (!isOrdinary(run)) return false
  const { locked = false, locked_by = null } = { ...workspaceWithId(world, run.workspace) }
  if (locked && locked_by !== run.id) return true
  return world.table(currentRuns).get(run.workspace)?.run !== run.id
}

/** Locks the workspace of a run for it. Must run inside a transaction. */
export function lockFor(world: World, { id, workspace }: Run): void {
  const found = workspaceWithId(world, workspace)
  if (found !== undefined && found.locked_by !== id) putLock(world, found, id)
}

/** Unlocks the workspace of a run if the run holds the lock. Must run inside a transaction. */
export function unlockFor(world: World, { id, workspace }: Run): void {
  const found = workspaceWithId(world, workspace)
  if (found?.locked_by === id) putLock(world, found, null)
}

/** Statuses in which a run takes one of the slots that the option `runConcurrency` limits. */
const slotStatuses: readonly string[] = ['plan_queued', 'planning', 'apply_queued', 'applying']

/** Statuses in which a run waits for a slot. */
const waitingStatuses: readonly string[] = ['queuing', 'queuing_apply']

/** Returns the time at which a run that is in the queue was queued. */
function queuedAt({ reached, status }: Run): number {
  const { queuing_at, plan_queued_at, queuing_apply_at, apply_queued_at } = reached
  const isApply = ['queuing_apply', 'apply_queued', 'applying'].includes(status)
  const times = isApply ? [queuing_apply_at, apply_queued_at] : [queuing_at, plan_queued_at]
  return times.find((time) => time !== undefined) ?? 0
}

/** Returns the runs of an organization that plan, apply or wait for it, in the order of queuing. */
export function queueOf(world: World, organization: string): Run[] {
  return workspacesOf(world, organization)
    .flatMap(({ id }) => openRunsOf(world, id).toReversed())
    .filter(({ status }) => slotStatuses.includes(status) || waitingStatuses.includes(status))
    .sort((one, other) => queuedAt(one) - queuedAt(other) || one.created_at - other.created_at)
}

/** Returns how many runs of an organization are planned or applied, and how many wait for it. */
export function capacityOf(world: World, organization: string) {
  const queue = queueOf(world, organization)
  const running = queue.filter(({ status }) => status === 'planning' || status === 'applying')
  return { pending: queue.length - running.length, running: running.length }
}

/** Returns whether no slot is free for a run, by the option `runConcurrency`. */
export function isAtCapacity(world: World, run: Run): boolean {
  const { runConcurrency } = optionsOf(world)
  if (runConcurrency === 0) return false
  const { organization = '' } = { ...workspaceWithId(world, run.workspace) }
  const queue = queueOf(world, organization)
  const taken = queue.filter(({ status }) => slotStatuses.includes(status)).length
  const ahead = queue.findIndex(
    ({ id, status }) => waitingStatuses.includes(status) && id !== run.id,
  )
  const own = queue.findIndex(({ id }) => id === run.id)
  const waitsBehind = ahead >= 0 && (own < 0 || ahead < own)
  return taken >= runConcurrency || waitsBehind
}

/** Returns the run of an organization that gets the next free slot, if one waits. */
export function nextWaiting(world: World, { workspace }: Run): Run | undefined {
  if (optionsOf(world).runConcurrency === 0) return undefined
  const { organization = '' } = { ...workspaceWithId(world, workspace) }
  return queueOf(world, organization).find(({ status }) => waitingStatuses.includes(status))
}
