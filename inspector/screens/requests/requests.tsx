import { useMemo } from 'preact/hooks'
import { useAction, useFeed, usePage, useRead, useServices } from '../../context.ts'
import type { FeedEntry } from '../../feed.ts'
import { Confirm, Note } from '../../parts/controls.tsx'
import { LongText } from '../../parts/json-view.tsx'
import { statusClass } from '../../parts/status-class.ts'
import { VirtualList } from '../../parts/virtual-list.tsx'
import { matchesFilter, outcomes } from '../../pure/filter.ts'
import { formatMilliseconds, timeOfDay, truncate } from '../../pure/text.ts'
import { goTo, hrefTo, type Route } from '../../route.ts'
import { RequestDetail } from './detail.tsx'

/** Renders the live list of the world's requests, and the selected one in full. */
export function Requests({ route }: { readonly route: Route }) {
  const services = useServices()
  const { source, world, feed } = usePage()
  useFeed(feed)
  const runAction = useAction()
  const filter = {
    service: route.params.get('api') ?? '',
    outcome: route.params.get('outcome') ?? '',
    text: route.params.get('text') ?? '',
  }
  const { service, outcome, text } = filter
  const { entries } = feed
  const rows = useMemo(
    () => entries.filter((entry) => matchesFilter(entry, { service, outcome, text })),
    [entries, service, outcome, text],
  )
  const failedCount = useMemo(
    () => entries.filter((entry) => entry.outcome !== 'served').length,
    [entries],
  )
  const setParameter = (name: string) => (event: { currentTarget: { value: string } }) =>
    goTo('requests', route.item, { [name]: event.currentTarget.value }, 'replace')
  const clear = () =>
    runAction(async () => {
      await world.actions.clearJournal()
      feed.clearEntries()
      goTo('requests')
      return 'Journal cleared'
    })
  return (
    <div class={route.item === '' ? 'split' : 'split has-item'}>
      <section class="split-list" aria-label="Requests">
        <div class="bar">
          <input
            type="search"
            placeholder="Filter by path, operation, rule, caller, status"
            aria-label="Filter by text"
            value={filter.text}
            onInput={setParameter('text')}
          />
          <select aria-label="API" value={filter.service} onChange={setParameter('api')}>
            <option value="">All APIs</option>
            {services.map((name) => (
              <option key={name}>{name}</option>
            ))}
          </select>
          <select aria-label="Outcome" value={filter.outcome} onChange={setParameter('outcome')}>
            <option value="">All outcomes</option>
            {outcomes.map((name) => (
              <option key={name}>{name}</option>
            ))}
          </select>
          {failedCount > 0 && (
            <button
              type="button"
              class="failed"
              aria-pressed={outcome === 'failed'}
              onClick={() =>
                goTo(
                  'requests',
                  route.item,
                  { outcome: outcome === 'failed' ? '' : 'failed' },
                  'replace',
                )
              }
            >
              {failedCount} failed
            </button>
          )}
          <span class="count" aria-live="polite">
            {rows.length === entries.length ? rows.length : `${rows.length} of ${entries.length}`}
          </span>
          {entries.length > 0 && source.can('change') && (
            <Confirm question="Clear the journal?" onConfirm={clear}>
              Clear
            </Confirm>
          )}
        </div>
        <OpenRequests />
        {rows.length === 0 ? (
          <Note>{entries.length === 0 ? <EmptyJournal /> : 'No request matches the filters.'}</Note>
        ) : (
          <VirtualList
            label="List of requests"
            rows={rows}
            rowHeight={30}
            keyOf={({ id }) => id}
            selected={route.item}
            onSelect={({ id }) => goTo('requests', id, {}, route.item === '' ? 'push' : 'replace')}
            renderRow={(entry) => <RequestRow entry={entry} />}
            sticksToEnd
          />
        )}
      </section>
      <section class="split-item" aria-label="Details">
        {route.item === '' ? (
          <Note>Select a request to see what was sent, what was answered, and why.</Note>
        ) : (
          <RequestDetail key={route.item} id={route.item} route={route} />
        )}
      </section>
    </div>
  )
}

/**
 * Renders the requests that have no answer yet; nothing if there are none. In a trace, such
 * requests may have hung the test.
 */
function OpenRequests() {
  const { world, feed } = usePage()
  const { data: open = [] } = useRead('open requests', (each) => each.openRequests(), [
    feed.entries.length,
  ])
  if (open.length === 0) return null
  return (
    <ul class="plain open-requests" aria-label={`Open requests of ${world.id}`}>
      {open.map(({ id, method, path, ageMs }) => (
        <li key={id}>
          <span class="tag odd">open</span> {id} {method} <LongText text={path} />{' '}
          <span class="muted">for {formatMilliseconds(ageMs)}</span>
        </li>
      ))}
    </ul>
  )
}

function EmptyJournal() {
  const { source, world } = usePage()
  if (!source.can('connect')) {
    return (
      <>
        <strong>{world.id}</strong> received no requests.
      </>
    )
  }
  return (
    <>
      <strong>{world.id}</strong> has received no requests yet. They appear here as they arrive. To
      point a client at this world, see{' '}
      <a href={hrefTo('worlds', '', { part: 'connect' })}>Connect</a>.
    </>
  )
}

function RequestRow({ entry }: { readonly entry: FeedEntry }) {
  const { id, method, path, service, at, durationMs, status, outcome, fault, rule, receivedAt } =
    entry
  return (
    <>
      <span class="row-id">{id}</span>
      <span class={statusClass(entry)} title={outcome}>
        {status ?? '–'}
      </span>
      <span class="row-method">{method}</span>
      <span class="row-path" title={truncate(path, 300)}>
        <bdi>{truncate(path, 300)}</bdi>
      </span>
      {fault !== null && <span class="tag odd">fault</span>}
      {rule !== null && <span class="tag bad">{rule}</span>}
      {entry.committed && <span class="tag">wrote</span>}
      <span class={`row-api api-${service}`}>{service}</span>
      <span class="row-time" title={`${at}, the world’s time`}>
        {timeOfDay(at)}
      </span>
      {receivedAt !== undefined && (
        <span class="row-time row-heard" title="Received, real time">
          {new Date(receivedAt).toLocaleTimeString()}
        </span>
      )}
      <span class="row-ms">{formatMilliseconds(durationMs)}</span>
    </>
  )
}
