import type { World } from '../../../kernel/worlds/world.ts'
import type { Task } from '../../job/task-shape.ts'
import { changeAllocation, findAllocation } from '../allocations/allocations.ts'
import {
  type TaskEventFields,
  type TaskEventType,
  taskEvent,
  withEvents,
} from '../allocations/task-events.ts'
import { hookOf } from '../allocations/task-hooks.ts'
import { toNanoseconds } from '../model/evaluations.ts'
import type { TaskOutcome } from '../model/task-outcomes.ts'
import { currentOutcome, type TaskInstance } from './task-instances.ts'

/** Exit status of a task's process. */
export interface TaskExit {
  readonly exitCode: number
  readonly signal: number
  readonly message: string
  readonly oomKilled: boolean
}

/** Exit of a task that obeys the interrupt. */
export const cleanExit: TaskExit = { exitCode: 0, signal: 0, message: '', oomKilled: false }

/** Exit of a task that ignores the interrupt and is killed. */
export const forcedExit: TaskExit = { exitCode: 137, signal: 9, message: '', oomKilled: false }

/** Returns the exit of a task that ends by itself. */
export function exitFromOutcome({
  exitCode,
  exitSignal,
  exitMessage,
  oomKilled,
}: TaskOutcome): TaskExit {
  return { exitCode, signal: exitSignal, message: exitMessage, oomKilled }
}

export function terminatedEvent({
  exitCode,
  signal,
  message,
  oomKilled,
}: TaskExit): readonly [TaskEventType, TaskEventFields] {
  return ['Terminated', { ExitCode: exitCode, Signal: signal, Message: message, oomKilled }]
}

/**
 * Returns the exit of a task that is asked to stop. The exit is forced if the task's outcome delays
 * the exit beyond `KillTimeout`.
 */
export function killExit(world: World, instance: TaskInstance): TaskExit {
  const { killAfter } = currentOutcome(world, instance)
  return killAfter !== undefined && killAfter > instance.task.KillTimeout ? forcedExit : cleanExit
}

/**
 * Adds a `Killing` event to the tasks that have ended before their group stops, except poststop
 * tasks. Must run inside a transaction.
 */
export function recordKilling(world: World, allocationId: string, tasks: readonly Task[]): void {
  const allocation = findAllocation(world, allocationId)
  const ended = tasks.filter(
    (task) => hookOf(task) !== 'poststop' && allocation?.TaskStates?.[task.Name]?.State === 'dead',
  )
  if (allocation === undefined || ended.length === 0) return
  const now = toNanoseconds(world.clock.now())
  const states = { ...allocation.TaskStates }
  for (const { Name, KillTimeout } of ended) {
    const state = states[Name]
    const event = taskEvent('Killing', now, { KillTimeout })
    if (state !== undefined) states[Name] = withEvents(state, [event])
  }
  changeAllocation(world, allocation, { TaskStates: states })
}
