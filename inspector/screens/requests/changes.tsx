import type { Entry } from '../../../routes/journal/entry.ts'
import { useCall } from '../../context.ts'
import { Note } from '../../parts/controls.tsx'
import { type ChangedRow, RowChange } from '../../parts/row-change.tsx'

/** Renders the rows that a request wrote, before and after. */
export function Changes({ entry }: { readonly entry: Entry }) {
  const path = entry.committed ? `/requests/${entry.id}/changes` : undefined
  const { data, problem } = useCall<{ changes: readonly ChangedRow[] }>(path)
  if (path === undefined) return <Note>This request changed nothing.</Note>
  if (problem !== undefined) return <Note isError>{problem}</Note>
  if (data === undefined) return <Note>Loading…</Note>
  return (
    <ul class="plain">
      {data.changes.map((change) => (
        <li key={`${change.table}/${change.key}`}>
          <RowChange change={change} />
        </li>
      ))}
    </ul>
  )
}
