import { describe, expect, test } from 'vitest'
import { InstantWaiters } from '../../../../state/kernel/time/instant-waiters.ts'
import { notes, start, testWorld } from '../../../support/kernel.ts'

describe('waiting for an instant (behaviour/program#clock)', () => {
  test('calls back once each, in order of time, and only waiters whose instant has come', () => {
    const waits = new InstantWaiters()
    const rung: string[] = []
    waits.add(20, () => rung.push('b'))
    waits.add(10, () => rung.push('a'))
    waits.add(20, () => rung.push('c'))
    waits.add(21, () => rung.push('d'))

    expect(waits.next).toBe(10)
    waits.wakeUntil(20)
    expect(rung).toEqual(['a', 'b', 'c'])
    expect(waits.next).toBe(21)
    waits.wakeUntil(20)
    expect(rung).toHaveLength(3)
  })

  test('a removed waiter is not called; the same callback can wait twice', () => {
    const waits = new InstantWaiters()
    let rung = 0
    const ring = () => {
      rung += 1
    }
    const unwait = waits.add(10, ring)
    waits.add(10, ring)
    unwait()
    unwait()
    waits.wakeUntil(10)
    expect(rung).toBe(1)
    expect(waits.next).toBeUndefined()
  })

  test('a waiter that removes another one while it runs prevents its call', () => {
    const waits = new InstantWaiters()
    const rung: string[] = []
    const unwaits: (() => void)[] = []
    waits.add(10, () => {
      rung.push('first')
      for (const unwait of unwaits) unwait()
    })
    unwaits.push(waits.add(10, () => rung.push('second')))
    waits.wakeUntil(10)
    expect(rung).toEqual(['first'])
  })

  test('advancing a frozen clock calls waiters between jobs, at the exact instant', () => {
    const world = testWorld()
    world.write(() => {
      world.agenda.schedule({ at: start + 2000, job: 'garden.note', id: 'early' })
      world.agenda.schedule({ at: start + 4000, job: 'garden.note', id: 'late' })
    })
    const seen: [number, number][] = []
    const look = () => seen.push([world.clock.now() - start, world.table(notes).size])
    for (const at of [1000, 2000, 3000, 5000, 6000]) world.waitUntil(start + at, look)

    world.advance(5000)
    expect(seen).toEqual([
      [1000, 0],
      [2000, 1],
      [3000, 1],
      [5000, 2],
    ])
    expect(world.clock.now()).toBe(start + 5000)
  })

  test('a clock that is set to a later instant calls its waiters at once', () => {
    const world = testWorld()
    let rung = 0
    world.waitUntil(start + 1000, () => {
      rung += 1
    })
    world.setClock({ mode: 'frozen', at: start + 999 })
    expect(rung).toBe(0)
    world.setClock({ mode: 'frozen', at: start + 1000 })
    expect(rung).toBe(1)
  })

  test('a running clock calls its waiters by itself', async () => {
    const world = testWorld({ clock: { mode: 'scaled', rate: 1000, at: start } })
    const at = await new Promise<number>((resolve) => {
      world.waitUntil(start + 5000, () => resolve(world.clock.now()))
    })
    expect(at).toBeGreaterThanOrEqual(start + 5000)
    world.close()
  })

  test('is not part of the state: snapshots do not contain it', () => {
    const world = testWorld()
    let rung = 0
    const before = JSON.stringify([...world.snapshot().store.tables.keys()])
    world.waitUntil(start + 1000, () => {
      rung += 1
    })
    const fork = testWorld({ from: world.snapshot() })
    expect(JSON.stringify([...world.snapshot().store.tables.keys()])).toBe(before)
    fork.advance(2000)
    expect(rung).toBe(0)
  })
})
