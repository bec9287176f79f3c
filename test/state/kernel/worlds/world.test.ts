import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { optionRows } from '../../../../state/kernel/options/options.ts'
import { timings } from '../../../../state/kernel/time/transitions.ts'
import type { World } from '../../../../state/kernel/worlds/world.ts'
import {
  garden,
  gardenOptions,
  notes,
  plantKind,
  plants,
  pond,
  start,
  testWorld,
} from '../../../support/kernel.ts'

/** Schedules a job some milliseconds after the start. */
const schedule = (world: World, after: number, job: string, id: string) =>
  world.write(() => world.agenda.schedule({ at: start + after, job: `garden.${job}`, id }))

const heightOf = (world: World, key = 'oak') => world.table(plants).get(key)?.height

/** Returns the visible content of a world. */
const contents = (world: World) => ({
  plants: [...world.table(plants).entries()],
  notes: [...world.table(notes).entries()],
  pending: [...world.agenda.all()],
  options: [...world.table(optionRows).entries()],
  now: world.clock.now(),
  ids: world.ids.state,
})

describe('behaviour/program#worlds: a world', () => {
  test('begins with the seeds of its services, and options with every default', () => {
    const world = testWorld({ options: { garden: { depth: 7 } } })
    expect(heightOf(world)).toBe(7)
    expect(world.options(gardenOptions)).toEqual({ soil: 'clay', depth: 7 })
    expect(world.clock.now()).toBe(start)
  })

  test('is equal for an equal seed and different for another one', () => {
    expect(contents(testWorld())).toEqual(contents(testWorld()))
    expect(contents(testWorld({ seed: 'x' })).plants).not.toEqual(contents(testWorld()).plants)
  })

  // choice/process#fixtures-short-forms
  test('applies a document over its seeds, exact rows and short forms alike', () => {
    const world = testWorld({
      document: {
        options: { garden: { depth: 9 } },
        garden: { tables: { notes: { n: { text: 'x' } } }, heights: { elm: 4 } },
      },
    })
    expect([heightOf(world), heightOf(world, 'elm')]).toEqual([9, 4])
    expect([...world.table(notes).entries()]).toEqual([['n', { text: 'x' }]])
  })

  test('is not created if its document is refused', () => {
    const document = { garden: { heights: { weed: 1 } } }
    expect(() => testWorld({ document })).toThrow('weeds are not planted')
  })

  test('is not created if two services have a table of the same name', () => {
    const services = [garden, { ...pond, tables: [{ ...notes }] }]
    expect(() => testWorld({ services })).toThrow('table garden.notes is defined twice')
  })

  test('caches values derived from a row with that row', () => {
    const world = testWorld()
    let derivations = 0
    const double = ({ height }: { height: number }) => {
      derivations += 1
      return height * 2
    }
    const oak = world.table(plants).get('oak')
    if (oak === undefined) throw new Error('the oak is seeded')
    expect([world.derived(oak, double), world.derived(oak, double)]).toEqual([6, 6])
    expect(derivations).toBe(1)
    expect(world.derived({ ...oak, height: 4 }, double)).toBe(8)
    expect(world.derived(oak, ({ state }) => state)).toBe('growing')
  })
})

describe('behaviour/program#clock: advancing', () => {
  test('runs due jobs in order, each at its own time, and reports them', () => {
    const world = testWorld()
    schedule(world, 3000, 'note', 'third')
    schedule(world, 1000, 'note', 'first')
    schedule(world, 2000, 'note', 'second')
    schedule(world, 3001, 'note', 'not yet')
    expect(world.advance(3000)).toEqual([
      { at: start + 1000, kind: 'garden.note', id: 'first' },
      { at: start + 2000, kind: 'garden.note', id: 'second' },
      { at: start + 3000, kind: 'garden.note', id: 'third' },
    ])
    expect(world.table(notes).get('second')?.text).toBe(`due ${start + 2000}, done ${start + 2000}`)
    expect(world.clock.now()).toBe(start + 3000)
    expect(Array.from(world.agenda.all(), ({ id }) => id)).toEqual(['not yet'])
  })

  test('runs jobs that other jobs schedule on the way', () => {
    const world = testWorld()
    schedule(world, 0, 'grow', 'oak')
    expect(world.advance(150_000).map(({ at }) => at - start)).toEqual([0, 60_000, 120_000])
    expect(heightOf(world)).toBe(6)
  })

  test('by zero runs jobs that are due already', () => {
    const world = testWorld()
    schedule(world, -10, 'note', 'overdue')
    expect(world.advance(0)).toEqual([{ at: start - 10, kind: 'garden.note', id: 'overdue' }])
    expect(world.clock.now()).toBe(start)
  })

  // choice/process#due-work
  test('rolls back a job that fails, reports it and continues', () => {
    const errors: unknown[] = []
    const world = testWorld({ onError: (error) => errors.push(error) })
    schedule(world, 1, 'fail', 'x')
    schedule(world, 2, 'unheard-of', 'y')
    schedule(world, 3, 'note', 'z')
    expect(world.advance(10).map(({ id }) => id)).toEqual(['x', 'y', 'z'])
    expect(errors.map(String)).toEqual([
      'Error: job x failed',
      'Error: no service knows the job garden.unheard-of',
    ])
    expect(Array.from(world.table(notes).entries(), ([key]) => key)).toEqual(['z'])
    expect(world.agenda.next()).toBeUndefined()
  })
})

