import type { Entry } from '../../../routes/journal/entry.ts'
import { useRead } from '../../context.ts'
import { Note } from '../../parts/controls.tsx'
import { RowChange } from '../../parts/row-change.tsx'

/** Renders the rows that a request wrote, before and after, or a note if the request wrote none. */
export function Changes({ entry }: { readonly entry: Entry }) {
  const name = entry.committed ? `changes ${entry.id}` : undefined
  const { data, problem } = useRead(name, (world) => world.changes(entry.id))
  if (name === undefined) return <Note>This request changed nothing.</Note>
  if (problem !== undefined) return <Note isError>{problem}</Note>
  if (data === undefined) return <Note>Loading…</Note>
  return (
    <ul class="plain">
      {data.map((change) => (
        <li key={`${change.table}/${change.key}`}>
          <RowChange change={change} />
        </li>
      ))}
    </ul>
  )
}
