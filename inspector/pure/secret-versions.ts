import { type PlacedRow, type StateItem, type StateRow, versionOf } from './items.ts'

/** Version of a secret, whether or not its data still exists. */
interface SecretVersion {
  readonly number: number
  /** Mark of the version; empty if the version is neither destroyed nor deleted. */
  readonly state: 'destroyed' | 'deleted' | ''
  /** Row with the data; undefined if the data no longer exists. */
  readonly dataRow: PlacedRow | undefined
}

/** Returns the versions of a secret with their marks, newest first. */
export function secretVersions({ row, versions }: StateItem): readonly SecretVersion[] {
  const dataRows = new Map(versions.map((version) => [versionOf(version), version]))
  const first = Math.max(1, Number(row['oldest_version']) || 1)
  const versionRows: readonly StateRow[] = Array.isArray(row['versions']) ? row['versions'] : []
  return versionRows
    .map(({ destroyed, deletion_time: deleted }, at): SecretVersion => {
      const number = first + at
      const state = destroyed === true ? 'destroyed' : deleted ? 'deleted' : ''
      return { number, state, dataRow: dataRows.get(number) }
    })
    .toReversed()
}
