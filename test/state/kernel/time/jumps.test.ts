import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import type { World } from '../../../../state/kernel/worlds/world.ts'
import { notes, plants, start, testWorld } from '../../../support/kernel.ts'

const where = 'behaviour/program#clock, issue 17'
const minute = 60_000
const year = 365 * 24 * 60 * minute
const endless = { limit: Infinity }

/** Returns a world in which a job runs every minute, without end. */
function busyWorld(): World {
  const world = testWorld()
  onTestFinished(() => world.close())
  world.write(() => world.agenda.schedule({ at: start + minute, job: 'garden.grow', id: 'oak' }))
  return world
}

const heightOf = (world: World) => world.table(plants).get('oak')?.height

const turn = () => new Promise((resolve) => setImmediate(resolve))

describe(`${where}: a jump in time`, () => {
  // choice/process#clock-jump
  test('stops at its limit, reports that and can be continued', () => {
    const world = busyWorld()
    const jump = world.jump(5 * minute, { limit: 3 })
    expect(jump.more).toBe(true)
    expect(jump.fired.map(({ at }) => (at - start) / minute)).toEqual([1, 2, 3])
    expect(world.clock.now()).toBe(start + 3 * minute)
    expect(world.jump(2 * minute, { limit: 3 })).toMatchObject({ more: false })
    expect(world.clock.now()).toBe(start + 5 * minute)
  })

  test('a jump that runs exactly as many jobs as its limit arrives', () => {
    const world = busyWorld()
    expect(world.jump(3.5 * minute, { limit: 3 })).toMatchObject({ more: false })
    expect(world.clock.now()).toBe(start + 3.5 * minute)
  })

  // choice/process#clock-jump
  test('gives others their turns and ends when nobody waits for it any more', async () => {
    const world = busyWorld()
    let gone = false
    const jump = world.advanceInTurns(1000 * year, { ...endless, isCancelled: () => gone })
    await turn()
    await turn()
    const height = heightOf(world)
    expect(height).toBeGreaterThan(0)
    gone = true
    expect((await jump).more).toBe(true)
    expect(world.clock.now()).toBeLessThan(start + 1000 * year)
  })

  // choice/process#clock-jump
  test.each<[string, (world: World) => void]>([
    ['is reset', (world) => world.reset()],
    ['is restored', (world) => world.restore(world.snapshot())],
    ['has its clock set', (world) => void world.setClock({ mode: 'frozen' })],
    ['is closed', (world) => world.close()],
  ])('ends where the world %s', async (_what, change) => {
    const world = busyWorld()
    const jump = world.advanceInTurns(1000 * year, endless)
    await turn()
    change(world)
    expect((await jump).more).toBe(true)
  })

  // choice/process#clock-jump
  test('waits for the jumps before it', async () => {
    const world = busyWorld()
    const jumps = [1000, 10].map((minutes) => world.advanceInTurns(minutes * minute, endless))
    const fired = (await Promise.all(jumps)).map((jump) => jump.fired.length)
    expect(fired).toEqual([1000, 10])
    expect(world.clock.now()).toBe(start + 1010 * minute)
  })

  test('to the start of another clock stops at the limit, and the clock stays unchanged', async () => {
    const world = busyWorld()
    const setting = { mode: 'scaled', rate: 2, at: start + 10 * minute } as const
    const stopped = await world.setClockInTurns(setting, { limit: 4 })
    expect(stopped).toMatchObject({ more: true })
    expect(world.clock.state).toEqual({ mode: 'frozen', at: start + 4 * minute })
    const arrived = await world.setClockInTurns(setting, { limit: 6 })
    expect(arrived).toMatchObject({ more: false })
    expect(world.clock.state).toMatchObject({ mode: 'scaled', from: start + 10 * minute })
  })
})

describe(`${where}: a clock that is faster than what happens`, () => {
  afterEach(() => {
    vi.useRealTimers()
    vi.restoreAllMocks()
  })

  // choice/process#clock-scaled-late
  test.each([
    { each: 0.01, atOnce: 1000 },
    { each: 5, atOnce: 2 },
    { each: 500, atOnce: 1 },
  ])('returns to the next job after 10 ms if jobs take $each', ({ each, atOnce }) => {
    vi.useFakeTimers({ now: start, toFake: ['Date', 'setTimeout', 'clearTimeout'] })
    let looks = 0
    vi.spyOn(performance, 'now').mockImplementation(() => looks++ * each)
    const world = testWorld({ clock: { mode: 'scaled', rate: 1_000_000, at: start } })
    onTestFinished(() => world.close())
    world.write(() => {
      for (let at = 1; at <= 1500; at += 1) {
        const id = String(at)
        world.agenda.schedule({ at: start + at * minute, job: 'garden.note', id })
      }
    })
    vi.setSystemTime(start + minute)
    world.runDueJobs()
    expect(world.table(notes).size).toBe(atOnce)
    expect(world.clock.now()).toBe(start + (atOnce + 1) * minute - 1)
    vi.setSystemTime(start + minute + 1)
    world.runDueJobs()
    expect(world.table(notes).size).toBe(atOnce + Math.min(17, atOnce))
  })
})
