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

/** Target of a forced transition: a status, or the end of the plan phase. */
const targets = ['pause', ...runMachine.states.filter((status) => status !== 'pending')] as const

/** Events and facts that a forced transition may use on its way, in order of preference. */
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

/** Facts without which a target cannot be reached, and the statuses in which they count. */
const targetFacts: Readonly<Record<string, readonly [readonly string[], Partial<RunFacts>]>> = {
  fetching: [['pending'], { isFetching: true }],
  queuing: [['pending', 'fetching'], { isAtCapacity: true }],
  queuing_apply: [['confirmed'], { isAtCapacity: true }],
  policy_override: [['policy_checking'], { policyResult: 'soft_failed' }],
  policy_soft_failed: [['policy_checking'], { policyResult: 'soft_failed' }],
}

/** Returns the facts that a run in a status needs on its way to a target. */
function factsFor(to: string, status: string): Partial<RunFacts> {
  const [statuses, facts] = targetFacts[to] ?? [[], {}]
  return statuses.includes(status) ? facts : {}
}

/** Statuses in the order in which a run passes them. */
const order: readonly string[] = runMachine.states

/** Returns the targets that lie ahead of a run. */
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

/** Statuses in which a plan, an apply or a stage with tasks can fail, or policies. */
const canFail: readonly string[] = [
  'planning',
  'applying',
  'policy_checking',
  ...stageNames.map((stage) => `${stage}_running`),
]

/** Returns whether a run has the phase of a status: not all runs estimate costs or check policies. */
function hasPhase(world: World, run: Run, status: string): boolean {
  if (status.startsWith('cost_')) return estimatesCosts(world, run.workspace)
  if (!status.startsWith('policy_')) return true
  if (checkedPolicies(world, run).length === 0) return false
  if (status === 'policy_soft_failed') return run.plan_only
  return status !== 'policy_override' || !run.plan_only
}

/** Facts by which a run fails, whatever it does. */
const failing = {
  planFails: true,
  applyFails: true,
  stage: 'failed',
  policyResult: 'hard_failed',
} as const

/** Moves a run step by step until it has reached the target. */
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

/** Returns whether a run has reached the end of its plan phase. */
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
 * Runs of workspaces for `/_mock/transitions` (behaviour/platform#run-statuses). A forced transition
 * takes the moves that lead to its target, including those that wait for locks and other runs.
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
    // The parameters of a forced transition are checked against `takes`.
    const outcome = (details['outcome'] ?? {}) as RunOutcome
    world.write(() => {
      if (to === 'canceled') cancelRun(world, run)
      else if (to === 'discarded') moveRun(world, run, 'discard')
      else advanceTo(world, run, to, outcome)
    })
  },
})
