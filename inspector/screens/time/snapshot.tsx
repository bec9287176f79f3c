import { useState } from 'preact/hooks'
import type { SnapshotView } from '../../../routes/control/state/state-shapes.ts'
import { useAction, usePage, useRead } from '../../context.ts'
import { Confirm, Note } from '../../parts/controls.tsx'
import { RowChanges } from '../../parts/row-change.tsx'
import { formatClock } from '../../pure/text.ts'
import { goTo } from '../../route.ts'
import { RelativeTime } from './relative-time.tsx'

interface SnapshotProps {
  readonly snapshot: SnapshotView
  readonly now: string
}

/** Renders a snapshot with its actions: compare, restore, fork and delete. */
export function Snapshot({ snapshot: { id, takenAt }, now }: SnapshotProps) {
  const { source, world } = usePage()
  const runAction = useAction()
  const [showsDiff, setShowsDiff] = useState(false)
  const restore = () =>
    runAction(async () => {
      await world.actions.restoreSnapshot(id)
      return `Restored ${id}`
    })
  const fork = () =>
    runAction(async () => {
      const forkId = await source.createWorld({ from: id })
      goTo('time', '', { world: forkId })
      return `Forked ${id} as world ${forkId}`
    })
  const remove = () =>
    runAction(async () => {
      await world.actions.deleteSnapshot(id)
      return `Deleted ${id}`
    })
  return (
    <li class="kept">
      <span class="clock">{formatClock(takenAt)}</span>
      <RelativeTime now={now} at={takenAt} />
      <span>snapshot</span>
      <code>{id}</code>
      <span class="bar">
        <button
          type="button"
          aria-expanded={showsDiff}
          aria-label={`Diff: ${id} and now`}
          onClick={() => setShowsDiff(!showsDiff)}
        >
          Diff
        </button>
        {source.can('change') && (
          <>
            <Confirm question="Go back to it?" label={`Restore ${id}`} onConfirm={restore}>
              Restore
            </Confirm>
            <button type="button" aria-label={`Fork ${id}`} onClick={fork}>
              Fork
            </button>
            <button type="button" aria-label={`Delete ${id}`} onClick={remove}>
              Delete
            </button>
          </>
        )}
      </span>
      {showsDiff && <SnapshotChanges id={id} />}
    </li>
  )
}

function SnapshotChanges({ id }: { readonly id: string }) {
  const { feed } = usePage()
  const { data, problem } = useRead(`changes since ${id}`, (world) => world.changesSince(id), [
    feed.changes,
  ])
  if (problem !== undefined) return <Note isError>{problem}</Note>
  if (data === undefined) return <Note>Loading…</Note>
  if (data.length === 0) return <Note>Nothing has changed since.</Note>
  return <RowChanges changes={data} />
}
