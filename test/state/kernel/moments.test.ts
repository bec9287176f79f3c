import { expect, test } from 'vitest'
import { wayFrom } from '../../../state/kernel/moments.ts'
import { contentAt } from '../../../state/kernel/past.ts'
import { Store } from '../../../state/kernel/store.ts'
import { notes } from '../../support/kernel.ts'

const put = (store: Store, text: string) =>
  store.transact(() => store.table(notes).put('n', { text }))

/** The note that a store holds at a moment. */
function noteAt(store: Store, moment: ReturnType<Store['moment']>): string | undefined {
  const past = new Store()
  past.restore(contentAt(store, moment))
  return past.table(notes).get('n')?.text
}

test('behaviour/program#events: a moment is the same object until something is written', () => {
  const store = new Store()
  put(store, 'a')
  const moment = store.moment()
  expect(store.moment()).toBe(moment)
  expect(store.table(notes).get('n')).toEqual({ text: 'a' })
  expect(store.moment()).toBe(moment)
  put(store, 'b')
  expect(store.moment()).not.toBe(moment)
  expect([noteAt(store, moment), noteAt(store, store.moment())]).toEqual(['a', 'b'])
})

test('behaviour/program#events: what one moment keeps is bounded, however much is written after it', () => {
  const store = new Store()
  put(store, 'first')
  const first = store.moment()
  for (let at = 0; at < 5_000; at += 1) put(store, `${at}`)
  const way = wayFrom(first)
  expect(way.length).toBe(1_002)
  expect([way.at(-1)?.next, way.at(-1)?.content !== undefined]).toEqual([undefined, true])
  expect(noteAt(store, first)).toBe('first')
  // What was found once is kept.
  expect(wayFrom(first).length).toBe(1)
})

test('behaviour/program#events: a moment before a restore is found behind it', () => {
  const store = new Store()
  put(store, 'a')
  const snapshot = store.snapshot()
  put(store, 'b')
  const moment = store.moment()
  put(store, 'c')
  store.restore(snapshot)
  put(store, 'd')
  expect([noteAt(store, moment), noteAt(store, store.moment())]).toEqual(['b', 'd'])
  expect([
    contentAt(store, moment).sequence,
    contentAt(store, moment).indexes.get('garden'),
  ]).toEqual([2, 2])
})
