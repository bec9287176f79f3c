import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { useAction, useCall, usePage } from '../../context.ts'
import { mountOf, type ServiceState, type Thing } from '../../pure/things.ts'

interface EditProps {
  readonly service: string
  readonly thing: Thing
  readonly state: ServiceState
  /** What else can be done with it. */
  readonly children: ComponentChildren
}

/** How something is written by its API. */
interface Writing {
  readonly title: string
  readonly method: string
  readonly path: string
  /** What is there now. */
  readonly text: string
  /** The body that is sent for an edited text. */
  readonly body: (text: string) => unknown
}

/** Edits a thing in place, where its API lets it be written: by that API, as root. */
export function Edit({ service, thing, state, children }: EditProps) {
  const { client, world } = usePage()
  const act = useAction()
  const [draft, setDraft] = useState<string>()
  const writing = writingOf(service, thing, state)
  const { data: env } = useCall<Readonly<Record<string, string>>>('/env?format=json')
  if (writing === undefined) return <div class="bar">{children}</div>
  const token = env?.[`UNDERSTUDY_${service.toUpperCase()}_TOKEN`] ?? ''
  const save = () =>
    act(async () => {
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
      const body = writing.body(draft ?? writing.text)
      const reply = await client.send(world, {
        method: writing.method,
        path: writing.path,
        headers,
        body,
      })
      if (reply.status >= 300) throw new Error(`${reply.status}: ${reply.body}`)
      setDraft(undefined)
      return `Saved by ${reply.id}`
    })
  if (draft === undefined) {
    return (
      <div class="bar">
        <button type="button" onClick={() => setDraft(writing.text)}>
          {writing.title}
        </button>
        {children}
      </div>
    )
  }
  return (
    <form
      class="would-pass"
      onSubmit={(event) => {
        event.preventDefault()
        void save()
      }}
    >
      <textarea
        aria-label={writing.title}
        rows={Math.min(24, Math.max(5, draft.split('\n').length + 1))}
        spellcheck={false}
        value={draft}
        onInput={({ currentTarget }) => setDraft(currentTarget.value)}
      />
      <div class="bar">
        <button type="submit" class="primary">
          Save
        </button>
        <button type="button" onClick={() => setDraft(undefined)}>
          Cancel
        </button>
        <span class="muted">
          Sends {writing.method} {writing.path} as root
        </span>
      </div>
    </form>
  )
}

const encoded = (path: string) => path.split('/').map(encodeURIComponent).join('/')
const pretty = (value: unknown) => JSON.stringify(value, null, 2)

function writingOf(service: string, thing: Thing, state: ServiceState): Writing | undefined {
  const { table, key, row, versions } = thing
  const secret = service === 'secrets' ? /^kv[12]-/.exec(table)?.[0] : undefined
  if (secret !== undefined) {
    const slash = key.indexOf('/')
    const mount = mountOf(key.slice(0, slash), state.tables)
    if (mount === undefined) return undefined
    const isVersioned = secret === 'kv2-'
    const kept = isVersioned ? versions[0]?.row['data'] : row['data']
    return {
      title: isVersioned ? 'Write a new version' : 'Edit the secret',
      method: 'POST',
      path: `/v1/${encoded(mount)}${isVersioned ? 'data/' : ''}${encoded(key.slice(slash + 1))}`,
      text: pretty(JSON.parse(String(kept ?? '{}'))),
      body: (text) => (isVersioned ? { data: JSON.parse(text) } : JSON.parse(text)),
    }
  }
  if (service === 'secrets' && table === 'policies') {
    const namespace = encoded(String(row['namespace_path']))
    return {
      title: 'Edit the policy',
      method: 'PUT',
      path: `/v1/${namespace}sys/policies/acl/${encodeURIComponent(String(row['name']))}`,
      text: String(row['policy']),
      body: (text) => ({ policy: text }),
    }
  }
  if (service === 'mesh' && table === 'namespaces') {
    return {
      title: 'Edit the namespace',
      method: 'PUT',
      path: `/v1/namespace/${encodeURIComponent(key)}`,
      text: pretty({ Description: row['description'], Meta: row['meta'] }),
      body: (text) => ({ ...JSON.parse(text), Name: key }),
    }
  }
  if (service === 'scheduler' && table === 'jobs') {
    return {
      title: 'Edit the job',
      method: 'POST',
      path: '/v1/jobs',
      text: pretty(row),
      body: (text) => ({ Job: JSON.parse(text) }),
    }
  }
  return undefined
}
