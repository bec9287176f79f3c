import type { TransitionKind } from '../../kernel/service.ts'
import type { World } from '../../kernel/world.ts'
import {
  type Extras,
  exitGiven,
  flagIn,
  numberIn,
  startFailureGiven,
  textIn,
} from './push-extras.ts'
import { stepNames } from './steps.ts'
import { taskLives } from './tables.ts'
import { type Actor, actorOf, partTaskId } from './task-actors.ts'
import { type Exit, exitTask, failToStart, taskStep } from './task-life.ts'
import type { TaskPhase } from './task-machine.ts'
import { phaseOf } from './task-machine.ts'
import { restartTask } from './task-requests.ts'
import { refuse } from './texts.ts'

const targets = ['running', 'exited', 'dead', 'failed', 'restarting', 'start-failed'] as const

type Target = (typeof targets)[number]

const beforeRunning: readonly Target[] = ['running', 'exited', 'dead', 'failed', 'start-failed']

/** The states that a push can lead to, by the phase that a task is in. */
const ahead: Readonly<Record<TaskPhase, readonly Target[]>> = {
  created: beforeRunning,
  received: beforeRunning,
  fetching: beforeRunning,
  pulling: beforeRunning,
  starting: beforeRunning,
  restarting: beforeRunning,
  running: ['exited', 'dead', 'failed', 'restarting'],
  killing: ['dead'],
  dead: [],
}

/**
 * Tells how the items call a task: tasks' names have no slash, but a slash has to be escaped in
 * paths.
 */
const idOf = (key: string): string => key.replace(' ', ':')

/** Takes a task on by its own steps until it is in a phase, or dead. Inside a transaction. */
export function advanceTask(
  world: World,
  allocationId: string,
  task: string,
  phase: 'starting' | 'running',
): Actor | undefined {
  // Received, set up, fetched, pulled, started, and a restart on the way: never more steps than that.
  for (let steps = 0; steps < 12; steps++) {
    const actor = actorOf(world, allocationId, task)
    if (actor === undefined || actor.life.phase === phase) return actor
    taskStep(world, `${allocationId} ${task}`)
  }
  return actorOf(world, allocationId, task)
}

/** Tells how a push has a task end: `exitCode`, `signal`, `message`, `oomKilled`. */
export function exitIn(extras: Extras, exitCode: number): Exit {
  return {
    exitCode: numberIn(extras, 'exitCode', exitCode),
    signal: numberIn(extras, 'signal', 0),
    message: textIn(extras, 'message', ''),
    oomKilled: flagIn(extras, 'oomKilled'),
  }
}

function pushTask(world: World, actor: Actor, to: Target, extras: Extras): void {
  const { ID } = actor.allocation
  const { Name } = actor.task
  if (to === 'start-failed') {
    const error = textIn(extras, 'error', 'failed to start task')
    const recoverable = flagIn(extras, 'recoverable')
    const starting = advanceTask(world, ID, Name, 'starting')
    if (starting !== undefined) failToStart(world, starting, error, recoverable)
    return
  }
  const exit = exitIn(extras, to === 'failed' ? 1 : 0)
  const isUp = actor.life.phase === 'running' || actor.life.phase === 'killing'
  const running = isUp ? actor : advanceTask(world, ID, Name, 'running')
  if (running === undefined || to === 'running') return
  if (to === 'restarting') restartTask(world, running, 'User requested restart')
  else exitTask(world, running, exit, to !== 'exited')
}

/**
 * Tasks for `/_mock/transitions` (behaviour/program#control-plane): `exited` lets the process end and the restart
 * policy decide, `dead` and `failed` leave no restart. Beside `to`: `exitCode`, `signal`, `message`,
 * `oomKilled`; for `start-failed` `error` and `recoverable`.
 */
export const taskTransition: TransitionKind = {
  kind: stepNames.task,
  summary: 'Tasks, as <allocation>:<task>; unless a pace is set, options say how fast.',
  targets,
  takes: {
    exited: exitGiven(0),
    dead: exitGiven(0),
    failed: exitGiven(1),
    'start-failed': startFailureGiven,
  },
  timing: { after: '50ms' },
  items: (world) =>
    Array.from(world.table(taskLives).entries(), ([key, { phase }]) => ({
      id: idOf(key),
      state: phase,
      to: ahead[phaseOf(phase)],
    })),
  force(world, id, to, extras) {
    const actor = actorOf(world, ...partTaskId(id))
    if (actor === undefined) throw refuse('push-task-unknown', { id })
    const { phase } = actor.life
    const target = ahead[phaseOf(phase)].find((name) => name === to)
    if (target === undefined) {
      throw refuse('push-impossible', { what: 'a task', state: phase, to })
    }
    world.write(() => pushTask(world, actor, target, extras))
  },
}
