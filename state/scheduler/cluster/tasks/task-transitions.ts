import type { Refusal } from '../../../kernel/refusal.ts'
import { bool, int, text } from '../../../kernel/shape/kinds.ts'
import { described, optional, struct, withDefault } from '../../../kernel/shape/members.ts'
import type { TransitionKind } from '../../../kernel/worlds/service.ts'
import type { World } from '../../../kernel/worlds/world.ts'
import { refuse } from '../model/messages.ts'
import { stepNames } from '../model/steps.ts'
import { taskRuntimes } from '../model/tables.ts'
import { phaseOf, type TaskPhase } from '../model/task-machine.ts'
import { restartTask } from './task-actions.ts'
import type { TaskExit } from './task-exits.ts'
import { findTaskInstance, splitTaskKey, type TaskInstance } from './task-instances.ts'
import { exitTask, failToStart, taskStep } from './task-runtime.ts'

/** Members of a forced transition's request other than `to`. */
export type TransitionExtras = Readonly<Record<string, unknown>>

/** Returns the shape of the request members that describe the end of a task. */
export function exitExtras(exitCode: number) {
  return struct({
    exitCode: withDefault(described(int, 'Of the process'), exitCode),
    signal: withDefault(described(int, 'That ended it; 0 for none'), 0),
    message: withDefault(described(text, "The driver's"), ''),
    oomKilled: withDefault(described(bool, 'It had no memory left'), false),
  })
}

/** Request members that describe a failed start. */
const startFailureExtras = struct({
  error: withDefault(described(text, "The driver's"), 'failed to start task'),
  recoverable: withDefault(described(bool, 'The restart policy decides'), false),
})

/** Request members that describe the end of an evaluation. */
export const statusExtras = struct({ description: optional(described(text, 'Why it ended so')) })

function invalidExtra(name: string, expected: string): Refusal {
  return refuse('push-extra-invalid', { name, what: expected })
}

/**
 * Returns an integer member of a forced transition. Throws an `invalid` refusal for other values.
 */
function numberExtra(extras: TransitionExtras, name: string, fallback: number): number {
  const value = extras[name] ?? fallback
  if (typeof value === 'number' && Number.isSafeInteger(value)) return value
  throw invalidExtra(name, 'a whole number')
}

/** Returns a string member of a forced transition. Throws an `invalid` refusal for other values. */
export function textExtra(extras: TransitionExtras, name: string, fallback: string): string {
  const value = extras[name] ?? fallback
  if (typeof value === 'string') return value
  throw invalidExtra(name, 'a text')
}

/**
 * Returns a boolean member of a forced transition; false by default. Throws an `invalid` refusal
 * for other values.
 */
function booleanExtra(extras: TransitionExtras, name: string): boolean {
  const value = extras[name] ?? false
  if (typeof value === 'boolean') return value
  throw invalidExtra(name, 'true or false')
}

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
 * Returns the item ID of a task. The ID contains a colon, because a slash would have to be escaped
 * in paths and task names contain no slash.
 */
const transitionItemId = (key: string): string => key.replace(' ', ':')

/**
 * Runs the steps of a task until the task reaches a phase or is dead. Must run inside a
 * transaction.
 */
export function advanceTask(
  world: World,
  allocationId: string,
  task: string,
  phase: 'starting' | 'running',
): TaskInstance | undefined {
  // Twelve steps are enough: received, set up, fetched, pulled, started, and these steps again
  // after a restart.
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
 * Tasks for `/_mock/transitions` (behaviour/program#control-plane). `exited` ends the process, and
 * the restart policy decides what follows; after `dead` and `failed` there is no restart. Members
 * other than `to`: `exitCode`, `signal`, `message`, `oomKilled`; for `start-failed`, `error` and
 * `recoverable`.
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
