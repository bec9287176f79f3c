import { useState } from 'preact/hooks'
import type { Fault } from '../../../routes/faults/fault-shapes.ts'
import { useAction, useCall, useSurroundings } from '../../context.ts'
import { Confirm, Note } from '../../parts/controls.tsx'
import { SchemaForm } from '../../parts/schema-form.tsx'
import type { FormSchema } from '../../pure/schema-form.ts'
import { cut } from '../../pure/text.ts'

interface Preset {
  readonly name: string
  readonly summary: string
  readonly service: string
  readonly parameters: FormSchema
}

/** What makes requests of the world fail: faults with their hits, and presets to turn on and off. */
export function Faults() {
  const { client, world, feed } = useSurroundings()
  const act = useAction()
  const call = client.of(world)
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
      return `${name} is on`
    })
  return (
    <>
      <section aria-label="Faults">
        <h3>Faults</h3>
        {data.faults.length === 0 && <p class="muted">Nothing is made to fail.</p>}
        <ul class="plain">
          {data.faults.map(({ id, match, action, matched, hits, spent, preset }) => (
            <li key={id} class="bar">
              <code>{id}</code>
              <span class={hits > 0 ? 'tag odd' : 'tag'}>
                {hits} hits of {matched}
              </span>
              {spent && <span class="tag">spent</span>}
              {preset !== null && <span class="tag">{preset}</span>}
              <span>{cut(JSON.stringify(action), 120)}</span>
              <span class="muted">{cut(JSON.stringify(match ?? {}), 160)}</span>
              <button
                type="button"
                aria-label={`Take away ${id}`}
                onClick={() => drop(`/faults/${id}`, `Fault ${id} is gone`)}
              >
                Take away
              </button>
            </li>
          ))}
        </ul>
        {data.faults.length > 1 && (
          <Confirm question="All of them?" act={() => drop('/faults', 'No fault is left')}>
            Take all away
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
                end={() => drop(`/faults/presets/${preset.name}`, `${preset.name} is off`)}
              />
            </li>
          ))}
        </ul>
      </section>
    </>
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
          <span class="tag odd">{faults.reduce((sum, { hits }) => sum + hits, 0)} hits</span>
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
            On with …
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
