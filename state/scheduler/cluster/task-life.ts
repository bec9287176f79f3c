import { SECOND } from '../../go/duration.ts'
import { formatTimestamp } from '../../kernel/time.ts'
import type { World } from '../../kernel/world.ts'
import { allocationChanged } from './allocation-life.ts'
import type { Allocation, TaskState } from './allocation-shapes.ts'
import { allocationOf, changeAllocation, clientReport } from './allocations.ts'
import { toNanoseconds } from './evaluations.ts'
import { groupOf } from './feasibility.ts'
import { causeOfDeath, hookOf, isItsTurn } from './lifecycle.ts'
import { networkStatusOf } from './network-status.ts'
import { decideRestart, type Ending } from './restarts.ts'
import { endsByItself, type TaskOutcome } from './steering.ts'
import {
  cancelStep,
  type Delay,
  isStepScheduled,
  scaledInterval,
  scheduleStep,
  stepNames,
} from './steps.ts'
import { type TaskLife, taskLives } from './tables.ts'
import { type Actor, actorOf, allStates, lifeKey, partTaskId } from './task-actors.ts'
import { type EventFields, type EventType, taskEvent, withEvents } from './task-events.ts'
import { phaseOf, type TaskPhase, taskMachine } from './task-machine.ts'
import { recordOutputEnd, recordOutputStart } from './task-output.ts'
import {
  currentOutcome,
  phaseConditions,
  phaseDelay,
  phaseEvents,
  reportedState,
} from './task-phases.ts'

type TaskMove = (typeof taskMachine.moves)[number]['on']

/** Describes how a step by itself, or a push, has a task end or be killed. */
export interface Exit {
  readonly exitCode: number
  readonly signal: number
  readonly message: string
  readonly oomKilled: boolean
}

/** The end of a task that is asked to stop. */
export const cleanExit: Exit = { exitCode: 0, signal: 0, message: '', oomKilled: false }

/** One that does not heed the interrupt. */
export const forcedExit: Exit = { exitCode: 137, signal: 9, message: '', oomKilled: false }

/** Lets the tasks of a new allocation begin their lives. Inside a transaction. */
export function startTasks(world: World, allocation: Allocation): void {
  for (const { Name } of groupOf(allocation)?.Tasks ?? []) {
    const life: TaskLife = {
      phase: 'created',
      waiting: false,
      attempt: 0,
      restarts: 0,
      since: world.clock.now(),
    }
    world.table(taskLives).put(lifeKey(allocation.ID, Name), life)
    scheduleStep(world, stepNames.task, lifeKey(allocation.ID, Name), { option: 'receivedDelay' })
  }
}

/** Lets them go on. Inside a transaction. */
export function resumeTasks(world: World, allocation: Allocation): void {
  for (const { Name } of groupOf(allocation)?.Tasks ?? []) {
    const actor = actorOf(world, allocation.ID, Name)
    if (actor !== undefined) scheduleNextStep(world, actor, undefined)
  }
}

/** The next step that a task takes by itself, by the phase it is in. */
const steps: Readonly<Record<Exclude<TaskPhase, 'dead'>, (world: World, actor: Actor) => void>> = {
  created: (world, actor) => moveTask(world, actor, 'receive', { events: [['Received']] }),
  received: (world, actor) =>
    moveTask(world, actor, 'build', {
      events: [['Task Setup', { Message: 'Building Task Directory' }]],
    }),
  fetching: (world, actor) => moveTask(world, actor, 'fetched'),
  pulling: (world, actor) => moveTask(world, actor, 'pulled'),
  starting: (world, actor) => {
    const { startError, startErrorRecoverable } = currentOutcome(world, actor)
    if (startError === '') moveTask(world, actor, 'start', { events: [['Started']] })
    else failToStart(world, actor, startError, startErrorRecoverable)
  },
  running: (world, actor) => exitTask(world, actor, exitOf(currentOutcome(world, actor))),
  restarting: (world, actor) => moveTask(world, actor, 'retry'),
  killing: (world, actor) => endKilled(world, actor),
}

/** A task's next step by itself. */
export function taskStep(world: World, id: string): void {
  const actor = actorOf(world, ...partTaskId(id))
  if (actor === undefined) return
  const phase = phaseOf(actor.life.phase)
  if (phase !== 'dead') steps[phase](world, actor)
}

