import { useCall, usePage } from '../../context.ts'
import { Copy, Note } from '../../parts/controls.tsx'

/** What was used, what was refused, and what is left behind. */
export function Report() {
  const { feed } = usePage()
  const { data, problem } = useCall<string>('/report?format=markdown', [feed.entries.length])
  if (problem !== undefined) return <Note isError>{problem}</Note>
  if (data === undefined) return <Note>Loading…</Note>
  return (
    <>
      <div class="bar">
        <Copy text={data}>Copy as Markdown</Copy>
      </div>
      <pre class="box">{data}</pre>
    </>
  )
}
