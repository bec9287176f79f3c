import { useState } from 'preact/hooks'
import { RowChange } from '../../parts/row-change.tsx'
import type { PlacedRow, StateItem } from '../../pure/items.ts'
import { secretVersions } from '../../pure/secret-versions.ts'

/**
 * Renders the versions of a secret with their marks, and the difference between a version and the
 * nearest earlier version whose data still exists.
 */
export function SecretVersions({ item }: { readonly item: StateItem }) {
  const versions = secretVersions(item)
  const [selectedNumber, setSelectedNumber] = useState<number>()
  const at = Math.max(
    0,
    versions.findIndex(({ number }) => number === selectedNumber),
  )
  const selected = versions[at]
  const previous = versions.slice(at + 1).find(({ dataRow }) => dataRow !== undefined)
  if (selected === undefined) return null
  const { number, dataRow } = selected
  return (
    <section aria-label="Versions">
      <h3>Versions</h3>
      <div class="bar">
        {versions.slice(0, 50).map((each) => (
          <button
            key={each.number}
            type="button"
            aria-pressed={each === selected}
            onClick={() => setSelectedNumber(each.number)}
          >
            {each.number} {each.state !== '' && <span class="tag bad">{each.state}</span>}
          </button>
        ))}
      </div>
      {dataRow === undefined ? (
        <p class="muted">The data of version {number} is gone.</p>
      ) : (
        <RowChange
          key={dataRow.key}
          change={{
            table: 'secrets.kv2-data',
            key: previous ? `version ${previous.number} to ${number}` : `version ${number}`,
            ...(previous?.dataRow === undefined ? {} : { before: decodedData(previous.dataRow) }),
            after: decodedData(dataRow),
          }}
        />
      )}
    </section>
  )
}

/**
 * Returns the data of a version, which is stored as JSON text; the whole row if the text is not
 * JSON.
 */
function decodedData({ row }: PlacedRow): unknown {
  const { data } = row
  if (typeof data !== 'string') return row
  try {
    return { data: JSON.parse(data) }
  } catch {
    return row
  }
}
