import type { World } from '../../kernel/worlds/world.ts'
import { refuse } from '../messages.ts'
import { workspaceWithId } from '../workspaces/workspaces.ts'
import { moveRun } from './moves.ts'
import { lockWorkspaceFor, makeCurrent } from './queue.ts'
import { addComment } from './run-events.ts'
import { runMachine } from './run-machine.ts'
import { conditionsOf } from './run-schedule.ts'
import { type Run, runWithId } from './runs.ts'

export type RunAction = 'apply' | 'discard' | 'cancel' | 'force-cancel' | 'force-execute'

/** The caller of an action, and the comment in the request. */
interface ActionInput {
  /** User id. */
  readonly actor: string
  readonly comment?: string | undefined
}

/**
 * Performs an action on a run, and adds the comment unless it is blank
 * (behaviour/platform#run-actions). Throws 409 if the status of the run or the lock of the
 * workspace does not allow the action. Throws 403 for `force-execute` if the run is not pending or
 * the workspace is not locked.
 */
export function actOnRun(
  world: World,
  run: Run,
  action: RunAction,
  { actor, comment }: ActionInput,
): void {
  world.write(() => {
    if (action === 'apply') confirmRun(world, run, actor)
    else if (action === 'force-execute') forceExecute(world, run, actor)
    else moveRun(world, run, action, { actor })
    if (comment?.trim()) addComment(world, run, comment, actor)
  })
}

/**
 * Confirms a run. For a saved plan, first makes the run the current run of the workspace and locks
 * the workspace. Throws 409 if the run has a saved plan and its workspace is already locked, or if
 * the status of the run does not allow the confirmation.
 */
function confirmRun(world: World, run: Run, actor: string): void {
  if (run.status === 'planned_and_saved') {
    if (workspaceWithId(world, run.workspace)?.locked !== false) {
      throw refuse('transition-not-allowed')
    }
    makeCurrent(world, run)
    lockWorkspaceFor(world, run)
  }
  moveRun(world, run, 'confirm', { actor })
}

/**
 * Discards the run that holds the lock of the workspace, so that the given run is next. Throws 403
 * if the given run is not pending or the workspace is not locked. Throws 409 if the holder of the
 * lock is not a run, or is a run that cannot be discarded.
 */
function forceExecute(world: World, run: Run, actor: string): void {
  const { locked_by = null } = { ...workspaceWithId(world, run.workspace) }
  if (run.status !== 'pending' || locked_by === null) throw refuse('force-execute-denied')
  const holder = runWithId(world, locked_by)
  if (holder === undefined) throw refuse('transition-not-allowed')
  if (!runMachine.allows(holder.status, 'discard', conditionsOf(world, holder))) {
    throw refuse('transition-not-allowed')
  }
  makeCurrent(world, run)
  moveRun(world, holder, 'discard', { actor })
}

/**
 * Returns the members of a reply that show which actions the run allows, such as `is-cancelable`.
 */
export function allowedActions(world: World, run: Run): Readonly<Record<string, boolean>> {
  const conditions = conditionsOf(world, run)
  const { status } = run
  const isLocked = workspaceWithId(world, run.workspace)?.locked === true
  const isSaved = status === 'planned_and_saved'
  return {
    'is-cancelable':
      !conditions.isCancelRequested && runMachine.allows(status, 'cancel', conditions),
    'is-confirmable': !(isSaved && isLocked) && runMachine.allows(status, 'confirm', conditions),
    'is-discardable': runMachine.allows(status, 'discard', conditions),
    'is-force-cancelable': runMachine.allows(status, 'force-cancel', conditions),
  }
}
