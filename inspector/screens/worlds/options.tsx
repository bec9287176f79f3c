import { useId, useState } from 'preact/hooks'
import { useAction, usePage, useRead } from '../../context.ts'
import { Form, Note } from '../../parts/controls.tsx'
import { InlineMarkdown } from '../../parts/inline-markdown.tsx'
import { type FormField, fieldsOf } from '../../pure/schema-form.ts'
import { isSecretName } from '../../pure/secret.ts'

/** Renders the world's options as a searchable form. */
export function Options() {
  const { source, feed } = usePage()
  const [text, setText] = useState('')
  const { data, problem } = useRead('options', (world) => world.options(), [feed.changes])
  const { data: schema } = useRead('form of the options', () => source.optionsForm())
  if (problem !== undefined) return <Note isError>{problem}</Note>
  if (data === undefined) return <Note>Loading…</Note>
  const fields = new Map(fieldsOf(schema ?? {}).map((field) => [field.label, field]))
  const options = Object.entries(data).flatMap(([service, serviceOptions]) =>
    Object.entries(serviceOptions).map(([name, value]) => {
      return { service, name, value, field: fields.get(`${service}.${name}`) }
    }),
  )
  const words = text.toLowerCase().split(/\s+/).filter(Boolean)
  const matching = options.filter(({ service, name, field }) => {
    const searchText = `${service}.${name} ${field?.description}`.toLowerCase()
    return words.every((word) => searchText.includes(word))
  })
  return (
    <>
      <input
        type="search"
        aria-label="Find an option"
        placeholder="Find an option by name or description"
        value={text}
        onInput={({ currentTarget }) => setText(currentTarget.value)}
      />
      <ul class="options">
        {matching.map((option) => (
          <li key={`${option.service}.${option.name}`}>
            <Option {...option} />
          </li>
        ))}
      </ul>
      {matching.length === 0 && <Note>No option matches “{text}”.</Note>}
    </>
  )
}

interface OptionProps {
  readonly service: string
  readonly name: string
  readonly value: unknown
  /** Field of the form; undefined if the schema is not loaded or does not declare the option. */
  readonly field: FormField | undefined
}

function Option({ service, name, value, field }: OptionProps) {
  const { source, world } = usePage()
  const runAction = useAction()
  const id = useId()
  const [draft, setDraft] = useState<string>()
  const label = `${service}.${name}`
  const saveValue = (newValue: unknown) =>
    runAction(async () => {
      await world.actions.setOption(service, name, newValue)
      setDraft(undefined)
      return `${label} is ${isSecretName(name) ? 'set' : JSON.stringify(newValue)}`
    })
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  const disabled = !source.can('change')
  const attributes = { id, disabled, ...(field ? { 'aria-describedby': `${id}-hint` } : {}) }
  return (
    <Form
      class="option"
      onSubmit={() =>
        saveValue(typeof value === 'string' ? (draft ?? text) : parseJsonOrText(draft ?? text))
      }
    >
      <label class="option-name" for={id}>
        {label}
      </label>
      {typeof value === 'boolean' ? (
        <input
          {...attributes}
          type="checkbox"
          checked={value}
          onChange={({ currentTarget }) => saveValue(currentTarget.checked)}
        />
      ) : field?.kind === 'choice' ? (
        <select
          {...attributes}
          value={text}
          onChange={({ currentTarget }) => {
            const { value: chosen } = currentTarget
            void saveValue(typeof value === 'string' ? chosen : parseJsonOrText(chosen))
          }}
        >
          {field.options.map((each) => (
            <option key={each}>{each}</option>
          ))}
        </select>
      ) : (
        <input
          {...attributes}
          {...(isSecretName(name) ? { type: 'password' } : { type: 'text' })}
          autocomplete="off"
          value={draft ?? text}
          onInput={({ currentTarget }) => setDraft(currentTarget.value)}
        />
      )}
      {draft !== undefined && draft !== text && (
        <button type="submit" aria-label={`Set ${label}`}>
          Set
        </button>
      )}
      {field !== undefined && (
        <span class="muted small" id={`${id}-hint`}>
          <InlineMarkdown text={field.description} />
          {isChanged(value, field.defaultValue) && !isSecretName(name) && (
            <> (default {JSON.stringify(field.defaultValue)})</>
          )}
        </span>
      )}
    </Form>
  )
}

function isChanged(value: unknown, fallback: unknown): boolean {
  return fallback !== undefined && JSON.stringify(value) !== JSON.stringify(fallback)
}

/** Parses JSON; returns other text unchanged. */
function parseJsonOrText(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
