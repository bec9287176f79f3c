import type { World } from '../../../kernel/worlds/world.ts'
import type { TaskGroup } from '../../job/job-shape.ts'
import type { Task } from '../../job/task-shape.ts'
import { findAllocation } from '../allocations/allocations.ts'
import type { TaskEventFields, TaskEventType } from '../allocations/task-events.ts'
import type { Allocation, TaskState } from '../model/allocation-shapes.ts'
import { cancelStep, type Delay, stepNames } from '../model/steps.ts'
import { type TaskRuntime, taskRuntimes } from '../model/tables.ts'
import { type PhaseConditions, phaseOf, type TaskPhase } from '../model/task-machine.ts'
import { resolveOutcome, type TaskOutcome } from '../model/task-outcomes.ts'
import { groupOf } from '../placement/feasibility.ts'

/** A live task of an allocation, with all data on which its state depends. */
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
  LastRestart: null,
  StartedAt: null,
  FinishedAt: null,
  Events: [],
  TaskHandle: null,
  Paused: '',
}

/** Returns the key of a task's row, which is also the key of its step. */
export const taskKey = (allocation: string, task: string): string => `${allocation} ${task}`

/** Length of allocation IDs. Because it is fixed, keys can be split. */
const allocationIdLength = 36

/**
 * Removes the live tasks of an allocation on which clients no longer report. Must run inside a
 * transaction.
 */
export function abandonTasks(world: World, allocation: Allocation): void {
  for (const { Name } of groupOf(allocation)?.Tasks ?? []) {
    world.table(taskRuntimes).delete(taskKey(allocation.ID, Name))
    cancelStep(world, stepNames.task, taskKey(allocation.ID, Name))
  }
}

/** Cancels the next steps of an allocation's tasks. Must run inside a transaction. */
export function pauseTasks(world: World, allocation: Allocation): void {
  for (const { Name } of groupOf(allocation)?.Tasks ?? []) {
    cancelStep(world, stepNames.task, taskKey(allocation.ID, Name))
  }
}

/** Returns a live task; undefined if there is no such task. */
export function findTaskInstance(world: World, allocationId: string, taskName: string) {
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
 * Returns an instance of a dead task, with which the task can be restarted. Returns undefined for
 * other tasks.
 */
export function endedTaskInstance(world: World, allocation: Allocation, taskName: string) {
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
  // A client reports the states of all tasks at the same time.
  if (reported !== null && tasks.every(({ Name }) => Object.hasOwn(reported, Name))) return reported
  const pendingStates = tasks.map(({ Name }): [string, TaskState] => [Name, pendingState])
  return { ...Object.fromEntries(pendingStates), ...reported }
}

/** Returns the outcome of the task's current run. */
export function currentOutcome(
  world: World,
  { allocation, group, task, runtime: life }: TaskInstance,
): TaskOutcome {
  return resolveOutcome(world, allocation, group, task, Math.max(1, life.attempt))
}

/** Returns the conditions that select the next transition of a task. */
export function phaseConditions(
  { task, runtime: life }: TaskInstance,
  willRestart: boolean,
): PhaseConditions {
  const isFirst = life.attempt === 0
  return {
    artifacts: isFirst && (task.Artifacts?.length ?? 0) > 0,
    image: isFirst && task.Driver === 'docker' && imageName(task) !== '',
    willRestart,
  }
}

function imageName({ Config }: Task): string {
  const image = Config !== null && Object.hasOwn(Config, 'image') ? Config['image'] : undefined
  return typeof image === 'string' ? image : ''
}

/** Returns the task events of a task that enters a phase. */
export function phaseEvents(
  phase: TaskPhase,
  task: Task,
): readonly (readonly [TaskEventType, TaskEventFields?])[] {
  if (phase === 'fetching') return [['Downloading Artifacts']]
  if (phase !== 'pulling') return []
  return [['Driver', { DriverMessage: `Downloading image ${imageName(task)}` }]]
}

/** Returns the task state that the API reports for a phase. */
export function reportedState(phase: TaskPhase): 'pending' | 'running' | 'dead' {
  if (phase === 'dead') return 'dead'
  return phase === 'running' || phase === 'killing' ? 'running' : 'pending'
}

/** Returns the time that a task stays in its phase; undefined if the task waits for an event. */
export function phaseDelay(world: World, instance: TaskInstance, wait?: Delay): Delay | undefined {
  const currentTaskOutcome = () => currentOutcome(world, instance)
  switch (phaseOf(instance.runtime.phase)) {
    case 'created':
      return { option: 'receivedDelay' }
    case 'received':
      return { option: 'setupDelay' }
    case 'fetching':
    case 'pulling':
      return { option: 'imageDelay' }
    case 'starting':
      return { option: 'startedDelay', extra: currentTaskOutcome().startBlockFor }
    case 'running':
      return runDelay(currentTaskOutcome())
    case 'restarting':
      return wait ?? { asked: 0 }
    case 'killing':
      return killDelay(currentTaskOutcome(), instance.task)
    case 'dead':
      return undefined
  }
}

function runDelay({ runFor }: TaskOutcome): Delay | undefined {
  if (runFor === undefined) return undefined
  return runFor === 'usual' ? { option: 'batchRunTime' } : { asked: runFor }
}

function killDelay({ killAfter }: TaskOutcome, { KillTimeout }: Task): Delay {
  if (killAfter === undefined) return { option: 'killDelay' }
  return { asked: Math.min(killAfter, Number(KillTimeout)) }
}
