import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { timings } from '../../../../state/kernel/time/transitions.ts'
import { exportService, exportWorld } from '../../../../state/kernel/worlds/document.ts'
import type { World } from '../../../../state/kernel/worlds/world.ts'
import { fish, garden, notes, pond, start, testWorld, testWorlds } from '../../../support/kernel.ts'

const text = (world: World) => JSON.stringify(exportWorld(world))

describe('behaviour/program#fresh-world: the state document', () => {
  test('contains the whole world', () => {
    const world = testWorld()
    const oak = { id: expect.any(String), height: 3, state: 'growing' }
    world.write(() => {
      world.table(fish).put('carp', { name: 'carp' })
      world.table(timings).put('garden.plant', { pace: 'manual' })
      world.agenda.schedule({ at: start + 1, job: 'garden.note', id: 'n' })
    })
    const key = `000${start + 1}/0000000000000001`
    expect(exportWorld(world)).toEqual({
      format: 1,
      world: {
        clock: { mode: 'frozen', at: start },
        ids: [...world.ids.state],
        sequence: 2,
        indexes: { garden: 1, pond: 1 },
        tables: {
          agenda: { [key]: { at: start + 1, job: 'garden.note', id: 'n' } },
          transitions: { 'garden.plant': { pace: 'manual' } },
        },
      },
      options: { garden: { soil: 'clay', depth: 3 }, pond: {} },
      garden: { tables: { plants: { oak }, notes: {} } },
      pond: { tables: { fish: { carp: { name: 'carp' } } } },
    })
    expect(exportService(world, pond)).toEqual({ tables: { fish: { carp: { name: 'carp' } } } })
    expect(Object.keys(exportService(world, garden).tables ?? {})).toEqual(['plants', 'notes'])
  })

  test('export, import and export produce the same bytes for any keys and values', () => {
    const name = fc.oneof(fc.string(), fc.constantFrom('__proto__', 'constructor', '10', '9', ''))
    const rows = fc.array(fc.tuple(name, fc.string({ unit: 'binary' })), { maxLength: 8 })
    const clock = fc.constantFrom(
      { mode: 'real', offset: 12 } as const,
      { mode: 'frozen', at: start + 5 } as const,
      { mode: 'scaled', rate: 1.5, from: start, since: start } as const,
    )
    fc.assert(
      fc.property(rows, clock, fc.nat(1e6), (written, state, later) => {
        const source = testWorlds().default
        for (const [key, value] of written) {
          source.write(() => {
            source.table(notes).put(key, { text: value })
            source.agenda.schedule({ at: start + 1e9 + later, job: 'garden.note', id: key })
          })
        }
        source.changeOptions({ garden: { soil: 'sand' } })
        source.clock.state = state
        const first = text(source)
        const target = testWorlds({ seed: 'other' })
        target.import(target.default, JSON.parse(first))
        expect(text(target.default)).toBe(first)
        expect(text(testWorld({ document: JSON.parse(first) }))).toBe(first)
        source.close()
        target.close()
      }),
      { numRuns: 60 },
    )
  })

  test('an import continues exactly where the export was: ids, time, indexes and pending jobs', () => {
    const source = testWorld()
    source.write(() => source.agenda.schedule({ at: start + 60, job: 'garden.grow', id: 'oak' }))
    source.advance(100)
    const copy = testWorld({ seed: 'other', document: JSON.parse(text(source)) })
    for (const world of [source, copy]) {
      world.advance(200_000)
      world.write(() => world.table(notes).put(world.ids.uuid(), { text: 'x' }))
    }
    expect(text(copy)).toBe(text(source))
    expect(copy.store.index('garden')).toBe(source.store.index('garden'))
  })

  // choice/process#fixtures-short-forms
  test('a named table is imported completely, and other tables keep their seeds', () => {
    const emptied = testWorld({ document: { garden: { tables: { plants: {} } } } })
    expect(exportService(emptied, garden).tables?.['plants']).toEqual({})
    const other = testWorld({ document: { garden: { tables: { notes: {} } } } })
    expect(Object.keys(exportService(other, garden).tables?.['plants'] ?? {})).toEqual(['oak'])
  })
})
