import { useState } from 'preact/hooks'
import type { Entry } from '../../../routes/journal/entry.ts'
import { useAction, usePage, useRead } from '../../context.ts'
import { Note } from '../../parts/controls.tsx'
import { LongText } from '../../parts/json-view.tsx'
import type { Sendable } from '../../pure/curl.ts'
import { fingerprintsIn, replaceFingerprints } from '../../pure/secret.ts'
import { goTo } from '../../route.ts'
import { plainValues } from './known-secrets.ts'
import { Policies } from './policies.tsx'

/** Renders the explanation of a reply, with the changes that would let the request pass. */
export function Why({ entry }: { readonly entry: Entry }) {
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

/** Renders the request that would pass: as a form if it can be sent, else as text. */
function PassingRequest({ request }: { readonly request: Sendable }) {
  const { source } = usePage()
  return source.can('send') ? (
    <ResendForm request={request} />
  ) : (
    <pre class="box">
      <LongText text={formatRequest(request)} />
    </pre>
  )
}

/** Renders the request that would pass as a form that can be edited and sent. */
function ResendForm({ request }: { readonly request: Sendable }) {
  const { world } = usePage()
  const runAction = useAction()
  const [draft, setDraft] = useState(() => formatRequest(request))
  const send = () =>
    runAction(async () => {
      const edited = parseRequest(draft)
      const secrets = await plainValues(world, fingerprintsIn(edited))
      const { status, id } = await world.actions.send(replaceFingerprints(edited, secrets))
      if (id !== undefined) goTo('requests', id, { tab: '' })
      return `Answered ${status}${id === undefined ? '' : `, see ${id}`}`
    })
  const fingerprintCount = fingerprintsIn(draft).size
  return (
    <>
      <textarea
        aria-label="Request that would pass"
        rows={Math.min(14, draft.split('\n').length + 1)}
        spellcheck={false}
        value={draft}
        onInput={({ currentTarget }) => setDraft(currentTarget.value)}
      />
      <div class="bar">
        <button type="button" class="primary" onClick={send}>
          Send it
        </button>
        {fingerprintCount > 0 && (
          <span class="muted">
            Fingerprints (fp:…) of tokens and values that this world knows are filled in on sending.
            Replace any others yourself.
          </span>
        )}
      </div>
    </>
  )
}

function formatRequest({ method, path, headers, body }: Sendable): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  const text = typeof body === 'string' ? body : JSON.stringify(body, null, 2)
  return [`${method} ${path}`, ...lines, ...(text === undefined ? [] : ['', text])].join('\n')
}

function parseRequest(draft: string): Sendable {
  const [head = '', ...rest] = draft.split('\n\n')
  const [line = '', ...headerLines] = head.split('\n')
  const [method = 'GET', ...path] = line.trim().split(' ')
  const headers = Object.fromEntries(
    headerLines.flatMap((each) => {
      const colon = each.indexOf(':')
      return colon < 1 ? [] : [[each.slice(0, colon).trim(), each.slice(colon + 1).trim()]]
    }),
  )
  const body = rest.join('\n\n')
  return {
    method,
    path: path.join(' '),
    headers,
    ...(body === '' ? {} : { body: compactJson(body) }),
  }
}

/** Removes white space from JSON; returns other text unchanged. */
function compactJson(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body))
  } catch {
    return body
  }
}
