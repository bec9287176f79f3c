import { useEffect, useId, useMemo, useRef, useState } from 'preact/hooks'
import {
  type FormField,
  type FormInput,
  type FormSchema,
  fieldsOf,
  formValue,
} from '../pure/schema-form.ts'
import { InlineMarkdown } from './inline-markdown.tsx'

interface SchemaFormProps {
  readonly label: string
  readonly schema: FormSchema
  /** Text of the submit button. */
  readonly submitLabel: string
  readonly onSubmit: (value: object) => Promise<void>
  readonly onCancel: () => void
}

/** Renders a form with a field for each member of a schema. Empty fields are not sent. */
export function SchemaForm({ label, schema, submitLabel, onSubmit, onCancel }: SchemaFormProps) {
  const fields = useMemo(() => fieldsOf(schema), [schema])
  // The input is kept in a ref, because a quick submit may come before the last key press is
  // rendered.
  const draft = useRef<FormInput>({})
  const [, redraw] = useState(0)
  const [problem, setProblem] = useState('')
  const form = useRef<HTMLFormElement>(null)
  useEffect(() => form.current?.querySelector<HTMLElement>('input, select, textarea')?.focus(), [])
  const submit = () => {
    let value: object
    try {
      value = formValue(fields, draft.current)
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error))
      return
    }
    setProblem('')
    void onSubmit(value)
  }
  return (
    <form
      ref={form}
      class="schema-form"
      aria-label={label}
      onSubmit={(event) => {
        event.preventDefault()
        submit()
      }}
      onKeyDown={({ key }) => {
        if (key === 'Escape') onCancel()
      }}
    >
      {fields.map((field) => (
        <Field
          key={field.label}
          field={field}
          input={draft.current[field.label]}
          onChange={(input) => {
            draft.current = { ...draft.current, [field.label]: input }
            redraw((count) => count + 1)
          }}
        />
      ))}
      {problem !== '' && (
        <p class="note bad" role="alert">
          {problem}
        </p>
      )}
      <div class="bar">
        <button type="submit" class="primary">
          {submitLabel}
        </button>
        <button type="button" onClick={onCancel}>
          Cancel
        </button>
      </div>
    </form>
  )
}

interface FieldProps {
  readonly field: FormField
  readonly input: string | undefined
  readonly onChange: (input: string) => void
}

function Field({ field, input, onChange }: FieldProps) {
  const id = useId()
  const { label, description } = field
  const hint = description === '' ? {} : { 'aria-describedby': `${id}-hint` }
  return (
    <div class="schema-field">
      <label class="option-name" for={id}>
        {label}
      </label>
      <Control field={field} input={input} onChange={onChange} attributes={{ id, ...hint }} />
      {description !== '' && (
        <span class="muted small" id={`${id}-hint`}>
          <InlineMarkdown text={description} />
        </span>
      )}
    </div>
  )
}

function Control({
  field,
  input,
  onChange,
  attributes,
}: FieldProps & { readonly attributes: object }) {
  const { kind, defaultValue, options, minimum, maximum } = field
  const defaultText = defaultValue === undefined ? '' : String(defaultValue)
  const onInput = ({ currentTarget }: { currentTarget: { value: string } }) =>
    onChange(currentTarget.value)
  if (kind === 'flag') {
    return (
      <input
        {...attributes}
        type="checkbox"
        checked={(input ?? defaultText) === 'true'}
        onChange={({ currentTarget }) => onChange(String(currentTarget.checked))}
      />
    )
  }
  if (kind === 'choice') {
    return (
      <select {...attributes} value={input ?? defaultText} onChange={onInput}>
        {defaultText === '' && <option value="">–</option>}
        {options.map((name) => (
          <option key={name}>{name}</option>
        ))}
      </select>
    )
  }
  if (kind === 'json') {
    return (
      <textarea {...attributes} rows={3} spellcheck={false} value={input ?? ''} onInput={onInput} />
    )
  }
  const bounds = {
    step: 'any',
    ...(minimum === undefined ? {} : { min: minimum }),
    ...(maximum === undefined ? {} : { max: maximum }),
  }
  return (
    <input
      {...attributes}
      {...(kind === 'number' ? { type: 'number', ...bounds } : { type: 'text' })}
      autocomplete="off"
      placeholder={defaultText}
      value={input ?? ''}
      onInput={onInput}
    />
  )
}
