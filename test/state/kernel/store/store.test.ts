import { describe, expect, test } from 'vitest'
import { type InParts, runParts } from '../../../../state/kernel/parts.ts'
import { Store } from '../../../../state/kernel/store/store.ts'
import { defineTable, kernelService } from '../../../../state/kernel/store/table.ts'
import { fish, notes, plants, testStore } from '../../../support/kernel.ts'

const bookkeeping = defineTable<{ readonly n: number }>()({
  service: kernelService,
  name: 'bookkeeping',
  secrets: 'none',
  schema: { type: 'object' },
})

describe('behaviour/program#store: transactions', () => {
  test('return what the work returns', () => {
    expect(testStore().transact(() => 42)).toBe(42)
  })

  test('leave nothing behind when they throw', () => {
    const store = testStore()
    store.transact(() => store.table(notes).put('a', { text: 'old' }))
    expect(() =>
      store.transact(() => {
        store.table(notes).put('a', { text: 'new' })
        store.table(notes).put('b', { text: 'new' })
        store.table(fish).put('a', { name: 'new' })
        throw new Error('no')
      }),
    ).toThrow('no')
    expect([...store.table(notes).entries()]).toEqual([['a', { text: 'old' }]])
    expect(store.table(fish).size).toBe(0)
    expect([store.index('garden'), store.index('pond'), store.sequence]).toEqual([1, 0, 1])
    expect(store.isInTransaction).toBe(false)
  })

  test('stay open while they pause, and are one commit', () => {
    const store = testStore()
    const commits: unknown[] = []
    store.feed.follow((commit) => commits.push(commit))
    const write = function* (): InParts<void> {
      for (const key of ['a', 'b']) {
        store.table(notes).put(key, { text: 'new' })
        yield
      }
    }
    const work = store.transactInParts(write())
    for (const _pause of work) expect([store.isInTransaction, commits.length]).toEqual([true, 0])
    expect(store.table(notes).size).toBe(2)
    expect([store.index('garden'), store.isInTransaction, commits.length]).toEqual([1, false, 1])
  })

  test('leave nothing behind when they throw after a pause', () => {
    const store = testStore()
    const write = function* (): InParts<void> {
      store.table(notes).put('a', { text: 'new' })
      yield
      throw new Error('no')
    }
    expect(() => runParts(store.transactInParts(write()))).toThrow('no')
    expect([store.table(notes).size, store.index('garden'), store.isInTransaction]).toEqual([
      0,
      0,
      false,
    ])
  })

  test('leave nothing behind when they are abandoned at a pause', () => {
    const store = testStore()
    const write = function* (): InParts<void> {
      store.table(notes).put('a', { text: 'new' })
      yield
    }
    const work = store.transactInParts(write())
    work.next()
    work.return()
    expect([store.table(notes).size, store.index('garden'), store.isInTransaction]).toEqual([
      0,
      0,
      false,
    ])
  })

  test('without writes raise no index and notify nobody', () => {
    const store = testStore()
    const commits: unknown[] = []
    store.feed.follow((commit) => commits.push(commit))
    store.transact(() => store.table(notes).delete('nothing'))
    expect(commits).toEqual([])
    expect(store.index('garden')).toBe(0)
  })

  test('raise the index of each service concerned by one, however many rows they write', () => {
    const store = testStore()
    store.setIndex('pond', 100)
    store.transact(() => {
      expect(store.nextIndex('garden')).toBe(1)
      store.table(notes).put('a', { text: '' })
      store.table(plants).put('a', { id: '', height: 1, state: 'cut' })
      store.table(fish).put('a', { name: '' })
      expect(store.nextIndex('garden')).toBe(1)
    })
    expect([store.index('garden'), store.index('pond')]).toEqual([1, 101])
    expect(store.sequence).toBe(1)
  })

  test('to tables that keep the index raise no index, but wake watchers and reach the feed', () => {
    const local = defineTable<{ readonly text: string }>()({
      ...{ service: 'garden', name: 'local', secrets: 'none', schema: {}, keepsIndex: true },
    })
    const store = testStore()
    const commits: unknown[] = []
    store.feed.follow(({ indexes }) => commits.push(indexes))
    store.transact(() => store.table(local).put('a', { text: '' }))
    expect([store.index('garden'), commits]).toEqual([0, [{}]])
    store.transact(() => {
      store.table(local).put('a', { text: 'new' })
      store.table(notes).put('a', { text: '' })
    })
    expect([store.index('garden'), commits]).toEqual([1, [{}, { garden: 1 }]])
  })

  test("on the kernel's own tables stay out of indexes and feed, but wake watchers and are undone", () => {
    const store = testStore()
    let woken = 0
    store.watchers.watchPrefix('kernel.bookkeeping', '', () => {
      woken += 1
    })
    store.transact(() => store.table(bookkeeping).put('a', { n: 1 }))
    expect(() =>
      store.transact(() => {
        store.table(bookkeeping).put('a', { n: 2 })
        throw new Error('no')
      }),
    ).toThrow('no')
    expect(store.table(bookkeeping).get('a')).toEqual({ n: 1 })
    expect([woken, store.sequence, store.index(kernelService)]).toEqual([1, 0, 0])
  })

  test('are committed even if a watcher throws', () => {
    const store = testStore()
    store.watchers.watchKey('garden.notes', 'a', () => {
      throw new Error('bad watcher')
    })
    expect(() => store.transact(() => store.table(notes).put('a', { text: 'x' }))).toThrow(
      'bad watcher',
    )
    expect(store.table(notes).get('a')).toEqual({ text: 'x' })
    expect([store.index('garden'), store.sequence, store.isInTransaction]).toEqual([1, 1, false])
  })

  test('may be opened by a watcher that answers a commit', () => {
    const store = testStore()
    store.watchers.watchKey('garden.notes', 'a', () => {
      store.transact(() => store.table(notes).put('b', { text: 'answer' }))
    })
    store.transact(() => store.table(notes).put('a', { text: 'question' }))
    expect(store.table(notes).get('b')).toEqual({ text: 'answer' })
    expect(store.sequence).toBe(2)
  })
})

