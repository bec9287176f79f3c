import { useState } from 'preact/hooks'
import { isSecretName, mask } from '../pure/secret.ts'

interface JsonViewProps {
  readonly value: unknown
  /** Hides what stands under names of secrets until it is clicked. */
  readonly masks?: boolean
  /** `service.table`, where it is a row of one. */
  readonly of?: string
}

/** So many members are drawn at first. */
const first = 200
/** So many characters of a text are. */
const shown = 600

/** A JSON value to read: parts fold, long ones are cut, and all of it is text. */
export function JsonView({ value, masks = false, of = '' }: JsonViewProps) {
  return (
    <div class="json">
      <Part value={value} depth={0} masked={false} masks={masks} of={of} />
    </div>
  )
}

interface PartProps {
  readonly value: unknown
  readonly name?: string
  readonly depth: number
  readonly masked: boolean
  readonly masks: boolean
  readonly of: string
}

function Part({ value, name, depth, masked, masks, of }: PartProps) {
  const hides = masked || (masks && name !== undefined && isSecretName(name, of))
  const label = name === undefined ? null : <span class="json-name">{name}: </span>
  if (typeof value === 'object' && value !== null) {
    return <Members {...{ value, label, depth, masked: hides, masks, of }} />
  }
  return (
    <div class="json-line">
      {label}
      {hides && value !== '' && value !== null && typeof value !== 'boolean' ? (
        <Secret text={String(value)} />
      ) : (
        <Plain value={value} />
      )}
    </div>
  )
}

interface MembersProps extends Omit<PartProps, 'name' | 'value'> {
  readonly value: object
  readonly label: preact.ComponentChildren
}

function Members({ value, label, depth, masked, masks, of }: MembersProps) {
  const isList = Array.isArray(value)
  const all = Object.entries(value)
  const [open, setOpen] = useState(depth < 4 && all.length <= first)
  const [most, setMost] = useState(first)
  const [begin, end] = isList ? ['[', ']'] : ['{', '}']
  if (all.length === 0) {
    return (
      <div class="json-line">
        {label}
        <span class="json-mark">{begin + end}</span>
      </div>
    )
  }
  return (
    <div>
      <div class="json-line">
        <button
          type="button"
          class="json-fold"
          aria-expanded={open}
          aria-label={open ? 'Fold' : 'Unfold'}
          onClick={() => setOpen(!open)}
        >
          {open ? '▾' : '▸'}
        </button>
        {label}
        <span class="json-mark">{open ? begin : `${begin} ${all.length} ${end}`}</span>
      </div>
      {open && (
        <div class="json-members">
          {all.slice(0, most).map(([name, member]) => (
            <Part
              key={name}
              {...(isList ? {} : { name })}
              value={member}
              depth={depth + 1}
              masked={masked}
              masks={masks}
              of={of}
            />
          ))}
          {all.length > most && (
            <button type="button" class="link" onClick={() => setMost(most + 1000)}>
              {all.length - most} more
            </button>
          )}
        </div>
      )}
      {open && <div class="json-line json-mark">{end}</div>}
    </div>
  )
}

function Plain({ value }: { readonly value: unknown }) {
  if (typeof value !== 'string') return <span class={`json-${typeof value}`}>{String(value)}</span>
  return (
    <span class={value.startsWith('fp:') ? 'json-fingerprint' : 'json-string'}>
      <LongText text={value} />
    </span>
  )
}

/** A text that may be very long. */
export function LongText({ text }: { readonly text: string }) {
  const [whole, setWhole] = useState(false)
  if (text.length <= shown || whole) return <bdi>{text}</bdi>
  return (
    <>
      <bdi>{text.slice(0, shown)}</bdi>
      <button type="button" class="link" onClick={() => setWhole(true)}>
        … {text.length - shown} more characters
      </button>
    </>
  )
}

/** Something secret: dots until it is clicked. */
export function Secret({ text }: { readonly text: string }) {
  const [open, setOpen] = useState(false)
  return (
    <button
      type="button"
      class="secret"
      {...(open ? { title: 'Hide the secret' } : { 'aria-label': 'Show the secret' })}
      aria-pressed={open}
      onClick={() => setOpen(!open)}
    >
      {open ? <bdi>{text}</bdi> : mask}
    </button>
  )
}
