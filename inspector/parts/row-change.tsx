import { useState } from 'preact/hooks'
import { comparedLines, nearChanges } from '../pure/lines.ts'
import { isSecretName } from '../pure/secret.ts'
import { cut, visible } from '../pure/text.ts'
import { LongText } from './json-view.tsx'

/** A row of a table before and after. */
export interface RowChangeOf {
  /** `service.table` */
  readonly table: string
  readonly key: string
  readonly before?: unknown
  readonly after?: unknown
}

const marks = { same: ' ', gone: '−', new: '+' } as const
const words = { same: '', gone: 'gone: ', new: 'new: ' } as const

/** What became of a row, line by line. */
export function RowChange({ change }: { readonly change: RowChangeOf }) {
  const { table, key, before, after } = change
  const [open, setOpen] = useState(false)
  const kind = before === undefined ? 'added' : after === undefined ? 'deleted' : 'changed'
  const text = (row: unknown) =>
    row === undefined ? undefined : JSON.stringify(open ? row : masked(row), null, 2)
  const lines = nearChanges(comparedLines(text(before), text(after)))
  const hides = JSON.stringify(masked([before, after])) !== JSON.stringify([before, after])
  return (
    <section class="change" aria-label={`${table} ${cut(key, 80)}`}>
      <h3>
        <span class={`tag ${kind}`}>{kind}</span> {table}{' '}
        <code>
          <LongText text={visible(key)} />
        </code>
        {hides && (
          <button type="button" class="link" aria-pressed={open} onClick={() => setOpen(!open)}>
            {open ? 'Hide secrets' : 'Show secrets'}
          </button>
        )}
      </h3>
      <ol class="compared">
        {lines.map((line, at) => (
          <li key={at} class={line?.kind ?? 'left-out'}>
            {line === null ? (
              '⋯'
            ) : (
              <>
                <span aria-hidden="true">{marks[line.kind]}</span>
                <span class="only-heard">{words[line.kind]}</span>
                <bdi>{cut(line.text, 2000)}</bdi>
              </>
            )}
          </li>
        ))}
      </ol>
    </section>
  )
}

/** The same with dots in place of what is secret. */
function masked(value: unknown, hides = false): unknown {
  if (Array.isArray(value)) return value.map((each) => masked(each, hides))
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(
      Object.entries(value).map(([name, member]) => [
        name,
        masked(member, hides || isSecretName(name)),
      ]),
    )
  }
  return hides && value !== null && value !== '' && typeof value !== 'boolean' ? '••••••' : value
}
