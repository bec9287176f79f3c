import type { TracedWorld, TraceStep } from '../../routes/trace/trace.ts'
import { pluralize } from '../pure/text.ts'
import type { HistoryEvent } from './source.ts'

/**
 * Returns the events of a traced world for the timeline, in order: its origin, marks, replacements
 * of the state, changes outside requests, and movements of the clock with the events that fired.
 */
export function historyOf({ steps, from }: TracedWorld): readonly HistoryEvent[] {
  const [first] = steps
  const origin: readonly HistoryEvent[] =
    from === undefined || first === undefined
      ? []
      : [{ at: first.at, kind: 'made', text: `from ${from.id}`, changes: [] }]
  return [...origin, ...steps.flatMap((step) => eventsOf(step))]
}

function eventsOf(step: TraceStep): readonly HistoryEvent[] {
  const { at, kind } = step
  switch (step.kind) {
    case 'mark':
      return [{ at, kind, text: step.text, changes: [] }]
    case 'replaced':
      return [{ at, kind: step.cause, text: 'the whole state was replaced', changes: [] }]
    case 'changes':
      if (step.request !== undefined) return []
      return [{ at, kind, text: pluralize(step.changes.length, 'row'), changes: step.changes }]
    case 'clock': {
      const moved = { at, kind, text: step.mode, changes: [] }
      const fired = step.fired.map((each) => {
        return { at: each.at, kind: each.kind, text: each.id, changes: [] }
      })
      return [...fired, moved]
    }
    default:
      return []
  }
}
