import { useEffect, useId, useRef, useState } from 'preact/hooks'
import type { TransitionView } from '../../../routes/control/clock/transition-control.ts'
import { useAction, useFeed, usePage, useRead } from '../../context.ts'
import { Note } from '../../parts/controls.tsx'
import { SchemaForm } from '../../parts/schema-form.tsx'
import { diagramOf, stateWidth } from '../../pure/diagram.ts'
import { machineName } from '../../pure/machine-name.ts'
import type { FormSchema } from '../../pure/schema-form.ts'
import { truncate } from '../../pure/text.ts'
import { hrefTo, type Route } from '../../route.ts'
import { Cluster } from './cluster.tsx'
import { ReplicationPair } from './replication-pair.tsx'

/** Renders the screen of all state machines and the cluster. */
export function Machines({ route }: { readonly route: Route }) {
  const { feed } = usePage()
  useFeed(feed)
  const { data, problem } = useRead('machines', (world) => world.machines(), [feed.changes])
  const { data: cluster } = useRead('scheduler', (world) => world.state('scheduler'), [
    feed.changes,
  ])
  if (problem !== undefined) return <Note isError>{problem}</Note>
  if (data === undefined) return <Note>Loading…</Note>
  const kinds = data.toSorted((a, b) => Number(a.items.length === 0) - Number(b.items.length === 0))
  return (
    <div class="page">
      <nav class="bar chips" aria-label="Kinds">
        {kinds.map(({ kind, items }) => (
          <a key={kind} class="chip" href={hrefTo('machines', kind, { id: '' })}>
            {kind} <span class="count">{items.length}</span>
          </a>
        ))}
      </nav>
      <Cluster state={cluster} />
      {kinds.map((kind) => (
        <Kind
          key={kind.kind}
          kind={kind}
          requestedId={route.item === kind.kind ? (route.params.get('id') ?? '') : undefined}
          nameOf={(id) => machineName(kind.kind, id, cluster)}
        />
      ))}
    </div>
  )
}

function timingText(pace: TransitionView['pace']): string {
  return typeof pace === 'string' ? pace : `after ${pace.after}`
}

interface KindProps {
  readonly kind: TransitionView
  /**
   * Id of the machine to select. Empty if the address names only this kind; undefined if the
   * address names another kind or none.
   */
  readonly requestedId: string | undefined
  /** Returns the display name of the machine with this id. */
  readonly nameOf: (id: string) => string
}

function Kind({ kind, requestedId, nameOf }: KindProps) {
  const card = useRef<HTMLElement>(null)
  const [selectedId, setSelectedId] = useState('')
  useEffect(() => {
    if (requestedId === undefined) return
    card.current?.focus()
    setSelectedId(requestedId)
  }, [requestedId])
  const { items, summary, pace } = kind
  const item =
    items.find(({ id }) => id === selectedId) ?? items.find(({ to }) => to.length > 0) ?? items[0]
  return (
    <section class="card" aria-label={kind.kind} ref={card} tabIndex={-1}>
      <h2>
        {kind.kind} <span class="tag">{timingText(pace)}</span>
      </h2>
      <p class="muted">{summary}</p>
      {item === undefined ? (
        <p class="muted">There are none at the moment.</p>
      ) : (
        <>
          {items.length > 1 && (
            <label>
              {items.length} of them{' '}
              <select
                value={item.id}
                onChange={({ currentTarget }) => setSelectedId(currentTarget.value)}
              >
                {items.slice(0, 500).map(({ id, state }) => (
                  <option key={id} value={id}>
                    {truncate(nameOf(id), 120)} · {state}
                  </option>
                ))}
              </select>
            </label>
          )}
          {item.detail !== undefined && <p class="muted">{item.detail}</p>}
          <Machine
            key={item.id}
            kind={kind}
            item={item}
            pinSelection={() => setSelectedId(item.id)}
          />
        </>
      )}
    </section>
  )
}

interface MachineProps {
  readonly kind: TransitionView
  readonly item: TransitionView['items'][number]
  /** Keeps this machine selected while it changes state. */
  readonly pinSelection: () => void
}

const arrowheadSize = { markerWidth: 7, markerHeight: 7 }

/**
 * Renders a machine as a diagram: the present state is highlighted, and allowed transitions are
 * buttons. A replication link is rendered as a pair of clusters.
 */
function Machine({ kind: { kind, targets, takes }, item, pinSelection }: MachineProps) {
  const { source, world } = usePage()
  const runAction = useAction()
  const [formTarget, setFormTarget] = useState('')
  const { states, width, arcs, baseline: top } = diagramOf(targets, item.state, item.to)
  const forceTransition = (to: string, details: object = {}) =>
    runAction(async () => {
      await world.actions.forceTransition(kind, item.id, { ...details, to })
      setFormTarget('')
      pinSelection()
      return `${truncate(item.id, 40)} moved to ${to}`
    })
  const arrowheadId = useId()
  if (kind === 'secrets.replication-link')
    return <ReplicationPair item={item} forceTransition={forceTransition} />
  const schema = item.to.includes(formTarget) ? takes?.[formTarget] : undefined
  const label = `States of ${kind} ${truncate(item.id, 60)}`
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: keys scroll a diagram that is wider than the page */}
      <section class="machine" aria-label={label} tabIndex={0}>
        <div class="machine-all" style={{ width: `${width}px`, height: `${top + 34}px` }}>
          <svg width={width} height={top + 2} aria-hidden="true">
            <title>Moves</title>
            <defs>
              <marker
                id={arrowheadId}
                viewBox="0 0 8 8"
                refX="6"
                refY="4"
                {...arrowheadSize}
                orient="auto"
              >
                <path d="M0 0 L8 4 L0 8 Z" />
              </marker>
            </defs>
            {arcs.map(([to, path]) => (
              <path key={to} class="arc" d={path} marker-end={`url(#${arrowheadId})`} />
            ))}
          </svg>
          {states.map(({ name, x, isCurrent, isReachable }) => {
            const isEnabled = isReachable && source.can('change')
            const style = { left: `${x}px`, width: `${stateWidth}px`, top: `${top}px` }
            if (isCurrent) {
              return (
                <strong key={name} class="machine-state lit" style={style} aria-current="true">
                  {name}
                </strong>
              )
            }
            const needsForm = isEnabled && takes?.[name] !== undefined
            return (
              <button
                key={name}
                type="button"
                class="machine-state"
                style={style}
                disabled={!isEnabled}
                aria-label={isEnabled ? `Move to ${name}` : `${name}, not reachable now`}
                {...(needsForm ? { 'aria-expanded': formTarget === name } : {})}
                onClick={() =>
                  needsForm ? setFormTarget(formTarget === name ? '' : name) : forceTransition(name)
                }
              >
                {needsForm ? `${name} …` : name}
              </button>
            )
          })}
        </div>
      </section>
      {schema !== undefined && (
        <SchemaForm
          key={formTarget}
          label={`Details of the move to ${formTarget}`}
          schema={schema as FormSchema}
          submitLabel={`Move to ${formTarget}`}
          onSubmit={(details) => forceTransition(formTarget, details)}
          onCancel={() => setFormTarget('')}
        />
      )}
    </>
  )
}
