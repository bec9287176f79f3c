import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { runParts } from '../../../../state/kernel/parts.ts'
import type { StoreSnapshot, Table } from '../../../../state/kernel/store/open-table.ts'
import type { Store } from '../../../../state/kernel/store/store.ts'
import { defineTable, keysFromMembers } from '../../../../state/kernel/store/table.ts'
import { duplicates } from '../../../../state/kernel/store/table-index.ts'
import { testStore } from '../../../support/kernel.ts'

interface Bird {
  readonly ring: string
  readonly nest: string
  readonly calls: readonly string[]
}

const birds = defineTable<Bird>()({
  service: 'garden',
  name: 'birds',
  secrets: 'none',
  schema: { type: 'object' },
  indexes: {
    /** Unique index. Birds without a ring are not in it. */
    byRing: ({ ring }) => (ring === '' ? undefined : ring),
    byNest: ({ nest }, key) => `${nest}/${key}`,
    byCall: ({ calls }, key) => calls.map((call) => `${call}/${key}`),
    /**
     * Index of the birds with a ring. A write that changes only `calls` does not update the index.
     */
    ringed: keysFromMembers<Bird>()(['ring', 'nest'], ({ ring, nest }, key) =>
      ring === '' ? undefined : `${nest}/${key}`,
    ),
  },
})

type Birds = Table<Bird, (typeof names)[number]>

const names = ['byRing', 'byNest', 'byCall', 'ringed'] as const

const bird = (ring: string, nest = 'oak', calls: readonly string[] = []): Bird => ({
  ring,
  nest,
  calls,
})

/** Returns the expected content of an index: every row of the table under each of its keys. */
function scanned(table: Birds, name: (typeof names)[number]): [string, Bird][] {
  const keysOf = birds.indexes[name]
  return Array.from(table.entries())
    .flatMap(([key, row]) => [keysOf(row, key) ?? []].flat().map((at) => [at, row] as const))
    .map(([at, row]): [string, Bird] => [at, row])
    .sort(([a], [b]) => (a < b ? -1 : 1))
}

function compare(store: Store): void {
  const table = store.table(birds)
  for (const name of names) {
    const index = table.index(name)
    const all = scanned(table, name)
    expect([...index.entries()]).toEqual(all)
    expect([...index.reversed('')]).toEqual(all.toReversed())
    for (const prefix of ['a', 'oak/', 'oak/b', 'z']) {
      const below = all.filter(([at]) => at.startsWith(prefix))
      expect([...index.rows(prefix)]).toEqual(below.map(([, row]) => row))
      expect(index.first(prefix)).toEqual(below[0])
      expect(index.last(prefix)).toEqual(below.at(-1))
    }
    for (const [at, row] of all) {
      expect(index.get(at)).toBe(row)
      expect(table.get(index.keyOf(at) ?? '')).toBe(row)
      expect(index.has(at)).toBe(true)
    }
    expect([index.get('none'), index.keyOf('none'), index.has('none')]).toEqual([
      undefined,
      undefined,
      false,
    ])
  }
}

type Write =
  | { readonly kind: 'put'; readonly key: string; readonly row: Bird }
  | { readonly kind: 'delete'; readonly key: string }
  | { readonly kind: 'deleteAll'; readonly prefix: string }
  | { readonly kind: 'nested'; readonly writes: readonly Write[]; readonly fails: boolean }

const key = fc.constantFrom('a', 'b', 'b/c', 'd', '__proto__', '')
const row = fc.record({
  ring: fc.constantFrom('', '', '1', '2', '3', 'a'),
  nest: fc.constantFrom('oak', 'elm', 'oak/b'),
  calls: fc.uniqueArray(fc.constantFrom('tweet', 'a', 'coo'), { maxLength: 3 }),
})

const { write } = fc.letrec<{ write: Write }>((tie) => ({
  write: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    { weight: 5, arbitrary: fc.record({ kind: fc.constant('put' as const), key, row }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('delete' as const), key }) },
    {
      weight: 1,
      arbitrary: fc.record({
        kind: fc.constant('deleteAll' as const),
        prefix: fc.constantFrom('', 'b'),
      }),
    },
    {
      weight: 2,
      arbitrary: fc.record({
        kind: fc.constant('nested' as const),
        writes: fc.array(tie('write'), { maxLength: 4 }),
        fails: fc.boolean(),
      }),
    },
  ),
}))

const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('transact' as const),
      writes: fc.array(write, { maxLength: 6 }),
      fails: fc.boolean(),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('snapshot' as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('restore' as const), which: fc.nat() }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('fork' as const), which: fc.nat() }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('import' as const) }) },
)

class Failure extends Error {}

