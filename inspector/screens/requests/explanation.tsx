import type { Entry } from '../../../routes/journal/entry.ts'
import { useRead } from '../../context.ts'
import { Note } from '../../parts/controls.tsx'
import { LongText } from '../../parts/json-view.tsx'
import { PassingRequest } from './passing-request.tsx'
import { Policies } from './policies.tsx'

/**
 * Renders the explanation of a reply, with what the caller should do so that the request succeeds.
 */
export function Explanation({ entry }: { readonly entry: Entry }) {
  const { data, problem } = useRead(`explanation ${entry.id}`, (world) =>
    world.explanation(entry.id),
  )
  if (problem !== undefined) return <Note isError>{problem}</Note>
  if (data === undefined) return <Note>Loading…</Note>
  if (data === null) return <Note>The request was served.</Note>
  const { because, steps, nearest, wouldPass, spec, decision, rule } = data
  return (
    <>
      <p class={entry.outcome === 'served' ? 'because good' : 'because bad'}>
        <LongText text={because} />
      </p>
      {wouldPass !== null && (
        <section class="would-pass" aria-label="What would pass">
          <h3>What would pass</h3>
          <p>
            <LongText text={wouldPass.change} />
          </p>
          {wouldPass.request !== undefined && (
            <PassingRequest request={{ headers: {}, ...wouldPass.request }} />
          )}
        </section>
      )}
      <Policies entry={entry} />
      {nearest.length > 0 && (
        <section aria-label="Nearest operations">
          <h3>Did you mean</h3>
          <ul class="plain">
            {nearest.map(({ operation, method, path, differences }) => (
              <li key={operation}>
                <code>
                  {method} {path}
                </code>{' '}
                <span class="muted">{operation}</span>
                <ul>
                  {differences.map((difference) => (
                    <li key={difference}>{difference}</li>
                  ))}
                </ul>
              </li>
            ))}
          </ul>
        </section>
      )}
      <section aria-label="Checks">
        <h3>Checks in order</h3>
        <ol class="steps">
          {steps.map(({ check, passed, detail }) => (
            <li key={check} class={passed ? 'passed' : 'failed'}>
              <span class="step-mark" role="img" aria-label={passed ? 'passed' : 'failed'}>
                {passed ? '✓' : '✗'}
              </span>
              <span>
                {check}
                {detail !== undefined && detail !== because && (
                  <span class="muted">
                    {' '}
                    <LongText text={detail} />
                  </span>
                )}
              </span>
            </li>
          ))}
        </ol>
      </section>
      <p class="muted small">
        {rule !== null && `Rule ${rule} · `}
        {spec}
        {decision !== null && ` · choice ${decision}`}
      </p>
    </>
  )
}
