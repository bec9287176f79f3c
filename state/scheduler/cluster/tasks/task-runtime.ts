import { SECOND } from '../../../go/duration.ts'
import { formatTimestamp } from '../../../kernel/time.ts'
import type { World } from '../../../kernel/worlds/world.ts'
import { changeAllocation, clientStatusFields, findAllocation } from '../allocations/allocations.ts'
import { networkStatusOf } from '../allocations/network-status.ts'
import {
  type TaskEventFields,
  type TaskEventType,
  taskEvent,
  withEvents,
} from '../allocations/task-events.ts'
import { canStart, firstToStop, hookOf, siblingKillEvent } from '../allocations/task-hooks.ts'
import type { Allocation, TaskState } from '../model/allocation-shapes.ts'
import { toNanoseconds } from '../model/evaluations.ts'
import {
  cancelStep,
  type Delay,
  isStepScheduled,
  scaledInterval,
  scheduleStep,
  stepNames,
} from '../model/steps.ts'
import { type TaskRuntime, taskRuntimes } from '../model/tables.ts'
import { phaseOf, type TaskPhase, taskMachine } from '../model/task-machine.ts'
import { endsByItself } from '../model/task-outcomes.ts'
import { groupOf } from '../placement/feasibility.ts'
import { handleAllocationChange } from './allocation-effects.ts'
import { decideRestart, type TaskEnding } from './restarts.ts'
import {
  exitFromOutcome,
  killExit,
  recordKilling,
  type TaskExit,
  terminatedEvent,
} from './task-exits.ts'
import {
  currentOutcome,
  findTaskInstance,
  phaseConditions,
  phaseDelay,
  phaseEvents,
  reportedState,
  splitTaskKey,
  type TaskInstance,
  taskKey,
  taskStates,
} from './task-instances.ts'
import { recordOutputEnd, recordOutputStart } from './task-output.ts'

type TaskAction = (typeof taskMachine.moves)[number]['on']

/**
 * Creates the runtime rows of a new allocation's tasks and schedules their first steps. Must run
 * inside a transaction.
 */
export function startTasks(world: World, allocation: Allocation): void {
  for (const { Name } of groupOf(allocation)?.Tasks ?? []) {
    const runtime: TaskRuntime = {
      phase: 'created',
      waiting: false,
      attempt: 0,
      restarts: 0,
      since: world.clock.now(),
    }
    world.table(taskRuntimes).put(taskKey(allocation.ID, Name), runtime)
    scheduleStep(world, stepNames.task, taskKey(allocation.ID, Name), { option: 'receivedDelay' })
  }
}

/** Schedules the steps that `pauseTasks` has cancelled. Must run inside a transaction. */
export function resumeTasks(world: World, allocation: Allocation): void {
  for (const { Name } of groupOf(allocation)?.Tasks ?? []) {
    const instance = findTaskInstance(world, allocation.ID, Name)
    if (instance !== undefined) scheduleNextStep(world, instance, undefined)
  }
}

/** Functions that end a phase and move the task to the next phase, by phase. */
const phaseSteps: Readonly<
  Record<Exclude<TaskPhase, 'dead'>, (world: World, instance: TaskInstance) => void>
> = {
  created: (world, instance) =>
    transitionTask(world, instance, 'receive', { events: [['Received']] }),
  received: (world, instance) =>
    transitionTask(world, instance, 'build', {
      events: [['Task Setup', { Message: 'Building Task Directory' }]],
    }),
  fetching: (world, instance) => transitionTask(world, instance, 'fetched'),
  pulling: (world, instance) => transitionTask(world, instance, 'pulled'),
  starting: (world, instance) => {
    const { startError, startErrorRecoverable } = currentOutcome(world, instance)
    if (startError === '') transitionTask(world, instance, 'start', { events: [['Started']] })
    else failToStart(world, instance, startError, startErrorRecoverable)
  },
  running: (world, instance) =>
    exitTask(world, instance, exitFromOutcome(currentOutcome(world, instance))),
  restarting: (world, instance) => transitionTask(world, instance, 'retry'),
  killing: (world, instance) => finishKill(world, instance),
}

/**
 * Runs the step that ends the phase of a task, whether or not the step is due. Must run inside a
 * transaction.
 *
 * @param id result of `taskKey`
 */
export function taskStep(world: World, id: string): void {
  const instance = findTaskInstance(world, ...splitTaskKey(id))
  if (instance === undefined) return
  const phase = phaseOf(instance.runtime.phase)
  if (phase !== 'dead') phaseSteps[phase](world, instance)
}

/** Changes that a transition makes in addition to the change of the phase. */
interface TransitionEffects {
  readonly events?: readonly (readonly [TaskEventType, TaskEventFields?])[]
  readonly willRestart?: boolean
  readonly failed?: boolean
  /** True if the code that calls `transitionTask` stops the other tasks of the group itself. */
  readonly endsWithGroup?: boolean
  /** Set if the transition is a restart. */
  readonly restart?: { readonly wait: Delay; readonly restarts: number; readonly since: number }
}