describe('behaviour/program#clock: time that runs by itself', () => {
  afterEach(() => {
    vi.useRealTimers()
  })

  /** Returns a world with a running clock. The test moves the wall clock. */
  function running(settings: Parameters<typeof testWorld>[0]): World {
    vi.useFakeTimers({ now: start })
    const world = testWorld(settings)
    onTestFinished(() => world.close())
    return world
  }

  // choice/process#due-work
  test('real: jobs run without requests', () => {
    const world = running({ clock: { mode: 'real' } })
    schedule(world, 60_000, 'grow', 'oak')
    vi.advanceTimersByTime(59_999)
    expect(heightOf(world)).toBe(3)
    vi.advanceTimersByTime(1)
    expect(heightOf(world)).toBe(4)
    vi.advanceTimersByTime(60_000)
    expect(heightOf(world)).toBe(5)
  })

  // choice/process#due-work
  describe('real: at most one wake-up in 20 ms while nobody waits', () => {
    /**
     * Returns a world with three jobs within 20 ms. Only the first job has a wake-up of its own.
     */
    function thick(): World {
      const world = running({ clock: { mode: 'real' } })
      for (const [after, id] of [
        [1000, 'a'],
        [1005, 'b'],
        [1010, 'c'],
      ] as const) {
        schedule(world, after, 'note', id)
      }
      return world
    }
    const stamps = (world: World) => Array.from(world.table(notes).rows(), ({ text }) => text)
    const done = (due: number, at: number) => `due ${start + due}, done ${start + at}`
    const all = [done(1000, 1000), done(1005, 1005), done(1010, 1010)]

    test('a late job runs as of the instant at which it was due', () => {
      const world = thick()
      vi.advanceTimersByTime(1019)
      expect(stamps(world)).toEqual(all.slice(0, 1))
      vi.advanceTimersByTime(1)
      expect(stamps(world)).toEqual(all)
      expect(world.clock.now()).toBe(start + 1020)
    })

    test('a request finds late jobs done', () => {
      const world = thick()
      vi.advanceTimersByTime(1012)
      expect(world.request(() => stamps(world))).toEqual(all)
    })

    test('jobs are never late for blocking readers', () => {
      for (const wait of [
        (world: World) => world.waitUntil(start + 5000, () => {}),
        (world: World) => world.store.feed.follow(() => {}),
        (world: World) => world.followClock(() => {}),
      ]) {
        const world = thick()
        wait(world)
        vi.advanceTimersByTime(1005)
        expect(stamps(world)).toEqual(all.slice(0, 2))
      }
    })

    test('a job that is overdue for longer does not run in the past', () => {
      const world = running({ clock: { mode: 'real' } })
      schedule(world, 1000, 'note', 'x')
      vi.setSystemTime(start + 60_000)
      world.runDueJobs()
      expect(stamps(world)).toEqual([done(1000, 60_000 - 20)])
    })
  })

  test('real: an earlier job runs first, a cancelled one never', () => {
    const world = running({ clock: { mode: 'real' } })
    schedule(world, 5000, 'note', 'late')
    schedule(world, 1000, 'note', 'early')
    schedule(world, 500, 'note', 'cancelled')
    world.write(() => world.agenda.cancel('garden.note', 'cancelled'))
    vi.advanceTimersByTime(1000)
    expect(Array.from(world.table(notes).entries(), ([key]) => key)).toEqual(['early'])
  })

  test('real: waits longer than a timer can hold', () => {
    const world = running({ clock: { mode: 'real' } })
    const days = 40 * 86_400_000
    schedule(world, days, 'note', 'far')
    vi.advanceTimersByTime(days - 1)
    expect(world.table(notes).size).toBe(0)
    vi.advanceTimersByTime(1)
    expect(world.table(notes).size).toBe(1)
  })

  test('scaled: at its own rate', () => {
    const world = running({ clock: { mode: 'scaled', rate: 60 } })
    schedule(world, 60_000, 'note', 'x')
    vi.advanceTimersByTime(999)
    expect(world.table(notes).size).toBe(0)
    vi.advanceTimersByTime(1)
    expect(world.table(notes).size).toBe(1)
  })

  test('frozen: never, until it is set running again', () => {
    const world = running({})
    schedule(world, 1000, 'note', 'x')
    vi.advanceTimersByTime(60_000)
    expect(world.table(notes).size).toBe(0)
    world.setClock({ mode: 'scaled', rate: 1 })
    vi.advanceTimersByTime(1000)
    expect(world.table(notes).size).toBe(1)
  })

  // choice/process#due-work
  test('runDueJobs runs overdue jobs before the state is read', () => {
    const world = running({ clock: { mode: 'real' } })
    schedule(world, 1000, 'note', 'x')
    vi.setSystemTime(start + 1000)
    expect(world.table(notes).size).toBe(0)
    world.runDueJobs()
    expect(world.table(notes).size).toBe(1)
  })

  test('an advance never moves time back, however long its jobs take', () => {
    const world = running({ clock: { mode: 'real' } })
    schedule(world, 0, 'note', 'slow')
    world.store.feed.follow(() => vi.setSystemTime(Date.now() + 500))
    world.advance(100)
    expect(world.clock.now()).toBe(start + 500)
  })

  test('a world that starts from a document follows the clock of the document', () => {
    const at = start + 1000
    const scheduledJob = { at, job: 'garden.note', id: 'x' }
    const key = `000${at}/0000000000000001`
    const world = running({
      document: {
        world: {
          clock: { mode: 'real', offset: 0 },
          tables: { agenda: { [key]: scheduledJob } },
        },
      },
    })
    vi.advanceTimersByTime(1000)
    expect(world.table(notes).size).toBe(1)
  })

  test('a closed world wakes its waiters and does nothing afterwards', () => {
    const world = running({ clock: { mode: 'real' } })
    let woken = 0
    world.store.watchers.watchKey('garden.notes', 'x', () => {
      woken += 1
    })
    schedule(world, 1000, 'note', 'x')
    world.close()
    vi.advanceTimersByTime(10_000)
    expect([woken, world.table(notes).size]).toEqual([1, 0])
  })

  test('errors of readers that a closing world wakes are passed to onError', async () => {
    const errors: unknown[] = []
    const world = running({ onError: (error) => void errors.push(error) })
    const mistake = new Error('a reader failed')
    world.store.watchers.watchReplacement(() => {
      throw mistake
    })
    world.close()
    await Promise.resolve()
    expect(errors).toEqual([mistake])
  })

  test('a closed world starts no timer, even if its holder uses it', () => {
    const world = running({ clock: { mode: 'real' } })
    world.close()
    schedule(world, 1000, 'note', 'x')
    world.setClock({ mode: 'scaled', rate: 2 })
    world.restore(world.snapshot())
    world.reset(['clock'])
    expect([vi.getTimerCount(), world.agenda.next()?.id]).toEqual([0, 'x'])
  })
})

