import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Agenda, type ScheduledJob } from '../../../../state/kernel/time/agenda.ts'
import { testStore } from '../../../support/kernel.ts'

function agenda() {
  const store = testStore()
  const pending = new Agenda(store)
  return {
    store,
    pending,
    schedule: (at: number, id: string, job = 'j') =>
      store.transact(() => pending.schedule({ at, job, id })),
    cancel: (id: string, job = 'j') => store.transact(() => pending.cancel(job, id)),
    ids: () => Array.from(pending.all(), ({ id }) => id),
  }
}

describe('behaviour/program#clock', () => {
  test('jobs run in the order of time, those of one instant in the order of entry', () => {
    const { pending, schedule, ids } = agenda()
    schedule(2000, 'late')
    schedule(1000, 'b')
    schedule(1000, 'a')
    schedule(999, 'early')
    expect(ids()).toEqual(['early', 'b', 'a', 'late'])
    expect(pending.next()).toEqual({ at: 999, job: 'j', id: 'early' })
  })

  test('a job that is moved within its instant becomes the last one there, as does a new job', () => {
    const { schedule, cancel, ids } = agenda()
    for (const id of ['a', 'b', 'c', 'd']) schedule(1000, id)
    schedule(1000, 'a')
    cancel('d')
    schedule(2000, 'x')
    cancel('a')
    schedule(1000, 'e')
    expect(ids()).toEqual(['b', 'c', 'e', 'x'])
  })

  test('a job that is moved to its present place, last of its instant, is not written again', () => {
    const store = testStore()
    const agenda = new Agenda(store)
    const put = (at: number) =>
      store.transact(() => {
        agenda.schedule({ at, job: 'j', id: 'b' })
        return store.hasWrites
      })
    store.transact(() => agenda.schedule({ at: 5, job: 'j', id: 'a' }))
    expect([put(5), put(5), put(5.5), put(5)]).toEqual([true, false, true, true])
    store.transact(() => agenda.schedule({ at: 5, job: 'j', id: 'c' }))
    expect(put(5)).toBe(true)
    expect(Array.from(agenda.all(), ({ id }) => id)).toEqual(['a', 'c', 'b'])
  })

  test('a job of the same kind and id replaces the earlier one', () => {
    const { pending, schedule, ids } = agenda()
    schedule(1000, 'a')
    schedule(3000, 'b')
    schedule(5000, 'a')
    schedule(10, 'a', 'other')
    expect(ids()).toEqual(['a', 'b', 'a'])
    expect(pending.find('j', 'a')).toEqual({ at: 5000, job: 'j', id: 'a' })
  })

  test('cancelling returns whether a job was scheduled', () => {
    const { pending, schedule, cancel, ids } = agenda()
    schedule(1000, 'a')
    expect(cancel('a', 'other')).toBe(false)
    expect(cancel('a')).toBe(true)
    expect(cancel('a')).toBe(false)
    expect(ids()).toEqual([])
    expect(pending.next()).toBeUndefined()
    expect(pending.find('j', 'a')).toBeUndefined()
  })

  test('instants of any size keep their order', () => {
    const { schedule, ids } = agenda()
    schedule(Number.MAX_VALUE, 'never')
    schedule(8.64e15, 'last')
    schedule(10_000_000_000_000, 'far')
    schedule(9_999_999_999_999, 'less far')
    schedule(-5, 'past')
    schedule(0.5, 'soon')
    expect(ids()).toEqual(['past', 'soon', 'less far', 'far', 'never', 'last'])
  })

  test('is part of the transaction that changes it, raises no index and is part of snapshots', () => {
    const { store, pending, schedule, cancel, ids } = agenda()
    schedule(1000, 'a')
    const snapshot = store.snapshot()
    expect(() =>
      store.transact(() => {
        pending.schedule({ at: 1, job: 'j', id: 'b' })
        pending.cancel('j', 'a')
        throw new Error('no')
      }),
    ).toThrow('no')
    expect(ids()).toEqual(['a'])
    expect(store.sequence).toBe(0)
    cancel('a')
    store.restore(snapshot)
    expect(pending.find('j', 'a')).toEqual({ at: 1000, job: 'j', id: 'a' })
  })

  test('agrees with a sorted list after any history', () => {
    const id = fc.constantFrom('a', 'b', 'c', 'd/e')
    const step = fc.oneof(fc.record({ schedule: id, at: fc.nat(5) }), fc.record({ cancel: id }))
    fc.assert(
      fc.property(fc.array(step), (steps) => {
        const { schedule, cancel, pending } = agenda()
        let model: ScheduledJob[] = []
        for (const one of steps) {
          const name = 'cancel' in one ? one.cancel : one.schedule
          model = model.filter((known) => known.id !== name)
          if ('cancel' in one) cancel(name)
          else {
            schedule(one.at, name)
            model.push({ at: one.at, job: 'j', id: name })
          }
        }
        expect([...pending.all()]).toEqual(model.toSorted((a, b) => a.at - b.at))
      }),
    )
  })
})