/**
 * Moves a task to another phase and updates everything that depends on the phase: the allocation,
 * the recorded output, the next step and the other tasks of the group. Then calls
 * `handleAllocationChange`. Must run inside a transaction.
 */
export function transitionTask(
  world: World,
  instance: TaskInstance,
  action: TaskAction,
  effects: TransitionEffects = {},
): void {
  const { allocation, task, runtime } = instance
  const { events = [], willRestart = false, failed = false, endsWithGroup, restart } = effects
  const phase = taskMachine.next(
    phaseOf(runtime.phase),
    action,
    phaseConditions(instance, willRestart),
  )
  const now = world.clock.now()
  const taskEvents = [...events, ...phaseEvents(phase, task)].map(([type, fields]) =>
    taskEvent(type, toNanoseconds(now), fields),
  )
  const before = instance.state
  const State = reportedState(phase)
  const state: TaskState = {
    State,
    Failed: before.Failed || failed,
    Restarts: before.Restarts + (restart === undefined ? 0 : 1),
    LastRestart: restart === undefined ? before.LastRestart : formatTimestamp(now),
    StartedAt: action === 'start' ? formatTimestamp(now) : before.StartedAt,
    FinishedAt: State === 'dead' ? formatTimestamp(now) : before.FinishedAt,
    Events: withEvents(before, taskEvents).Events,
    TaskHandle: null,
    Paused: '',
  }
  const key = taskKey(allocation.ID, task.Name)
  const next: TaskRuntime = {
    phase,
    waiting: false,
    attempt: phase === 'starting' ? runtime.attempt + 1 : runtime.attempt,
    restarts: restart?.restarts ?? runtime.restarts,
    since: restart?.since ?? runtime.since,
  }
  if (phase === 'dead') {
    world.table(taskRuntimes).delete(key)
    cancelStep(world, stepNames.task, key)
  } else world.table(taskRuntimes).put(key, next)
  if (action === 'start') recordOutputStart(world, instance)
  else if (before.State === 'running' && State !== 'running') recordOutputEnd(world, instance)
  const states = { ...taskStates(instance), [task.Name]: state }
  const changed = changeAllocation(world, allocation, {
    NetworkStatus: networkStatusOf(world, allocation),
    ...clientStatusFields(states),
  })
  if (phase !== 'dead')
    scheduleNextStep(
      world,
      { ...instance, allocation: changed, runtime: next, state },
      restart?.wait,
    )
  if (State !== before.State) {
    if (phase === 'dead' && endsWithGroup !== true) stopSiblings(world, changed.ID, instance)
    scheduleWaitingTasks(world, changed.ID, instance)
  }
  const after = findAllocation(world, changed.ID)
  if (after !== undefined) handleAllocationChange(world, allocation, after)
}

function scheduleNextStep(world: World, instance: TaskInstance, wait: Delay | undefined): void {
  const key = taskKey(instance.allocation.ID, instance.task.Name)
  const mustWait = instance.runtime.phase === 'received' && waitIfNotStartable(world, instance)
  const delay = mustWait ? undefined : phaseDelay(world, instance, wait)
  if (delay === undefined) cancelStep(world, stepNames.task, key)
  else scheduleStep(world, stepNames.task, key, delay)
}

function waitIfNotStartable(world: World, instance: TaskInstance): boolean {
  const { allocation, group, task, runtime } = instance
  if (canStart(task, group.Tasks ?? [], allocation.TaskStates ?? {})) return false
  world.table(taskRuntimes).put(taskKey(allocation.ID, task.Name), { ...runtime, waiting: true })
  return true
}

/**
 * Ends a start that failed. The restart policy decides whether the task starts again. Must run
 * inside a transaction.
 */
export function failToStart(
  world: World,
  instance: TaskInstance,
  error: string,
  isRecoverable: boolean,
): void {
  const ending = { isSuccess: false, neverStarted: true, isRecoverable }
  handleTaskEnd(
    world,
    instance,
    'fail to start',
    ['Driver Failure', { DriverError: error }],
    ending,
  )
}

/**
 * Ends the process of a task. Unless `isFinal` is true or the task is being killed, the restart
 * policy decides whether the task restarts. Must run inside a transaction.
 */
export function exitTask(world: World, instance: TaskInstance, exit: TaskExit, isFinal = false) {
  if (phaseOf(instance.runtime.phase) === 'killing') {
    finishKill(world, instance, exit)
    return
  }
  const isSuccess = exit.exitCode === 0 && exit.signal === 0
  const ending = { isSuccess, neverStarted: false, isRecoverable: true }
  handleTaskEnd(world, instance, 'exit', terminatedEvent(exit), ending, isFinal)
}

