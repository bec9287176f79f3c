import { useState } from 'preact/hooks'
import { useAction, useFeed, usePage, useRead } from '../../context.ts'
import { Note } from '../../parts/controls.tsx'
import { type MeshCheck, type MeshGroup, meshCatalog } from '../../pure/mesh-services.ts'
import { toneOf } from '../../pure/status-tone.ts'
import { pluralize, truncate } from '../../pure/text.ts'

/** Maximum number of drawn services, and of instances of each. */
const maxCards = 200

/** Renders the services of the mesh API with their instances and checks, and the nodes. */
export function Mesh() {
  const { feed } = usePage()
  useFeed(feed)
  const [filter, setFilter] = useState('')
  const { data, problem } = useRead('mesh', (world) => world.state('mesh'), [feed.changes])
  if (problem !== undefined) return <Note isError>{problem}</Note>
  if (data === undefined) return <Note>Loading…</Note>
  const { services, nodes } = meshCatalog(data)
  const matching = services.filter(({ name }) => name.toLowerCase().includes(filter.toLowerCase()))
  return (
    <div class="page">
      <div class="bar">
        <input
          type="search"
          aria-label="Find services"
          placeholder="Find services"
          value={filter}
          onInput={({ currentTarget }) => setFilter(currentTarget.value)}
        />
        <span class="muted">{pluralize(matching.length, 'service')}</span>
      </div>
      {matching.slice(0, maxCards).map((group) => (
        <Group key={group.name} label={`Service ${group.name}`} group={group} />
      ))}
      {matching.length > maxCards && <p class="muted">and {matching.length - maxCards} more</p>}
      <Group label="Nodes" group={nodes} />
    </div>
  )
}

interface GroupProps {
  readonly label: string
  readonly group: MeshGroup
}

function Group({ label, group: { name, instances } }: GroupProps) {
  return (
    <section class="card" aria-label={label}>
      <h2>
        <bdi>{truncate(name, 200)}</bdi> <span class="count">{instances.length}</span>
      </h2>
      <ul class="grid">
        {instances.slice(0, maxCards).map(({ key, id, node, address, status, checks }) => (
          <li key={key} class="node">
            <div class="bar">
              <strong>
                <bdi>{truncate(id, 200)}</bdi>
              </strong>
              <span class={`tag ${toneOf(status)}`}>{status}</span>
            </div>
            <span class="muted">
              {address}
              {node !== id && ` on ${truncate(node, 200)}`}
            </span>
            <div class="bar">
              {checks.map((check) => (
                <Check key={check.id} check={check} />
              ))}
              {checks.length === 0 && <span class="muted">no checks</span>}
            </div>
          </li>
        ))}
      </ul>
      {instances.length > maxCards && <p class="muted">and {instances.length - maxCards} more</p>}
    </section>
  )
}

/**
 * Renders a check. If the source can change worlds, a click makes the check critical; a click on a
 * critical check restores its last other status, or makes it passing if none is known.
 */
function Check({ check: { id, name, status } }: { readonly check: MeshCheck }) {
  const { source, world } = usePage()
  const runAction = useAction()
  const [previousStatus, setPreviousStatus] = useState('passing')
  const text = `${truncate(name, 200)} · ${status}`
  const kind = `allocation ${toneOf(status)}`
  if (!source.can('change')) return <span class={`tag ${kind}`}>{text}</span>
  const to = status === 'critical' ? previousStatus : 'critical'
  const force = () =>
    runAction(async () => {
      await world.actions.forceTransition('mesh.check', id, { to })
      if (to === 'critical') setPreviousStatus(status)
      return `${truncate(id, 40)} is ${to}`
    })
  return (
    <button type="button" class={kind} title={`Make it ${to}`} onClick={force}>
      {text}
    </button>
  )
}
