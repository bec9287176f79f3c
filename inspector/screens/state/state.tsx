import { useMemo, useState } from 'preact/hooks'
import { useCall, useFeed, useSurroundings } from '../../context.ts'
import { Note } from '../../parts/controls.tsx'
import { VirtualList } from '../../parts/virtual-list.tsx'
import { cut, visible } from '../../pure/text.ts'
import {
  fixturesOf,
  type ServiceState,
  searched,
  type Thing,
  type ThingGroup,
  thingsOf,
} from '../../pure/things.ts'
import { goTo, hrefTo, type Place } from '../../route.ts'
import { ThingDetail } from './thing.tsx'

const services = ['secrets', 'platform', 'mesh', 'scheduler']

/** What the services of the world hold, and one thing of it in full. */
export function State({ place }: { readonly place: Place }) {
  const { feed } = useSurroundings()
  useFeed(feed)
  const service = place.params.get('of') ?? 'secrets'
  const text = place.params.get('find') ?? ''
  const [folded, setFolded] = useState<ReadonlySet<string>>(new Set())
  const { data, problem } = useCall<ServiceState>(`/state/${service}`, [feed.changes])
  const groups = useMemo(() => (data === undefined ? [] : thingsOf(service, data)), [data, service])
  const found = useMemo(() => searched(groups, text), [groups, text])
  const rows = useMemo(() => rowsOf(found, folded), [found, folded])
  const chosen = groups.flatMap(({ things }) => things).find(({ id }) => id === place.item)
  const fold = (table: string) => {
    const next = new Set(folded)
    if (!next.delete(table)) next.add(table)
    setFolded(next)
  }
  return (
    <div class={place.item === '' ? 'split' : 'split has-item'}>
      <section class="split-list" aria-label="What is there">
        <div class="bar">
          <select
            aria-label="API"
            value={service}
            onChange={({ currentTarget }) =>
              goTo('state', '', { of: currentTarget.value, find: '' }, 'replace')
            }
          >
            {services.map((name) => (
              <option key={name}>{name}</option>
            ))}
          </select>
          <input
            type="search"
            placeholder="Find: name, path, kind"
            aria-label="Find"
            value={text}
            onInput={({ currentTarget }) =>
              goTo('state', place.item, { find: currentTarget.value }, 'replace')
            }
          />
          <Export service={service} groups={found} />
        </div>
        {problem !== undefined && <Note bad>{problem}</Note>}
        {data !== undefined && rows.length === 0 && (
          <Note>{text === '' ? `${service} holds nothing.` : 'Nothing is found.'}</Note>
        )}
        {rows.length > 0 && (
          <VirtualList
            label={`State of ${service}`}
            rows={rows}
            rowHeight={28}
            keyOf={({ id }) => id}
            chosen={place.item}
            choose={(row) =>
              'things' in row
                ? fold(row.table)
                : goTo('state', row.id, {}, place.item === '' ? 'push' : 'replace')
            }
            draw={(row) => <TreeRow row={row} folded={folded} />}
          />
        )}
      </section>
      <section class="split-item" aria-label="Chosen thing">
        <a class="back" href={hrefTo('state')}>
          ← All things
        </a>
        {place.item === '' ? (
          <Note>Choose something to see what is known of it.</Note>
        ) : chosen === undefined || data === undefined ? (
          <Note>{data === undefined ? 'Loading…' : 'It is not there (any more).'}</Note>
        ) : (
          <ThingDetail key={place.item} service={service} thing={chosen} state={data} />
        )}
      </section>
    </div>
  )
}

type TreeRowOf = Thing | (ThingGroup & { readonly id: string })

function rowsOf(groups: readonly ThingGroup[], folded: ReadonlySet<string>): readonly TreeRowOf[] {
  return groups.flatMap((group) => [
    { ...group, id: `group ${group.table}` },
    ...(folded.has(group.table) ? [] : group.things),
  ])
}

function TreeRow({ row, folded }: { readonly row: TreeRowOf; folded: ReadonlySet<string> }) {
  if ('things' in row) {
    return (
      <>
        <span aria-hidden="true" class="muted">
          {folded.has(row.table) ? '▸' : '▾'}
        </span>
        <strong>{row.title}</strong>
        <span class="count">{row.things.length}</span>
      </>
    )
  }
  return (
    <>
      <span class="row-path indented">
        <bdi>{visible(cut(row.title, 300))}</bdi>
      </span>
      {row.versions.length > 1 && <span class="tag">{row.versions.length} versions</span>}
    </>
  )
}

function Export({ service, groups }: { service: string; groups: readonly ThingGroup[] }) {
  const things = groups.flatMap((group) => group.things)
  const save = () => {
    const text = JSON.stringify(fixturesOf(service, things), null, 2)
    const url = URL.createObjectURL(new Blob([text], { type: 'application/json' }))
    const link = document.createElement('a')
    link.href = url
    link.download = `${service}.fixtures.json`
    link.click()
    URL.revokeObjectURL(url)
  }
  return (
    <button
      type="button"
      disabled={things.length === 0}
      title="What is shown, with its secrets, as a fixtures document"
      onClick={save}
    >
      Export {things.length}
    </button>
  )
}