describe('behaviour/program#worlds: setting the clock', () => {
  // choice/process#clock-jump
  test('forward runs jobs that are due on the way, each at its own time', () => {
    const world = testWorld()
    schedule(world, 1000, 'note', 'x')
    const jump = world.setClock({ mode: 'frozen', at: start + 5000 })
    expect(jump).toMatchObject({ fired: [{ id: 'x' }], more: false })
    expect(world.table(notes).get('x')?.text).toBe(`due ${start + 1000}, done ${start + 1000}`)
    expect(world.clock.state).toEqual({ mode: 'frozen', at: start + 5000 })
  })

  // choice/process#clock-back
  test('back does not undo jobs that have run', () => {
    const world = testWorld()
    schedule(world, 1000, 'note', 'x')
    world.advance(1000)
    world.setClock({ mode: 'frozen', at: start })
    expect(world.clock.now()).toBe(start)
    expect(world.table(notes).size).toBe(1)
  })
})

describe('behaviour/program#worlds: snapshots of a world', () => {
  test('contain rows, pending jobs, options, time and ids, and can be restored more than once', () => {
    const world = testWorld()
    schedule(world, 1000, 'grow', 'oak')
    const before = contents(world)
    const snapshot = world.snapshot()
    for (let round = 0; round < 2; round++) {
      world.changeOptions({ garden: { soil: 'sand' } })
      world.advance(100_000)
      world.ids.uuid()
      expect(contents(world)).not.toEqual(before)
      world.restore(snapshot)
      expect(contents(world)).toEqual(before)
    }
    world.advance(1000)
    expect(heightOf(world)).toBe(4)
  })

  // choice/process#world-from
  test('start other worlds, which develop independently with their own deadlines', () => {
    const world = testWorld()
    schedule(world, 1000, 'grow', 'oak')
    const fork = testWorld({
      id: 'fork',
      from: world.snapshot(),
      seed: undefined,
      clock: undefined,
    })
    expect(contents(fork)).toEqual(contents(world))
    fork.advance(1000)
    expect([heightOf(fork), heightOf(world)]).toEqual([4, 3])
    world.advance(1000)
    expect([heightOf(fork), heightOf(world)]).toEqual([4, 4])
    expect(fork.ids.uuid()).toBe(world.ids.uuid())
  })

  test('of one state are one checkpoint; a write, a drawn id and a moved clock begin another', () => {
    const world = testWorld()
    const changes = [
      () => world.write(() => world.table(plants).deleteAll('')),
      () => world.ids.uuid(),
      () => world.advance(1),
    ]
    for (const change of changes) {
      const checkpoint = world.checkpoint()
      expect(world.checkpoint()).toBe(checkpoint)
      const { clock, ids } = world.snapshot()
      change()
      expect(world.checkpoint()).not.toBe(checkpoint)
      expect(world.at(checkpoint)).toMatchObject({ clock, ids })
    }
  })

  test('watchers see the whole world restored', () => {
    const world = testWorld()
    const snapshot = world.snapshot()
    world.advance(1000)
    const seen: number[] = []
    world.store.watchers.watchKey('garden.plants', 'oak', () => seen.push(world.clock.now()))
    world.restore(snapshot)
    world.advance(1000)
    world.reset()
    expect(seen).toEqual([start, start])
  })
})

