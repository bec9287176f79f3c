import { useState } from 'preact/hooks'
import type { Fault } from '../../../routes/faults/fault-shapes.ts'
import { useAction, useCall, usePage } from '../../context.ts'
import { Confirm, Note } from '../../parts/controls.tsx'
import { SchemaForm } from '../../parts/schema-form.tsx'
import type { FormSchema } from '../../pure/schema-form.ts'
import { pluralize, truncate } from '../../pure/text.ts'

interface Preset {
  readonly name: string
  readonly summary: string
  readonly service: string
  readonly parameters: FormSchema
}

/** What makes requests of the world fail: faults with their hits, and presets to turn on and off. */
export function Faults() {
  const { client, world, feed } = usePage()
  const act = useAction()
  const call = client.callerFor(world)
  const of = [feed.changes]
  const { data, problem } = useCall<{ faults: readonly Fault[] }>('/faults', of)
  const { data: known } = useCall<{ presets: readonly Preset[] }>('/faults/presets')
  if (problem !== undefined) return <Note bad>{problem}</Note>
  if (data === undefined || known === undefined) return <Note>Loading…</Note>
  const drop = (path: string, said: string) =>
    act(async () => {
      await call('DELETE', path)
      return said
    })
  const apply = (name: string, parameters: object) =>
    act(async () => {
      await call('POST', `/faults/presets/${name}`, parameters)
      return `Turned on ${name}`
    })
  return (
    <>
      <section aria-label="Faults">
        <h3>Faults</h3>
        {data.faults.length === 0 ? (
          <p class="muted">No faults are set.</p>
        ) : (
          <FaultTable
            faults={data.faults}
            remove={(id) => drop(`/faults/${id}`, `Removed fault ${id}`)}
          />
        )}
        {data.faults.length > 1 && (
          <Confirm question="Remove all faults?" act={() => drop('/faults', 'Removed all faults')}>
            Remove all
          </Confirm>
        )}
      </section>
      <section aria-label="Presets">
        <h3>Presets</h3>
        <ul class="grid">
          {known.presets.map((preset) => (
            <li key={preset.name} class="node">
              <PresetCard
                preset={preset}
                faults={data.faults.filter((fault) => fault.preset === preset.name)}
                apply={(parameters) => apply(preset.name, parameters)}
                end={() => drop(`/faults/presets/${preset.name}`, `Turned off ${preset.name}`)}
              />
            </li>
          ))}
        </ul>
      </section>
    </>
  )
}

interface FaultTableProps {
  readonly faults: readonly Fault[]
  readonly remove: (id: string) => void
}

function FaultTable({ faults, remove }: FaultTableProps) {
  return (
    <div class="wide">
      <table class="cards">
        <thead>
          <tr>
            <th scope="col">Fault</th>
            <th scope="col">Hits</th>
            <th scope="col">Action</th>
            <th scope="col">Requests</th>
            <th scope="col">Preset</th>
            <th scope="col">
              <span class="only-heard">Remove</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {faults.map(({ id, match, action, matched, hits, spent, preset }) => (
            <tr key={id}>
              <th scope="row">{id}</th>
              <td data-label="Hits">
                <span class={hits > 0 ? 'tag odd' : 'tag'}>
                  {hits} of {matched}
                </span>{' '}
                {spent && <span class="tag">spent</span>}
              </td>
              <td data-label="Action">
                <code>{truncate(JSON.stringify(action), 120)}</code>
              </td>
              <td data-label="Requests">
                {match === undefined ? 'all' : <code>{truncate(JSON.stringify(match), 160)}</code>}
              </td>
              <td data-label="Preset">{preset}</td>
              <td>
                <button type="button" aria-label={`Remove ${id}`} onClick={() => remove(id)}>
                  Remove
                </button>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

interface PresetCardProps {
  readonly preset: Preset
  /** Those that it has made. */
  readonly faults: readonly Fault[]
  readonly apply: (parameters: object) => Promise<void>
  readonly end: () => void
}

/** A preset: on as it is, or with parameters of one's own, and off. */
function PresetCard({ preset, faults, apply, end }: PresetCardProps) {
  const { name, summary, parameters } = preset
  const [asks, setAsks] = useState(false)
  const hasParameters = Object.keys(parameters.properties ?? {}).length > 0
  return (
    <>
      <div class="bar">
        <strong>{name}</strong>
        {faults.length > 0 && (
          <span class="tag odd">
            on,{' '}
            {pluralize(
              faults.reduce((sum, { hits }) => sum + hits, 0),
              'hit',
            )}
          </span>
        )}
      </div>
      <p class="muted small">{summary}</p>
      <div class="bar">
        <button type="button" aria-label={`On: ${name}`} onClick={() => apply({})}>
          On
        </button>
        {hasParameters && (
          <button
            type="button"
            aria-label={`On with parameters: ${name}`}
            aria-expanded={asks}
            onClick={() => setAsks(!asks)}
          >
            On with…
          </button>
        )}
        <button type="button" aria-label={`Off: ${name}`} onClick={end}>
          Off
        </button>
      </div>
      {asks && (
        <SchemaForm
          label={`Parameters of ${name}`}
          schema={parameters}
          verb="Turn on"
          send={apply}
          cancel={() => setAsks(false)}
        />
      )}
    </>
  )
}
