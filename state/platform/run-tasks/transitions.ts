import { list, nullable, text } from '../../kernel/shape/kinds.ts'
import { partial, struct } from '../../kernel/shape/members.ts'
import type { StoredOf } from '../../kernel/shape/values.ts'
import { forcedTransition } from '../forced-transitions.ts'
import { plannedTaskOutcomeShape } from '../runs/outcome-shape.ts'
import { moveTaskResult, newTaskOutcomes, taskResultKind } from './stage-moves.ts'
import { finalResultStatuses, taskResults } from './stages.ts'

const targets = ['running', 'passed', 'failed', 'errored'] as const

const detailsShape = partial(
  struct({ message: nullable(text), url: nullable(text), outcomes: list(plannedTaskOutcomeShape) }),
)

/** Returns the statuses to which a task result can be forced; empty if the result is final. */
function reachableTargets(status: string): readonly (typeof targets)[number][] {
  if (finalResultStatuses.includes(status)) return []
  return targets.filter((target) => target !== status)
}

/**
 * Forced transition of task results through `/_mock/transitions` (behaviour/platform#task-stages).
 */
export const taskResultTransition = forcedTransition({
  subject: 'task-result',
  table: taskResults,
  kind: taskResultKind,
  summary: 'Results of run tasks; unless a pace is set, the option stageTime says how fast.',
  targets,
  takes: Object.fromEntries(targets.map((target) => [target, detailsShape])),
  timing: { after: '1s' },
  reachableTargets: (_world, { status }) => reachableTargets(status),
  move(world, result, target, details) {
    // The cast is safe, because the details were checked against `detailsShape`.
    const { outcomes, ...report } = details as StoredOf<typeof detailsShape>
    world.write(() => {
      const reported = outcomes === undefined ? {} : { outcomes: newTaskOutcomes(world, outcomes) }
      moveTaskResult(world, result, target, { ...report, ...reported })
    })
  },
})
