/** Items ordered by their instants. The iterable may compute them lazily. */
export interface OrderedItems<Item> {
  /** Number of all items. */
  readonly total: number
  readonly inOrder: Iterable<Item>
}

/**
 * Merges ordered lists. Returns the first `limit` items in the order of their instants, and the
 * total number of items. Of items with equal instants, those of an earlier list come first. Reads
 * at most `limit` items of each list.
 */
export function firstInOrder<Item extends { readonly at: number }>(
  lists: readonly OrderedItems<Item>[],
  limit: number,
): OrderedItems<Item> {
  const first = lists.flatMap(({ inOrder }) => [...take(inOrder, limit)])
  return {
    total: lists.reduce((sum, { total }) => sum + total, 0),
    inOrder: first.sort((a, b) => a.at - b.at).slice(0, limit),
  }
}

function* take<Item>(items: Iterable<Item>, count: number): Generator<Item> {
  if (count <= 0) return
  let left = count
  for (const item of items) {
    yield item
    left -= 1
    if (left === 0) return
  }
}
