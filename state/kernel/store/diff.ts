import { isDeepStrictEqual } from 'node:util'
import differences from 'sorted-btree/extended/diffAgainst.js'
import type { StoreSnapshot } from './open-table.ts'
import { kernelService, type Row } from './table.ts'
import type { Tree } from './tree.ts'

/** A row that differs between two snapshots. */
export interface RowDifference {
  /** Id of the table: `service.table`. */
  readonly table: string
  readonly key: string
  /** The old row; missing if the row was added. */
  readonly before?: Row
  /** The new row; missing if the row was deleted. */
  readonly after?: Row
}

/**
 * Returns the rows that differ between two snapshots, sorted by table and key. Tables of the kernel
 * (pending jobs, options, timings, faults) are left out, as in the `changes` of a commit. The cost
 * is proportional to the changes, not to the content, if one snapshot derives from the other or
 * both derive from a common snapshot.
 */
export function diffSnapshots(from: StoreSnapshot, to: StoreSnapshot): RowDifference[] {
  const tables = new Map([...from.tables, ...to.tables])
  const changes: RowDifference[] = []
  for (const [table, { definition }] of [...tables].sort(([a], [b]) => (a < b ? -1 : 1))) {
    if (definition.service === kernelService) continue
    const rows = diffTrees(from.tables.get(table)?.tree, to.tables.get(table)?.tree)
    for (const change of rows) changes.push({ table, ...change })
  }
  return changes
}

type KeyDifference = Omit<RowDifference, 'table'>

function diffTrees(from: Tree<Row> | undefined, to: Tree<Row> | undefined): KeyDifference[] {
  const changes: KeyDifference[] = []
  const addRemoval = (key: string, before: Row) => void changes.push({ key, before })
  const addInsertion = (key: string, after: Row) => void changes.push({ key, after })
  const addReplacement = (key: string, before: Row, after: Row) => {
    // A row that was rewritten with the same content is a different object, but has not changed.
    if (!isDeepStrictEqual(before, after)) changes.push({ key, before, after })
  }
  if (from === to) return changes
  if (from === undefined) to?.forEachPair((key, after) => addInsertion(key, after))
  else if (to === undefined) from.forEachPair((key, before) => addRemoval(key, before))
  else differences.default(from, to, addRemoval, addInsertion, addReplacement)
  return changes.sort((a, b) => (a.key < b.key ? -1 : 1))
}
