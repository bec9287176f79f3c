import { usePage } from '../../context.ts'
import { Copy } from '../../parts/controls.tsx'
import { JsonView, LongText } from '../../parts/json-view.tsx'
import { expiryOf } from '../../pure/marks.ts'
import { formatDuration, showControlCharacters } from '../../pure/text.ts'
import { fixturesOf, type ServiceState, type Thing } from '../../pure/things.ts'
import { useRoute } from '../../route.ts'
import { Edit } from './edit.tsx'
import { JobVersions } from './job-versions.tsx'
import { PolicyTester } from './policy-tester.tsx'
import { PolicyText } from './policy-text.tsx'
import { SecretVersions } from './secret-versions.tsx'
import { TestRun } from './test-run.tsx'

interface ThingProps {
  readonly service: string
  readonly thing: Thing
  readonly state: ServiceState
}

/** A thing of the state in full. */
export function ThingDetail({ service, thing, state }: ThingProps) {
  const { table, title, row } = thing
  const isSecret = service === 'secrets' && table === 'kv2-keys'
  const isPolicy = service === 'secrets' && table === 'policies'
  const isJob = service === 'scheduler' && table === 'jobs'
  const line = Number(useRoute().params.get('line') ?? 0)
  const isTestRun = service === 'platform' && table === 'test-runs'
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
        <Edit service={service} thing={thing} state={state}>
          <Copy text={JSON.stringify(fixturesOf(service, [thing]), null, 2)}>Copy as fixtures</Copy>
        </Edit>
      </header>
      <div class="tab-panel">
        {isPolicy && <PolicyText text={String(row['policy'])} lit={line} />}
        {isPolicy && <PolicyTester policy={row} state={state} />}
        {isJob && <JobVersions thing={thing} />}
        {isTestRun && <TestRun row={row} />}
        {isSecret && <SecretVersions thing={thing} />}
        <section aria-label="Row">
          <h3>Stored row</h3>
          <JsonView value={row} masks of={`${service}.${table}`} />
        </section>
      </div>
    </article>
  )
}

/** How long something lives yet, where its row says when it ends. */
function TimeLeft({ row }: { readonly row: Thing['row'] }) {
  const { feed } = usePage()
  const end = expiryOf(row)
  if (end === undefined || feed.now === undefined) return null
  const left = end - Date.parse(feed.now)
  return (
    <div>
      <dt>Time left</dt>
      <dd>{left > 0 ? formatDuration(left) : `expired ${formatDuration(left)} ago`}</dd>
    </div>
  )
}