describe('behaviour/program#control-plane, reset', () => {
  /** Returns a world in which everything has changed, and its content when it was fresh. */
  function changed(): { world: World; fresh: ReturnType<typeof contents> } {
    const world = testWorld()
    const fresh = contents(world)
    world.write(() => {
      world.table(plants).delete('oak')
      world.table(timings).put(plantKind.kind, { pace: 'manual' })
    })
    schedule(world, 9000, 'note', 'x')
    world.advance(1000)
    world.ids.uuid()
    return { world, fresh }
  }

  // choice/process#reset
  test('restores everything', () => {
    const { world, fresh } = changed()
    world.reset()
    expect(contents(world)).toEqual(fresh)
    expect(world.timing(plantKind)).toEqual({ after: '2s' })
  })

  test('of a part restores only that part', () => {
    const parts = {
      state: (world: World, fresh: ReturnType<typeof contents>) =>
        world.table(plants).size === fresh.plants.length && world.agenda.next() === undefined,
      clock: (world: World) => world.clock.now() === start,
      ids: (world: World, fresh: ReturnType<typeof contents>) =>
        String(world.ids.state) === String(fresh.ids),
      transitions: (world: World) => world.timing(plantKind) !== 'manual',
    }
    const names = ['state', 'clock', 'ids', 'transitions'] as const
    for (const reset of names) {
      const { world, fresh } = changed()
      world.reset([reset])
      const isBack = names.filter((name) => parts[name](world, fresh))
      expect(isBack).toEqual([reset])
    }
  })

  test('of nothing changes nothing', () => {
    const { world } = changed()
    const before = contents(world)
    world.reset([])
    expect(contents(world)).toEqual(before)
    expect(world.timing(plantKind)).toBe('manual')
  })

  test('returns to the fixtures, not to an empty world', () => {
    const world = testWorld({ document: { garden: { heights: { elm: 4 } } } })
    world.write(() => world.table(plants).deleteAll(''))
    world.reset()
    expect([heightOf(world), heightOf(world, 'elm')]).toEqual([3, 4])
  })
})
