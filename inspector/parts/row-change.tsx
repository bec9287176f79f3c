import { useState } from 'preact/hooks'
import { comparedLines, withContext, withLineTexts } from '../pure/lines.ts'
import { hasSecretKeys, maskSecrets } from '../pure/secret.ts'
import { showControlCharacters, truncate } from '../pure/text.ts'
import { LongText, Secret } from './json-view.tsx'

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
  const hidesKey = hasSecretKeys(table)
  const kind = before === undefined ? 'added' : after === undefined ? 'deleted' : 'changed'
  const [old, fresh] = [before, after].map(textOf)
  const [oldShown, freshShown] = [before, after].map((row) => textOf(maskSecrets(row, table)))
  const hides = old !== oldShown || fresh !== freshShown
  // Compared as they are, so that a changed secret is seen to be another one.
  const compared = comparedLines(old, fresh)
  const lines = withContext(open ? compared : withLineTexts(compared, oldShown, freshShown))
  return (
    <section class="change" aria-label={hidesKey ? table : `${table} ${truncate(key, 80)}`}>
      <h3>
        <span class={`tag ${kind}`}>{kind}</span> {table}{' '}
        {hidesKey ? (
          <Secret text={key} />
        ) : (
          <code>
            <LongText text={showControlCharacters(key)} />
          </code>
        )}
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
                <bdi>{truncate(line.text, 2000)}</bdi>
              </>
            )}
          </li>
        ))}
      </ol>
    </section>
  )
}

function textOf(row: unknown): string | undefined {
  return row === undefined ? undefined : JSON.stringify(row, null, 2)
}
