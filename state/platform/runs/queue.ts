import { text } from '../../kernel/shape/kinds.ts'
import { struct } from '../../kernel/shape/members.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { optionsOf } from '../options.ts'
import { platformTable } from '../table.ts'
import { putLock } from '../workspaces/locks.ts'
import { workspacesOf, workspaceWithId } from '../workspaces/workspaces.ts'
import { isRunOver, locksWorkspace, openRunsOf, type Run, runWithId } from './runs.ts'

/** Id of the current run of each workspace, by workspace id. */
export const currentRuns = platformTable('current-runs', struct({ run: text }), {
  secrets: 'none',
})

/**
 * Returns the current run of a workspace, which may have ended (behaviour/platform#run-order).
 * Returns undefined before the first run that locks the workspace; plan-only runs and unconfirmed
 * saved plans become current only by `force-execute`.
 */
export function currentRunOf(world: World, workspace: string): Run | undefined {
  const row = world.table(currentRuns).get(workspace)
  return row === undefined ? undefined : runWithId(world, row.run)
}

export function makeCurrent(world: World, { id, workspace }: Run): void {
  world.table(currentRuns).put(workspace, { run: id })
}

/**
 * Returns the current run of a workspace if it has not ended. Otherwise makes the oldest waiting
 * run current and returns that run, or undefined if no run waits. Must run inside a transaction.
 */
export function promoteNextRun(world: World, workspace: string): Run | undefined {
  const current = currentRunOf(world, workspace)
  if (current !== undefined && !isRunOver(current)) return current
  const next = openRunsOf(world, workspace).filter(locksWorkspace).at(-1)
  if (next !== undefined) makeCurrent(world, next)
  return next
}

/**
 * Returns whether a run must wait, because the run is not current or because another holder has
 * locked the workspace. Always returns false for plan-only runs and saved plans.
 */
export function isRunBlocked(world: World, run: Run): boolean {
  if (!locksWorkspace(run)) return false
  const { locked = false, locked_by = null } = { ...workspaceWithId(world, run.workspace) }
  if (locked && locked_by !== run.id) return true
  return world.table(currentRuns).get(run.workspace)?.run !== run.id
}

/** Locks the workspace of a run on behalf of the run. Must run inside a transaction. */
export function lockWorkspaceFor(world: World, { id, workspace }: Run): void {
  const found = workspaceWithId(world, workspace)
  if (found !== undefined && found.locked_by !== id) putLock(world, found, id)
}

/** Unlocks the workspace of a run if the run holds the lock. Must run inside a transaction. */
export function unlockWorkspaceFor(world: World, { id, workspace }: Run): void {
  const found = workspaceWithId(world, workspace)
  if (found?.locked_by === id) putLock(world, found, null)
}

/** Statuses of runs that occupy one of the slots that the option `runConcurrency` limits. */
const slotStatuses: readonly string[] = ['plan_queued', 'planning', 'apply_queued', 'applying']

/** Statuses of runs that wait because of the option `runConcurrency`. */
const waitingStatuses: readonly string[] = ['queuing', 'queuing_apply']

/**
 * Returns the time at which a run entered the queue for its plan or its apply, or 0 if that time is
 * not recorded.
 */
function queuedAt({ reached, status }: Run): number {
  const { queuing_at, plan_queued_at, queuing_apply_at, apply_queued_at } = reached
  const isApply = ['queuing_apply', 'apply_queued', 'applying'].includes(status)
  const times = isApply ? [queuing_apply_at, apply_queued_at] : [queuing_at, plan_queued_at]
  return times.find((time) => time !== undefined) ?? 0
}

/** Returns the runs of an organization that are queued, planning or applying, in queue order. */
export function queueOf(world: World, organization: string): Run[] {
  return workspacesOf(world, organization)
    .flatMap(({ id }) => openRunsOf(world, id).toReversed())
    .filter(({ status }) => slotStatuses.includes(status) || waitingStatuses.includes(status))
    .sort((one, other) => queuedAt(one) - queuedAt(other) || one.created_at - other.created_at)
}

/**
 * Returns two numbers of runs of an organization. `running` counts the runs that are planning or
 * applying; `pending` counts the other runs in the queue.
 */
export function capacityOf(world: World, organization: string) {
  const queue = queueOf(world, organization)
  const running = queue.filter(({ status }) => status === 'planning' || status === 'applying')
  return { pending: queue.length - running.length, running: running.length }
}

/**
 * Returns whether a run must wait because all slots of the option `runConcurrency` are occupied or
 * an earlier run waits for a slot. Always returns false if the option is 0.
 */
export function isAtCapacity(world: World, run: Run): boolean {
  const { runConcurrency } = optionsOf(world)
  if (runConcurrency === 0) return false
  const { organization = '' } = { ...workspaceWithId(world, run.workspace) }
  const queue = queueOf(world, organization)
  const occupiedSlots = queue.filter(({ status }) => slotStatuses.includes(status)).length
  const firstOther = queue.findIndex(
    ({ id, status }) => waitingStatuses.includes(status) && id !== run.id,
  )
  const ownPosition = queue.findIndex(({ id }) => id === run.id)
  const waitsBehind = firstOther >= 0 && (ownPosition < 0 || firstOther < ownPosition)
  return occupiedSlots >= runConcurrency || waitsBehind
}

/**
 * Returns the waiting run that is next in the organization of the given run. Returns undefined if
 * no run waits or the option `runConcurrency` is 0.
 */
export function nextWaitingRun(world: World, { workspace }: Run): Run | undefined {
  if (optionsOf(world).runConcurrency === 0) return undefined
  const { organization = '' } = { ...workspaceWithId(world, workspace) }
  return queueOf(world, organization).find(({ status }) => waitingStatuses.includes(status))
}
