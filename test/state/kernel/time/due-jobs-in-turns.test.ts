import { describe, expect, onTestFinished, test, vi } from 'vitest'
import type { World } from '../../../../state/kernel/worlds/world.ts'
import { notes, testWorld } from '../../../support/kernel.ts'

/** Makes each reading of the monotonic clock 6 ms later than the one before. */
function slowClock(): void {
  let readings = 0
  const spy = vi.spyOn(performance, 'now').mockImplementation(() => readings++ * 6)
  onTestFinished(() => spy.mockRestore())
}

/** World with 50 jobs that are due now. */
function busyWorld(): World {
  const world = testWorld()
  onTestFinished(() => world.close())
  world.write(() => {
    for (let at = 0; at < 50; at += 1) {
      world.agenda.schedule({ at: world.clock.now(), job: 'garden.note', id: String(at) })
    }
  })
  return world
}

const sizeOf = (world: World) => world.table(notes).size

describe('behaviour/program#bounds: due jobs run in turns', () => {
  test('a request waits for all of them, and others have a turn in between', async () => {
    const world = busyWorld()
    slowClock()
    let turns = 0
    const count = () => {
      turns += 1
      timer = setImmediate(count)
    }
    let timer = setImmediate(count)
    const first = world.request(() => `${sizeOf(world)} notes`)
    const second = world.request(() => 'second')
    expect(sizeOf(world)).toBeLessThan(10)
    expect(await first).toBe('50 notes')
    expect(await second).toBe('second')
    clearImmediate(timer)
    expect(turns).toBeGreaterThan(5)
  })

  test('a call of the program runs all of them at once', () => {
    const world = busyWorld()
    slowClock()
    expect(world.runDueJobs()).toBe(true)
    expect(sizeOf(world)).toBe(50)
  })
})
