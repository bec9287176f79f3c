import sortedBtree from 'sorted-btree'
import { trimEndOf } from '../trimming.ts'

/** A sorted map with copy-on-write clones. Keys sort by UTF-16 code unit. */
export type Tree<V> = InstanceType<typeof sortedBtree.default<string, V>>

function compareKeys(a: string, b: string): number {
  return a < b ? -1 : a === b ? 0 : 1
}

/**
 * An empty tree that all empty tables and indexes share; a fresh world has about a hundred of them.
 */
const sharedEmptyTree = new sortedBtree.default<string, never>(undefined, compareKeys)
sharedEmptyTree.freeze()

/** Returns a tree without entries, for reading. `writableCopy` returns one that can be changed. */
export function emptyTree<V>(): Tree<V> {
  return sharedEmptyTree
}

/**
 * Returns a copy for writing, which shares unchanged parts with the original. Writes to the copy do
 * not affect the original.
 */
export function writableCopy<V>(tree: Tree<V>): Tree<V> {
  return tree.size === 0 ? new sortedBtree.default<string, V>(undefined, compareKeys) : tree.clone()
}

/**
 * Returns the smallest key that sorts after all keys with the prefix `prefix`; undefined if every
 * key that sorts after `prefix` has the prefix.
 */
function prefixEnd(prefix: string): string | undefined {
  const kept = trimEndOf(prefix, '\uffff')
  if (kept === '') return undefined
  const last = kept.length - 1
  return kept.slice(0, last) + String.fromCharCode(kept.charCodeAt(last) + 1)
}

/** Returns the first entry whose key starts with `prefix`; undefined if there is no such key. */
export function firstWithPrefix<V>(tree: Tree<V>, prefix: string): [string, V] | undefined {
  const entry = tree.getPairOrNextHigher(prefix)
  return entry?.[0].startsWith(prefix) ? entry : undefined
}

/** Returns the last entry whose key starts with `prefix`; undefined if there is no such key. */
export function lastWithPrefix<V>(tree: Tree<V>, prefix: string): [string, V] | undefined {
  const entry = tree.nextLowerPair(prefixEnd(prefix))
  return entry?.[0].startsWith(prefix) ? entry : undefined
}

/** Yields the entries whose key starts with `prefix`, in key order, beginning at the key `from`. */
export function* entriesWithPrefix<V>(
  tree: Tree<V>,
  prefix: string,
  from: string,
): Generator<[string, V], void, undefined> {
  for (const entry of tree.entries(from < prefix ? prefix : from)) {
    if (!entry[0].startsWith(prefix)) return
    yield entry
  }
}

/**
 * Yields the entries whose key starts with `prefix` in reverse order, beginning at the key `from`
 * (default: the last).
 */
export function* reversedWithPrefix<V>(
  tree: Tree<V>,
  prefix: string,
  from?: string,
): Generator<[string, V], void, undefined> {
  const end = prefixEnd(prefix)
  const start = from === undefined || (end !== undefined && from >= end) ? end : from
  for (const entry of tree.entriesReversed(start, undefined, start === end)) {
    if (!entry[0].startsWith(prefix)) return
    yield entry
  }
}

/** Returns the number of keys from `from` on. Takes one step per leaf of the tree in that range. */
export function countFrom<V>(tree: Tree<V>, from: string): number {
  const last = tree.maxKey()
  return last === undefined || last < from ? 0 : tree.forRange(from, last, true)
}

export function* valuesOf<V>(
  entries: Generator<[string, V], void, undefined>,
): Generator<V, void, undefined> {
  for (const [, value] of entries) yield value
}

/** Returns the names directly below `prefix`; see `Table.children`. */
export function childNames<V>(tree: Tree<V>, prefix: string): string[] {
  const names: string[] = []
  let next = tree.entries(prefix)
  for (;;) {
    const { value: entry, done } = next.next()
    if (done || !entry[0].startsWith(prefix)) return names
    const slash = entry[0].indexOf('/', prefix.length)
    if (slash < 0) {
      names.push(entry[0].slice(prefix.length))
      continue
    }
    names.push(entry[0].slice(prefix.length, slash + 1))
    // '0' is the character after '/', so this is the first key that can follow the folder.
    next = tree.entries(entry[0].slice(0, slash) + '0')
  }
}
