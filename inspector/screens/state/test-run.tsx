import { usePage, useRead } from '../../context.ts'
import { Copy, Note } from '../../parts/controls.tsx'
import { LongText } from '../../parts/json-view.tsx'
import type { StateRow } from '../../pure/items.ts'
import { logLines } from '../../pure/log-lines.ts'

/** Renders the result of a test run and its log. */
export function TestRun({ row }: { readonly row: StateRow }) {
  const { feed } = usePage()
  const { id, status, results } = row
  const runId = String(id)
  const {
    data: log,
    problem,
    reload,
  } = useRead(`log of ${runId}`, (world) => world.testRunLog(runId), [feed.changes])
  const counts = Object.entries(typeof results === 'object' && results !== null ? results : {})
  return (
    <>
      <section aria-label="Outcome">
        <h3>Outcome</h3>
        <div class="bar">
          <span class="tag">{String(status)}</span>
          {counts.map(([name, count]) => (
            <span key={name} class={`tag ${resultTone(name, Number(count))}`}>
              {String(count)} {name}
            </span>
          ))}
        </div>
      </section>
      <section aria-label="Log">
        <h3>Log</h3>
        {problem !== undefined && <Note isError>{problem}</Note>}
        {log === undefined ? (
          problem === undefined && <p class="muted">No log yet.</p>
        ) : (
          <>
            <div class="bar">
              <Copy text={log}>Copy log</Copy>
              <button type="button" onClick={reload}>
                Reload
              </button>
            </div>
            <ol class="log">
              {logLines(log).map(({ time, level, message }, at) => (
                <li key={at} class={`is-${level}`}>
                  <span class="clock">{time}</span> <LongText text={message} />
                </li>
              ))}
            </ol>
          </>
        )}
      </section>
    </>
  )
}

function resultTone(name: string, count: number): string {
  if (count === 0) return ''
  if (name === 'passed') return 'good'
  return name === 'skipped' ? 'odd' : 'bad'
}
