import { described, partial, struct } from '../../kernel/shape/members.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { forcedTransition } from '../forced-transitions.ts'
import { refuse } from '../messages.ts'
import { checkedPolicies } from '../policies/policy-checks.ts'
import { stageNames } from '../run-tasks/tasks.ts'
import { estimatesCosts } from './cost-estimates.ts'
import { moveRun } from './moves.ts'
import { outcomeShape, type RunOutcome } from './outcome-shape.ts'
import type { RunEvent, RunFacts } from './run-facts.ts'
import { finalStatuses, planEnds, runKind, runMachine } from './run-machine.ts'
import { factsOf } from './run-schedule.ts'
import { putRun, type Run, runs } from './runs.ts'

/** Targets of forced transitions: a status, or `pause` for the end of the plan phase. */
const targets = ['pause', ...runMachine.states.filter((status) => status !== 'pending')] as const

/** Events that a forced transition tries at each step, with the conditions that it overrides. */
const attempts: readonly (readonly [RunEvent, Partial<RunFacts>])[] = [
  [
    'advance',
    {
      isBlocked: false,
      isFetching: false,
      isAtCapacity: false,
      lacksAgent: false,
      stage: 'passed',
    },
  ],
  ['confirm', {}],
  ['override', {}],
]

/** Conditions that lead to a target, and the statuses in which they are overridden. */
const targetFacts: Readonly<Record<string, readonly [readonly string[], Partial<RunFacts>]>> = {
  fetching: [['pending'], { isFetching: true }],
  queuing: [['pending', 'fetching'], { isAtCapacity: true }],
  queuing_apply: [['confirmed'], { isAtCapacity: true }],
  policy_override: [['policy_checking'], { policyResult: 'soft_failed' }],
  policy_soft_failed: [['policy_checking'], { policyResult: 'soft_failed' }],
}

/** Returns the conditions to override in a status so that a run reaches the target. */
function factsFor(to: string, status: string): Partial<RunFacts> {
  const [statuses, facts] = targetFacts[to] ?? [[], {}]
  return statuses.includes(status) ? facts : {}
}

/** Statuses in the order in which a run reaches them. */
const order: readonly string[] = runMachine.states

/** Returns the targets that a run can still reach. */
function targetsAhead(world: World, run: Run): readonly (typeof targets)[number][] {
  if (finalStatuses.includes(run.status)) return []
  const facts = factsOf(world, run)
  const at = order.indexOf(run.status)
  return targets.filter((target) => {
    if (target === 'pause') return at < order.indexOf('planned')
    if (target === 'canceled') return true
    if (target === 'discarded') return runMachine.allows(run.status, 'discard', facts)
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
        ...canFail,
      ].includes(run.status)
    return order.indexOf(target) > at && hasPhase(world, run, target)
  })
}

/** Statuses in which a plan, an apply, a task stage or a policy check can fail. */
const canFail: readonly string[] = [
  'planning',
  'applying',
  'policy_checking',
  ...stageNames.map((stage) => `${stage}_running`),
]

/**
 * Returns whether a run reaches a status at all. Not every run has a cost estimate or a policy
 * check.
 */
function hasPhase(world: World, run: Run, status: string): boolean {
  if (status.startsWith('cost_')) return estimatesCosts(world, run.workspace)
  if (!status.startsWith('policy_')) return true
  if (checkedPolicies(world, run).length === 0) return false
  if (status === 'policy_soft_failed') return run.plan_only
  return status !== 'policy_override' || !run.plan_only
}

/** Conditions that make a run fail in any of the statuses in `canFail`. */
const failing = {
  planFails: true,
  applyFails: true,
  stage: 'failed',
  policyResult: 'hard_failed',
} as const

/**
 * Adds members to the outcome of a run and moves the run step by step to the target. Throws
 * `workspace-run-push-impossible` if the target is not reached. Must run inside a transaction.
 */
function advanceTo(world: World, start: Run, to: string, outcome: RunOutcome): void {
  let run = putRun(world, { ...start, outcome: { ...start.outcome, ...outcome } })
  const isReached = () => run.status === to || (to === 'pause' && isAtPause(world, run))
  for (let steps = 0; !isReached() && steps < order.length; steps++) {
    if (to === 'errored' && canFail.includes(run.status)) {
      run = moveRun(world, run, 'advance', { facts: failing })
      continue
    }
    const next = attempts.find(([event, facts]) =>
      runMachine.allows(run.status, event, {
        ...factsOf(world, run),
        ...facts,
        ...factsFor(to, run.status),
      }),
    )
    if (next === undefined) break
    const [event, facts] = next
    run = moveRun(world, run, event, { facts: { ...facts, ...factsFor(to, run.status) } })
  }
  if (!isReached())
    throw refuse('workspace-run-push-impossible', { status: start.status, target: to })
}

/** Returns whether a run is at the end of its plan phase, before it is confirmed or finished. */
function isAtPause(world: World, run: Run): boolean {
  const facts = factsOf(world, run)
  const isAtEnd = planEnds.some((status) => status === run.status)
  return isAtEnd && !facts.hasPostPlan && !facts.estimatesCost && !facts.checksPolicies
}

function cancelRun(world: World, run: Run): void {
  const facts = { mayForceCancel: true }
  const isAsked = run.canceled_at !== null
  const allowsCancel = runMachine.allows(run.status, 'cancel', factsOf(world, run))
  if (!isAsked && !allowsCancel) {
    throw refuse('workspace-run-push-impossible', { status: run.status, target: 'canceled' })
  }
  const asked = isAsked ? run : moveRun(world, run, 'cancel')
  if (asked.status !== 'canceled') moveRun(world, asked, 'stop', { facts })
}

const takes = partial(
  struct({ outcome: described(outcomeShape, 'What comes of the run; default: as it would') }),
)

/**
 * Runs of workspaces for `/_mock/transitions` (behaviour/platform#run-statuses). A forced
 * transition takes all steps to its target, even if the run would have to wait for a lock, an agent
 * or other runs.
 */
export const runTransition = forcedTransition({
  subject: 'workspace-run',
  table: runs,
  kind: runKind,
  summary: 'Runs of workspaces; unless a pace is set, the times in the options say how fast.',
  targets,
  takes: Object.fromEntries(targets.map((target) => [target, takes])),
  timing: { after: '2s' },
  ahead: targetsAhead,
  move(world, run, to, details) {
    // The details of a forced transition were checked against `takes`.
    const outcome = (details['outcome'] ?? {}) as RunOutcome
    world.write(() => {
      if (to === 'canceled') cancelRun(world, run)
      else if (to === 'discarded') moveRun(world, run, 'discard')
      else advanceTo(world, run, to, outcome)
    })
  },
})
