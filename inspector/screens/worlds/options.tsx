import { useState } from 'preact/hooks'
import { useAction, useCall, useSurroundings } from '../../context.ts'
import { Note } from '../../parts/controls.tsx'
import { isSecretName } from '../../pure/secret.ts'

type OptionsOf = Readonly<Record<string, Readonly<Record<string, unknown>>>>

/** The world's options, as a form that can be searched. */
export function Options() {
  const { feed } = useSurroundings()
  const [text, setText] = useState('')
  const { data, problem } = useCall<OptionsOf>('/options', [feed.changes])
  if (problem !== undefined) return <Note bad>{problem}</Note>
  if (data === undefined) return <Note>Loading…</Note>
  const all = Object.entries(data).flatMap(([service, options]) =>
    Object.entries(options).map(([name, value]) => ({ service, name, value })),
  )
  const found = all.filter(({ service, name }) =>
    `${service}.${name}`.toLowerCase().includes(text.toLowerCase()),
  )
  return (
    <>
      <input
        type="search"
        aria-label="Find an option"
        placeholder="Find an option"
        value={text}
        onInput={({ currentTarget }) => setText(currentTarget.value)}
      />
      <ul class="options">
        {found.map(({ service, name, value }) => (
          <li key={`${service}.${name}`}>
            <Option service={service} name={name} value={value} />
          </li>
        ))}
      </ul>
      {found.length === 0 && <Note>No option is called that.</Note>}
    </>
  )
}

interface OptionProps {
  readonly service: string
  readonly name: string
  readonly value: unknown
}

function Option({ service, name, value }: OptionProps) {
  const { client, world } = useSurroundings()
  const act = useAction()
  const [draft, setDraft] = useState<string>()
  const set = (next: unknown) =>
    act(async () => {
      await client.of(world)('PATCH', '/options', { [service]: { [name]: next } })
      setDraft(undefined)
      return `${service}.${name} is ${isSecretName(name) ? 'set' : JSON.stringify(next)}`
    })
  const label = `${service}.${name}`
  if (typeof value === 'boolean') {
    return (
      <label>
        <span class="option-name">{label}</span>
        <input
          type="checkbox"
          checked={value}
          onChange={({ currentTarget }) => set(currentTarget.checked)}
        />
      </label>
    )
  }
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  const read = () => {
    const written = draft ?? text
    if (typeof value === 'string') return written
    try {
      return JSON.parse(written)
    } catch {
      return written
    }
  }
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        void set(read())
      }}
    >
      <label>
        <span class="option-name">{label}</span>
        <input
          {...(isSecretName(name) ? { type: 'password' } : { type: 'text' })}
          autocomplete="off"
          value={draft ?? text}
          onInput={({ currentTarget }) => setDraft(currentTarget.value)}
        />
      </label>
      {draft !== undefined && draft !== text && (
        <button type="submit" aria-label={`Set ${label}`}>
          Set
        </button>
      )}
    </form>
  )
}
