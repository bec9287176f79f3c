import { useState } from 'preact/hooks'
import { useFeed, usePage, useRead } from '../../context.ts'
import { Note } from '../../parts/controls.tsx'
import { LongText, Secret } from '../../parts/json-view.tsx'
import { RowChange } from '../../parts/row-change.tsx'
import type { ServiceState, StateRow } from '../../pure/items.ts'
import { isSecretName } from '../../pure/secret.ts'
import { toneOf } from '../../pure/status-tone.ts'
import { formatClock, formatDuration, pluralize } from '../../pure/text.ts'
import {
  maskStateFile,
  runSteps,
  stateFile,
  type WorkspaceView,
  workspaceViews,
} from '../../pure/workspaces.ts'
import { goTo, type Route } from '../../route.ts'

/** Maximum number of drawn runs and of state versions to choose from. */
const maxRows = 50

/** Renders a workspace of the platform API: its runs, state versions and variables. */
export function Platform({ route }: { readonly route: Route }) {
  const { feed } = usePage()
  useFeed(feed)
  const { data, problem } = useRead('platform', (world) => world.state('platform'), [feed.changes])
  if (problem !== undefined) return <Note isError>{problem}</Note>
  if (data === undefined) return <Note>Loading…</Note>
  const views = workspaceViews(data)
  const view = views.find(({ id }) => id === route.item) ?? views[0]
  if (view === undefined) return <Note>The platform has no workspaces yet.</Note>
  return (
    <div class="page">
      <label class="bar">
        Workspace
        <select
          value={view.id}
          onChange={({ currentTarget }) => goTo('platform', currentTarget.value)}
        >
          {views.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </select>
        {view.row['locked'] === true && <span class="tag odd">locked</span>}
      </label>
      <Runs runs={view.runs} />
      <StateVersions key={view.id} view={view} state={data} />
      <Variables rows={view.variables} />
    </div>
  )
}

const formatTime = (milliseconds: number) => formatClock(new Date(milliseconds).toISOString())

function Runs({ runs }: { readonly runs: readonly StateRow[] }) {
  return (
    <section class="card" aria-label="Runs">
      <h2>Runs</h2>
      {runs.length === 0 && <p class="muted">No runs yet.</p>}
      {runs.slice(0, maxRows).map((run, at) => (
        <details key={String(run['id'])} open={at === 0}>
          <summary>
            <code>{String(run['id'])}</code>{' '}
            <span class={`tag ${toneOf(String(run['status']))}`}>{String(run['status'])}</span>{' '}
            <LongText text={String(run['message'] ?? '')} />
          </summary>
          <ol class="timeline">
            {runSteps(run).map(({ status, at: time, duration }) => (
              <li key={status}>
                <span class="clock">{formatTime(time)}</span>
                <span class="muted away">{duration > 0 && `+${formatDuration(duration)}`}</span>
                <span>{status}</span>
              </li>
            ))}
          </ol>
        </details>
      ))}
      {runs.length > maxRows && <p class="muted">and {runs.length - maxRows} more</p>}
    </section>
  )
}

interface StateVersionsProps {
  readonly view: WorkspaceView
  readonly state: ServiceState
}

/**
 * Renders the difference between two state versions, initially between the newest version and its
 * predecessor.
 */
function StateVersions({ view: { versions }, state }: StateVersionsProps) {
  const [fromId, setFrom] = useState('')
  const [toId, setTo] = useState('')
  const [newest] = versions
  if (newest === undefined) return <p class="muted">No state versions yet.</p>
  const to = versions.find(({ id }) => id === toId) ?? newest
  const from = versions.find(({ id }) => id === fromId) ?? versions[versions.indexOf(to) + 1]
  const [before, after] = [from, to].map((each) => each && stateFile(state, String(each['id'])))
  const select = (label: string, value: StateRow | undefined, onSelect: (id: string) => void) => (
    <label>
      {label}{' '}
      <select
        value={String(value?.['id'] ?? '')}
        onChange={({ currentTarget }) => onSelect(currentTarget.value)}
      >
        {value === undefined && <option value="">nothing</option>}
        {versions.slice(0, maxRows).map(({ id, serial, status }) => (
          <option key={String(id)} value={String(id)}>
            serial {String(serial)} · {String(status)}
          </option>
        ))}
      </select>
    </label>
  )
  return (
    <section class="card" aria-label="State versions">
      <div class="bar">
        <h2>State versions</h2>
        <span class="muted">{pluralize(versions.length, 'version')}</span>
        {select('From', from, setFrom)}
        {select('To', to, setTo)}
      </div>
      {after === undefined && before === undefined ? (
        <p class="muted">No state file is stored.</p>
      ) : JSON.stringify(before) === JSON.stringify(after) ? (
        <p class="muted">The two state files are equal.</p>
      ) : (
        <RowChange
          change={{
            table: 'platform.state-contents',
            key: String(to['id']),
            before,
            after,
          }}
          maskRow={maskStateFile}
        />
      )}
    </section>
  )
}

function Variables({ rows }: { readonly rows: readonly StateRow[] }) {
  return (
    <section class="card" aria-label="Variables">
      <h2>Variables</h2>
      {rows.length === 0 ? (
        <p class="muted">No variables.</p>
      ) : (
        <table class="cards">
          <thead>
            <tr>
              <th scope="col">Key</th>
              <th scope="col">Category</th>
              <th scope="col">Value</th>
            </tr>
          </thead>
          <tbody>
            {rows.map(({ id, key, category, value, sensitive, hcl }) => (
              <tr key={String(id)}>
                <th scope="row">
                  <bdi>{String(key)}</bdi>
                </th>
                <td data-label="Category">
                  {String(category)} {hcl === true && <span class="tag">HCL</span>}
                  {sensitive === true && <span class="tag odd">sensitive</span>}
                </td>
                <td data-label="Value" class="wrapped">
                  {sensitive === true || isSecretName(String(key)) ? (
                    <Secret text={String(value)} />
                  ) : (
                    <LongText text={String(value)} />
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  )
}
