import { describe, expect, test } from 'vitest'
import type { Store } from '../../../../state/kernel/store/store.ts'
import { defineTable } from '../../../../state/kernel/store/table.ts'
import { testStore } from '../../../support/kernel.ts'

interface Leaf {
  readonly tree: string
}

const leaves = defineTable<Leaf>()({
  service: 'garden',
  name: 'leaves',
  secrets: 'none',
  schema: { type: 'object' },
  indexes: { byTree: ({ tree }, key) => `${tree}/${key}` },
})

const opened = (store: Store) => store.table(leaves)

function put(store: Store, key: string, tree = 'oak'): void {
  store.transact(() => opened(store).put(key, { tree }))
}

/**
 * Watches the data that a read observes. `woken` returns the number of wake-ups since its last
 * call.
 */
function watching(store: Store, read: (store: Store) => unknown) {
  const { observation } = store.observe(() => read(store))
  let woken = 0
  const unwatch = observation.watch(() => {
    woken += 1
  })
  return {
    unwatch,
    woken: () => {
      const count = woken
      woken = 0
      return count
    },
  }
}

type Look = (store: Store) => unknown

describe('behaviour/program#store: an observed read', () => {
  test.for<[string, Look, readonly string[], readonly string[]]>([
    ['get', (s) => opened(s).get('a/1'), ['a/1'], ['a/2', 'a']],
    ['get of what is not there', (s) => opened(s).get('z'), ['z'], ['a/1']],
    ['has', (s) => opened(s).has('a/1'), ['a/1'], ['a/2']],
    ['entries', (s) => [...opened(s).entries('a/')], ['a/1', 'a/9'], ['b', 'a']],
    ['rows of all', (s) => [...opened(s).rows()], ['a/1', 'z'], []],
    ['a part of a range', (s) => opened(s).entries('a/').next(), ['a/2'], ['b']],
    ['the first', (s) => opened(s).first('a/'), ['a/0'], ['b']],
    ['the last', (s) => opened(s).last('a/'), ['a/9'], ['b']],
    ['reversed', (s) => [...opened(s).entriesReversed('a/')], ['a/1'], ['b']],
    ['children', (s) => opened(s).children('a/'), ['a/x/y'], ['b']],
    ['size', (s) => opened(s).size, ['q'], []],
    ['floor', (s) => opened(s).floor('a/1'), ['a/1', 'A'], []],
    ['ceiling', (s) => opened(s).ceiling('a/1'), ['a/1', 'z'], []],
    ['index get', (s) => opened(s).index('byTree').get('oak/a/1'), ['a/1'], ['a/2']],
    ['index key', (s) => opened(s).index('byTree').keyOf('oak/a/1'), ['a/1'], ['a/2']],
    ['index has', (s) => opened(s).index('byTree').has('oak/n'), ['n'], ['a/2']],
    ['index rows', (s) => [...opened(s).index('byTree').rows('oak/a')], ['a/1', 'a/n'], ['n']],
    ['index reversed', (s) => [...opened(s).index('byTree').reversed('oak/a')], ['a/1'], ['n']],
    ['index children', (s) => opened(s).index('byTree').children('oak/'), ['a/1', 'n'], []],
    ['nothing', () => undefined, [], ['a/1', 'z']],
    ['what it need not wait for', (s) => s.readUnobserved(() => opened(s).get('a/1')), [], ['a/1']],
    ['a peek', (s) => opened(s).peek('a/1'), [], ['a/1']],
  ])('watches what it read: %s', ([, read, waking, others]) => {
    const store = testStore()
    for (const key of ['a/1', 'a/2', 'b']) put(store, key)
    const reader = watching(store, read)
    for (const key of waking) {
      put(store, key)
      expect([key, reader.woken()]).toEqual([key, 1])
    }
    for (const key of others) {
      put(store, key)
      expect([key, reader.woken()]).toEqual([key, 0])
    }
    store.restore(store.snapshot())
    expect(reader.woken()).toBe(1)
    reader.unwatch()
    for (const key of waking) put(store, key, 'elm')
    expect(reader.woken()).toBe(0)
  })

  test('wakes once per commit, however many writes of the commit match', () => {
    const store = testStore()
    const reader = watching(store, () => [opened(store).get('a'), [...opened(store).rows('b')]])
    store.transact(() => {
      for (const key of ['a', 'b', 'b/1']) opened(store).put(key, { tree: 'oak' })
    })
    expect(reader.woken()).toBe(1)
  })

  test.each([
    [64, 1],
    [65, 2],
  ])('of %d keys watches each key; above 64 it watches the whole table', (count, woken) => {
    const store = testStore()
    const reader = watching(store, () => {
      for (let n = 0; n < count; n++) opened(store).get(`k${n}`)
    })
    put(store, 'k63')
    put(store, 'none of them')
    expect(reader.woken()).toBe(woken)
  })

  test('returns the result of the read, records nothing afterwards, and rethrows errors', () => {
    const store = testStore()
    put(store, 'a')
    const { result, observation } = store.observe(() => opened(store).get('a'))
    expect(result).toEqual({ tree: 'oak' })
    opened(store).get('b')
    let woken = 0
    observation.watch(() => {
      woken += 1
    })
    put(store, 'b')
    expect(woken).toBe(0)
    const failing = () =>
      store.observe(() => {
        throw new Error('no')
      })
    expect(failing).toThrow('no')
    expect(store.observe(() => store.observe(() => 1).result).result).toBe(1)
  })
})
