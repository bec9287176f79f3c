import { useState } from 'preact/hooks'
import type { SnapshotDiff, SnapshotView } from '../../../routes/control/world-content.ts'
import { useAction, useCall, usePage } from '../../context.ts'
import { Confirm, Note } from '../../parts/controls.tsx'
import { RowChange } from '../../parts/row-change.tsx'
import { formatClock } from '../../pure/text.ts'
import { goTo } from '../../route.ts'
import { Away } from './away.tsx'

interface SnapshotProps {
  readonly snapshot: SnapshotView
  readonly now: string
}

/** A moment that is kept: to go back to, to compare with, to go on from elsewhere. */
export function Snapshot({ snapshot: { id, takenAt }, now }: SnapshotProps) {
  const { client, world } = usePage()
  const act = useAction()
  const call = client.callerFor(world)
  const [compared, setCompared] = useState(false)
  const restore = () =>
    act(async () => {
      await call('POST', `/snapshots/${id}/restore`)
      return `Restored ${id}`
    })
  const fork = () =>
    act(async () => {
      const made = await client.call<{ id: string }>('POST', '/worlds', { from: id })
      goTo('time', '', { world: made.id })
      return `Forked ${id} as world ${made.id}`
    })
  const forget = () =>
    act(async () => {
      await call('DELETE', `/snapshots/${id}`)
      return `Deleted ${id}`
    })
  return (
    <li class="kept">
      <span class="clock">{formatClock(takenAt)}</span>
      <Away now={now} at={takenAt} />
      <span>snapshot</span>
      <code>{id}</code>
      <span class="bar">
        <button
          type="button"
          aria-expanded={compared}
          aria-label={`Diff: ${id} and now`}
          onClick={() => setCompared(!compared)}
        >
          Diff
        </button>
        <Confirm question="Go back to it?" label={`Restore ${id}`} act={restore}>
          Restore
        </Confirm>
        <button type="button" aria-label={`Fork ${id}`} onClick={fork}>
          Fork
        </button>
        <button type="button" aria-label={`Delete ${id}`} onClick={forget}>
          Delete
        </button>
      </span>
      {compared && <Compared id={id} />}
    </li>
  )
}

/** So many rows are shown. */
const most = 100

function Compared({ id }: { readonly id: string }) {
  const { feed } = usePage()
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
