import type { TransitionKind } from '../../../kernel/worlds/service.ts'
import type { World } from '../../../kernel/worlds/world.ts'
import { refuse } from '../model/messages.ts'
import { stepNames } from '../model/steps.ts'
import { taskRuntimes } from '../model/tables.ts'
import type { TaskPhase } from '../model/task-machine.ts'
import { phaseOf } from '../model/task-machine.ts'
import { restartTask } from './task-actions.ts'
import { findTaskInstance, splitTaskKey, type TaskInstance } from './task-instances.ts'
import { exitTask, failToStart, type TaskExit, taskStep } from './task-runtime.ts'
import {
  booleanExtra,
  exitExtras,
  numberExtra,
  startFailureExtras,
  type TransitionExtras,
  textExtra,
} from './transition-extras.ts'

const targets = ['running', 'exited', 'dead', 'failed', 'restarting', 'start-failed'] as const

type TaskTarget = (typeof targets)[number]

const beforeRunning: readonly TaskTarget[] = ['running', 'exited', 'dead', 'failed', 'start-failed']

/** Targets of forced transitions for each phase of a task. */
const reachableTargets: Readonly<Record<TaskPhase, readonly TaskTarget[]>> = {
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
 * Returns the item ID of a task. It uses a colon because a slash would have to be escaped in paths;
 * task names contain no slash.
 */
const transitionItemId = (key: string): string => key.replace(' ', ':')

/** Runs a task's own steps until it reaches a phase or is dead. Inside a transaction. */
export function advanceTask(
  world: World,
  allocationId: string,
  task: string,
  phase: 'starting' | 'running',
): TaskInstance | undefined {
  // Twelve steps suffice: received, set up, fetched, pulled, started, and a restart in between.
  for (let steps = 0; steps < 12; steps++) {
    const instance = findTaskInstance(world, allocationId, task)
    if (instance === undefined || instance.runtime.phase === phase) return instance
    taskStep(world, `${allocationId} ${task}`)
  }
  return findTaskInstance(world, allocationId, task)
}

/** Parses the exit of a forced transition: `exitCode`, `signal`, `message`, `oomKilled`. */
export function exitFromExtras(extras: TransitionExtras, exitCode: number): TaskExit {
  return {
    exitCode: numberExtra(extras, 'exitCode', exitCode),
    signal: numberExtra(extras, 'signal', 0),
    message: textExtra(extras, 'message', ''),
    oomKilled: booleanExtra(extras, 'oomKilled'),
  }
}

function forceTaskTransition(
  world: World,
  instance: TaskInstance,
  to: TaskTarget,
  extras: TransitionExtras,
): void {
  const { ID } = instance.allocation
  const { Name } = instance.task
  if (to === 'start-failed') {
    const error = textExtra(extras, 'error', 'failed to start task')
    const recoverable = booleanExtra(extras, 'recoverable')
    const startingInstance = advanceTask(world, ID, Name, 'starting')
    if (startingInstance !== undefined) failToStart(world, startingInstance, error, recoverable)
    return
  }
  const exit = exitFromExtras(extras, to === 'failed' ? 1 : 0)
  const hasProcess = instance.runtime.phase === 'running' || instance.runtime.phase === 'killing'
  const runningInstance = hasProcess ? instance : advanceTask(world, ID, Name, 'running')
  if (runningInstance === undefined || to === 'running') return
  if (to === 'restarting') restartTask(world, runningInstance, 'User requested restart')
  else exitTask(world, runningInstance, exit, to !== 'exited')
}

/**
 * Tasks for `/_mock/transitions` (behaviour/program#control-plane). `exited` ends the process and
 * leaves the rest to the restart policy; `dead` and `failed` allow no restart. Members beside `to`:
 * `exitCode`, `signal`, `message`, `oomKilled`; for `start-failed`, `error` and `recoverable`.
 */
export const taskTransition: TransitionKind = {
  kind: stepNames.task,
  summary: 'Tasks, as <allocation>:<task>; unless a pace is set, options say how fast.',
  targets,
  takes: {
    exited: exitExtras(0),
    dead: exitExtras(0),
    failed: exitExtras(1),
    'start-failed': startFailureExtras,
  },
  timing: { after: '50ms' },
  items: (world) =>
    Array.from(world.table(taskRuntimes).entries(), ([key, { phase }]) => ({
      id: transitionItemId(key),
      state: phase,
      to: reachableTargets[phaseOf(phase)],
    })),
  force(world, id, to, extras) {
    const instance = findTaskInstance(world, ...splitTaskKey(id))
    if (instance === undefined) throw refuse('push-task-unknown', { id })
    const { phase } = instance.runtime
    const target = reachableTargets[phaseOf(phase)].find((name) => name === to)
    if (target === undefined) {
      throw refuse('push-impossible', { what: 'a task', state: phase, to })
    }
    world.write(() => forceTaskTransition(world, instance, target, extras))
  },
}
