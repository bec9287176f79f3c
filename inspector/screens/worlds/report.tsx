import { usePage, useRead } from '../../context.ts'
import { Copy, Note } from '../../parts/controls.tsx'

/** Renders the report of the world: used operations, refusals and leftovers. */
export function Report() {
  const { feed } = usePage()
  const { data, problem } = useRead('report', (world) => world.report(), [feed.entries.length])
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
