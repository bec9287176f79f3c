import { useState } from 'preact/hooks'
import type { ClockView } from '../../../routes/control/clock/clock-shapes.ts'
import { useAction, usePage } from '../../context.ts'
import { Form } from '../../parts/controls.tsx'
import { formatDuration, pluralize } from '../../pure/text.ts'

const steps = [
  ['+1 s', '1s'],
  ['+1 m', '1m'],
  ['+1 h', '1h'],
  ['+1 d', '24h'],
] as const

const modes = ['real', 'frozen', 'scaled'] as const
type ClockMode = (typeof modes)[number]

/** Renders the controls that move the clock and set its mode. */
export function ClockControls({ clock }: { readonly clock: ClockView }) {
  const { actions } = usePage().world
  const runAction = useAction()
  const [duration, setDuration] = useState('')
  const advance = (duration: string | number) =>
    runAction(async () => {
      const fired = await actions.advance(duration)
      return fired.length === 0 ? 'Nothing was due' : `${pluralize(fired.length, 'event')} fired`
    })
  const setMode = (mode: ClockMode) =>
    runAction(async () => {
      await actions.setClock(mode === 'scaled' ? { mode, rate: 60 } : { mode })
      return `The clock is ${mode} now`
    })
  const { next } = clock
  const timeUntilNext = next === null ? 0 : Math.max(0, Date.parse(next.at) - Date.parse(clock.now))
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
          onClick={() => advance(timeUntilNext)}
        >
          {next === null ? 'Nothing due' : `To the next event, in ${formatDuration(timeUntilNext)}`}
        </button>
        <Form class="bar" onSubmit={() => duration !== '' && advance(duration)}>
          <input
            aria-label="Advance by"
            placeholder="1h30m"
            size={8}
            value={duration}
            onInput={({ currentTarget }) => setDuration(currentTarget.value)}
          />
          <button type="submit">Advance</button>
        </Form>
      </div>
      <fieldset class="bar">
        <legend class="only-heard">How the clock runs</legend>
        {modes.map((mode) => (
          <button
            key={mode}
            type="button"
            aria-pressed={mode === clock.mode}
            onClick={() => setMode(mode)}
          >
            {mode === 'scaled' ? 'scaled (×60)' : mode}
          </button>
        ))}
      </fieldset>
    </>
  )
}
