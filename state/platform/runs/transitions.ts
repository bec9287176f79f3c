import { described, partial, struct } from '../../kernel/shape/members.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { forcedTransition } from '../forced-transitions.ts'
import { refuse } from '../messages.ts'
import { policiesToCheck } from '../policies/policy-checks.ts'
import { stageNames } from '../run-tasks/tasks.ts'
import { estimatesCosts } from './cost-estimates.ts'
import { moveRun } from './moves.ts'
import { type RunOutcome, runOutcomeShape } from './outcome-shape.ts'
import type { RunConditions, RunMachineEvent } from './run-conditions.ts'
import { finalRunStatuses, planEndStatuses, runKind, runMachine } from './run-machine.ts'
import { conditionsOf } from './run-schedule.ts'
import { putRun, type Run, runs } from './runs.ts'

/**
 * Targets of forced transitions: every status except `pending`, and `pause` for the end of the plan
 * phase.
 */
const targets = ['pause', ...runMachine.states.filter((status) => status !== 'pending')] as const

/**
 * Events that a forced transition tries at each step, in this order. Each event has conditions that
 * replace the actual conditions of the run.
 */
const attemptedEvents: readonly (readonly [RunMachineEvent, Partial<RunConditions>])[] = [
  [
    'advance',
    {
      isBlocked: false,
      isFetching: false,
      isAtCapacity: false,
      lacksAgent: false,
      stageState: 'passed',
    },
  ],
  ['confirm', {}],
  ['override', {}],
]

/**
 * Conditions by target status. The conditions replace those of the run, so that the run does not
 * skip the target. The first member of each entry lists the statuses in which the replacement
 * applies.
 */
const conditionsByTarget: Readonly<
  Record<string, readonly [readonly string[], Partial<RunConditions>]>
> = {
  fetching: [['pending'], { isFetching: true }],
  queuing: [['pending', 'fetching'], { isAtCapacity: true }],
  queuing_apply: [['confirmed'], { isAtCapacity: true }],
  policy_override: [['policy_checking'], { policyResult: 'soft_failed' }],
  policy_soft_failed: [['policy_checking'], { policyResult: 'soft_failed' }],
}

/**
 * Returns the conditions from `conditionsByTarget` that apply in a status; empty if there are none.
 */
function conditionsFor(to: string, status: string): Partial<RunConditions> {
  const [statuses, conditions] = conditionsByTarget[to] ?? [[], {}]
  return statuses.includes(status) ? conditions : {}
}

/** Statuses in the order in which a run reaches them. */
const statusOrder: readonly string[] = runMachine.states

/** Returns the targets that a run can still reach; empty if the status of the run is final. */
function reachableTargets(world: World, run: Run): readonly (typeof targets)[number][] {
  if (finalRunStatuses.includes(run.status)) return []
  const conditions = conditionsOf(world, run)
  const at = statusOrder.indexOf(run.status)
  return targets.filter((target) => {
    if (target === 'pause') return at < statusOrder.indexOf('planned')
    if (target === 'canceled') return true
    if (target === 'discarded') return runMachine.allows(run.status, 'discard', conditions)
    if (target === 'errored')
      return [
        'pending',
        'fetching',
        'plan_queued',
        'apply_queued',
        'confirmed',
        'queuing',
        'queuing_apply',
        'pre_plan_completed',
        'pre_apply_completed',
        ...failableStatuses,
      ].includes(run.status)
    return statusOrder.indexOf(target) > at && canReachStatus(world, run, target)
  })
}

/** Statuses in which a plan, an apply, a task stage or a policy check can fail. */
const failableStatuses: readonly string[] = [
  'planning',
  'applying',
  'policy_checking',
  ...stageNames.map((stage) => `${stage}_running`),
]

/**
 * Returns whether the settings of a run permit a status. Cost statuses require cost estimation, and
 * policy statuses require a policy to check. After a soft failure, only plan-only runs reach
 * `policy_soft_failed`, and only other runs reach `policy_override`.
 */
