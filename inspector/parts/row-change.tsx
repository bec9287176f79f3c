import { useState } from 'preact/hooks'
import { comparedLines, withContext, withLineTexts } from '../pure/compared-lines.ts'
import { hasSecretKeys, maskSecrets } from '../pure/secret.ts'
import { showControlCharacters, truncate } from '../pure/text.ts'
import { LongText, Secret } from './json-view.tsx'

/**
 * Row of a table before and after a change; `before` is missing if the row was added, and `after`
 * if the row was deleted.
 */
export interface ChangedRow {
  /** Name as `service.table`. */
  readonly table: string
  readonly key: string
  readonly before?: unknown
  readonly after?: unknown
}

const marks = { same: ' ', gone: '−', new: '+' } as const
const spokenMarks = { same: '', gone: 'gone: ', new: 'new: ' } as const

/** Maximum number of changes of a list that are shown. */
const maxChanges = 100

/** Renders a list of changes of rows, up to a limit. */
export function RowChanges({ changes }: { readonly changes: readonly ChangedRow[] }) {
  const more = changes.length - maxChanges
  return (
    <ul class="plain">
      {changes.slice(0, maxChanges).map((change) => (
        <li key={`${change.table}/${change.key}`}>
          <RowChange change={change} />
        </li>
      ))}
      {more > 0 && <li class="muted">and {more} more</li>}
    </ul>
  )
}

interface RowChangeProps {
  readonly change: ChangedRow
  /** Returns the row with dots in place of its secrets. Default: `maskSecrets`. */
  readonly maskRow?: (row: unknown, table: string) => unknown
}

/** Renders the change of a row line by line. */
export function RowChange({ change, maskRow = maskSecrets }: RowChangeProps) {
  const { table, key, before, after } = change
  const [showsSecrets, setShowsSecrets] = useState(false)
  const isKeySecret = hasSecretKeys(table)
  const kind = before === undefined ? 'added' : after === undefined ? 'deleted' : 'changed'
  const [oldText, newText] = [before, after].map(rowText)
  const [oldMaskedText, newMaskedText] = [before, after].map((row) => rowText(maskRow(row, table)))
  const hasSecrets = oldText !== oldMaskedText || newText !== newMaskedText
  // The unmasked texts are compared, so that the change of a secret is visible.
  const comparison = comparedLines(oldText, newText)
  const lines = withContext(
    showsSecrets ? comparison : withLineTexts(comparison, oldMaskedText, newMaskedText),
  )
  return (
    <section class="change" aria-label={isKeySecret ? table : `${table} ${truncate(key, 80)}`}>
      <h3>
        <span class={`tag ${kind}`}>{kind}</span> {table}{' '}
        {isKeySecret ? (
          <Secret text={key} />
        ) : (
          <code>
            <LongText text={showControlCharacters(key)} />
          </code>
        )}
        {hasSecrets && (
          <button
            type="button"
            class="link"
            aria-pressed={showsSecrets}
            onClick={() => setShowsSecrets(!showsSecrets)}
          >
            {showsSecrets ? 'Hide secrets' : 'Show secrets'}
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
                <span class="only-heard">{spokenMarks[line.kind]}</span>
                <bdi>{truncate(line.text, 2000)}</bdi>
              </>
            )}
          </li>
        ))}
      </ol>
    </section>
  )
}

function rowText(row: unknown): string | undefined {
  return row === undefined ? undefined : JSON.stringify(row, null, 2)
}
