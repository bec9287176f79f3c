import type { World } from '../../kernel/worlds/world.ts'
import { refuse } from '../messages.ts'
import { workspaceWithId } from '../workspaces/workspaces.ts'
import { moveRun } from './moves.ts'
import { lockFor, makeCurrent } from './queue.ts'
import { addComment } from './run-events.ts'
import { runMachine } from './run-machine.ts'
import { factsOf } from './run-schedule.ts'
import { type Run, runWithId } from './runs.ts'

/** Action of a caller on a run. */
export type RunAction = 'apply' | 'discard' | 'cancel' | 'force-cancel' | 'force-execute'

/** Caller of an action, with the comment that was sent. */
interface ActionInput {
  /** Id of the user. */
  readonly actor: string
  readonly comment?: string | undefined
}

/**
 * Carries out an action on a run (behaviour/platform#run-actions). Throws `conflict` if the run's
 * status does not allow it.
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

/** Confirms a run. A saved plan first takes its workspace, which must not be locked. */
function confirmRun(world: World, run: Run, actor: string): void {
  if (run.status === 'planned_and_saved') {
    if (workspaceWithId(world, run.workspace)?.locked !== false) {
      throw refuse('transition-not-allowed')
    }
    makeCurrent(world, run)
    lockFor(world, run)
  }
  moveRun(world, run, 'confirm', { actor })
}

/** Discards the run that holds a workspace, so that a waiting run goes on. */
function forceExecute(world: World, run: Run, actor: string): void {
  const { locked_by = null } = { ...workspaceWithId(world, run.workspace) }
  if (run.status !== 'pending' || locked_by === null) throw refuse('force-execute-denied')
  const holder = runWithId(world, locked_by)
  if (holder === undefined) throw refuse('transition-not-allowed')
  if (!runMachine.allows(holder.status, 'discard', factsOf(world, holder))) {
    throw refuse('transition-not-allowed')
  }
  makeCurrent(world, run)
  moveRun(world, holder, 'discard', { actor })
}

/** Returns the actions that the status of a run allows, by their name in the API. */
export function allowedActions(world: World, run: Run): Readonly<Record<string, boolean>> {
  const facts = factsOf(world, run)
  const { status } = run
  const isLocked = workspaceWithId(world, run.workspace)?.locked === true
  const isSaved = status === 'planned_and_saved'
  return {
    'is-cancelable': !facts.isCancelAsked && runMachine.allows(status, 'cancel', facts),
    'is-confirmable': !(isSaved && isLocked) && runMachine.allows(status, 'confirm', facts),
    'is-discardable': runMachine.allows(status, 'discard', facts),
    'is-force-cancelable': runMachine.allows(status, 'force-cancel', facts),
  }
}
