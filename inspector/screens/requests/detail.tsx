import { useState } from 'preact/hooks'
import type { Entry } from '../../../routes/journal/entry.ts'
import { useAction, useFeed, usePage, useRead } from '../../context.ts'
import { Confirm, Copy, Note, Tabs } from '../../parts/controls.tsx'
import { LongText } from '../../parts/json-view.tsx'
import { statusClass } from '../../parts/status-class.ts'
import { commandLineOf } from '../../pure/command-line.ts'
import { curlOf, queryText, type Sendable } from '../../pure/curl.ts'
import { formatMilliseconds } from '../../pure/text.ts'
import { goTo, hrefTo, type Route } from '../../route.ts'
import { Changes } from './changes.tsx'
import { Exchange } from './exchange.tsx'
import { Explanation } from './explanation.tsx'
import { FailNext } from './fail-next.tsx'
import { tokenVariables } from './known-secrets.ts'

/** Renders a request with its reply, explanation, changes and actions. */
export function RequestDetail({ id, route }: { readonly id: string; readonly route: Route }) {
  const { data: entry, problem } = useRead(`entry ${id}`, (world) => world.entry(id))
  const { feed } = usePage()
  useFeed(feed)
  if (problem !== undefined) {
    return (
      <>
        <BackLink />
        <Note isError>{problem}</Note>
      </>
    )
  }
  if (entry === undefined) return <Note>Loading {id}…</Note>
  const receivedAt = feed.entries.find((each) => each.id === id)?.receivedAt
  const tab = route.params.get('tab') ?? (entry.outcome === 'served' ? 'exchange' : 'why')
  const tabs = [
    ['why', 'Why?'],
    ['exchange', 'Request and reply'],
    ['changes', `Changes (${entry.changes.length})`],
  ] as const
  return (
    <article class="detail">
      <header>
        <BackLink />
        <h2>
          <span class={statusClass(entry)}>{entry.status ?? 'no answer'}</span> {entry.method}{' '}
          <LongText text={entry.path + queryText(entry.query)} />
        </h2>
        <RequestSummary entry={entry} receivedAt={receivedAt} />
        <RequestActions entry={entry} />
      </header>
      <Tabs
        label="About the request"
        tabs={tabs}
        selected={tab}
        onSelect={(next) => goTo('requests', id, { tab: next }, 'replace')}
      >
        {tab === 'why' && <Explanation entry={entry} />}
        {tab === 'exchange' && <Exchange entry={entry} />}
        {tab === 'changes' && <Changes entry={entry} />}
      </Tabs>
    </article>
  )
}

function BackLink() {
  return (
    <a class="back" href={hrefTo('requests', '', { tab: '' })}>
      ← All requests
    </a>
  )
}

function RequestSummary({
  entry,
  receivedAt,
}: {
  readonly entry: Entry
  readonly receivedAt: number | undefined
}) {
  const { caller } = entry
  const rows = [
    ['Request', entry.id],
    ['Outcome', entry.rule === null ? entry.outcome : `${entry.outcome}: ${entry.rule}`],
    ['API', entry.operation === null ? entry.service : `${entry.service} · ${entry.operation}`],
    ['World’s time', entry.at],
    ['Received', receivedAt === undefined ? null : new Date(receivedAt).toLocaleTimeString()],
    ['Took', formatMilliseconds(entry.durationMs)],
    [
      'Caller',
      caller === null
        ? null
        : [caller.name ?? caller.id, caller.policies && `(${caller.policies.join(', ')})`]
            .filter(Boolean)
            .join(' '),
    ],
    ['Fault', entry.fault],
  ] as const
  return (
    <dl class="facts">
      {rows.map(
        ([name, value]) =>
          value !== null && (
            <div key={name}>
              <dt>{name}</dt>
              <dd>
                <LongText text={value} />
              </dd>
            </div>
          ),
      )}
    </dl>
  )
}

/** Returns the request of an entry in a form that can be sent again. */
function toSendable({ method, path, query, headers, body }: Entry): Sendable {
  const request = { method, path: path + queryText(query), headers }
  return body === undefined ? request : { ...request, body }
}

function RequestActions({ entry }: { readonly entry: Entry }) {
  const { source, world } = usePage()
  const canChange = source.can('change')
  const runAction = useAction()
  const [showsFailForm, setShowsFailForm] = useState(false)
  const { data: variables } = useRead('token variables', tokenVariables)
  const { data: info } = useRead('info', (world) => world.info())
  const request = toSendable(entry)
  const origin = source.rebaseUrls(info?.services[entry.service]?.url ?? '')
  const command = commandLineOf(entry.service, request)
  const rewind = () =>
    runAction(async () => {
      await world.actions.rewind(entry.id)
      return `Rewound to before ${entry.id}`
    })
  return (
    <div class="bar actions">
      <Copy text={curlOf(request, origin, variables)}>Copy as curl</Copy>
      {command !== undefined && <Copy text={command}>Copy as command line</Copy>}
      <a class="button" href={hrefTo('state', '', { of: entry.service, at: entry.id })}>
        State after this
      </a>
      {canChange && (
        <button
          type="button"
          aria-expanded={showsFailForm}
          onClick={() => setShowsFailForm(!showsFailForm)}
        >
          Fail the next one like this
        </button>
      )}
      {canChange && (
        <Confirm question="Undo this and everything after it?" onConfirm={rewind}>
          Rewind to before this
        </Confirm>
      )}
      {showsFailForm && <FailNext entry={entry} onDone={() => setShowsFailForm(false)} />}
    </div>
  )
}
