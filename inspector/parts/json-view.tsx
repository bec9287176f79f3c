import { useState } from 'preact/hooks'
import { isSecretName, mask } from '../pure/secret.ts'

interface JsonViewProps {
  readonly value: unknown
  /** True to mask the values of secret members until they are clicked. */
  readonly hidesSecrets?: boolean
  /** Name of the table as `service.table`, if the value is a row of a table. */
  readonly table?: string
}

/** Number of members that are drawn at first. */
const initialMemberCount = 200
/** Number of characters of a text that are drawn at first. */
const initialTextLength = 600

/** Renders a JSON value with foldable parts and shortened texts. No part is interpreted as HTML. */
export function JsonView({ value, hidesSecrets = false, table = '' }: JsonViewProps) {
  return (
    <div class="json">
      <JsonNode
        value={value}
        depth={0}
        isMasked={false}
        hidesSecrets={hidesSecrets}
        table={table}
      />
    </div>
  )
}

interface JsonNodeProps {
  readonly value: unknown
  readonly name?: string
  readonly depth: number
  readonly isMasked: boolean
  readonly hidesSecrets: boolean
  readonly table: string
}

function JsonNode({ value, name, depth, isMasked, hidesSecrets, table }: JsonNodeProps) {
  const isHidden = isMasked || (hidesSecrets && name !== undefined && isSecretName(name, table))
  const label = name === undefined ? null : <span class="json-name">{name}: </span>
  if (typeof value === 'object' && value !== null) {
    return (
      <JsonMembers
        {...{ value, label, depth, isMasked: isHidden, hidesSecrets: hidesSecrets, table: table }}
      />
    )
  }
  return (
    <div class="json-line">
      {label}
      {isHidden && value !== '' && value !== null && typeof value !== 'boolean' ? (
        <Secret text={String(value)} />
      ) : (
        <JsonScalar value={value} />
      )}
    </div>
  )
}

interface JsonMembersProps extends Omit<JsonNodeProps, 'name' | 'value'> {
  readonly value: object
  readonly label: preact.ComponentChildren
}

function JsonMembers({ value, label, depth, isMasked, hidesSecrets, table }: JsonMembersProps) {
  const isList = Array.isArray(value)
  const entries = Object.entries(value)
  const [isOpen, setOpen] = useState(depth < 4 && entries.length <= initialMemberCount)
  const [visibleCount, setVisibleCount] = useState(initialMemberCount)
  const [openBracket, closeBracket] = isList ? ['[', ']'] : ['{', '}']
  if (entries.length === 0) {
    return (
      <div class="json-line">
        {label}
        <span class="json-mark">{openBracket + closeBracket}</span>
      </div>
    )
  }
  return (
    <div>
      <div class="json-line">
        <button
          type="button"
          class="json-fold"
          aria-expanded={isOpen}
          aria-label={isOpen ? 'Fold' : 'Unfold'}
          onClick={() => setOpen(!isOpen)}
        >
          {isOpen ? '▾' : '▸'}
        </button>
        {label}
        <span class="json-mark">
          {isOpen ? openBracket : `${openBracket} ${entries.length} ${closeBracket}`}
        </span>
      </div>
      {isOpen && (
        <div class="json-members">
          {entries.slice(0, visibleCount).map(([name, member]) => (
            <JsonNode
              key={name}
              {...(isList ? {} : { name })}
              value={member}
              depth={depth + 1}
              isMasked={isMasked}
              hidesSecrets={hidesSecrets}
              table={table}
            />
          ))}
          {entries.length > visibleCount && (
            <button type="button" class="link" onClick={() => setVisibleCount(visibleCount + 1000)}>
              {entries.length - visibleCount} more
            </button>
          )}
        </div>
      )}
      {isOpen && <div class="json-line json-mark">{closeBracket}</div>}
    </div>
  )
}

function JsonScalar({ value }: { readonly value: unknown }) {
  if (typeof value !== 'string') return <span class={`json-${typeof value}`}>{String(value)}</span>
  return (
    <span class={value.startsWith('fp:') ? 'json-fingerprint' : 'json-string'}>
      <LongText text={value} />
    </span>
  )
}

/** Renders a text and shortens it if it is long. */
export function LongText({ text }: { readonly text: string }) {
  const [isExpanded, setExpanded] = useState(false)
  if (text.length <= initialTextLength || isExpanded) return <bdi>{text}</bdi>
  return (
    <>
      <bdi>{text.slice(0, initialTextLength)}</bdi>
      <button type="button" class="link" onClick={() => setExpanded(true)}>
        … {text.length - initialTextLength} more characters
      </button>
    </>
  )
}

/** Renders a secret as dots until it is clicked. */
export function Secret({ text }: { readonly text: string }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <button
      type="button"
      class="secret"
      {...(isOpen ? { title: 'Hide the secret' } : { 'aria-label': 'Show the secret' })}
      aria-pressed={isOpen}
      onClick={() => setOpen(!isOpen)}
    >
      {isOpen ? <bdi>{text}</bdi> : mask}
    </button>
  )
}