describe('behaviour/program#store: rows', () => {
  test('rows that are changed in place throw under freezeRows, even deep inside', () => {
    const store = testStore()
    const deep = defineTable<{ list: { n: number }[] }>()({
      service: 'garden',
      name: 'deep',
      secrets: 'none',
      schema: {},
    })
    store.transact(() => store.table(deep).put('a', { list: [{ n: 1 }] }))
    const row = store.table(deep).get('a')
    expect(() => row?.list.push({ n: 2 })).toThrow(TypeError)
    expect(() => Object.assign(row?.list[0] ?? {}, { n: 2 })).toThrow(TypeError)
  })

  test('are not frozen without it', () => {
    const store = new Store()
    store.transact(() => store.table(notes).put('a', { text: 'x' }))
    expect(Object.isFrozen(store.table(notes).get('a'))).toBe(false)
  })
})

describe('behaviour/program#store: tables', () => {
  test('are opened once', () => {
    const store = testStore()
    expect(store.table(notes)).toBe(store.table(notes))
  })

  test('cannot be defined twice under one name', () => {
    const store = testStore()
    store.table(notes)
    expect(() => store.table({ ...notes })).toThrow('table garden.notes is defined twice')
    store.transact(() => store.table(notes).put('a', { text: 'x' }))
    const other = testStore()
    other.restore(store.snapshot())
    expect(() => other.table({ ...notes })).toThrow('table garden.notes is defined twice')
  })

  test('are listed in the order of ids if they have rows, regardless of who read them', () => {
    const store = testStore()
    store.transact(() => {
      store.table(notes).put('a', { text: 'x' })
      store.table(fish).put('b', { name: 'x' })
    })
    const other = testStore()
    other.table(plants)
    other.restore(store.snapshot())
    other.transact(() => {
      other.table(fish).delete('b')
      other.table(bookkeeping).put('c', { n: 1 })
      expect([...other.tables.keys()]).toEqual(['garden.notes', 'kernel.bookkeeping'])
    })
    expect(other.tables.get('garden.notes')).toBe(other.table(notes))
    expect([...store.tables.keys()]).toEqual(['garden.notes', 'pond.fish'])
  })
})

describe('behaviour/program#store: snapshots', () => {
  test('cannot be taken of uncommitted rows, nor restored inside a transaction', () => {
    const store = testStore()
    const snapshot = store.snapshot()
    const unfinished = () =>
      store.transact(() => {
        store.table(notes).put('a', { text: 'x' })
        store.snapshot()
      })
    expect(unfinished).toThrow('no snapshot of what is not committed')
    expect(() => store.transact(() => store.restore(snapshot))).toThrow(
      'no restore inside a transaction',
    )
  })

  test('are the same object until the next write, and share the content of unchanged tables', () => {
    const store = testStore()
    store.transact(() => {
      store.table(notes).put('a', { text: 'x' })
      store.table(fish).put('b', { name: 'x' })
    })
    const before = store.snapshot()
    expect(store.snapshot()).toBe(before)
    const other = testStore()
    other.restore(before)
    expect(other.table(notes).get('a')).toEqual({ text: 'x' })
    expect(other.snapshot()).toBe(before)
    other.transact(() => other.table(notes).put('a', { text: 'y' }))
    const after = other.snapshot()
    expect(after.tables.get('pond.fish')).toBe(before.tables.get('pond.fish'))
    expect(after.tables.get('garden.notes')?.tree.get('a')).toEqual({ text: 'y' })
    expect(before.tables.get('garden.notes')?.tree.get('a')).toEqual({ text: 'x' })
    expect(store.table(notes).get('a')).toEqual({ text: 'x' })
    other.setIndex('garden', 7)
    const indexes = [before, after, other.snapshot()].map((one) => one.indexes.get('garden'))
    expect(indexes).toEqual([1, 2, 7])
  })

  test('open the tables they hold in a store that has not seen them, and empty the others', () => {
    const source = testStore()
    source.transact(() => source.table(notes).put('a', { text: 'x' }))
    const other = testStore()
    other.transact(() => other.table(fish).put('a', { name: 'x' }))
    other.restore(source.snapshot())
    expect([...other.table(notes).entries()]).toEqual([['a', { text: 'x' }]])
    expect(other.table(fish).size).toBe(0)
    expect([other.index('garden'), other.index('pond'), other.sequence]).toEqual([1, 0, 1])
  })
})
