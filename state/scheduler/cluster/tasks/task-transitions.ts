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

/** Members of a request for a forced transition, except `to`. */
export type TransitionExtras = Readonly<Record<string, unknown>>

/**
 * Returns the shape of the members that describe an exit.
 * @param exitCode the default of the member `exitCode`
 */
export function exitExtras(exitCode: number) {
  return struct({
    exitCode: withDefault(described(int, 'Exit code of the process'), exitCode),
    signal: withDefault(described(int, 'Signal that ended the process; 0 means none'), 0),
    message: withDefault(described(text, 'Message of the driver'), ''),
    oomKilled: withDefault(described(bool, 'Whether the process ran out of memory'), false),
  })
}

const startFailureExtras = struct({
  error: withDefault(described(text, 'Message of the driver'), 'failed to start task'),
  recoverable: withDefault(described(bool, 'Whether the restart policy applies'), false),
})

export const statusExtras = struct({
  description: optional(described(text, 'Reason of the failure')),
})

function invalidExtra(name: string, expected: string): Refusal {
  return refuse('push-extra-invalid', { name, what: expected })
}

/**
 * Returns an integer member of a request, or `fallback` if the member is missing.
 *
 * @throws Refusal `invalid` for other values
 */
function numberExtra(extras: TransitionExtras, name: string, fallback: number): number {
  const value = extras[name] ?? fallback
  if (typeof value === 'number' && Number.isSafeInteger(value)) return value
  throw invalidExtra(name, 'a whole number')
}

/**
 * Returns a string member of a request, or `fallback` if the member is missing.
 *
 * @throws Refusal `invalid` for other values
 */
export function textExtra(extras: TransitionExtras, name: string, fallback: string): string {
  const value = extras[name] ?? fallback
  if (typeof value === 'string') return value
  throw invalidExtra(name, 'a text')
}

/**
 * Returns a boolean member of a request, or false if the member is missing.
 *
 * @throws Refusal `invalid` for other values
 */
function booleanExtra(extras: TransitionExtras, name: string): boolean {
  const value = extras[name] ?? false
  if (typeof value === 'boolean') return value
  throw invalidExtra(name, 'true or false')
}

const targets = ['running', 'exited', 'dead', 'failed', 'restarting', 'start-failed'] as const

type TaskTarget = (typeof targets)[number]

const targetsBeforeRunning: readonly TaskTarget[] = [
  'running',
  'exited',
  'dead',
  'failed',
  'start-failed',
]

/** Targets that a forced transition can reach from each phase. */
const reachableTargets: Readonly<Record<TaskPhase, readonly TaskTarget[]>> = {
  created: targetsBeforeRunning,
  received: targetsBeforeRunning,
  fetching: targetsBeforeRunning,
  pulling: targetsBeforeRunning,
  starting: targetsBeforeRunning,
  restarting: targetsBeforeRunning,
  running: ['exited', 'dead', 'failed', 'restarting'],
  killing: ['dead'],
  dead: [],
}

/**
 * Converts a result of `taskKey` to the ID of the task in `/_mock/transitions`. The separator is a
 * colon, because a slash would have to be escaped in paths.
 */
const transitionItemId = (key: string): string => key.replace(' ', ':')

/**
 * Runs at most twelve steps of a task one after the other, until the task reaches `phase` or is
 * dead. Returns the instance of the task, or undefined if the task is dead or unknown. Must run
 * inside a transaction.
 */
export function advanceTask(
  world: World,
  allocationId: string,
  task: string,
  phase: 'starting' | 'running',
): TaskInstance | undefined {
  // Twelve steps are enough: received, set up, fetched, pulled and started, and the same steps
  // after a restart.
  for (let steps = 0; steps < 12; steps++) {
    const instance = findTaskInstance(world, allocationId, task)
    if (instance === undefined || instance.runtime.phase === phase) return instance
    taskStep(world, `${allocationId} ${task}`)
  }
  return findTaskInstance(world, allocationId, task)
}

/**
 * Parses the members `exitCode`, `signal`, `message` and `oomKilled`.
 *
 * @param exitCode the default exit code
 * @throws Refusal `invalid` for members of the wrong type
 */
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
 * Tasks in `/_mock/transitions` (behaviour/program#control-plane). The target `exited` ends the
 * process, after which the restart policy applies; the targets `dead` and `failed` allow no
 * restart. Requests for these three targets may also have `exitCode`, `signal`, `message` and
 * `oomKilled`; requests for `start-failed` may have `error` and `recoverable`.
 */
export const taskTransition: TransitionKind = {
  kind: stepNames.task,
  summary: 'Tasks, as <allocation>:<task>; without a timing of their own, options say how fast.',
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
