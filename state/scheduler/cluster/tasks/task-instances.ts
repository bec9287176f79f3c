import type { World } from '../../../kernel/worlds/world.ts'
import type { TaskGroup } from '../../job/job-shape.ts'
import type { Task } from '../../job/task-shape.ts'
import { findAllocation, zeroTime } from '../allocations/allocations.ts'
import type { Allocation, TaskState } from '../model/allocation-shapes.ts'
import { cancelStep, stepNames } from '../model/steps.ts'
import { type TaskRuntime, taskRuntimes } from '../model/tables.ts'
import { groupOf } from '../placement/feasibility.ts'

/** A live task of an allocation, with everything that its state depends on. */
export interface TaskInstance {
  readonly allocation: Allocation
  readonly group: TaskGroup
  readonly task: Task
  readonly runtime: TaskRuntime
  readonly state: TaskState
}

/** State of a task that no client has reported yet. */
const pendingState: TaskState = {
  State: 'pending',
  Failed: false,
  Restarts: 0,
  LastRestart: zeroTime,
  StartedAt: zeroTime,
  FinishedAt: zeroTime,
  Events: [],
}

/** Returns the key of a task's row, which is also the key of its step. */
export const taskKey = (allocation: string, task: string): string => `${allocation} ${task}`

/** Allocation IDs have a fixed length, so a key can be split. */
const allocationIdLength = 36

/**
 * Removes the live tasks of an allocation that no client reports about any more. Inside a
 * transaction.
 */
export function abandonTasks(world: World, allocation: Allocation): void {
  for (const { Name } of groupOf(allocation)?.Tasks ?? []) {
    world.table(taskRuntimes).delete(taskKey(allocation.ID, Name))
    cancelStep(world, stepNames.task, taskKey(allocation.ID, Name))
  }
}

/** Cancels the next steps of an allocation's tasks. Inside a transaction. */
export function pauseTasks(world: World, allocation: Allocation): void {
  for (const { Name } of groupOf(allocation)?.Tasks ?? []) {
    cancelStep(world, stepNames.task, taskKey(allocation.ID, Name))
  }
}

/** Returns a live task; undefined if there is no such task. */
export function findTaskInstance(
  world: World,
  allocationId: string,
  taskName: string,
): TaskInstance | undefined {
  const runtime = world.table(taskRuntimes).get(taskKey(allocationId, taskName))
  const allocation = findAllocation(world, allocationId)
  const group = allocation === undefined ? undefined : groupOf(allocation)
  const task = group?.Tasks?.find(({ Name }) => Name === taskName)
  if (runtime === undefined || allocation === undefined || !group || task === undefined)
    return undefined
  const state = allocation.TaskStates?.[taskName] ?? pendingState
  return { allocation, group, task, runtime, state }
}

/**
 * Returns an instance for a task whose allocation has ended, so that it can be restarted; undefined
 * for other tasks.
 */
export function endedTaskInstance(
  world: World,
  allocation: Allocation,
  taskName: string,
): TaskInstance | undefined {
  const state = allocation.TaskStates?.[taskName]
  const group = groupOf(allocation)
  const task = group?.Tasks?.find(({ Name }) => Name === taskName)
  if (state?.State !== 'dead' || !group || task === undefined) return undefined
  const runtime: TaskRuntime = {
    phase: 'dead',
    waiting: false,
    attempt: state.Restarts + 1,
    restarts: 0,
    since: world.clock.now(),
  }
  return { allocation, group, task, runtime, state }
}

/** Splits the key of a step or forced transition into allocation and task. */
export function splitTaskKey(id: string): readonly [allocation: string, task: string] {
  return [id.slice(0, allocationIdLength), id.slice(allocationIdLength + 1)]
}

/** Returns the state of every task. Tasks that no client has reported yet are pending. */
export function taskStates({
  allocation,
  group,
}: TaskInstance): Readonly<Record<string, TaskState>> {
  const { TaskStates: reported } = allocation
  const tasks = group.Tasks ?? []
  // A client reports all tasks at once.
  if (reported !== null && tasks.every(({ Name }) => Object.hasOwn(reported, Name))) return reported
  const pendingStates = tasks.map(({ Name }): [string, TaskState] => [Name, pendingState])
  return { ...Object.fromEntries(pendingStates), ...reported }
}
