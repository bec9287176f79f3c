import { defineMachine } from '../../kernel/machine.ts'
import type { JobHandler } from '../../kernel/service.ts'
import type { World } from '../../kernel/world.ts'
import type { KeyEntry } from './tables.ts'

const spec = 'behaviour/mesh#locks'

/** Who asks something of a key's lock. */
interface LockRequest {
  readonly asking: string
  readonly holder: string | undefined
}

const byHolder = ({ asking, holder }: LockRequest): boolean => asking === holder

/** Life of a key's lock. What no move allows is answered with `false`. */
export const lockLife = defineMachine<LockRequest>()({
  name: 'lock',
  states: ['free', 'held', 'delayed'],
  moves: [
    { on: 'acquire', from: 'free', to: 'held', spec },
    { on: 'acquire', from: 'held', to: 'held', when: byHolder, spec },
    { on: 'release', from: 'held', to: 'free', when: byHolder, spec },
    { on: 'end of the session', from: 'held', to: 'delayed', when: byHolder, spec },
    { on: 'end of the delay', from: 'delayed', to: 'free', spec },
  ],
})

const delayJob = 'mesh.lock-delay'

/** The ends of lock delays: that there is no appointment any more is all there is to it. */
export const lockJobs: Readonly<Record<string, JobHandler>> = { [delayJob]: () => {} }

/** The longest lock delay, in milliseconds. */
const longestDelay = 60_000

/** Keeps a key from being locked for a while; part of a transaction. */
export function delayLock(world: World, place: string, milliseconds: number): void {
  if (milliseconds <= 0) return
  const at = world.clock.now() + Math.min(milliseconds, longestDelay)
  world.agenda.schedule({ at, job: delayJob, id: place })
}

/** Forgets the lock delay of a key that goes with its namespace. */
export function forgetDelay(world: World, place: string): void {
  world.agenda.cancel(delayJob, place)
}

/** Tells whether a key cannot be locked yet. */
export function isDelayed(world: World, place: string): boolean {
  return world.agenda.find(delayJob, place) !== undefined
}

/** Tells whether a session may acquire or release a key as it is. */
export function allowsLock(
  event: 'acquire' | 'release',
  asking: string,
  entry: KeyEntry | undefined,
): boolean {
  const holder = entry?.session
  return lockLife.allows(holder === undefined ? 'free' : 'held', event, { asking, holder })
}
