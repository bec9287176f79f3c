import { useFeed, usePage, useRead } from '../../context.ts'
import { Note } from '../../parts/controls.tsx'
import { formatClock } from '../../pure/text.ts'
import { ClockControls } from './clock-controls.tsx'
import { Timeline } from './timeline.tsx'

/** Renders the world's clock, and the timeline of fired events, snapshots and pending events. */
export function Time() {
  const { source, feed } = usePage()
  useFeed(feed)
  const { data: clock, problem } = useRead('clock', (world) => world.clock(), [feed.changes])
  const { data: list } = useRead('due', (world) => world.due(), [feed.changes])
  if (problem !== undefined) return <Note isError>{problem}</Note>
  if (clock === undefined || list === undefined) return <Note>Loading…</Note>
  return (
    <div class="page">
      <section class="card" aria-label="Clock">
        <h2>Clock</h2>
        <p class="big-clock">
          {formatClock(clock.now)} <span class="tag">{clock.mode}</span>
        </p>
        {source.can('change') && <ClockControls clock={clock} />}
      </section>
      <Timeline now={clock.now} list={list} />
    </div>
  )
}
