import { useAction, usePage } from '../../context.ts'
import type { ServiceState, StateRow } from '../../pure/items.ts'
import { toneOf } from '../../pure/status-tone.ts'
import { pluralize } from '../../pure/text.ts'
import { goTo } from '../../route.ts'

/** Maximum number of drawn allocations per node. */
const maxAllocations = 200

/**
 * Renders the scheduler's cluster: each node with its allocations, which link to their state
 * machines. Renders nothing if there are no nodes.
 */
export function Cluster({ state }: { readonly state: ServiceState | undefined }) {
  const { source, world } = usePage()
  const runAction = useAction()
  const nodes = Object.entries(state?.tables['nodes'] ?? {}).sort(([, a], [, b]) =>
    stringField(a, 'Name') < stringField(b, 'Name') ? -1 : 1,
  )
  const allocations = Object.entries(state?.tables['allocations'] ?? {})
  if (nodes.length === 0) return null
  const step = () =>
    runAction(async () => {
      await world.actions.stepCluster()
      return 'The cluster took its next step'
    })
  return (
    <section class="card" aria-label="Cluster">
      <div class="bar">
        <h2>Cluster</h2>
        <span class="muted">
          {pluralize(nodes.length, 'node')}, {pluralize(allocations.length, 'allocation')}
        </span>
        {source.can('change') && (
          <button type="button" onClick={step}>
            Take the next step
          </button>
        )}
      </div>
      <ul class="grid">
        {nodes.map(([id, node]) => {
          const nodeAllocations = allocations.filter(([, row]) => stringField(row, 'NodeID') === id)
          return (
            <li key={id} class="node">
              <div class="bar">
                <strong>{stringField(node, 'Name') || id}</strong>
                <span class={`tag ${toneOf(stringField(node, 'Status'))}`}>
                  {stringField(node, 'Status')}
                </span>
                {stringField(node, 'SchedulingEligibility') === 'ineligible' && (
                  <span class="tag odd">ineligible</span>
                )}
              </div>
              <div class="bar">
                {nodeAllocations.slice(0, maxAllocations).map(([key, row]) => (
                  <button
                    key={key}
                    type="button"
                    class={`allocation ${toneOf(stringField(row, 'ClientStatus'))}`}
                    onClick={() => goTo('machines', 'scheduler.allocation', { id: key })}
                  >
                    {stringField(row, 'Name') || key.slice(0, 8)} ·{' '}
                    {stringField(row, 'ClientStatus')}
                  </button>
                ))}
                {nodeAllocations.length === 0 && <span class="muted">no allocations</span>}
                {nodeAllocations.length > maxAllocations && (
                  <span class="muted">and {nodeAllocations.length - maxAllocations} more</span>
                )}
              </div>
            </li>
          )
        })}
      </ul>
    </section>
  )
}

function stringField(row: StateRow, name: string): string {
  const value = row[name]
  return typeof value === 'string' ? value : ''
}
