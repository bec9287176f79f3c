import { useState } from 'preact/hooks'
import type { Fault } from '../../../routes/faults/declare/fault-shapes.ts'
import { useAction, usePage, useRead } from '../../context.ts'
import { Confirm, Note } from '../../parts/controls.tsx'
import { InlineMarkdown } from '../../parts/inline-markdown.tsx'
import { SchemaForm } from '../../parts/schema-form.tsx'
import { pluralize, truncate } from '../../pure/text.ts'
import type { Preset } from '../../source/source.ts'

/**
 * Renders the faults of the world with their hits, and the presets that can be turned on and off.
 */
export function Faults() {
  const { source, world, feed } = usePage()
  const canChange = source.can('change')
  const runAction = useAction()
  const { data: faults, problem } = useRead('faults', (each) => each.faults(), [feed.changes])
  const { data: presets } = useRead('presets', (each) => each.presets(), [feed.changes])
  if (problem !== undefined) return <Note isError>{problem}</Note>
  if (faults === undefined || presets === undefined) return <Note>Loading…</Note>
  const run = (action: () => Promise<void>, message: string) =>
    runAction(async () => {
      await action()
      return message
    })
  const apply = (name: string, parameters: object) =>
    run(() => world.actions.turnPresetOn(name, parameters), `Turned on ${name}`)
  return (
    <>
      <section aria-label="Faults">
        <h3>Faults</h3>
        {faults.length === 0 ? (
          <p class="muted">No faults are set.</p>
        ) : (
          <FaultTable
            faults={faults}
            onRemove={(id) => run(() => world.actions.removeFaults(id), `Removed fault ${id}`)}
          />
        )}
        {faults.length > 1 && canChange && (
          <Confirm
            question="Remove all faults?"
            onConfirm={() => run(() => world.actions.removeFaults(), 'Removed all faults')}
          >
            Remove all
          </Confirm>
        )}
      </section>
      <section aria-label="Presets">
        <h3>Presets</h3>
        <ul class="grid">
          {presets.map((preset) => (
            <li key={preset.name} class="node">
              <PresetCard
                preset={preset}
                faults={faults.filter((fault) => fault.preset === preset.name)}
                onTurnOn={(parameters) => apply(preset.name, parameters)}
                onTurnOff={() =>
                  run(() => world.actions.turnPresetOff(preset.name), `Turned off ${preset.name}`)
                }
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
  readonly onRemove: (id: string) => void
}

function FaultTable({ faults, onRemove }: FaultTableProps) {
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
                <button type="button" aria-label={`Remove ${id}`} onClick={() => onRemove(id)}>
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
  /** Faults that the preset created. */
  readonly faults: readonly Fault[]
  readonly onTurnOn: (parameters: object) => Promise<void>
  readonly onTurnOff: () => void
}

/** Renders a preset, which can be turned on with or without parameters, and off. */
function PresetCard({ preset, faults, onTurnOn, onTurnOff }: PresetCardProps) {
  const { name, summary, parameters, applied } = preset
  const [showsForm, setShowsForm] = useState(false)
  const hits =
    faults.length === 0
      ? undefined
      : pluralize(
          faults.reduce((sum, fault) => sum + fault.hits, 0),
          'hit',
        )
  const hasParameters = Object.keys(parameters.properties ?? {}).length > 0
  return (
    <>
      <div class="bar">
        <strong>{name}</strong>
        {applied && <span class="tag odd">{hits === undefined ? 'on' : `on, ${hits}`}</span>}
      </div>
      <p class="muted small">
        <InlineMarkdown text={summary} />
      </p>
      <div class="bar">
        <button type="button" aria-label={`On: ${name}`} onClick={() => onTurnOn({})}>
          On
        </button>
        {hasParameters && (
          <button
            type="button"
            aria-label={`On with parameters: ${name}`}
            aria-expanded={showsForm}
            onClick={() => setShowsForm(!showsForm)}
          >
            On with…
          </button>
        )}
        <button type="button" aria-label={`Off: ${name}`} onClick={onTurnOff}>
          Off
        </button>
      </div>
      {showsForm && (
        <SchemaForm
          label={`Parameters of ${name}`}
          schema={parameters}
          submitLabel="Turn on"
          onSubmit={onTurnOn}
          onCancel={() => setShowsForm(false)}
        />
      )}
    </>
  )
}
