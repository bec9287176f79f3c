import { Note } from '../parts/controls.tsx'
import { LongText } from '../parts/json-view.tsx'
import { formatMilliseconds } from '../pure/text.ts'
import type { RunDescription } from '../source/source.ts'

/**
 * Renders a banner that describes the run, with the requests and control calls that belong to no
 * world.
 */
export function RunBanner({ run }: { readonly run: RunDescription }) {
  const { title, details, failed, warning, unattributed, controlCalls } = run
  return (
    <section class="run" aria-label="Run">
      {warning !== undefined && <Note isError>{warning}</Note>}
      <details open={failed}>
        <summary>
          <span class={failed ? 'tag bad' : 'tag'}>trace</span> <LongText text={title} />
        </summary>
        <ul class="plain">
          {details.map((line) => (
            <li key={line}>
              <LongText text={line} />
            </li>
          ))}
        </ul>
        {unattributed.length > 0 && (
          <>
            <h3>Requests that reached no world</h3>
            <ul class="plain">
              {unattributed.map(({ ms, kind, detail, method, path }, at) => (
                <li key={at}>
                  <span class="tag bad">{kind}</span> {method} {path}{' '}
                  <LongText text={`${detail} (after ${formatMilliseconds(ms)})`} />
                </li>
              ))}
            </ul>
          </>
        )}
        {controlCalls.length > 0 && (
          <details>
            <summary>{controlCalls.length} control calls</summary>
            <ul class="plain">
              {controlCalls.map(({ ms, method, path, status }, at) => (
                <li key={at}>
                  <span class="tag">{status}</span> {method} <LongText text={path} />{' '}
                  <span class="muted">after {formatMilliseconds(ms)}</span>
                </li>
              ))}
            </ul>
          </details>
        )}
      </details>
    </section>
  )
}
