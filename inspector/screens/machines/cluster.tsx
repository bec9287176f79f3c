import { useAction, useCall, useSurroundings } from '../../context.ts'
import type { ServiceState, StateRow } from '../../pure/things.ts'
import { goTo } from '../../route.ts'

/** So many allocations of a node are drawn. */
const most = 200

/** The scheduler's cluster: a card for each node, with what runs there. */
export function Cluster() {
  const { client, world, feed } = useSurroundings()
  const act = useAction()
  const { data } = useCall<ServiceState>('/state/scheduler', [feed.changes])
  const nodes = Object.entries(data?.tables['nodes'] ?? {})
  const allocations = Object.entries(data?.tables['allocations'] ?? {})
  if (nodes.length === 0) return null
  const step = () =>
    act(async () => {
      await client.of(world)('POST', '/scheduler/step')
      return 'The cluster has taken its next steps'
    })
  return (
    <section class="card" aria-label="Cluster">
      <div class="bar">
        <h2>Cluster</h2>
        <span class="muted">
          {nodes.length} nodes, {allocations.length} allocations
        </span>
        <button type="button" onClick={step}>
          Take the next steps
        </button>
      </div>
      <ul class="grid">
        {nodes.map(([id, node]) => {
          const own = allocations.filter(([, row]) => text(row, 'NodeID') === id)
          return (
            <li key={id} class="node">
              <div class="bar">
                <strong>{text(node, 'Name') || id}</strong>
                <span class={`tag ${text(node, 'Status') === 'ready' ? 'good' : 'bad'}`}>
                  {text(node, 'Status')}
                </span>
                {text(node, 'SchedulingEligibility') === 'ineligible' && (
                  <span class="tag odd">ineligible</span>
                )}
              </div>
              <div class="bar">
                {own.slice(0, most).map(([key, row]) => (
                  <button
                    key={key}
                    type="button"
                    class={`allocation ${kindOf(row)}`}
                    onClick={() =>
                      goTo('state', `allocations ${key}`, { of: 'scheduler', find: '' })
                    }
                  >
                    {text(row, 'Name') || key.slice(0, 8)} · {text(row, 'ClientStatus')}
                  </button>
                ))}
                {own.length === 0 && <span class="muted">nothing runs here</span>}
                {own.length > most && <span class="muted">and {own.length - most} more</span>}
              </div>
            </li>
          )
        })}
      </ul>
    </section>
  )
}

function text(row: StateRow, name: string): string {
  const value = row[name]
  return typeof value === 'string' ? value : ''
}

function kindOf(row: StateRow): string {
  const status = text(row, 'ClientStatus')
  if (status === 'running' || status === 'complete') return 'good'
  return status === 'failed' || status === 'lost' ? 'bad' : 'odd'
}