function handleTaskEnd(
  world: World,
  instance: TaskInstance,
  action: 'exit' | 'fail to start',
  event: readonly [TaskEventType, TaskEventFields],
  endInfo: Omit<TaskEnding, 'endsByItself'>,
  isFinal = false,
): void {
  const { allocation, task, group, runtime } = instance
  const policy = task.RestartPolicy ?? group.RestartPolicy
  const ending = { ...endInfo, endsByItself: isFinal || endsByItself(allocation.JobType, task) }
  const interval = scaledInterval(world, policy?.Interval ?? 0)
  const noRestarts = policy === null ? null : { ...policy, Attempts: 0 }
  const now = world.clock.now()
  const decision = decideRestart(isFinal ? noRestarts : policy, runtime, ending, now, interval)
  if (decision.verdict === 'done') {
    transitionTask(world, instance, action, { events: [event] })
    return
  }
  if (decision.verdict === 'failed') {
    const failedFields = { FailsTask: true, RestartReason: decision.reason }
    transitionTask(world, instance, action, {
      events: [event, ['Not Restarting', failedFields]],
      failed: true,
    })
    return
  }
  const { delay, reason, restarts, since, exceedsAttempts } = decision
  transitionTask(world, instance, action, {
    events: [event, ['Restarting', { StartDelay: delay, RestartReason: reason }]],
    willRestart: true,
    restart: {
      wait: exceedsAttempts ? { unskippable: Math.max(delay, SECOND) } : { requested: delay },
      restarts,
      since,
    },
  })
}

/**
 * Sends the interrupt to a task; a task without a process ends at once. Does nothing if the task is
 * stopping already. Must run inside a transaction.
 *
 * @param endsWithGroup true if the calling code stops the other tasks of the group itself
 */
export function killTask(
  world: World,
  instance: TaskInstance,
  reasonEvent?: readonly [TaskEventType, TaskEventFields?],
  endsWithGroup = false,
): void {
  const { task, runtime } = instance
  if (runtime.phase === 'killing') return
  const reasons = reasonEvent === undefined ? [] : [reasonEvent]
  const killingEvent = ['Killing', { KillTimeout: task.KillTimeout }] as const
  transitionTask(world, instance, 'kill', { events: [...reasons, killingEvent], endsWithGroup })
}

function finishKill(world: World, instance: TaskInstance, exit?: TaskExit): void {
  const ended = exit ?? killExit(world, instance)
  transitionTask(world, instance, 'end', { events: [terminatedEvent(ended), ['Killed']] })
}

/**
 * Stops the tasks of an allocation: first those that `firstToStop` returns, then the others. Before
 * the first report of a client, stops all tasks at once. Must run inside a transaction.
 */
export function killAllocation(world: World, allocation: Allocation): void {
  const { ID, TaskStates } = allocation
  const tasks = groupOf(allocation)?.Tasks ?? []
  const tasksToStop = TaskStates === null ? tasks : firstToStop(tasks, TaskStates)
  recordKilling(world, ID, tasks)
  let last: TaskInstance | undefined
  for (const { Name } of tasksToStop) {
    last = findTaskInstance(world, ID, Name)
    if (last !== undefined) killTask(world, last, undefined, true)
  }
  if (last !== undefined) stopSiblings(world, ID, last)
}

/** Stops a group's live tasks, except poststop tasks, if `siblingKillEvent` returns an event. */
function stopSiblings(world: World, allocationId: string, { group }: TaskInstance): void {
  const tasks = group.Tasks ?? []
  const states = findAllocation(world, allocationId)?.TaskStates ?? {}
  const killEvent = siblingKillEvent(tasks, states)
  if (killEvent === undefined) return
  const siblings = tasks
    .filter((task) => hookOf(task) !== 'poststop')
    .flatMap(({ Name }) => findTaskInstance(world, allocationId, Name) ?? [])
    .filter(({ runtime: { phase } }) => phase !== 'killing')
  if (siblings.length > 0) recordKilling(world, allocationId, tasks)
  for (const { task } of siblings) {
    const sibling = findTaskInstance(world, allocationId, task.Name)
    if (sibling !== undefined) killTask(world, sibling, killEvent, true)
  }
}

/** Schedules the start of waiting tasks that may start now. */
function scheduleWaitingTasks(world: World, allocationId: string, { group }: TaskInstance): void {
  const tasks = group.Tasks ?? []
  for (const { Name } of tasks) {
    const waiting = findTaskInstance(world, allocationId, Name)
    if (waiting?.runtime.waiting !== true) continue
    if (isStepScheduled(world, stepNames.task, taskKey(allocationId, Name))) continue
    if (canStart(waiting.task, tasks, waiting.allocation.TaskStates ?? {})) {
      scheduleStep(world, stepNames.task, taskKey(allocationId, Name), { option: 'setupDelay' })
    }
  }
}
