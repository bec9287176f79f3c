import { instant } from '../../kernel/shape/kinds.ts'
import { partial, struct } from '../../kernel/shape/members.ts'
import type { StoredOf } from '../../kernel/shape/values.ts'
import type { RunStatus } from './run-machine.ts'

/** Times at which a run reached its statuses. Statuses that were not reached are missing. */
export const runTimes = partial(
  struct({
    plan_queueable_at: instant,
    fetching_at: instant,
    fetched_at: instant,
    pre_plan_running_at: instant,
    pre_plan_completed_at: instant,
    queuing_at: instant,
    plan_queued_at: instant,
    planning_at: instant,
    planned_at: instant,
    post_plan_running_at: instant,
    post_plan_awaiting_decision_at: instant,
    post_plan_completed_at: instant,
    cost_estimating_at: instant,
    cost_estimated_at: instant,
    policy_checked_at: instant,
    policy_soft_failed_at: instant,
    planned_and_finished_at: instant,
    planned_and_saved_at: instant,
    confirmed_at: instant,
    pre_apply_running_at: instant,
    pre_apply_completed_at: instant,
    queuing_apply_at: instant,
    apply_queued_at: instant,
    applying_at: instant,
    post_apply_running_at: instant,
    post_apply_completed_at: instant,
    applied_at: instant,
    errored_at: instant,
    canceled_at: instant,
    force_canceled_at: instant,
    discarded_at: instant,
  }),
)

/** Returns the times of a run after a transition from one status to another. */
export function timesAfter(
  times: StoredOf<typeof runTimes>,
  [from, to]: readonly [RunStatus, RunStatus],
  at: number,
): StoredOf<typeof runTimes> {
  const fetchTime = from === 'fetching' && to !== 'errored' ? { fetched_at: at } : {}
  const name = `${to}_at`
  const reached = Object.hasOwn(runTimes.fields, name) ? { [name]: at } : {}
  return { ...times, ...fetchTime, ...reached }
}
