import { any, intOf, list, nullable, text, uint } from '../../state/kernel/shape/kinds.ts'
import { described, optional, struct, withOthers } from '../../state/kernel/shape/members.ts'
import { outcomeRuleShape } from '../../state/scheduler/cluster/model/task-outcomes.ts'
import { jobDiffShape } from '../../state/scheduler/diff/shapes.ts'
import { instant } from './shapes.ts'

/** Shapes of the control plane's bodies about the job scheduler. */

/** Rules with their ids; the first matching rule applies. */
export const outcomesShape = struct({
  outcomes: list(struct({ id: text, ...outcomeRuleShape.fields })),
})

/** Job whose versions are requested. */
export const jobVersionsQueryShape = withOthers(
  struct({ namespace: optional(described(text, 'Default: default')) }),
  any,
)

/** Retained versions of a job, highest first. */
export const jobVersionsShape = struct({
  versions: list(
    struct({
      version: uint,
      since: described(nullable(uint), 'Preceding retained version; null if there is none'),
      diff: described(nullable(jobDiffShape), "Changes since that version, in the API's format"),
    }),
  ),
})

/** Id of a rule. */
export const outcomeIdShape = struct({ id: text })

/** Number of requested steps. */
export const stepCountShape = struct({
  count: optional(described(intOf({ minimum: 1, maximum: 10_000 }), 'Default: 1')),
})

/** Executed steps, in order. */
export const stepsShape = struct({
  steps: list(
    struct({ at: described(instant, 'Time when the step was due'), kind: text, id: text }),
  ),
})
