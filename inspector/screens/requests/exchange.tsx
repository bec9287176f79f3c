import { useState } from 'preact/hooks'
import type { Entry } from '../../../routes/journal/entry.ts'
import { JsonView, LongText } from '../../parts/json-view.tsx'
import { queryText } from '../../pure/curl.ts'

/** Renders request and reply side by side. */
export function Exchange({ entry }: { readonly entry: Entry }) {
  const [isRaw, setRaw] = useState(false)
  return (
    <>
      <div class="bar">
        <label>
          <input
            type="checkbox"
            checked={isRaw}
            onChange={({ currentTarget }) => setRaw(currentTarget.checked)}
          />{' '}
          Raw
        </label>
        <span class="muted">
          Secrets are shown as fingerprints (fp:…); equal values have equal fingerprints.
        </span>
      </div>
      <div class="sides">
        <MessageView
          title="Request"
          line={`${entry.method} ${entry.path}${queryText(entry.query)}`}
          headers={entry.headers}
          body={entry.body}
          isRaw={isRaw}
        />
        <MessageView
          title="Reply"
          line={entry.status === null ? 'No answer was sent' : String(entry.status)}
          headers={entry.responseHeaders}
          body={entry.responseBody}
          isRaw={isRaw}
        />
      </div>
    </>
  )
}

interface MessageViewProps {
  readonly title: string
  readonly line: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: unknown
  readonly isRaw: boolean
}

function MessageView({ title, line, headers, body, isRaw }: MessageViewProps) {
  const headerEntries = Object.entries(headers)
  return (
    <section aria-label={title}>
      <h3>{title}</h3>
      {isRaw ? (
        <pre>
          <LongText text={rawText(line, headerEntries, body)} />
        </pre>
      ) : (
        <>
          <details>
            <summary>{headerEntries.length} headers</summary>
            <dl class="headers">
              {headerEntries.map(([name, value]) => (
                <div key={name}>
                  <dt>{name}</dt>
                  <dd>
                    <LongText text={value} />
                  </dd>
                </div>
              ))}
            </dl>
          </details>
          {body === undefined ? (
            <p class="muted">No body</p>
          ) : typeof body === 'string' ? (
            <pre>
              <LongText text={body} />
            </pre>
          ) : (
            <JsonView value={body} />
          )}
        </>
      )}
    </section>
  )
}

function rawText(line: string, headers: readonly (readonly [string, string])[], body: unknown) {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  return [line, ...headers.map(([name, value]) => `${name}: ${value}`), '', text ?? ''].join('\n')
}
