import { useState } from 'preact/hooks'
import type { Entry } from '../../../routes/journal/entry.ts'
import { useAction, usePage } from '../../context.ts'
import { Form } from '../../parts/controls.tsx'

/** Faults that the user can choose, each with its title, its action and, if needed, its phase. */
const failures: Readonly<Record<string, readonly [title: string, action: object, phase?: string]>> =
  {
    unavailable: ['503', { status: 503 }],
    failed: ['500', { status: 500 }],
    limited: ['429', { status: 429 }],
    reset: ['Connection reset', { reset: true }],
    resetAfter: ['Carried out, then connection reset', { reset: true }, 'afterCommit'],
    slow: ['Delayed by 2 s', { latency: '2s' }],
    hang: ['No answer for 30 s', { hang: '30s' }],
    garbage: ['Reply is not JSON', { garbage: true }],
  }

/** Renders a form that makes the next similar requests fail. */
export function FailNext({
  entry,
  onDone,
}: {
  readonly entry: Entry
  readonly onDone: () => void
}) {
  const { world } = usePage()
  const runAction = useAction()
  const [name, setName] = useState('unavailable')
  const [times, setTimes] = useState(1)
  const add = () =>
    runAction(async () => {
      const [title, action, phase] = failures[name] ?? ['', {}]
      const { service, method, path } = entry
      const match = { service, method, path }
      const fault = { match, times, action, ...(phase === undefined ? {} : { phase }) }
      const id = await world.actions.addFault(fault)
      onDone()
      return `${title} for the next ${times === 1 ? 'request' : `${times} requests`} (fault ${id})`
    })
  return (
    <Form class="bar inset" onSubmit={add}>
      <label>
        Failure{' '}
        <select value={name} onChange={({ currentTarget }) => setName(currentTarget.value)}>
          {Object.entries(failures).map(([id, [title]]) => (
            <option key={id} value={id}>
              {title}
            </option>
          ))}
        </select>
      </label>
      <label>
        Times{' '}
        <input
          type="number"
          min={1}
          max={1000}
          value={times}
          onInput={({ currentTarget }) => setTimes(currentTarget.valueAsNumber || 1)}
        />
      </label>
      <button type="submit" class="primary">
        Add fault
      </button>
    </Form>
  )
}
