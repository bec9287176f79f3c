import { useState } from 'preact/hooks'
import { useAction, usePage } from '../../context.ts'
import { LongText } from '../../parts/json-view.tsx'
import type { Sendable } from '../../pure/curl.ts'
import { fillFingerprints, fingerprintsIn, type SecretValue } from '../../pure/secret.ts'
import { goTo } from '../../route.ts'
import { secretsByFingerprint } from './known-secrets.ts'

/**
 * Renders the request that would succeed in place of a refused one: as a form if the source can
 * send requests, otherwise as text.
 */
export function PassingRequest({ request }: { readonly request: Sendable }) {
  const { source } = usePage()
  return source.can('send') ? (
    <ResendForm request={request} />
  ) : (
    <pre class="box">
      <LongText text={formatRequest(request)} />
    </pre>
  )
}

/** Renders a form in which the user can edit and send the request that would succeed. */
function ResendForm({ request }: { readonly request: Sendable }) {
  const { world } = usePage()
  const runAction = useAction()
  const [draft, setDraft] = useState(() => formatRequest(request))
  const [unknownFingerprints, setUnknownFingerprints] = useState<readonly string[]>([])
  const send = (entered: ReadonlyMap<string, SecretValue>) =>
    runAction(async () => {
      const editedRequest = parseRequest(draft)
      const known = await secretsByFingerprint(world, fingerprintsIn(editedRequest))
      const filled = fillFingerprints(editedRequest, new Map([...known, ...entered]))
      const missing = [...fingerprintsIn(filled)]
      setUnknownFingerprints(missing)
      if (missing.length > 0) return
      const { status, id } = await world.actions.send(filled)
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
        onInput={({ currentTarget }) => {
          setDraft(currentTarget.value)
          setUnknownFingerprints([])
        }}
      />
      {unknownFingerprints.length > 0 ? (
        <SecretsForm
          draft={draft}
          fingerprints={unknownFingerprints}
          onSubmit={send}
          onCancel={() => setUnknownFingerprints([])}
        />
      ) : (
        <div class="bar">
          <button type="button" class="primary" onClick={() => send(new Map())}>
            Send it
          </button>
          {fingerprintCount > 0 && (
            <span class="muted">
              Fingerprints (fp:…) of tokens and values that this world knows are filled in on
              sending; you are asked for any others.
            </span>
          )}
        </div>
      )}
    </>
  )
}

interface SecretsFormProps {
  /** Text of the request, which contains the fingerprints. */
  readonly draft: string
  readonly fingerprints: readonly string[]
  readonly onSubmit: (entered: ReadonlyMap<string, string>) => Promise<void>
  readonly onCancel: () => void
}

/** Renders a form that asks for the secret of each fingerprint. */
function SecretsForm({ draft, fingerprints, onSubmit, onCancel }: SecretsFormProps) {
  return (
    <form
      class="schema-form"
      aria-label="Unknown secrets"
      autocomplete="off"
      onSubmit={(event) => {
        event.preventDefault()
        const inputs = new FormData(event.currentTarget)
        void onSubmit(new Map(fingerprints.map((each) => [each, String(inputs.get(each))])))
      }}
      onKeyDown={({ key }) => {
        if (key === 'Escape') onCancel()
      }}
    >
      <p class="muted">This world does not know these secrets. They are only sent, not kept.</p>
      {fingerprints.map((each, position) => (
        <label key={each} class="schema-field">
          <span>{secretLabel(draft, each)}</span>
          <input
            type="password"
            name={each}
            required
            autocomplete="off"
            ref={(input) => {
              if (position === 0 && input?.form?.contains(document.activeElement) === false) {
                input.focus()
              }
            }}
          />
        </label>
      ))}
      <div class="bar">
        <button type="submit" class="primary">
          Send it with these
        </button>
        <button type="button" onClick={onCancel}>
          Cancel
        </button>
      </div>
    </form>
  )
}

/**
 * Returns a label for a fingerprint: the name of the header or member that contains it, if there is
 * one, followed by the fingerprint.
 */
function secretLabel(draft: string, fingerprint: string): string {
  const line = draft.split('\n').find((each) => each.includes(fingerprint)) ?? ''
  const [, name] = /^\s*"?([\w.-]+)"?: /.exec(line) ?? []
  return name === undefined ? fingerprint : `${name} (${fingerprint})`
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
