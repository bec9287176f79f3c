import type { ChangedRow } from '../parts/row-change.tsx'

type Rows = Readonly<Record<string, Readonly<Record<string, unknown>>>>

/**
 * Merges the changes of each row into one, with the content of the row before its first change and
 * after its last change.
 */
export function mergeChanges(changes: readonly ChangedRow[]): readonly ChangedRow[] {
  const merged = new Map<string, ChangedRow>()
  for (const change of changes) {
    const { table, key, after } = change
    const name = `${table}/${key}`
    const known = merged.get(name) ?? change
    merged.set(name, changeOf(table, key, known.before, after))
  }
  return [...merged.values()]
}

/** Returns the rows that differ between two states, sorted by table and key. */
export function changesBetween(before: Rows, after: Rows): readonly ChangedRow[] {
  const tables = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort()
  return tables.flatMap((table) => {
    const [old = {}, present = {}] = [before[table], after[table]]
    const keys = [...new Set([...Object.keys(old), ...Object.keys(present)])].sort()
    return keys
      .filter((key) => JSON.stringify(old[key]) !== JSON.stringify(present[key]))
      .map((key) => changeOf(table, key, old[key], present[key]))
  })
}

function changeOf(table: string, key: string, before: unknown, after: unknown): ChangedRow {
  return {
    table,
    key,
    ...(before === undefined ? {} : { before }),
    ...(after === undefined ? {} : { after }),
  }
}
