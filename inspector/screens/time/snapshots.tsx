import { useState } from 'preact/hooks'
import type { SnapshotDiff, SnapshotView } from '../../../routes/control/world-control.ts'
import { useAction, useCall, useSurroundings } from '../../context.ts'
import { Confirm, Note } from '../../parts/controls.tsx'
import { RowChange } from '../../parts/row-change.tsx'
import { goTo } from '../../route.ts'

/** The moments that are kept: to go back to, to compare with, to go on from elsewhere. */
export function Snapshots() {
  const { client, world, feed } = useSurroundings()
  const act = useAction()
  const call = client.of(world)
  const [compared, setCompared] = useState('')
  const { data } = useCall<{ snapshots: readonly SnapshotView[] }>('/snapshots', [feed.worlds])
  const snapshots = data?.snapshots ?? []
  const take = () =>
    act(async () => {
      const { id } = await call<SnapshotView>('POST', '/snapshots')
      return `Kept as ${id}`
    })
  const restore = (id: string) =>
    act(async () => {
      await call('POST', `/snapshots/${id}/restore`)
      return `The world is as it was at ${id}`
    })
  const fork = (id: string) =>
    act(async () => {
      const made = await client.call<{ id: string }>('POST', '/worlds', { from: id })
      goTo('time', '', { world: made.id })
      return `World ${made.id} goes on from ${id}`
    })
  const forget = (id: string) =>
    act(async () => {
      await call('DELETE', `/snapshots/${id}`)
      return `${id} is forgotten`
    })
  return (
    <section class="card" aria-label="Snapshots">
      <h2>Snapshots</h2>
      <div class="bar">
        <button type="button" onClick={take}>
          Take a snapshot
        </button>
      </div>
      {snapshots.length === 0 && <p class="muted">None is kept.</p>}
      <ul class="plain">
        {snapshots.map(({ id, takenAt }) => (
          <li key={id}>
            <div class="bar">
              <code>{id}</code>
              <span class="muted">{takenAt.replace('T', ' ').replace('Z', '')}</span>
              <button
                type="button"
                aria-expanded={compared === id}
                aria-label={`Compare with now: ${id}`}
                onClick={() => setCompared(compared === id ? '' : id)}
              >
                Compare with now
              </button>
              <Confirm question="Go back to it?" act={() => restore(id)}>
                Restore
              </Confirm>
              <button type="button" aria-label={`Fork ${id}`} onClick={() => fork(id)}>
                Fork
              </button>
              <button type="button" aria-label={`Forget ${id}`} onClick={() => forget(id)}>
                Forget
              </button>
            </div>
            {compared === id && <Compared id={id} />}
          </li>
        ))}
      </ul>
    </section>
  )
}

/** So many rows are shown. */
const most = 100

function Compared({ id }: { readonly id: string }) {
  const { feed } = useSurroundings()
  const { data, problem } = useCall<SnapshotDiff>(`/snapshots/${id}/diff`, [feed.changes])
  if (problem !== undefined) return <Note bad>{problem}</Note>
  if (data === undefined) return <Note>Loading…</Note>
  if (data.changes.length === 0) return <Note>Nothing has changed since.</Note>
  return (
    <ul class="plain">
      {data.changes.slice(0, most).map((change) => (
        <li key={`${change.table}/${change.key}`}>
          <RowChange change={change} />
        </li>
      ))}
      {data.changes.length > most && <li class="muted">and {data.changes.length - most} more</li>}
    </ul>
  )
}
