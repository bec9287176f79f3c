import { useState } from 'preact/hooks'
import type { ClockView, DueList } from '../../../routes/control/clock-control.ts'
import { useAction, useCall, useFeed, useSurroundings } from '../../context.ts'
import type { Happened } from '../../feed.ts'
import { Note } from '../../parts/controls.tsx'
import { cut, span } from '../../pure/text.ts'
import { Snapshots } from './snapshots.tsx'

/** The world's clock, what falls due, what has, and the moments that are kept. */
export function Time() {
  const { feed } = useSurroundings()
  useFeed(feed)
  const { data: clock, problem } = useCall<ClockView>('/clock', [feed.changes])
  const { data: list } = useCall<DueList>('/clock/due?limit=200', [feed.changes])
  if (problem !== undefined) return <Note bad>{problem}</Note>
  if (clock === undefined || list === undefined) return <Note>Loading…</Note>
  return (
    <div class="page">
      <section class="card" aria-label="Clock">
        <h2>Clock</h2>
        <p class="big-clock">
          {clock.now.replace('T', ' ').replace('Z', '')} <span class="tag">{clock.mode}</span>
        </p>
        <Moves clock={clock} />
      </section>
      <div class="columns">
        <section class="card" aria-label="Timeline">
          <h2>Timeline</h2>
          <Timeline now={clock.now} fired={feed.fired} list={list} />
        </section>
        <Snapshots />
      </div>
    </div>
  )
}

const steps = [
  ['+1 s', '1s'],
  ['+1 m', '1m'],
  ['+1 h', '1h'],
  ['+1 d', '24h'],
] as const

function Moves({ clock }: { readonly clock: ClockView }) {
  const { client, world } = useSurroundings()
  const act = useAction()
  const [by, setBy] = useState('')
  const call = client.of(world)
  const advance = (span: string | number) =>
    act(async () => {
      const { fired } = await call<{ fired: readonly Happened[] }>('POST', '/clock/advance', {
        by: span,
      })
      return fired.length === 0 ? 'Nothing was due' : `${fired.length} things fell due`
    })
  const set = (mode: string) =>
    act(async () => {
      await call('PUT', '/clock', mode === 'scaled' ? { mode, rate: 60 } : { mode })
      return `The clock is ${mode}`
    })
  const { next } = clock
  const until = next === null ? 0 : Math.max(0, Date.parse(next.at) - Date.parse(clock.now))
  return (
    <>
      <div class="bar">
        {steps.map(([title, step]) => (
          <button key={step} type="button" onClick={() => advance(step)}>
            {title}
          </button>
        ))}
        <button
          type="button"
          class="primary"
          disabled={next === null}
          onClick={() => advance(until)}
        >
          {next === null ? 'Nothing is due' : `To the next thing due, in ${span(until)}`}
        </button>
        <form
          class="bar"
          onSubmit={(event) => {
            event.preventDefault()
            if (by !== '') void advance(by)
          }}
        >
          <input
            aria-label="Move on by"
            placeholder="1h30m"
            size={8}
            value={by}
            onInput={({ currentTarget }) => setBy(currentTarget.value)}
          />
          <button type="submit">Move on</button>
        </form>
      </div>
      <div class="bar">
        <span class="muted">Runs</span>
        {['real', 'frozen', 'scaled'].map((mode) => (
          <button
            key={mode}
            type="button"
            aria-pressed={mode === clock.mode}
            onClick={() => set(mode)}
          >
            {mode === 'scaled' ? 'scaled (60 times)' : mode}
          </button>
        ))}
      </div>
    </>
  )
}

interface TimelineProps {
  readonly now: string
  readonly fired: readonly Happened[]
  readonly list: DueList
}

function Timeline({ now, fired, list }: TimelineProps) {
  const past = fired.slice(-50)
  return (
    <>
      <ol class="timeline">
        {past.map((each, at) => (
          <Moment key={`${at} ${each.at} ${each.id}`} now={now} moment={each} kind="past" />
        ))}
        <li class="now">
          <span class="clock">{now.replace('T', ' ').replace('Z', '')}</span> now
        </li>
        {list.due.map((each) => (
          <Moment key={`${each.kind} ${each.id}`} now={now} moment={each} kind="due" />
        ))}
      </ol>
      {list.total > list.due.length && <p class="muted">and {list.total - list.due.length} more</p>}
      {list.total === 0 && <p class="muted">Nothing falls due.</p>}
    </>
  )
}

interface MomentProps {
  readonly now: string
  readonly moment: Happened
  readonly kind: 'past' | 'due'
}

function Moment({ now, moment, kind }: MomentProps) {
  const away = Date.parse(moment.at) - Date.parse(now)
  return (
    <li class={kind}>
      <span class="clock">{moment.at.replace('T', ' ').replace('Z', '')}</span>
      <span class="muted">{kind === 'due' ? `in ${span(away)}` : `${span(away)} ago`}</span>
      <span>{moment.kind}</span>
      <code>
        <bdi>{cut(moment.id, 120)}</bdi>
      </code>
    </li>
  )
}
