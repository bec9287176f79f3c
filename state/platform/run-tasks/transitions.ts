import { list, nullable, text } from '../../kernel/shape/kinds.ts'
import { partial, struct } from '../../kernel/shape/members.ts'
import type { StoredOf } from '../../kernel/shape/values.ts'
import { forcedTransition } from '../forced-transitions.ts'
import { taskOutcomeShape } from '../runs/outcome-shape.ts'
import { moveResult, newOutcomes, resultKind } from './stage-moves.ts'
import { finalResults, taskResults } from './stages.ts'

const targets = ['running', 'passed', 'failed', 'errored'] as const

const takes = partial(
  struct({ message: nullable(text), url: nullable(text), outcomes: list(taskOutcomeShape) }),
)

/** Returns the statuses that can be forced; empty if the result is final. */
function targetsAhead(status: string): readonly (typeof targets)[number][] {
  if (finalResults.includes(status)) return []
  return targets.filter((target) => target !== status)
}

/** Task results for `/_mock/transitions` (behaviour/platform#task-stages). */
export const resultTransition = forcedTransition({
  subject: 'task-result',
  table: taskResults,
  kind: resultKind,
  summary: 'Results of run tasks; unless a pace is set, the option stageTime says how fast.',
  targets,
  takes: Object.fromEntries(targets.map((target) => [target, takes])),
  timing: { after: '1s' },
  ahead: (_world, { status }) => targetsAhead(status),
  move(world, result, target, details) {
    // The details of a forced transition were checked against `takes`.
    const { outcomes, ...report } = details as StoredOf<typeof takes>
    world.write(() => {
      const reported = outcomes === undefined ? {} : { outcomes: newOutcomes(world, outcomes) }
      moveResult(world, result, target, { ...report, ...reported })
    })
  },
})
