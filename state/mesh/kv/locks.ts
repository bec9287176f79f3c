import { defineMachine } from '../../kernel/machine.ts'
import type { JobHandler } from '../../kernel/worlds/service.ts'
import type { World } from '../../kernel/worlds/world.ts'
import type { KeyEntry } from './tables.ts'

const spec = 'behaviour/mesh#locks'

/** Session that requests a change of a key's lock, and the session that holds it. */
interface LockContext {
  readonly requester: string
  readonly holder: string | undefined
}

const isHolder = ({ requester, holder }: LockContext): boolean => requester === holder

/** State machine of a key's lock. Transitions that it does not allow return `false`. */
export const lockMachine = defineMachine<LockContext>()({
  name: 'lock',
  states: ['free', 'held', 'delayed'],
  moves: [
    { on: 'acquire', from: 'free', to: 'held', spec },
    { on: 'acquire', from: 'held', to: 'held', when: isHolder, spec },
    { on: 'release', from: 'held', to: 'free', when: isHolder, spec },
    { on: 'end of the session', from: 'held', to: 'delayed', when: isHolder, spec },
    { on: 'end of the delay', from: 'delayed', to: 'free', spec },
  ],
})

const delayJob = 'mesh.lock-delay'

/** Ends of lock delays. There is nothing to do: a delay lasts as long as its job is scheduled. */
export const lockJobs: Readonly<Record<string, JobHandler>> = { [delayJob]: () => {} }

/** Maximum lock delay in milliseconds. */
const maxDelay = 60_000

/** Prevents a key from being locked for a while; part of the open transaction. */
export function delayLock(world: World, rowKey: string, milliseconds: number): void {
  if (milliseconds <= 0) return
  const at = world.clock.now() + Math.min(milliseconds, maxDelay)
  world.agenda.schedule({ at, job: delayJob, id: rowKey })
}

/** Cancels the lock delay of a key whose namespace is removed. */
export function forgetDelay(world: World, rowKey: string): void {
  world.agenda.cancel(delayJob, rowKey)
}

/** Returns whether a lock delay prevents a key from being locked. */
export function isDelayed(world: World, rowKey: string): boolean {
  return world.agenda.find(delayJob, rowKey) !== undefined
}

/** Returns whether a session may acquire or release a key in its current state. */
export function allowsLock(
  event: 'acquire' | 'release',
  requester: string,
  entry: KeyEntry | undefined,
): boolean {
  const holder = entry?.session
  return lockMachine.allows(holder === undefined ? 'free' : 'held', event, { requester, holder })
}
