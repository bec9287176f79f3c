import { useMemo, useState } from 'preact/hooks'
import { useFeed, usePage, useRead, useServices } from '../../context.ts'
import { Note } from '../../parts/controls.tsx'
import { saveFile } from '../../parts/save-file.ts'
import { type TreeBehavior, VirtualList } from '../../parts/virtual-list.tsx'
import {
  fixturesOf,
  itemGroups,
  type StateItem,
  searchItems,
  type TreeRow,
  treeRows,
} from '../../pure/items.ts'
import { expiryOf, statusOf, toneOf } from '../../pure/status-tone.ts'
import { formatDuration, showControlCharacters, truncate } from '../../pure/text.ts'
import { goTo, hrefTo, type Route } from '../../route.ts'
import { ItemDetail } from './item-detail.tsx'

/** Renders the state of the selected service, and the selected item in full. */
export function State({ route }: { readonly route: Route }) {
  const { feed } = usePage()
  useFeed(feed)
  const services = useServices()
  const service = route.params.get('of') ?? services[0] ?? ''
  const text = route.params.get('find') ?? ''
  const [folded, setFolded] = useState<ReadonlySet<string>>(new Set())
  const request = route.params.get('at') ?? ''
  const { data, problem } = useRead(
    service === '' ? undefined : `state of ${service} after ${request}`,
    (world) => world.state(service, request === '' ? undefined : request),
    [feed.changes],
  )
  const groups = useMemo(
    () => (data === undefined ? [] : itemGroups(service, data)),
    [data, service],
  )
  const foundGroups = useMemo(() => searchItems(groups, text), [groups, text])
  const rows = useMemo(() => treeRows(foundGroups, folded), [foundGroups, folded])
  const items = useMemo(() => foundGroups.flatMap((group) => group.items), [foundGroups])
  const selectedItem = useMemo(
    () => groups.flatMap((group) => group.items).find(({ id }) => id === route.item),
    [groups, route.item],
  )
  const tree: TreeBehavior<TreeRow> = {
    levelOf: ({ level }) => level,
    isOpen: ({ kind, id }) => (kind === 'item' ? undefined : !folded.has(id)),
    toggle: ({ id }) => {
      const next = new Set(folded)
      if (!next.delete(id)) next.add(id)
      setFolded(next)
    },
  }
  return (
    <div class={route.item === '' ? 'split' : 'split has-item'}>
      <section class="split-list" aria-label="Contents">
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
            placeholder="Find by name, path or kind"
            aria-label="Find"
            value={text}
            onInput={({ currentTarget }) =>
              goTo('state', route.item, { find: currentTarget.value }, 'replace')
            }
          />
          <Export service={service} items={items} />
        </div>
        <AsOfRequest request={request} />
        {problem !== undefined && <Note isError>{problem}</Note>}
        {data !== undefined && rows.length === 0 && (
          <Note>{text === '' ? `${service} is empty.` : `Nothing matches “${text}”.`}</Note>
        )}
        {rows.length > 0 && (
          <VirtualList
            label={`State of ${service}`}
            rows={rows}
            rowHeight={28}
            keyOf={({ id }) => id}
            selected={route.item}
            onSelect={(row) =>
              row.kind === 'item'
                ? goTo('state', row.id, { line: '' }, route.item === '' ? 'push' : 'replace')
                : tree.toggle(row)
            }
            renderRow={(row) => <Row row={row} isOpen={tree.isOpen(row)} now={feed.now} />}
            tree={tree}
          />
        )}
      </section>
      <section class="split-item" aria-label="Details">
        <a class="back" href={hrefTo('state')}>
          ← All of {service}
        </a>
        {route.item === '' ? (
          <Note>Select an item to see its details.</Note>
        ) : selectedItem === undefined || data === undefined ? (
          <Note>{data === undefined ? 'Loading…' : 'This does not exist (any more).'}</Note>
        ) : (
          <ItemDetail
            key={route.item}
            service={service}
            item={selectedItem}
            state={data}
            isPast={request !== ''}
          />
        )}
      </section>
    </div>
  )
}

/** Renders the choice between the present state and the one right after a request. */
function AsOfRequest({ request }: { readonly request: string }) {
  const { source, feed } = usePage()
  const { entries } = feed
  const at = entries.findIndex(({ id }) => id === request)
  const show = (position: number) =>
    goTo('state', '', { at: entries[position]?.id ?? '' }, 'replace')
  const now = source.can('follow') ? 'now' : 'at the end'
  return (
    <div class="bar">
      <span class="muted">{request === '' ? `State ${now}` : `State right after ${request}`}</span>
      <button
        type="button"
        disabled={entries.length === 0 || at === 0}
        onClick={() => show(at < 0 ? entries.length - 1 : at - 1)}
      >
        Earlier
      </button>
      <button type="button" disabled={at < 0} onClick={() => show(at + 1)}>
        Later
      </button>
      {request !== '' && <a href={hrefTo('requests', request, { at: '' })}>Show {request}</a>}
      {request !== '' && (
        <button type="button" onClick={() => goTo('state', '', { at: '' }, 'replace')}>
          {source.can('follow') ? 'Back to now' : 'Back to the end'}
        </button>
      )}
    </div>
  )
}

interface RowProps {
  readonly row: TreeRow
  readonly isOpen: boolean | undefined
  readonly now: string | undefined
}

function Row({ row, isOpen, now }: RowProps) {
  const indent = { paddingLeft: `${(row.level - 1) * 18}px` }
  if (row.kind === 'item') return <ItemRow item={row.item} indent={indent} now={now} />
  return (
    <>
      <span aria-hidden="true" class="muted" style={indent}>
        {isOpen ? '▾' : '▸'}
      </span>
      {row.kind === 'group' ? (
        <strong>{row.name}</strong>
      ) : (
        <span class="row-folder">
          <bdi>{showControlCharacters(truncate(row.name, 300))}</bdi>
        </span>
      )}
      <span class="count">{row.count}</span>
    </>
  )
}

interface ItemRowProps {
  readonly item: StateItem
  readonly indent: { readonly paddingLeft: string }
  readonly now: string | undefined
}

function ItemRow({ item: { path, versions, row }, indent, now }: ItemRowProps) {
  const status = statusOf(row)
  const expiry = expiryOf(row)
  const remaining = expiry === undefined || now === undefined ? undefined : expiry - Date.parse(now)
  return (
    <>
      <span class="row-path" style={indent}>
        <bdi>{showControlCharacters(truncate(path.at(-1) ?? '', 300))}</bdi>
      </span>
      {versions.length > 1 && <span class="tag">{versions.length} versions</span>}
      {status !== undefined && <span class={`tag ${toneOf(status)}`}>{status}</span>}
      {remaining !== undefined && (
        <span class={remaining > 0 ? 'tag' : 'tag bad'}>
          {remaining > 0 ? `expires in ${formatDuration(remaining)}` : 'expired'}
        </span>
      )}
    </>
  )
}

function Export({ service, items }: { service: string; items: readonly StateItem[] }) {
  const save = () => {
    const text = JSON.stringify(fixturesOf(service, items), null, 2)
    saveFile(`${service}.fixtures.json`, 'application/json', text)
  }
  return (
    <button
      type="button"
      disabled={items.length === 0}
      title="Save what is listed, secrets included, as a fixtures document"
      onClick={save}
    >
      Export {items.length}
    </button>
  )
}
