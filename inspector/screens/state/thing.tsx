import { useState } from 'preact/hooks'
import { useSurroundings } from '../../context.ts'
import { Copy } from '../../parts/controls.tsx'
import { JsonView, LongText } from '../../parts/json-view.tsx'
import { RowChange } from '../../parts/row-change.tsx'
import { span, visible } from '../../pure/text.ts'
import {
  fixturesOf,
  type PlacedRow,
  type ServiceState,
  type Thing,
  versionOf,
} from '../../pure/things.ts'
import { Edit } from './edit.tsx'
import { JobVersions } from './job-versions.tsx'
import { PolicyTester } from './policy-tester.tsx'
import { TestRun } from './test-run.tsx'

interface ThingProps {
  readonly service: string
  readonly thing: Thing
  readonly state: ServiceState
}

/** A thing of the state in full. */
export function ThingDetail({ service, thing, state }: ThingProps) {
  const { table, title, row, versions } = thing
  const isPolicy = service === 'secrets' && table === 'policies'
  const isJob = service === 'scheduler' && table === 'jobs'
  const isTestRun = service === 'platform' && table === 'test-runs'
  return (
    <article class="detail">
      <header>
        <h2>
          <LongText text={visible(title)} />
        </h2>
        <dl class="facts">
          <div>
            <dt>Table</dt>
            <dd>
              {service}.{table}
            </dd>
          </div>
          <TimeLeft row={row} />
        </dl>
        <div class="bar">
          <Copy text={JSON.stringify(fixturesOf(service, [thing]), null, 2)}>Copy as fixtures</Copy>
        </div>
      </header>
      <div class="tab-panel">
        <Edit service={service} thing={thing} state={state} />
        {isPolicy && <PolicyTester policy={row} state={state} />}
        {isJob && <JobVersions thing={thing} />}
        {isTestRun && <TestRun row={row} />}
        {versions.length > 0 && !isJob && <Versions service={service} thing={thing} />}
        <section aria-label="Row">
          <h3>As it is kept</h3>
          <JsonView value={row} masks />
        </section>
      </div>
    </article>
  )
}

/** How long something lives yet, where its row says when it ends. */
function TimeLeft({ row }: { readonly row: Thing['row'] }) {
  const { feed } = useSurroundings()
  const end = ['expires', 'expires_at', 'expire_time', 'expire_at', 'expired_at', 'ExpirationTime']
    .map((name) => row[name])
    .find((value) => value !== undefined && value !== null && value !== 0)
  if (end === undefined || feed.now === undefined) return null
  const at = typeof end === 'number' ? end : Date.parse(String(end))
  const left = at - Date.parse(feed.now)
  return (
    <div>
      <dt>Time left</dt>
      <dd>{left > 0 ? span(left) : `over since ${span(left)}`}</dd>
    </div>
  )
}

/** Versions with their marks, and what differs between two of them. */
function Versions({ service, thing }: Omit<ThingProps, 'state'>) {
  const { versions, row } = thing
  const [chosen, setChosen] = useState(0)
  const present = versions[Math.min(chosen, versions.length - 1)]
  const before = versions[chosen + 1]
  if (present === undefined) return null
  return (
    <section aria-label="Versions">
      <h3>Versions</h3>
      <div class="bar">
        {versions.slice(0, 50).map((version, at) => (
          <button
            key={version.key}
            type="button"
            aria-pressed={at === chosen}
            onClick={() => setChosen(at)}
          >
            {versionOf(version)}
            {markOf(row, version)}
          </button>
        ))}
      </div>
      <RowChange
        key={present.key}
        change={{
          table: `${service}.${present.table}`,
          key: `version ${versionOf(present)}${before ? ` since ${versionOf(before)}` : ''}`,
          ...(before === undefined ? {} : { before: opened(before.row) }),
          after: opened(present.row),
        }}
      />
    </section>
  )
}

/** The text of a secret's data as the JSON that it is. */
function opened(row: PlacedRow['row']): object {
  const { data } = row
  if (typeof data !== 'string') return row
  try {
    return { ...row, data: JSON.parse(data) }
  } catch {
    return row
  }
}

function markOf(row: PlacedRow['row'], version: PlacedRow): string {
  const { versions, oldest_version: oldest } = row
  if (!Array.isArray(versions)) return ''
  const first = Math.max(1, Number(oldest) || 1)
  const mark = versions[versionOf(version) - first] as
    | { readonly destroyed?: boolean; readonly deletion_time?: number | null }
    | undefined
  if (mark?.destroyed) return ' destroyed'
  return mark?.deletion_time ? ' deleted' : ''
}
