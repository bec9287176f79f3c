import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { World } from '../../../../state/kernel/worlds/world.ts'
import { keyEntry, lockMachine } from '../../../../state/mesh/kv/keys.ts'
import {
  createSession,
  destroySession,
  renewSession,
  sessionsIn,
} from '../../../../state/mesh/kv/sessions.ts'
import { acquireKey, deleteKey, putKey, releaseKey } from '../../../../state/mesh/kv/writes.ts'
import { meshService } from '../../../../state/mesh/service.ts'
import { start } from '../../../support/kernel.ts'

interface ExpectedSession {
  readonly behavior: 'release' | 'delete'
  /** Duration in milliseconds. */
  readonly delay: number
  /** Duration in milliseconds; 0 for no TTL. */
  readonly ttl: number
  endsAt: number
}

interface ExpectedKey {
  holder: string | undefined
  locks: number
  value: string
}

/** A direct model of sessions and locks as behaviour/mesh#server specifies them. */
class Model {
  readonly sessions = new Map<string, ExpectedSession>()
  readonly keys = new Map<string, ExpectedKey>()
  readonly delays = new Map<string, number>()
  now = start

  create(id: string, behavior: 'release' | 'delete', delay: number, ttl: number): void {
    const endsAt = ttl === 0 ? Number.POSITIVE_INFINITY : this.now + 2 * ttl
    this.sessions.set(id, { behavior, delay, ttl, endsAt })
  }

  renew(id: string): void {
    const session = this.sessions.get(id)
    if (session !== undefined && session.ttl > 0) session.endsAt = this.now + 2 * session.ttl
  }

  end(id: string): void {
    const session = this.sessions.get(id)
    if (session === undefined) return
    for (const [name, key] of this.keys) {
      if (key.holder !== id) continue
      if (session.behavior === 'delete') this.keys.delete(name)
      else key.holder = undefined
      this.delays.set(name, this.now + Math.min(session.delay, 60_000))
    }
    this.sessions.delete(id)
  }

  acquire(name: string, id: string, value: string): string | undefined {
    if ((this.delays.get(name) ?? 0) > this.now) return 'delayed'
    if (!this.sessions.has(id)) return 'session unknown'
    const key = this.keys.get(name)
    if (key?.holder !== undefined && key.holder !== id) return 'held'
    const locks = (key?.locks ?? 0) + (key?.holder === undefined ? 1 : 0)
    this.keys.set(name, { holder: id, locks, value })
    return undefined
  }

  release(name: string, id: string, value: string): boolean {
    const key = this.keys.get(name)
    if (key === undefined || key.holder !== id) return false
    this.keys.set(name, { ...key, holder: undefined, value })
    return true
  }

  put(name: string, value: string): void {
    this.keys.set(name, { holder: this.keys.get(name)?.holder, locks: 0, value })
  }

  advance(by: number): void {
    const until = this.now + by
    const due = () => [...this.sessions].filter(([, { endsAt }]) => endsAt <= until).sort(byEnd)[0]
    for (let next = due(); next !== undefined; next = due()) {
      this.now = next[1].endsAt
      this.end(next[0])
    }
    this.now = until
  }
}

function byEnd(a: [string, ExpectedSession], b: [string, ExpectedSession]): number {
  return a[1].endsAt - b[1].endsAt
}

const names = ['a', 'b', 'c']
const name = fc.constantFrom(...names)
const sessionNumber = fc.nat(3)
const value = fc.constantFrom('', 'x', 'y')

const steps = fc.oneof(
  fc.record({
    does: fc.constant('create' as const),
    behavior: fc.constantFrom('release' as const, 'delete' as const),
    delay: fc.constantFrom(0, 5_000, 600_000),
    ttl: fc.constantFrom(0, 10_000, 30_000),
  }),
  fc.record({ does: fc.constantFrom('renew' as const, 'destroy' as const), who: sessionNumber }),
  fc.record({
    does: fc.constantFrom('acquire' as const, 'release' as const),
    who: sessionNumber,
    name,
    value,
  }),
  fc.record({ does: fc.constant('put' as const), name, value }),
  fc.record({ does: fc.constant('delete' as const), name }),
  fc.record({ does: fc.constant('advance' as const), by: fc.integer({ min: 1, max: 40_000 }) }),
)

