import type { World } from '../../../kernel/worlds/world.ts'
import type { TaskGroup } from '../../job/job-shape.ts'
import type { Task } from '../../job/task-shape.ts'
import { findAllocation, zeroTime } from '../allocations/allocations.ts'
import type { Allocation, TaskState } from '../model/allocation-shapes.ts'
import { cancelStep, stepNames } from '../model/steps.ts'
import { type TaskRuntime, taskRuntimes } from '../model/tables.ts'
import { groupOf } from '../placement/feasibility.ts'

/** A task of an allocation that is not dead, with all that its life depends on. */
export interface TaskInstance {
  readonly allocation: Allocation
  readonly group: TaskGroup
  readonly task: Task
  readonly runtime: TaskRuntime
  readonly state: TaskState
}

/** A task that no client has reported yet. */
const pendingState: TaskState = {
  State: 'pending',
  Failed: false,
  Restarts: 0,
  LastRestart: zeroTime,
  StartedAt: zeroTime,
  FinishedAt: zeroTime,
  Events: [],
}

/** The key of a task's life, and the id of its step. */
export const taskKey = (allocation: string, task: string): string => `${allocation} ${task}`

/** The IDs of allocations are of one length, so a key can be parted. */
const allocationIdLength = 36

/** Takes the tasks of an allocation away that no client reports about any more. Inside a transaction. */
export function abandonTasks(world: World, allocation: Allocation): void {
  for (const { Name } of groupOf(allocation)?.Tasks ?? []) {
    world.table(taskRuntimes).delete(taskKey(allocation.ID, Name))
    cancelStep(world, stepNames.task, taskKey(allocation.ID, Name))
  }
}

/** Lets the tasks of an allocation stay as they are. Inside a transaction. */
export function pauseTasks(world: World, allocation: Allocation): void {
  for (const { Name } of groupOf(allocation)?.Tasks ?? []) {
    cancelStep(world, stepNames.task, taskKey(allocation.ID, Name))
  }
}

/** A task that is not dead; undefined when there is none such. */
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

/** A task of an allocation that has ended, as if it were about to be revived; undefined for any other. */
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

/** The allocation and task that a task's step, or push, is about. */
export function splitTaskKey(id: string): readonly [allocation: string, task: string] {
  return [id.slice(0, allocationIdLength), id.slice(allocationIdLength + 1)]
}

/** The states of every task; those that no client has reported yet wait. */
export function taskStates({
  allocation,
  group,
}: TaskInstance): Readonly<Record<string, TaskState>> {
  const { TaskStates: reported } = allocation
  const tasks = group.Tasks ?? []
  // Once a client has reported, it has reported all of them.
  if (reported !== null && tasks.every(({ Name }) => Object.hasOwn(reported, Name))) return reported
  const pendingStates = tasks.map(({ Name }): [string, TaskState] => [Name, pendingState])
  return { ...Object.fromEntries(pendingStates), ...reported }
}
