import { describe, expect, test } from 'vitest'
import { DocumentError } from '../../../../routes/control/state/documents.ts'
import { ProcessControl } from '../../../../routes/control/worlds/process-control.ts'
import { FaultInjector } from '../../../../routes/faults/fault-injector.ts'
import { InputError } from '../../../../routes/http/declare/validate.ts'
import { Journals } from '../../../../routes/journal/journal.ts'
import { Refusal } from '../../../../state/kernel/refusal.ts'
import { notes, plants, start, testWorlds } from '../../../support/kernel.ts'

/** Returns the control of a process without HTTP, as an embedding program has it. */
function embedded() {
  const worlds = testWorlds()
  const process = new ProcessControl({
    worlds,
    journals: new Journals(),
    faults: new FaultInjector(),
    describe: () => ({ name: 'n', version: 'v', dialect: 'neutral', ports: {} }),
  })
  return { worlds, process, control: process.world() }
}

describe('behaviour/program#embedding: the typed control plane', () => {
  test('returns worlds by id, creates and deletes them', () => {
    const { process } = embedded()
    const made = process.create({ id: 'w', seed: 's' })
    expect(process.list().map(({ id }) => id)).toEqual(['default', 'w'])
    expect([made.id, made.basePath, process.world('w').id]).toEqual(['w', '/_world/w', 'w'])
    process.delete('w')
    expect(() => process.world('w')).toThrow(new Refusal('absent', 'there is no world "w"'))
    expect(() => process.create({ seed: '' })).toThrow(
      new InputError(['/seed must NOT have fewer than 1 characters']),
    )
  })

  test('refuses to reset unknown parts', () => {
    const { control } = embedded()
    // Untyped programs may pass any value.
    const parts = ['journal', 'everything'] as unknown as Parameters<typeof control.reset>[0]
    expect(() => control.reset(parts)).toThrow(/^\/what\/1 must be one of "state", /)
  })

  test('behaviour/program#worlds-for-clients: opens no listeners for worlds of a process that has none', async () => {
    const { process, worlds } = embedded()
    await expect(process.open({ listen: true })).rejects.toThrow('no world can have listeners here')
    expect(worlds.list().length).toBe(1)
  })

  test('behaviour/program#test-runners: lists the changes since a world began', () => {
    const { worlds, control } = embedded()
    expect(control.changes()).toEqual([])
    worlds.default.write(() => worlds.default.table(notes).put('n', { text: 'x' }))
    expect(control.changes()).toEqual([{ table: 'garden.notes', key: 'n', after: { text: 'x' } }])
    control.reset()
    expect(control.changes()).toEqual([])
  })

  test('forks a world, which continues independently', () => {
    const { worlds, control } = embedded()
    control.clock.advance('1s')
    const fork = control.fork('copy')
    fork.clock.advance(1000)
    expect([fork.id, fork.clock.now(), control.clock.now()]).toEqual([
      'copy',
      start + 2000,
      start + 1000,
    ])
    expect(control.fork().id).toMatch(/^w-/)
    expect(worlds.list().length).toBe(3)
  })

  test('resets, snapshots, compares and restores', () => {
    const { worlds, control } = embedded()
    const world = worlds.default
    const { id } = control.snapshot()
    world.write(() => world.table(notes).put('n', { text: 'x' }))
    expect(control.diff(id).changes).toEqual([
      { table: 'garden.notes', key: 'n', after: { text: 'x' } },
    ])
    control.restore(id)
    expect(control.diff(id)).toEqual({ from: id, to: 'present', changes: [] })
    control.clock.advance('1h')
    control.reset(['state'])
    expect(control.clock.now()).toBe(start + 3_600_000)
    expect(control.snapshots()).toHaveLength(1)
    control.dropSnapshot(id)
    expect(control.snapshots()).toEqual([])
    control.reset()
    expect(control.clock.now()).toBe(start)
  })

  // choice/process#snapshots choice/process#reset
  test('keeps 1,000 snapshots, which a complete reset deletes (behaviour/program#snapshots)', () => {
    const { worlds, control } = embedded()
    const other = worlds.create({ id: 'other' })
    const kept = worlds.snapshots.take(other)
    for (let count = 0; count < 1000; count += 1) control.snapshot()
    expect(() => control.snapshot()).toThrow(
      new Refusal(
        'conflict',
        'the world "default" has 1000 snapshots, which is the most: forget some, or reset it',
      ),
    )
    const [first] = control.snapshots()
    control.dropSnapshot(first?.id ?? '')
    control.snapshot()
    control.reset()
    expect(control.snapshots()).toEqual([])
    expect(() => control.restore(first?.id ?? '')).toThrow('there is no snapshot')
    expect(worlds.snapshots.of('other')).toEqual([kept])
    worlds.delete('other')
    expect(() => worlds.snapshots.get(kept.id)).toThrow('there is no snapshot')
  })

  test('sets the clock and returns the jobs that ran', () => {
    const { control } = embedded()
    expect(control.clock.set({ mode: 'frozen', at: '2026-05-01T00:00:00Z' })).toEqual({
      mode: 'frozen',
      now: '2026-05-01T00:00:00Z',
      next: null,
    })
    expect(() => control.clock.advance(Number.NaN)).toThrow(
      new InputError(['/by must not be negative']),
    )
  })

  test('exports and imports, and refuses invalid documents', () => {
    const { control } = embedded()
    const state = control.state()
    expect(control.serviceState('garden')).toEqual(state['garden'])
    control.changeOptions({ garden: { depth: 9 } })
    expect(control.options()).toEqual({
      garden: { soil: 'clay', depth: 9 },
      pond: {},
      control: { journalSize: 1000, journalBodies: true, redact: [], traceLimit: 64_000_000 },
    })
    control.importState(state)
    expect(control.state()).toEqual(state)
    expect(() => control.importState({ lake: 1 })).toThrow(DocumentError)
    expect(() => control.changeOptions({ garden: { depth: 'x' } })).toThrow(
      new DocumentError(['/garden/depth must be integer']),
    )
    expect(control.state()).toEqual(state)
  })

  test('forces transitions and sets their timing', () => {
    const { worlds, control } = embedded()
    control.transitions.setPaces({ 'garden.plant': 'immediate' })
    expect(control.transitions.list().map(({ pace }) => pace)).toEqual(['manual', 'immediate'])
    expect(control.transitions.push('garden.plant', 'oak', 'cut')?.state).toBe('cut')
    expect(control.transitions.push('garden.plant', 'oak', 'removed')).toBeUndefined()
    expect(worlds.default.table(plants).size).toBe(0)
  })

  test('returns addresses under any origin', () => {
    const { process } = embedded()
    const { services } = process.create({ id: 'w' }).info('https://mock:1')
    expect(services['pond']).toEqual({ url: 'https://mock:1/_world/w' })
  })
})
