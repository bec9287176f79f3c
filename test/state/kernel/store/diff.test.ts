import { describe, expect, test } from 'vitest'
import { diffSnapshots } from '../../../../state/kernel/store/diff.ts'
import { fish, notes, testStore, testWorld } from '../../../support/kernel.ts'

describe('behaviour/program#control-plane, snapshots: differences', () => {
  // choice/process#snapshot-diff
  test('are rows added, changed and deleted, by table and key', () => {
    const store = testStore()
    const put = (key: string, text: string) => store.table(notes).put(key, { text })
    store.transact(() => {
      put('kept', '1')
      put('changed', '1')
      put('deleted', '1')
      put('written again', '1')
    })
    const from = store.snapshot()
    store.transact(() => {
      put('changed', '2')
      store.table(notes).delete('deleted')
      put('written again', '1')
      put('added', '1')
      store.table(fish).put('carp', { name: 'carp' })
    })
    const to = store.snapshot()
    const added = { table: 'garden.notes', key: 'added' }
    const changed = { table: 'garden.notes', key: 'changed' }
    const deleted = { table: 'garden.notes', key: 'deleted' }
    const carp = { table: 'pond.fish', key: 'carp' }
    expect(diffSnapshots(from, to)).toEqual([
      { ...added, after: { text: '1' } },
      { ...changed, before: { text: '1' }, after: { text: '2' } },
      { ...deleted, before: { text: '1' } },
      { ...carp, after: { name: 'carp' } },
    ])
    expect(diffSnapshots(to, from)).toEqual([
      { ...added, before: { text: '1' } },
      { ...changed, before: { text: '2' }, after: { text: '1' } },
      { ...deleted, after: { text: '1' } },
      { ...carp, before: { name: 'carp' } },
    ])
    expect(diffSnapshots(from, from)).toEqual([])
  })

  // choice/process#snapshot-diff
  test('leave out pending work and other bookkeeping of the kernel', () => {
    const world = testWorld()
    const from = world.store.snapshot()
    world.write(() => world.agenda.schedule({ at: 1, job: 'garden.note', id: 'a' }))
    world.changeOptions({ garden: { soil: 'sand' } })
    expect(diffSnapshots(from, world.store.snapshot())).toEqual([])
  })

  test('are found without looking at rows that both sides share', () => {
    const store = testStore()
    store.transact(() => {
      for (let n = 0; n < 20_000; n++) store.table(notes).put(`k${n}`, { text: '' })
    })
    const from = store.snapshot()
    store.transact(() => store.table(notes).put('k777', { text: 'x' }))
    const to = store.snapshot()
    let compared = 0
    const table = from.tables.get('garden.notes')
    const compare = table?.tree._compare
    if (table === undefined || compare === undefined) throw new Error('the table is there')
    const counting = (a: string, b: string) => {
      compared += 1
      return compare(a, b)
    }
    for (const { tree } of [table, to.tables.get('garden.notes')].flatMap((one) => one ?? [])) {
      tree._compare = counting
    }
    expect(diffSnapshots(from, to).map(({ key }) => key)).toEqual(['k777'])
    expect(compared).toBeGreaterThan(0)
    expect(compared).toBeLessThan(2000)
  })
})
