import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { Clock } from '../../../../state/kernel/time/clock.ts'
import { plants, start, testWorld } from '../../../support/kernel.ts'

/** The tests control the wall clock. */
beforeEach(() => {
  vi.useFakeTimers({ now: start })
})
afterEach(() => {
  vi.useRealTimers()
})

const pass = (milliseconds: number) => vi.setSystemTime(Date.now() + milliseconds)

describe('behaviour/program#worlds, Clock: real', () => {
  test('follows the wall clock', () => {
    const clock = new Clock()
    pass(5)
    expect(clock.now()).toBe(start + 5)
    expect(clock.state).toEqual({ mode: 'real', offset: 0 })
    expect(clock.realDelay(start + 105)).toBe(100)
  })

  // choice/process#clock-real
  test('keeps its offset after a move, and continues', () => {
    const clock = new Clock({ mode: 'real' })
    clock.moveTo(start + 60_000)
    pass(5)
    expect(clock.now()).toBe(start + 60_005)
    expect(clock.state).toEqual({ mode: 'real', offset: 60_000 })
    clock.set({ mode: 'real' })
    expect(clock.now()).toBe(start + 5)
  })
})

describe('behaviour/program#clock: the wall clock is set back', () => {
  const hour = 3_600_000

  test('a real clock continues', () => {
    const clock = new Clock()
    expect(clock.now()).toBe(start)
    vi.advanceTimersByTime(10)
    pass(-hour)
    expect(clock.now()).toBe(start + 10)
    vi.advanceTimersByTime(5)
    expect(clock.now()).toBe(start + 15)
    pass(-hour)
    expect(clock.realDelay(start + 20)).toBe(5)
  })

  test('a scaled clock continues, and so does a copy of its state', () => {
    const clock = new Clock({ mode: 'scaled', rate: 10 })
    vi.advanceTimersByTime(10)
    expect(clock.now()).toBe(start + 100)
    pass(-hour)
    vi.advanceTimersByTime(10)
    expect(clock.now()).toBe(start + 200)
    const copy = new Clock()
    copy.state = clock.state
    vi.advanceTimersByTime(1)
    expect(copy.now()).toBe(start + 210)
  })

  test('due jobs run', () => {
    const world = testWorld()
    world.setClock({ mode: 'real' })
    world.write(() => {
      world.agenda.schedule({ at: world.clock.now() + 1000, job: 'garden.grow', id: 'oak' })
    })
    pass(-hour)
    vi.advanceTimersByTime(1500)
    expect(world.table(plants).get('oak')?.height).toBeGreaterThan(0)
    world.close()
  })
})

describe('behaviour/program#worlds, Clock: frozen', () => {
  test('stands still until moved', () => {
    const clock = new Clock({ mode: 'frozen', at: 1000 })
    pass(60_000)
    expect(clock.now()).toBe(1000)
    expect(clock.realDelay(1001)).toBeUndefined()
    clock.moveTo(2000)
    expect(clock.now()).toBe(2000)
    expect(clock.state).toEqual({ mode: 'frozen', at: 2000 })
  })

  test('stops at the current instant if none is given', () => {
    const clock = new Clock()
    clock.moveTo(start + 500)
    clock.set({ mode: 'frozen' })
    pass(60_000)
    expect(clock.now()).toBe(start + 500)
  })
})

describe('behaviour/program#worlds, Clock: scaled', () => {
  test('time ends with the year 9999, and jobs beyond it never run by themselves', () => {
    const last = Date.UTC(9999, 11, 31, 23, 59, 59, 999)
    const clock = new Clock({ mode: 'scaled', rate: 1_000_000, at: last - 1 })
    pass(3)
    expect(clock.now()).toBe(last)
    expect(clock.realDelay(last + 1)).toBeUndefined()
  })

  // choice/process#clock-precision
  test('runs at its rate from the instant it was set to, in whole milliseconds', () => {
    const clock = new Clock({ mode: 'scaled', rate: 1.5, at: 1000 })
    pass(3)
    expect(clock.now()).toBe(1004)
    expect(clock.realDelay(1604)).toBe(400)
  })

  test('continues at its rate after a move', () => {
    const clock = new Clock({ mode: 'scaled', rate: 60 })
    clock.moveTo(start + 10_000)
    pass(1000)
    expect(clock.now()).toBe(start + 70_000)
    expect(clock.state).toEqual({ mode: 'scaled', rate: 60, from: start + 10_000, since: start })
  })
})

test('behaviour/program#worlds, Clock: the state is plain data from which another clock continues', () => {
  const clock = new Clock({ mode: 'scaled', rate: 2, at: 500 })
  const copy = new Clock()
  copy.state = JSON.parse(JSON.stringify(clock.state))
  pass(10)
  expect(copy.now()).toBe(clock.now())
  expect(copy.now()).toBe(520)
})