function exitOf({ exitCode, exitSignal, exitMessage, oom }: TaskOutcome): Exit {
  return { exitCode, signal: exitSignal, message: exitMessage, oomKilled: oom }
}

/** The effects on a task beside its change of phase. */
interface Happening {
  readonly events?: readonly (readonly [EventType, EventFields?])[]
  readonly again?: boolean
  readonly failed?: boolean
  /** For a restart. */
  readonly restart?: { readonly wait: Delay; readonly restarts: number; readonly since: number }
}

/**
 * Moves a task on, and whatever depends on it: its allocation, its siblings, the next appointment.
 * Inside a transaction.
 */
export function moveTask(
  world: World,
  actor: Actor,
  on: TaskMove,
  happening: Happening = {},
): void {
  const { allocation, task, life } = actor
  const { events = [], again = false, failed = false, restart } = happening
  const phase = taskMachine.next(phaseOf(life.phase), on, phaseConditions(actor, again))
  const now = world.clock.now()
  const said = [...events, ...phaseEvents(phase, task)].map(([type, fields]) =>
    taskEvent(type, toNanoseconds(now), fields),
  )
  const before = actor.state
  const State = reportedState(phase)
  const state: TaskState = {
    State,
    Failed: before.Failed || failed,
    Restarts: before.Restarts + (restart === undefined ? 0 : 1),
    LastRestart: restart === undefined ? before.LastRestart : formatTimestamp(now),
    StartedAt: on === 'start' ? formatTimestamp(now) : before.StartedAt,
    FinishedAt: State === 'dead' ? formatTimestamp(now) : before.FinishedAt,
    Events: withEvents(before, said).Events,
  }
  const key = lifeKey(allocation.ID, task.Name)
  const next: TaskLife = {
    phase,
    waiting: false,
    attempt: phase === 'starting' ? life.attempt + 1 : life.attempt,
    restarts: restart?.restarts ?? life.restarts,
    since: restart?.since ?? life.since,
  }
  if (phase === 'dead') {
    world.table(taskLives).delete(key)
    cancelStep(world, stepNames.task, key)
  } else world.table(taskLives).put(key, next)
  if (on === 'start') recordOutputStart(world, actor)
  else if (before.State === 'running' && State !== 'running') recordOutputEnd(world, actor)
  const states = { ...allStates(actor), [task.Name]: state }
  const changed = changeAllocation(world, allocation, {
    NetworkStatus: networkStatusOf(world, allocation),
    ...clientReport(states),
  })
  if (phase !== 'dead')
    scheduleNextStep(world, { ...actor, allocation: changed, life: next, state }, restart?.wait)
  if (State !== before.State) followSiblings(world, changed.ID, actor, phase)
  const after = allocationOf(world, changed.ID)
  if (after !== undefined) allocationChanged(world, allocation, after)
}

function scheduleNextStep(world: World, actor: Actor, wait: Delay | undefined): void {
  const key = lifeKey(actor.allocation.ID, actor.task.Name)
  const waits = actor.life.phase === 'received' && waitsForItsTurn(world, actor)
  const delay = waits ? undefined : phaseDelay(world, actor, wait)
  if (delay === undefined) cancelStep(world, stepNames.task, key)
  else scheduleStep(world, stepNames.task, key, delay)
}

function waitsForItsTurn(world: World, actor: Actor): boolean {
  const { allocation, group, task, life } = actor
  if (isItsTurn(task, group.Tasks ?? [], allocation.TaskStates ?? {})) return false
  world.table(taskLives).put(lifeKey(allocation.ID, task.Name), { ...life, waiting: true })
  return true
}

/** A task could not be started. Inside a transaction. */
export function failToStart(world: World, actor: Actor, error: string, recoverable: boolean): void {
  const ending = { success: false, neverStarted: true, recoverable }
  afterEnding(world, actor, 'fail to start', ['Driver Failure', { DriverError: error }], ending)
}

/**
 * A task's process ended: the restart policy says what becomes of it, unless that is `final`. Inside
 * a transaction.
 */
export function exitTask(world: World, actor: Actor, exit: Exit, final = false): void {
  if (phaseOf(actor.life.phase) === 'killing') {
    endKilled(world, actor, exit)
    return
  }
  const success = exit.exitCode === 0 && exit.signal === 0
  const ending = { success, neverStarted: false, recoverable: true }
  afterEnding(world, actor, 'exit', terminated(exit), ending, final)
}

