import type { World } from '../../kernel/world.ts'
import type { TaskGroup } from '../job/job-shape.ts'
import type { Task } from '../job/task-shape.ts'
import type { Allocation, TaskState } from './allocation-shapes.ts'
import { allocationOf, noTime } from './allocations.ts'
import { groupOf } from './feasibility.ts'
import { cancelStep, stepNames } from './steps.ts'
import { type TaskLife, taskLives } from './tables.ts'

/** A task of an allocation that is not dead, with all that its life depends on. */
export interface Actor {
  readonly allocation: Allocation
  readonly group: TaskGroup
  readonly task: Task
  readonly life: TaskLife
  readonly state: TaskState
}

/** A task that no client has reported yet. */
const freshState: TaskState = {
  State: 'pending',
  Failed: false,
  Restarts: 0,
  LastRestart: noTime,
  StartedAt: noTime,
  FinishedAt: noTime,
  Events: [],
}

/** The key of a task's life, and the id of its step. */
export const lifeKey = (allocation: string, task: string): string => `${allocation} ${task}`

/** The IDs of allocations are of one length, so a key can be parted. */
const idLength = 36

/** Takes the tasks of an allocation away that no client reports about any more. Inside a transaction. */
export function abandonTasks(world: World, allocation: Allocation): void {
  for (const { Name } of groupOf(allocation)?.Tasks ?? []) {
    world.table(taskLives).delete(lifeKey(allocation.ID, Name))
    cancelStep(world, stepNames.task, lifeKey(allocation.ID, Name))
  }
}

/** Lets the tasks of an allocation stay as they are. Inside a transaction. */
export function pauseTasks(world: World, allocation: Allocation): void {
  for (const { Name } of groupOf(allocation)?.Tasks ?? []) {
    cancelStep(world, stepNames.task, lifeKey(allocation.ID, Name))
  }
}

/** A task that is not dead; undefined when there is none such. */
export function actorOf(world: World, allocationId: string, taskName: string): Actor | undefined {
  const life = world.table(taskLives).get(lifeKey(allocationId, taskName))
  const allocation = allocationOf(world, allocationId)
  const group = allocation === undefined ? undefined : groupOf(allocation)
  const task = group?.Tasks?.find(({ Name }) => Name === taskName)
  if (life === undefined || allocation === undefined || !group || task === undefined)
    return undefined
  const state = allocation.TaskStates?.[taskName] ?? freshState
  return { allocation, group, task, life, state }
}

/** A task of an allocation that has ended, as if it were about to be revived; undefined for any other. */
export function deadActorOf(
  world: World,
  allocation: Allocation,
  taskName: string,
): Actor | undefined {
  const state = allocation.TaskStates?.[taskName]
  const group = groupOf(allocation)
  const task = group?.Tasks?.find(({ Name }) => Name === taskName)
  if (state?.State !== 'dead' || !group || task === undefined) return undefined
  const life: TaskLife = {
    phase: 'dead',
    waiting: false,
    attempt: state.Restarts + 1,
    restarts: 0,
    since: world.clock.now(),
  }
  return { allocation, group, task, life, state }
}

/** The allocation and task that a task's step, or push, is about. */
export function partTaskId(id: string): readonly [allocation: string, task: string] {
  return [id.slice(0, idLength), id.slice(idLength + 1)]
}

/** The states of every task; those that no client has reported yet wait. */
export function allStates({ allocation, group }: Actor): Readonly<Record<string, TaskState>> {
  const { TaskStates: reported } = allocation
  const tasks = group.Tasks ?? []
  // Once a client has reported, it has reported all of them.
  if (reported !== null && tasks.every(({ Name }) => Object.hasOwn(reported, Name))) return reported
  const fresh = tasks.map(({ Name }): [string, TaskState] => [Name, freshState])
  return { ...Object.fromEntries(fresh), ...reported }
}
