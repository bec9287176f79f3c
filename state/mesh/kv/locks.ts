import { defineMachine } from '../../kernel/machine.ts'
import type { JobHandler } from '../../kernel/worlds/service.ts'
import type { World } from '../../kernel/worlds/world.ts'
import type { KeyEntry } from './tables.ts'

const spec = 'behaviour/mesh#locks'

/** Who asks something of a key's lock. */
interface LockContext {
  readonly requester: string
  readonly holder: string | undefined
}

const isHolder = ({ requester, holder }: LockContext): boolean => requester === holder

/** Life of a key's lock. What no move allows is answered with `false`. */
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

/** The ends of lock delays: that there is no appointment any more is all there is to it. */
export const lockJobs: Readonly<Record<string, JobHandler>> = { [delayJob]: () => {} }

/** The longest lock delay, in milliseconds. */
const maxDelay = 60_000

/** Keeps a key from being locked for a while; part of a transaction. */
export function delayLock(world: World, rowKey: string, milliseconds: number): void {
  if (milliseconds <= 0) return
  const at = world.clock.now() + Math.min(milliseconds, maxDelay)
  world.agenda.schedule({ at, job: delayJob, id: rowKey })
}

/** Forgets the lock delay of a key that goes with its namespace. */
export function forgetDelay(world: World, rowKey: string): void {
  world.agenda.cancel(delayJob, rowKey)
}

/** Tells whether a key cannot be locked yet. */
export function isDelayed(world: World, rowKey: string): boolean {
  return world.agenda.find(delayJob, rowKey) !== undefined
}

/** Tells whether a session may acquire or release a key as it is. */
export function allowsLock(
  event: 'acquire' | 'release',
  requester: string,
  entry: KeyEntry | undefined,
): boolean {
  const holder = entry?.session
  return lockMachine.allows(holder === undefined ? 'free' : 'held', event, { requester, holder })
}