function canReachStatus(world: World, run: Run, status: string): boolean {
  if (status.startsWith('cost_')) return estimatesCosts(world, run.workspace)
  if (!status.startsWith('policy_')) return true
  if (policiesToCheck(world, run).length === 0) return false
  if (status === 'policy_soft_failed') return run.plan_only
  return status !== 'policy_override' || !run.plan_only
}

/** Conditions that make a run fail in any of the statuses in `failableStatuses`. */
const failureConditions = {
  planFails: true,
  applyFails: true,
  stageState: 'failed',
  policyResult: 'hard_failed',
} as const

/**
 * Merges `outcome` into the outcome of a run and moves the run step by step to the target. Throws
 * `workspace-run-push-impossible` if the run does not reach the target. Must run inside a
 * transaction.
 */
function advanceTo(world: World, start: Run, to: string, outcome: RunOutcome): void {
  let run = putRun(world, { ...start, outcome: { ...start.outcome, ...outcome } })
  const isReached = () => run.status === to || (to === 'pause' && isAtPause(world, run))
  for (let steps = 0; !isReached() && steps < statusOrder.length; steps++) {
    if (to === 'errored' && failableStatuses.includes(run.status)) {
      run = moveRun(world, run, 'advance', { conditions: failureConditions })
      continue
    }
    const next = attemptedEvents.find(([event, conditions]) =>
      runMachine.allows(run.status, event, {
        ...conditionsOf(world, run),
        ...conditions,
        ...conditionsFor(to, run.status),
      }),
    )
    if (next === undefined) break
    const [event, conditions] = next
    run = moveRun(world, run, event, {
      conditions: { ...conditions, ...conditionsFor(to, run.status) },
    })
  }
  if (!isReached())
    throw refuse('workspace-run-push-impossible', { status: start.status, target: to })
}

/** Returns whether a run has completed its plan phase and is not yet confirmed or finished. */
function isAtPause(world: World, run: Run): boolean {
  const conditions = conditionsOf(world, run)
  const isAtEnd = planEndStatuses.some((status) => status === run.status)
  return (
    isAtEnd &&
    !conditions.hasPendingPostPlan &&
    !conditions.hasPendingEstimate &&
    !conditions.hasPendingPolicyCheck
  )
}

function cancelRun(world: World, run: Run): void {
  const conditions = { mayForceCancel: true }
  const isCancelRequested = run.canceled_at !== null
  const allowsCancel = runMachine.allows(run.status, 'cancel', conditionsOf(world, run))
  if (!isCancelRequested && !allowsCancel) {
    throw refuse('workspace-run-push-impossible', { status: run.status, target: 'canceled' })
  }
  const runAfterRequest = isCancelRequested ? run : moveRun(world, run, 'cancel')
  if (runAfterRequest.status !== 'canceled') moveRun(world, runAfterRequest, 'stop', { conditions })
}

const detailsShape = partial(
  struct({
    outcome: described(runOutcomeShape, 'Outcome of the run; the planned outcome if left out'),
  }),
)

/**
 * Transition of workspace runs that clients can force with `/_mock/transitions`
 * (behaviour/platform#run-statuses). The run goes through all statuses up to the target, and does
 * not wait for a lock, an agent or other runs.
 */
export const runTransition = forcedTransition({
  subject: 'workspace-run',
  table: runs,
  kind: runKind,
  summary: 'Runs of workspaces; unless a pace is set, the times in the options say how fast.',
  targets,
  takes: Object.fromEntries(targets.map((target) => [target, detailsShape])),
  timing: { after: '2s' },
  reachableTargets,
  move(world, run, to, details) {
    // The details were checked against `detailsShape`, so the cast is safe.
    const outcome = (details['outcome'] ?? {}) as RunOutcome
    world.write(() => {
      if (to === 'canceled') cancelRun(world, run)
      else if (to === 'discarded') moveRun(world, run, 'discard')
      else advanceTo(world, run, to, outcome)
    })
  },
})
