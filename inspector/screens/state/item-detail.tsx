import { usePage } from '../../context.ts'
import { Copy } from '../../parts/controls.tsx'
import { JsonView, LongText } from '../../parts/json-view.tsx'
import { fixturesOf, type ServiceState, type StateItem } from '../../pure/items.ts'
import { expiryOf } from '../../pure/status-tone.ts'
import { formatDuration, showControlCharacters } from '../../pure/text.ts'
import { useRoute } from '../../route.ts'
import { Edit } from './edit.tsx'
import { JobVersions } from './job-versions.tsx'
import { PolicyTester } from './policy-tester.tsx'
import { PolicyText } from './policy-text.tsx'
import { SecretVersions } from './secret-versions.tsx'
import { TestRun } from './test-run.tsx'

interface ItemDetailProps {
  readonly service: string
  readonly item: StateItem
  readonly state: ServiceState
  /** True if `state` is an earlier state, right after a selected request. */
  readonly isPast: boolean
}

/** Renders an item of the state with its row, versions and actions. */
export function ItemDetail({ service, item, state, isPast }: ItemDetailProps) {
  const { source } = usePage()
  const { table, title, row } = item
  const isSecret = service === 'secrets' && table === 'kv2-keys'
  const isPolicy = service === 'secrets' && table === 'policies'
  const isJob = service === 'scheduler' && table === 'jobs'
  const highlightedLine = Number(useRoute().params.get('line') ?? 0)
  const canCompute = source.can('compute')
  const isTestRun = service === 'platform' && table === 'test-runs'
  const copyFixtures = (
    <Copy text={JSON.stringify(fixturesOf(service, [item]), null, 2)}>Copy as fixtures</Copy>
  )
  return (
    <article class="detail">
      <header>
        <h2>
          <LongText text={showControlCharacters(title)} />
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
        {source.can('send') && !isPast ? (
          <Edit service={service} item={item} state={state}>
            {copyFixtures}
          </Edit>
        ) : (
          <div class="bar">{copyFixtures}</div>
        )}
      </header>
      <div class="tab-panel">
        {isPolicy && <PolicyText text={String(row['policy'])} highlightedLine={highlightedLine} />}
        {isPolicy && source.can('send') && !isPast && <PolicyTester policy={row} state={state} />}
        {isJob && canCompute && !isPast && <JobVersions item={item} />}
        {isTestRun && canCompute && !isPast && <TestRun row={row} />}
        {isSecret && <SecretVersions item={item} />}
        <section aria-label="Row">
          <h3>Stored row</h3>
          <JsonView value={row} hidesSecrets table={`${service}.${table}`} />
        </section>
      </div>
    </article>
  )
}

/**
 * Renders the remaining lifetime of an item, if its row has an expiry time and the world's time is
 * known.
 */
function TimeLeft({ row }: { readonly row: StateItem['row'] }) {
  const { feed } = usePage()
  const end = expiryOf(row)
  if (end === undefined || feed.now === undefined) return null
  const remaining = end - Date.parse(feed.now)
  return (
    <div>
      <dt>Time left</dt>
      <dd>
        {remaining > 0 ? formatDuration(remaining) : `expired ${formatDuration(remaining)} ago`}
      </dd>
    </div>
  )
}
