import { expect, test } from 'vitest'
import { firstInOrder } from '../../../../routes/control/clock/first-in-order.ts'

test('behaviour/program#clock: the first of many items are those that sorting all of them gives', () => {
  const items = Array.from({ length: 5000 }, (_, id) => ({ at: (id * 7919) % 1009, id }))
  const sorted = items.toSorted((a, b) => a.at - b.at)
  for (const limit of [0, 1, 10, 100, 10_000]) {
    expect(firstInOrder(items, limit)).toEqual({ first: sorted.slice(0, limit), total: 5000 })
  }
})
