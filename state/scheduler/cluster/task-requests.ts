import type { World } from '../../kernel/world.ts'
import { changeAllocation, clientReport } from './allocations.ts'
import { toNanoseconds } from './evaluations.ts'
import { type Actor, actorOf, allStates } from './task-actors.ts'
import { taskEvent, withEvents } from './task-events.ts'
import { cleanExit, exitOfKill, exitTask, forcedExit, moveTask, terminated } from './task-life.ts'

/**
 * Someone wants a task that runs, or has ended, to be started anew: that counts for no policy
 * (behaviour/scheduler#task-actions). Inside a transaction.
 *
 * @param why as its events tell
 */
export function restartTask(world: World, actor: Actor, why: string): void {
  const { restarts, since, phase } = actor.life
  const isDead = phase === 'dead'
  const asked = ['Restart Signaled', { RestartReason: why }] as const
  const again = ['Restarting', { StartDelay: 0, RestartReason: '' }] as const
  moveTask(world, actor, isDead ? 'revive' : 'exit', {
    events: isDead ? [asked, again] : [asked, terminated(cleanExit), again],
    again: true,
    restart: { wait: { asked: 0 }, restarts, since },
  })
}

/** Signals that end a process. */
const deadly: ReadonlySet<string> = new Set(['SIGKILL', 'SIGTERM', 'SIGINT'])

/**
 * A task that runs is sent a signal (behaviour/scheduler#task-actions): those that end a process
 * end it as stopping it would, and the restart policy says what becomes of it; of others nothing comes.
 * Inside a transaction.
 */
export function signalTask(world: World, actor: Actor, signal: string): void {
  const { allocation, task } = actor
  const event = taskEvent('Signaling', toNanoseconds(world.clock.now()), { signal })
  const states = { ...allStates(actor), [task.Name]: withEvents(actor.state, [event]) }
  changeAllocation(world, allocation, clientReport(states))
  const told = actorOf(world, allocation.ID, task.Name)
  if (told === undefined || !deadly.has(signal)) return
  exitTask(world, told, signal === 'SIGKILL' ? forcedExit : exitOfKill(world, told))
}
