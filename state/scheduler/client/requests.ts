import { bool, text } from '../../kernel/shape/kinds.ts'
import { struct } from '../../kernel/shape/members.ts'
import type { ParsedOf } from '../../kernel/shape/values.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { queryOptionMembers } from '../body-addresses.ts'
import { findAllocation } from '../cluster/allocations/allocations.ts'
import type { Allocation } from '../cluster/model/allocation-shapes.ts'
import { isTerminal } from '../cluster/model/allocation-status.ts'
import { taskNames } from '../cluster/placement/feasibility.ts'
import { restartTask, signalTask } from '../cluster/tasks/task-actions.ts'
import { endedTaskInstance, findTaskInstance } from '../cluster/tasks/task-instances.ts'
import { multiError } from '../validation/errors.ts'
import { message, refuse } from './messages.ts'

/** Request to restart tasks of an allocation (behaviour/scheduler#task-actions). */
export const restartShape = struct('AllocRestartRequest', { TaskName: text, AllTasks: bool })

/** Request to send a signal to one task or, if `Task` is empty, to all tasks. */
export const signalShape = struct('AllocSignalRequest', {
  AllocID: text,
  Task: text,
  Signal: text,
  ...queryOptionMembers,
})

/** Returns the instance of a task, or undefined if the task has no running process. */
function runningInstance(world: World, id: string, task: string) {
  const instance = findTaskInstance(world, id, task)
  return instance?.runtime.phase === 'running' ? instance : undefined
}

/**
 * Restarts one running task, all running tasks or, with AllTasks, all tasks including those that
 * have ended (behaviour/scheduler#task-actions). Must run inside a transaction.
 *
 * @throws Refusal if the allocation has ended or is stopping, if the named task does not exist or
 *   does not run, and for a named task together with AllTasks
 */
export function restartAllocation(
  world: World,
  allocation: Allocation,
  { TaskName, AllTasks }: ParsedOf<typeof restartShape>,
): void {
  const { ID } = allocation
  if (AllTasks && TaskName) throw refuse('restart-task-beside-all')
  const names = taskNames(allocation)
  if (TaskName) {
    if (!names.includes(TaskName)) throw refuse('restart-task-unknown', { task: TaskName })
    if (isTerminal(allocation)) throw refuse('restart-of-ended')
    const instance = runningInstance(world, ID, TaskName)
    if (instance === undefined) throw refuse('task-not-running')
    restartTask(world, instance, 'User requested task to restart')
    return
  }
  if (isTerminal(allocation)) throw refuse('restart-of-ended')
  const reason = `User requested ${AllTasks ? 'all' : 'running'} tasks to restart`
  for (const name of names) {
    const current = findAllocation(world, ID) ?? allocation
    const endedInstance = AllTasks ? endedTaskInstance(world, current, name) : undefined
    const instance = runningInstance(world, ID, name) ?? endedInstance
    if (instance !== undefined) restartTask(world, instance, reason)
  }
}

/**
 * Sends a signal to one task or to all tasks (behaviour/scheduler#task-actions). Must run inside a
 * transaction.
 *
 * @throws Refusal if the named task does not exist or does not run. If no task is named and some
 * tasks do not run, the running tasks receive the signal before the request is refused
 */
export function signalAllocation(
  world: World,
  allocation: Allocation,
  { Task, Signal }: Pick<ParsedOf<typeof signalShape>, 'Task' | 'Signal'>,
): void {
  const names = taskNames(allocation)
  if (Task) {
    if (!names.includes(Task)) throw refuse('signal-task-unknown')
    const instance = runningInstance(world, allocation.ID, Task)
    if (instance === undefined) throw refuse('task-not-running')
    signalTask(world, instance, Signal ?? '')
    return
  }
  const notRunning: string[] = []
  for (const name of names) {
    const instance = runningInstance(world, allocation.ID, name)
    if (instance === undefined) notRunning.push(name)
    else signalTask(world, instance, Signal ?? '')
  }
  if (notRunning.length === 0) return
  const errors = multiError(notRunning.map((task) => message('signal-failed', { task })))
  // The refusal keeps its writes, because the running tasks have received the signal already.
  throw refuse('signals-failed', { errors }).commitWrites()
}
