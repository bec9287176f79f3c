import type { World } from '../../kernel/worlds/world.ts'
import { forcedTransition } from '../forced-transitions.ts'
import { requireFound } from '../messages.ts'
import { moveRun } from '../runs/moves.ts'
import type { PolicyResult } from '../runs/run-conditions.ts'
import { type Run, runWithId } from '../runs/runs.ts'
import { type PolicyCheck, policyChecks } from './policy-checks.ts'

/** Results with which a forced transition can end a policy check. */
const endStatuses = ['passed', 'soft_failed', 'hard_failed', 'errored'] as const

/** Returns the statuses to which a policy check can be forced from its current status. */
function reachableTargets({ status }: PolicyCheck): readonly (PolicyResult | 'overridden')[] {
  if (status === 'pending' || status === 'queued') return endStatuses
  return status === 'soft_failed' ? ['overridden'] : []
}

/**
 * Advances a run to its policy check, and ends the check with the result `end`. Must run inside a
 * transaction.
 */
function finishCheck(world: World, start: Run, end: PolicyResult): void {
  let run = start
  // The cost estimate takes at most two steps before the step to the policy check.
  for (let steps = 0; run.status !== 'policy_checking' && steps < 3; steps++) {
    run = moveRun(world, run, 'advance')
  }
  moveRun(world, run, 'advance', { conditions: { policyResult: end } })
}

/**
 * Forced transition of policy checks through `/_mock/transitions`
 * (behaviour/platform#policy-checks).
 */
export const policyCheckTransition = forcedTransition({
  subject: 'policy-check',
  table: policyChecks,
  kind: 'platform.policy-check',
  summary: 'Policy checks of runs, which end as the outcome of the run says.',
  targets: [...endStatuses, 'overridden'],
  takes: {},
  timing: { after: '1s' },
  reachableTargets: (_world, check) => reachableTargets(check),
  move(world, check, to) {
    const run = requireFound(runWithId(world, check.run))
    world.write(() => {
      if (to === 'overridden') moveRun(world, run, 'override')
      else finishCheck(world, run, to)
    })
  },
})