/** The event of a process that ended. */
export function terminated({
  exitCode,
  signal,
  message,
  oomKilled,
}: Exit): readonly [EventType, EventFields] {
  return ['Terminated', { ExitCode: exitCode, Signal: signal, Message: message, oomKilled }]
}

function afterEnding(
  world: World,
  actor: Actor,
  on: 'exit' | 'fail to start',
  event: readonly [EventType, EventFields],
  how: Omit<Ending, 'endsByItself'>,
  final = false,
): void {
  const { allocation, task, group, life } = actor
  const policy = task.RestartPolicy ?? group.RestartPolicy
  const ending = { ...how, endsByItself: final || endsByItself(allocation.JobType, task) }
  const interval = scaledInterval(world, policy?.Interval ?? 0)
  const none = policy === null ? null : { ...policy, Attempts: 0 }
  const now = world.clock.now()
  const decision = decideRestart(final ? none : policy, life, ending, now, interval)
  if (decision.verdict === 'done') {
    moveTask(world, actor, on, { events: [event] })
    return
  }
  if (decision.verdict === 'failed') {
    const gaveUp = { FailsTask: true, RestartReason: decision.reason }
    moveTask(world, actor, on, { events: [event, ['Not Restarting', gaveUp]], failed: true })
    return
  }
  const { delay, reason, restarts, since, endless } = decision
  moveTask(world, actor, on, {
    events: [event, ['Restarting', { StartDelay: delay, RestartReason: reason }]],
    again: true,
    restart: {
      wait: endless ? { floored: Math.max(delay, SECOND) } : { asked: delay },
      restarts,
      since,
    },
  })
}

/** Asks a task to stop. Inside a transaction. */
export function killTask(
  world: World,
  actor: Actor,
  why?: readonly [EventType, EventFields?],
): void {
  const { task, life } = actor
  if (life.phase === 'killing') return
  const cause = why === undefined ? [] : [why]
  const killing = ['Killing', { KillTimeout: task.KillTimeout }] as const
  const isRunning = life.phase === 'running'
  moveTask(world, actor, 'kill', {
    events: isRunning ? [...cause, killing] : [...cause, killing, ['Killed']],
  })
}

/** Returns how a task ends that is asked to stop. */
export function exitOfKill(world: World, actor: Actor): Exit {
  const { killAfter } = currentOutcome(world, actor)
  return killAfter !== undefined && killAfter > actor.task.KillTimeout ? forcedExit : cleanExit
}

function endKilled(world: World, actor: Actor, exit?: Exit): void {
  const ended = exit ?? exitOfKill(world, actor)
  moveTask(world, actor, 'end', { events: [terminated(ended), ['Killed']] })
}

/** Stops the tasks of an allocation that is not wanted any more. Inside a transaction. */
export function killAllocation(world: World, allocation: Allocation): void {
  const tasks = groupOf(allocation)?.Tasks ?? []
  const wasSeen = allocation.TaskStates !== null
  for (const task of tasks) {
    if (wasSeen && hookOf(task) === 'poststop') continue
    const actor = actorOf(world, allocation.ID, task.Name)
    if (actor !== undefined) killTask(world, actor)
  }
}

/** Does what a task's new state means for the others of its allocation. */
function followSiblings(world: World, allocationId: string, actor: Actor, phase: TaskPhase): void {
  const tasks = actor.group.Tasks ?? []
  if (phase === 'dead') {
    const states = allocationOf(world, allocationId)?.TaskStates ?? {}
    const cause = causeOfDeath(actor.task, tasks, states)
    if (cause !== undefined) {
      for (const { Name } of tasks.filter((task) => hookOf(task) !== 'poststop')) {
        const sibling = actorOf(world, allocationId, Name)
        if (sibling !== undefined) killTask(world, sibling, cause)
      }
    }
  }
  for (const { Name } of tasks) {
    const waiting = actorOf(world, allocationId, Name)
    if (waiting?.life.waiting !== true) continue
    if (isStepScheduled(world, stepNames.task, lifeKey(allocationId, Name))) continue
    if (isItsTurn(waiting.task, tasks, waiting.allocation.TaskStates ?? {})) {
      scheduleStep(world, stepNames.task, lifeKey(allocationId, Name), { option: 'setupDelay' })
    }
  }
}