describe('behaviour/mesh#sessions and Locks on keys', () => {
  test('property: sessions, locks, delays and the clock behave like the model', () => {
    fc.assert(
      fc.property(fc.array(steps, { maxLength: 40 }), (story) => {
        const clock = { mode: 'frozen', at: start } as const
        const world = new World({ id: 'test', services: [meshService], clock })
        const model = new Model()
        const ids: string[] = ['none']
        const idOf = (place: number) => ids[ids.length - 1 - (place % ids.length)] ?? 'none'
        for (const step of story) {
          switch (step.does) {
            case 'create': {
              const { behavior, delay, ttl } = step
              const { id } = createSession(world, 'default', {
                behavior,
                lockDelay: delay * 1_000_000,
                ttl: ttl === 0 ? '' : `${ttl / 1_000}s`,
              })
              ids.push(id)
              model.create(id, behavior, delay, ttl)
              break
            }
            case 'renew':
              renewSession(world, 'default', idOf(step.who))
              model.renew(idOf(step.who))
              break
            case 'destroy':
              destroySession(world, 'default', idOf(step.who))
              model.end(idOf(step.who))
              break
            case 'acquire': {
              const input = { value: Buffer.from(step.value), flags: 0 }
              expect(acquireKey(world, 'default', step.name, input, idOf(step.who))).toBe(
                model.acquire(step.name, idOf(step.who), step.value),
              )
              break
            }
            case 'release': {
              const input = { value: Buffer.from(step.value), flags: 0 }
              expect(releaseKey(world, 'default', step.name, input, idOf(step.who))).toBe(
                model.release(step.name, idOf(step.who), step.value),
              )
              break
            }
            case 'put':
              putKey(world, 'default', step.name, { value: Buffer.from(step.value), flags: 0 })
              model.put(step.name, step.value)
              break
            case 'delete':
              deleteKey(world, 'default', step.name)
              model.keys.delete(step.name)
              break
            default:
              world.advance(step.by)
              model.advance(step.by)
          }
          expect(sessionsIn(world, 'default').map(({ id }) => id)).toEqual(
            [...model.sessions.keys()].sort(),
          )
          for (const key of names) {
            const found = keyEntry(world, 'default', key)
            const stored = found && {
              holder: found.session,
              locks: found.lock_index ?? 0,
              value: Buffer.from(found.value, 'base64').toString(),
            }
            expect(stored).toEqual(model.keys.get(key))
          }
        }
      }),
      { numRuns: 150 },
    )
  })

  test('the lock state machine for every state and event', () => {
    const by = { holder: { requester: 's', holder: 's' }, other: { requester: 't', holder: 's' } }
    const table = lockMachine.states.flatMap((state) =>
      (['acquire', 'release', 'end of the session', 'end of the delay'] as const).map((event) => [
        state,
        event,
        lockMachine.allows(state, event, by.holder) && lockMachine.next(state, event, by.holder),
        lockMachine.allows(state, event, by.other) && lockMachine.next(state, event, by.other),
      ]),
    )
    expect(table).toEqual([
      ['free', 'acquire', 'held', 'held'],
      ['free', 'release', false, false],
      ['free', 'end of the session', false, false],
      ['free', 'end of the delay', false, false],
      ['held', 'acquire', 'held', false],
      ['held', 'release', 'free', false],
      ['held', 'end of the session', 'delayed', false],
      ['held', 'end of the delay', false, false],
      ['delayed', 'acquire', false, false],
      ['delayed', 'release', false, false],
      ['delayed', 'end of the session', false, false],
      ['delayed', 'end of the delay', 'free', 'free'],
    ])
  })
})
