import { type PlacedRow, type StateItem, type StateRow, versionOf } from './items.ts'

/** A version of a secret, whether or not its data is still there. */
export interface SecretVersion {
  readonly number: number
  /** What became of it; empty where it can be read. */
  readonly state: 'destroyed' | 'deleted' | ''
  /** Its data; undefined where that is gone. */
  readonly dataRow: PlacedRow | undefined
}

/** The versions of a secret with their marks, newest first. */
export function secretVersions({ row, versions }: StateItem): readonly SecretVersion[] {
  const dataRow = new Map(versions.map((version) => [versionOf(version), version]))
  const first = Math.max(1, Number(row['oldest_version']) || 1)
  const versionRows: readonly StateRow[] = Array.isArray(row['versions']) ? row['versions'] : []
  return versionRows
    .map(({ destroyed, deletion_time: deleted }, at): SecretVersion => {
      const number = first + at
      const state = destroyed === true ? 'destroyed' : deleted ? 'deleted' : ''
      return { number, state, dataRow: dataRow.get(number) }
    })
    .toReversed()
}
