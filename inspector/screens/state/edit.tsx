import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { useAction, usePage, useRead } from '../../context.ts'
import { Form } from '../../parts/controls.tsx'
import { mountOf, type ServiceState, type StateItem } from '../../pure/items.ts'

interface EditProps {
  readonly service: string
  readonly item: StateItem
  readonly state: ServiceState
  /** Buttons for actions on the item other than editing. */
  readonly children: ComponentChildren
}

/** Request that writes an item through its API. */
interface WriteRequest {
  readonly title: string
  readonly method: string
  readonly path: string
  /** Present text of the item. */
  readonly text: string
  /** Returns the body for an edited text. Throws if the API takes JSON and the text is not JSON. */
  readonly body: (text: string) => unknown
}

/**
 * Renders an editor for an item that its API can write, and `children`. For other items, only
 * `children` are rendered. The write uses the API's token from the world's variables.
 */
export function Edit({ service, item, state, children }: EditProps) {
  const { world } = usePage()
  const runAction = useAction()
  const [draft, setDraft] = useState<string>()
  const writeRequest = writeRequestFor(service, item, state)
  const { data: env } = useRead('variables', (each) => each.variables())
  if (writeRequest === undefined) return <div class="bar">{children}</div>
  const token = env?.[`UNDERSTUDY_${service.toUpperCase()}_TOKEN`] ?? ''
  const save = () =>
    runAction(async () => {
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
      const body = writeRequest.body(draft ?? writeRequest.text)
      const reply = await world.actions.send({
        method: writeRequest.method,
        path: writeRequest.path,
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
        <button type="button" onClick={() => setDraft(writeRequest.text)}>
          {writeRequest.title}
        </button>
        {children}
      </div>
    )
  }
  return (
    <Form class="would-pass" onSubmit={save}>
      <textarea
        aria-label={writeRequest.title}
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
          Sends {writeRequest.method} {writeRequest.path} as root
        </span>
      </div>
    </Form>
  )
}

const encodePath = (path: string) => path.split('/').map(encodeURIComponent).join('/')
const formatJson = (value: unknown) => JSON.stringify(value, null, 2)

function writeRequestFor(
  service: string,
  item: StateItem,
  state: ServiceState,
): WriteRequest | undefined {
  const { table, key, row, versions } = item
  const kvPrefix = service === 'secrets' ? /^kv[12]-/.exec(table)?.[0] : undefined
  if (kvPrefix !== undefined) {
    const slash = key.indexOf('/')
    const mount = mountOf(key.slice(0, slash), state.tables)
    if (mount === undefined) return undefined
    const isVersioned = kvPrefix === 'kv2-'
    const storedData = isVersioned ? versions[0]?.row['data'] : row['data']
    return {
      title: isVersioned ? 'Write a new version' : 'Edit the secret',
      method: 'POST',
      path: `/v1/${encodePath(mount)}${isVersioned ? 'data/' : ''}${encodePath(key.slice(slash + 1))}`,
      text: formatJson(JSON.parse(String(storedData ?? '{}'))),
      body: (text) => (isVersioned ? { data: JSON.parse(text) } : JSON.parse(text)),
    }
  }
  if (service === 'secrets' && table === 'policies') {
    const namespace = encodePath(String(row['namespace_path']))
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
      text: formatJson({ Description: row['description'], Meta: row['meta'] }),
      body: (text) => ({ ...JSON.parse(text), Name: key }),
    }
  }
  if (service === 'scheduler' && table === 'jobs') {
    return {
      title: 'Edit the job',
      method: 'POST',
      path: '/v1/jobs',
      text: formatJson(row),
      body: (text) => ({ Job: JSON.parse(text) }),
    }
  }
  return undefined
}
