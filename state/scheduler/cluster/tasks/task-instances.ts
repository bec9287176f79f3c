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

/** A task with all rows on which its next step depends. */
export interface TaskInstance {
  readonly allocation: Allocation
  readonly group: TaskGroup
  readonly task: Task
  readonly runtime: TaskRuntime
  readonly state: TaskState
}

/** State of a task before the first report of a client. */
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

/** Returns the key of a task's rows and of its step. */
export const taskKey = (allocation: string, task: string): string => `${allocation} ${task}`

/** Length of allocation IDs, by which `splitTaskKey` finds the end of the ID. */
const allocationIdLength = 36

/**
 * Deletes the runtime rows of an allocation's tasks and cancels their steps, because no client
 * reports on the tasks any more. Must run inside a transaction.
 */
export function abandonTasks(world: World, allocation: Allocation): void {
  for (const { Name } of groupOf(allocation)?.Tasks ?? []) {
    world.table(taskRuntimes).delete(taskKey(allocation.ID, Name))
    cancelStep(world, stepNames.task, taskKey(allocation.ID, Name))
  }
}

/**
 * Cancels the next step of each task of an allocation. `resumeTasks` schedules the steps again.
 * Must run inside a transaction.
 */
export function pauseTasks(world: World, allocation: Allocation): void {
  for (const { Name } of groupOf(allocation)?.Tasks ?? []) {
    cancelStep(world, stepNames.task, taskKey(allocation.ID, Name))
  }
}

/** Returns the instance of a task, or undefined if the task is dead, abandoned or unknown. */
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
 * Builds an instance of a dead task, so that the task can be restarted. Returns undefined if the
 * task is not dead.
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

/** Splits a key that `taskKey` returned into the ID of the allocation and the name of the task. */
export function splitTaskKey(id: string): readonly [allocation: string, task: string] {
  return [id.slice(0, allocationIdLength), id.slice(allocationIdLength + 1)]
}

/**
 * Returns the states of all tasks of the allocation, by name. Before the first report of a client,
 * a task is pending.
 */
export function taskStates({
  allocation,
  group,
}: TaskInstance): Readonly<Record<string, TaskState>> {
  const { TaskStates: reported } = allocation
  const tasks = group.Tasks ?? []
  // If the client's report contains the states of all tasks, no pending state has to be added.
  if (reported !== null && tasks.every(({ Name }) => Object.hasOwn(reported, Name))) return reported
  const pendingStates = tasks.map(({ Name }): [string, TaskState] => [Name, pendingState])
  return { ...Object.fromEntries(pendingStates), ...reported }
}

/** Returns the simulated outcome of a task's current run, such as its run time and exit code. */
export function currentOutcome(
  world: World,
  { allocation, group, task, runtime }: TaskInstance,
): TaskOutcome {
  return resolveOutcome(world, allocation, group, task, Math.max(1, runtime.attempt))
}

/** Returns the conditions for the next transition of `taskMachine`. */
export function phaseConditions(
  { task, runtime }: TaskInstance,
  willRestart: boolean,
): PhaseConditions {
  const isFirst = runtime.attempt === 0
  return {
    hasArtifacts: isFirst && (task.Artifacts?.length ?? 0) > 0,
    hasImage: isFirst && task.Driver === 'docker' && imageName(task) !== '',
    willRestart,
  }
}

function imageName({ Config }: Task): string {
  const image = Config !== null && Object.hasOwn(Config, 'image') ? Config['image'] : undefined
  return typeof image === 'string' ? image : ''
}

/** Returns the events that a client reports when a task enters a phase. */
export function phaseEvents(
  phase: TaskPhase,
  task: Task,
): readonly (readonly [TaskEventType, TaskEventFields?])[] {
  if (phase === 'fetching') return [['Downloading Artifacts']]
  if (phase !== 'pulling') return []
  return [['Driver', { DriverMessage: `Downloading image ${imageName(task)}` }]]
}

/** Converts a phase to the task state that clients report. */
export function reportedState(phase: TaskPhase): 'pending' | 'running' | 'dead' {
  if (phase === 'dead') return 'dead'
  return phase === 'running' || phase === 'killing' ? 'running' : 'pending'
}

/**
 * Returns the delay until a task leaves its phase by itself, or undefined if the task stays in the
 * phase. `wait` is the delay of a restart.
 */
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
      return wait ?? { requested: 0 }
    case 'killing':
      return killDelay(currentTaskOutcome(), instance.task)
    case 'dead':
      return undefined
  }
}

function runDelay({ runFor }: TaskOutcome): Delay | undefined {
  if (runFor === undefined) return undefined
  return runFor === 'usual' ? { option: 'batchRunTime' } : { requested: runFor }
}

function killDelay({ killAfter }: TaskOutcome, { KillTimeout }: Task): Delay {
  if (killAfter === undefined) return { option: 'killDelay' }
  return { requested: Math.min(killAfter, Number(KillTimeout)) }
}
