import { expect, test } from 'vitest'
import { checkpointsFrom } from '../../../../state/kernel/store/checkpoints.ts'
import { snapshotAt } from '../../../../state/kernel/store/history.ts'
import { Store } from '../../../../state/kernel/store/store.ts'
import { notes } from '../../../support/kernel.ts'

const put = (store: Store, text: string) =>
  store.transact(() => store.table(notes).put('n', { text }))

/** Returns the text of the note at a checkpoint of a store. */
function noteAt(store: Store, moment: ReturnType<Store['checkpoint']>): string | undefined {
  const past = new Store()
  past.restore(snapshotAt(store, moment))
  return past.table(notes).get('n')?.text
}

test('behaviour/program#events: a checkpoint is the same object until the next write', () => {
  const store = new Store()
  put(store, 'a')
  const moment = store.checkpoint()
  expect(store.checkpoint()).toBe(moment)
  expect(store.table(notes).get('n')).toEqual({ text: 'a' })
  expect(store.checkpoint()).toBe(moment)
  put(store, 'b')
  expect(store.checkpoint()).not.toBe(moment)
  expect([noteAt(store, moment), noteAt(store, store.checkpoint())]).toEqual(['a', 'b'])
})

test('behaviour/program#events: a checkpoint keeps a bounded number of rows, however much is written after it', () => {
  const store = new Store()
  put(store, 'first')
  const first = store.checkpoint()
  for (let at = 0; at < 5_000; at += 1) put(store, `${at}`)
  const way = checkpointsFrom(first)
  expect(way.length).toBe(1_002)
  expect([way.at(-1)?.next, way.at(-1)?.content !== undefined]).toEqual([undefined, true])
  expect(noteAt(store, first)).toBe('first')
  // The second search is short, because the first one cached its result.
  expect(checkpointsFrom(first).length).toBe(1)
})

test('behaviour/program#events: a checkpoint from before a restore is still found after it', () => {
  const store = new Store()
  put(store, 'a')
  const snapshot = store.snapshot()
  put(store, 'b')
  const moment = store.checkpoint()
  put(store, 'c')
  store.restore(snapshot)
  put(store, 'd')
  expect([noteAt(store, moment), noteAt(store, store.checkpoint())]).toEqual(['b', 'd'])
  expect([
    snapshotAt(store, moment).sequence,
    snapshotAt(store, moment).indexes.get('garden'),
  ]).toEqual([2, 2])
})
