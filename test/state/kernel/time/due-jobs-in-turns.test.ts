import { describe, expect, onTestFinished, test } from 'vitest'
import type { World } from '../../../../state/kernel/worlds/world.ts'
import { notes, testWorld } from '../../../support/kernel.ts'
import { countTurns, slowClock } from '../../../support/turns.ts'

/** Returns a world with 50 jobs that are due now. */
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
    slowClock(6)
    const turns = await countTurns(async () => {
      const first = world.request(() => `${sizeOf(world)} notes`)
      const second = world.request(() => 'second')
      expect(sizeOf(world)).toBeLessThan(10)
      expect(await first).toBe('50 notes')
      expect(await second).toBe('second')
    })
    expect(turns).toBeGreaterThan(5)
  })

  test('a call of the program runs all of them at once', () => {
    const world = busyWorld()
    slowClock(6)
    expect(world.runDueJobs()).toBe(true)
    expect(sizeOf(world)).toBe(50)
  })
})
