import type { World } from '../../../kernel/worlds/world.ts'
import { changeAllocation, clientStatusFields } from '../allocations/allocations.ts'
import { taskEvent, withEvents } from '../allocations/task-events.ts'
import { toNanoseconds } from '../model/evaluations.ts'
import { cleanExit, forcedExit, killExit, terminatedEvent } from './task-exits.ts'
import { findTaskInstance, type TaskInstance, taskStates } from './task-instances.ts'
import { exitTask, transitionTask } from './task-runtime.ts'

/**
 * Restarts a running or ended task at a caller's request. The restart policy does not count this
 * restart (behaviour/scheduler#task-actions). Must run inside a transaction.
 * @param reason text for the task's events
 */
export function restartTask(world: World, instance: TaskInstance, reason: string): void {
  const { restarts, since, phase } = instance.runtime
  const isDead = phase === 'dead'
  const signaledEvent = ['Restart Signaled', { RestartReason: reason }] as const
  const restartingEvent = ['Restarting', { StartDelay: 0, RestartReason: '' }] as const
  transitionTask(world, instance, isDead ? 'revive' : 'exit', {
    events: isDead
      ? [signaledEvent, restartingEvent]
      : [signaledEvent, terminatedEvent(cleanExit), restartingEvent],
    willRestart: true,
    restart: { wait: { requested: 0 }, restarts, since },
  })
}

/** Signals that end a process. */
const terminatingSignals: ReadonlySet<string> = new Set(['SIGKILL', 'SIGTERM', 'SIGINT'])

/**
 * Sends a signal to a running task and records an event (behaviour/scheduler#task-actions). A
 * terminating signal ends the process, and then the restart policy decides whether the task
 * restarts. All other signals have no effect on the task. Must run inside a transaction.
 */
export function signalTask(world: World, instance: TaskInstance, signal: string): void {
  const { allocation, task } = instance
  const event = taskEvent('Signaling', toNanoseconds(world.clock.now()), { signal })
  const states = { ...taskStates(instance), [task.Name]: withEvents(instance.state, [event]) }
  changeAllocation(world, allocation, clientStatusFields(states))
  const currentInstance = findTaskInstance(world, allocation.ID, task.Name)
  if (currentInstance === undefined || !terminatingSignals.has(signal)) return
  exitTask(
    world,
    currentInstance,
    signal === 'SIGKILL' ? forcedExit : killExit(world, currentInstance),
  )
}