function apply(store: Store, writes: readonly Write[]): void {
  const table = store.table(birds)
  for (const one of writes) {
    if (one.kind === 'put') {
      const taken = Array.from(table.entries()).some(
        ([at, { ring }]) => at !== one.key && ring !== '' && ring === one.row.ring,
      )
      if (taken) expect(() => table.put(one.key, one.row)).toThrow(/#byRing has "\w" twice/)
      else table.put(one.key, one.row)
    } else if (one.kind === 'delete') table.delete(one.key)
    else if (one.kind === 'deleteAll') table.deleteAll(one.prefix)
    else transact(store, one.writes, one.fails)
  }
}

function transact(store: Store, writes: readonly Write[], fails: boolean): void {
  const run = () =>
    store.transact(() => {
      apply(store, writes)
      if (fails) throw new Failure()
    })
  if (fails) expect(run).toThrow(Failure)
  else run()
}

describe('behaviour/program#store: indexes', () => {
  test('match a full scan after any history of transactions, snapshots, restores, forks and imports', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 25 }), (steps) => {
        const stores = [testStore()]
        const kept: StoreSnapshot[] = []
        stores[0]?.table(birds)
        for (const one of steps) {
          const store = stores.at(-1)
          if (store === undefined) throw new Error('there is always a store')
          if (one.kind === 'transact') transact(store, one.writes, one.fails)
          else if (one.kind === 'snapshot') kept.push(store.snapshot())
          else if (one.kind === 'import') {
            const fresh = testStore()
            const rows = [...store.table(birds).entries()]
            fresh.transact(() => {
              for (const [at, bird] of rows.toReversed()) fresh.table(birds).put(at, bird)
            })
            stores.push(fresh)
          } else {
            const snapshot = kept[one.which % Math.max(kept.length, 1)]
            if (snapshot === undefined) continue
            if (one.kind === 'fork') stores.push(testStore())
            stores.at(-1)?.restore(snapshot)
          }
          for (const each of stores) compare(each)
        }
      }),
      { numRuns: 150 },
    )
  })

  test('list the names below a prefix of their keys', () => {
    const store = testStore()
    store.transact(() => {
      store.table(birds).put('a', bird('', 'oak'))
      store.table(birds).put('b', bird('', 'oak/top'))
      store.table(birds).put('c', bird('', 'elm'))
    })
    expect(store.table(birds).index('byNest').children('oak/')).toEqual(['a', 'top/'])
  })

  test('wake watchers of their keys: when a row takes a key, changes below it and leaves it', () => {
    const store = testStore()
    const table = store.table(birds)
    const { id } = table.index('byNest')
    const woken: string[] = []
    store.watchers.watchKey(id, 'oak/a', () => woken.push('key'))
    store.watchers.watchPrefix(id, 'oak/', () => woken.push('prefix'))
    const put = (at: string, row: Bird) => {
      store.transact(() => table.put(at, row))
      return woken.splice(0).sort()
    }
    expect(put('a', bird('', 'elm'))).toEqual([])
    expect(put('a', bird('', 'oak'))).toEqual(['key', 'prefix'])
    expect(put('a', bird('7', 'oak'))).toEqual(['key', 'prefix'])
    expect(put('b', bird('', 'oak'))).toEqual(['prefix'])
    expect(put('a', bird('7', 'elm'))).toEqual(['key', 'prefix'])
    expect(put('a', bird('8', 'elm'))).toEqual([])
  })

  test('are not in the change feed', () => {
    const store = testStore()
    store.table(birds)
    const changedTables: string[] = []
    store.feed.follow(({ changes }) => changedTables.push(...changes.map(({ table }) => table)))
    store.transact(() => store.table(birds).put('a', bird('1')))
    expect(changedTables).toEqual(['garden.birds'])
  })

  test('a row whose unique key is taken is refused before anything is written', () => {
    const store = testStore()
    const table = store.table(birds)
    store.transact(() => {
      table.put('a', bird('1'))
      expect(() => table.put('b', bird('1'))).toThrow(
        'garden.birds#byRing has "1" twice: of "a" and of "b"',
      )
    })
    expect([...table.rows()]).toEqual([bird('1')])
    compare(store)
    const rows = [
      ['a', bird('1')],
      ['b', bird('2')],
      ['c', bird('1')],
    ] as const
    expect(runParts(duplicates(birds, rows))).toEqual([
      { index: 'byRing', indexKey: '1', keys: ['a', 'c'] },
    ])
  })
})

test('keys derived from a few members are recomputed only if one of those changes (behaviour/program#figures)', () => {
  let asked = 0
  const table = defineTable<Bird>()({
    service: 'garden',
    name: 'counted-birds',
    secrets: 'none',
    schema: { type: 'object' },
    indexes: {
      byNest: keysFromMembers<Bird>()(['nest'], ({ nest }, key) => {
        asked += 1
        return `${nest}/${key}`
      }),
    },
  })
  const store = testStore()
  const put = (row: Bird) => {
    asked = 0
    store.transact(() => store.table(table).put('robin', row))
    return asked
  }
  expect(put(bird('1', 'oak'))).toBe(1)
  expect(put(bird('2', 'oak', ['tick']))).toBe(0)
  expect(put(bird('2', 'elm'))).toBe(2)
  expect([...store.table(table).index('byNest').entries()]).toEqual([
    ['elm/robin', bird('2', 'elm')],
  ])
})
