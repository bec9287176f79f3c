import { intOf, list, text } from '../../state/kernel/shape/kinds.ts'
import { described, optional, struct } from '../../state/kernel/shape/members.ts'
import { outcomeRuleShape } from '../../state/scheduler/cluster/steering.ts'
import { instant } from './shapes.ts'

/** Shapes of the control plane's bodies about the job scheduler. */

/** The rules with their names, the first that fits counts. */
export const outcomesShape = struct({
  outcomes: list(struct({ id: text, ...outcomeRuleShape.fields })),
})

/** A rule's name. */
export const outcomeIdShape = struct({ id: text })

/** Number of steps that are asked for. */
export const stepCountShape = struct({
  count: optional(described(intOf({ minimum: 1, maximum: 10_000 }), 'Default: 1')),
})

/** The steps that were taken, in order. */
export const stepsShape = struct({
  steps: list(struct({ at: described(instant, 'When it was due'), kind: text, id: text })),
})
