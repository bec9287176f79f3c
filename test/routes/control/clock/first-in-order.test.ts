import { expect, test } from 'vitest'
import { firstInOrder } from '../../../../routes/control/clock/first-in-order.ts'

const byInstant = (a: { readonly at: number }, b: { readonly at: number }) => a.at - b.at

test('behaviour/program#clock: the first of many items are those that sorting all of them gives', () => {
  const items = Array.from({ length: 5000 }, (_, id) => ({ at: (id * 7919) % 1009, id }))
  const lists = [items.slice(0, 1000), items.slice(1000, 1001), items.slice(1001)].map((list) => ({
    total: list.length,
    inOrder: list.toSorted(byInstant),
  }))
  const sorted = items.toSorted(byInstant)
  for (const limit of [0, 1, 10, 100, 10_000]) {
    const first = { inOrder: sorted.slice(0, limit), total: 5000 }
    expect(firstInOrder(lists, limit)).toEqual(first)
  }
})

test('behaviour/program#clock: no more items of a list are returned than requested', () => {
  let found = 0
  function* inOrder() {
    for (let at = 0; ; at += 1) {
      found += 1
      yield { at }
    }
  }
  const total = 100_000
  const lists = [{ total, inOrder: inOrder() }]
  expect(firstInOrder(lists, 2)).toEqual({ total, inOrder: [{ at: 0 }, { at: 1 }] })
  expect(found).toBe(2)
})
