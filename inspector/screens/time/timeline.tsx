import { useState } from 'preact/hooks'
import type { DueList } from '../../../routes/control/clock/clock-shapes.ts'
import { useAction, usePage, useRead } from '../../context.ts'
import { Secret } from '../../parts/json-view.tsx'
import { RowChanges } from '../../parts/row-change.tsx'
import { formatClock, truncate } from '../../pure/text.ts'
import type { FiredEvent, HistoryEvent } from '../../source/source.ts'
import { RelativeTime } from './relative-time.tsx'
import { Snapshot } from './snapshot.tsx'

interface TimelineProps {
  readonly now: string
  readonly list: DueList
}

/** Maximum number of fired events that are shown. */
const maxFired = 50

/**
 * Renders past events and snapshots, the present, and the pending events. On a live server, the
 * event stream delivers the past events, of which the last 50 are shown.
 */
export function Timeline({ now, list }: TimelineProps) {
  const { source, world, feed } = usePage()
  const runAction = useAction()
  const { data } = useRead('snapshots', (each) => each.snapshots(), [feed.worlds])
  const { data: history } = useRead('history', (each) => each.history(), [feed.worlds])
  const takeSnapshot = () =>
    runAction(async () => {
      return `Snapshot ${await world.actions.takeSnapshot()} taken`
    })
  const pastEntries = [
    ...feed.firedEvents.slice(-maxFired).map((fired) => ({ at: fired.at, fired })),
    ...(history ?? []).map((past) => ({ at: past.at, past })),
    ...(data ?? []).map((snapshot) => ({ at: snapshot.takenAt, snapshot })),
  ].sort((a, b) => Date.parse(a.at) - Date.parse(b.at))
  const isPast = ({ at }: { readonly at: string }) => Date.parse(at) <= Date.parse(now)
  const renderEntry = (each: (typeof pastEntries)[number], at: number) =>
    'snapshot' in each ? (
      <Snapshot key={each.snapshot.id} snapshot={each.snapshot} now={now} />
    ) : 'past' in each ? (
      <PastEvent key={`${at} ${each.at}`} event={each.past} now={now} />
    ) : (
      <TimelineEvent
        key={`${at} ${each.at} ${each.fired.id}`}
        now={now}
        event={each.fired}
        kind="past"
      />
    )
  return (
    <section class="card" aria-label="Timeline">
      <div class="bar">
        <h2>Timeline</h2>
        {source.can('change') && (
          <button type="button" onClick={takeSnapshot}>
            Take a snapshot
          </button>
        )}
      </div>
      <ol class="timeline">
        {pastEntries.filter(isPast).map(renderEntry)}
        <li class="now">
          <span class="clock">{formatClock(now)}</span> now
        </li>
        {/* After a rewind of the world, fired events and snapshots can lie in its future. */}
        {pastEntries.filter((each) => !isPast(each)).map(renderEntry)}
        {list.due.map((each) => (
          <TimelineEvent key={`${each.kind} ${each.id}`} now={now} event={each} kind="due" />
        ))}
      </ol>
      {list.total > list.due.length && <p class="muted">and {list.total - list.due.length} more</p>}
      {list.total === 0 && <p class="muted">Nothing is due.</p>}
    </section>
  )
}

interface PastEventProps {
  readonly now: string
  readonly event: HistoryEvent
}

/** Renders a past event, with a button that shows the rows that the event wrote. */
function PastEvent({ now, event: { at, kind, text, changes } }: PastEventProps) {
  const [showsRows, setShowsRows] = useState(false)
  return (
    <li class="past">
      <span class="clock">{formatClock(at)}</span>
      <RelativeTime now={now} at={at} />
      <span>{kind}</span>
      <bdi>{truncate(text, 200)}</bdi>
      {changes.length > 0 && (
        <button type="button" aria-expanded={showsRows} onClick={() => setShowsRows(!showsRows)}>
          Rows
        </button>
      )}
      {showsRows && <RowChanges changes={changes} />}
    </li>
  )
}

interface TimelineEventProps {
  readonly now: string
  readonly event: FiredEvent
  readonly kind: 'past' | 'due'
}

function TimelineEvent({ now, event, kind }: TimelineEventProps) {
  return (
    <li class={kind}>
      <span class="clock">{formatClock(event.at)}</span>
      <RelativeTime now={now} at={event.at} />
      <span>{event.kind}</span>
      {event.kind === 'secrets.token.expire' ? (
        <Secret text={event.id} />
      ) : (
        <code>
          <bdi>{truncate(event.id, 120)}</bdi>
        </code>
      )}
    </li>
  )
}
