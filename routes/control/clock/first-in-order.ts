/** Number of items above the limit that are collected before the latest ones are dropped. */
const slack = 1000

/**
 * Returns the first items in the order of their instants, and the number of all items. Items of one
 * instant keep their order. Takes time in proportion to the number of items, which are not kept.
 */
export function firstInOrder<Item extends { readonly at: number }>(
  items: Iterable<Item>,
  limit: number,
): { readonly first: readonly Item[]; readonly total: number } {
  let first: Item[] = []
  let bound = Number.POSITIVE_INFINITY
  let total = 0
  const trim = () => {
    first = first.sort((a, b) => a.at - b.at).slice(0, limit)
    if (first.length === limit) bound = first.at(-1)?.at ?? Number.NEGATIVE_INFINITY
  }
  for (const item of items) {
    total += 1
    if (item.at >= bound) continue
    first.push(item)
    if (first.length >= limit * 2 + slack) trim()
  }
  trim()
  return { first, total }
}
