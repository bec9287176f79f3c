import { defineMachine } from '../../kernel/machine.ts'
import { stageNames } from '../run-tasks/tasks.ts'
import type { RunFacts } from './run-facts.ts'

const spec = 'behaviour/platform#run-statuses'
const actions = 'behaviour/platform#run-actions'
const policyChecks = 'behaviour/platform#policy-checks'

const states = [
  'pending',
  'fetching',
  'pre_plan_running',
  'pre_plan_completed',
  'queuing',
  'plan_queued',
  'planning',
  'planned',
  'post_plan_running',
  'post_plan_awaiting_decision',
  'post_plan_completed',
  'cost_estimating',
  'cost_estimated',
  'policy_checking',
  'policy_override',
  'policy_checked',
  'policy_soft_failed',
  'planned_and_finished',
  'planned_and_saved',
  'confirmed',
  'pre_apply_running',
  'pre_apply_completed',
  'queuing_apply',
  'apply_queued',
  'applying',
  'post_apply_running',
  'post_apply_completed',
  'applied',
  'errored',
  'canceled',
  'discarded',
] as const

/** Statuses that a run cannot leave. */
export const finalStatuses: readonly string[] = [
  'applied',
  'policy_soft_failed',
  'planned_and_finished',
  'errored',
  'canceled',
  'discarded',
]

/** Statuses in which the plan phase can end and a run can wait for confirmation. */
export const planEnds = [
  'planned',
  'post_plan_completed',
  'cost_estimated',
  'policy_checked',
] as const

const awaitsDecision = (run: RunFacts): boolean =>
  run.hasWork &&
  !run.hasPostPlan &&
  !run.estimatesCost &&
  !run.checksPolicies &&
  !run.isPlanOnly &&
  !run.savesPlan &&
  !run.autoApplies

/** Name of the transition of a run, and of the job that takes its next step. */
export const runKind = 'platform.run'

type Status = (typeof states)[number]

const always = () => true

/** Returns a transition that a run makes by itself, without a request. */
function advance(
  from: Status | readonly Status[],
  to: Status,
  when: (run: RunFacts) => boolean = always,
  rule = spec,
) {
  return { on: 'advance', from, to, when, spec: rule } as const
}

/** Transitions of the statuses in which a task stage runs. */
const stageMoves = stageNames.flatMap((stage) => [
  advance(`${stage}_running`, 'errored', (run) => run.stage === 'failed'),
  advance(`${stage}_running`, `${stage}_completed`, (run) => run.stage === 'passed'),
])

/**
 * Transitions for the first cancel of a run during its plan or apply. The status stays until the
 * run stops.
 */
const stopMoves = (['planning', 'applying'] as const).map(
  (status) =>
    ({
      on: 'cancel',
      from: status,
      to: status,
      when: (run: RunFacts) => !run.isCancelAsked,
      spec: actions,
    }) as const,
)

/**
 * State machine of a run. If several transitions of an event are possible, the first one applies.
 */
export const runMachine = defineMachine<RunFacts>()({
  name: 'run',
  states,
  moves: [
    advance(['pending', 'fetching'], 'errored', (run) => !run.isBlocked && run.hasBadConfiguration),
    advance('pending', 'fetching', (run) => !run.isBlocked && run.isFetching),
    advance(
      ['pending', 'fetching'],
      'pre_plan_running',
      (run) => !run.isBlocked && !run.isFetching && run.hasPrePlan,
    ),
    ...stageMoves,
    advance('post_plan_running', 'post_plan_awaiting_decision', (run) => run.stage === 'awaiting'),
    advance('post_plan_awaiting_decision', 'post_plan_completed', (run) => run.stage === 'passed'),
    advance(
      ['pending', 'fetching', 'pre_plan_completed'],
      'queuing',
      (run) => !run.isBlocked && !run.isFetching && run.isAtCapacity,
    ),
    advance(
      ['pending', 'fetching', 'pre_plan_completed', 'queuing'],
      'plan_queued',
      (run) => !run.isBlocked && !run.isFetching && !run.isAtCapacity,
    ),
    advance('plan_queued', 'planning', (run) => !run.lacksAgent),
    advance('planning', 'errored', (run) => run.planFails),
    advance('planning', 'planned', (run) => !run.lacksAgent),
    advance('planned', 'post_plan_running', (run) => run.hasPostPlan),
    advance(['planned', 'post_plan_completed'], 'cost_estimating', (run) => run.estimatesCost),
    advance('cost_estimating', 'cost_estimated'),
    advance(
      ['planned', 'post_plan_completed', 'cost_estimated'],
      'policy_checking',
      (run) => run.checksPolicies,
      policyChecks,
    ),
    advance(
      'policy_checking',
      'errored',
      (run) => run.policyResult === 'hard_failed' || run.policyResult === 'errored',
      policyChecks,
    ),
    advance(
      'policy_checking',
      'policy_soft_failed',
      (run) => run.policyResult === 'soft_failed' && run.isPlanOnly,
      policyChecks,
    ),
    advance(
      'policy_checking',
      'policy_override',
      (run) => run.policyResult === 'soft_failed',
      policyChecks,
    ),
    advance('policy_checking', 'policy_checked', always, policyChecks),
    { on: 'override', from: 'policy_override', to: 'policy_checked', spec: policyChecks },
    advance(planEnds, 'planned_and_finished', (run) => run.isPlanOnly || !run.hasWork),
    advance(planEnds, 'planned_and_saved', (run) => run.savesPlan),
    advance(planEnds, 'confirmed', (run) => run.autoApplies),
    advance('confirmed', 'pre_apply_running', (run) => run.hasPreApply),
    advance(['confirmed', 'pre_apply_completed'], 'queuing_apply', (run) => run.isAtCapacity),
    advance(
      ['confirmed', 'pre_apply_completed', 'queuing_apply'],
      'apply_queued',
      (run) => !run.isAtCapacity,
    ),
    advance('apply_queued', 'applying', (run) => !run.lacksAgent),
    advance('applying', 'errored', (run) => run.applyFails),
    advance('applying', 'post_apply_running', (run) => run.hasPostApply && !run.lacksAgent),
    advance(['applying', 'post_apply_completed'], 'applied', (run) => !run.lacksAgent),

    { on: 'confirm', from: planEnds, to: 'confirmed', when: awaitsDecision, spec: actions },
    { on: 'confirm', from: 'planned_and_saved', to: 'confirmed', spec: actions },
    { on: 'discard', from: planEnds, to: 'discarded', when: awaitsDecision, spec: actions },
    {
      on: 'discard',
      from: [
        'pending',
        'post_plan_running',
        'post_plan_awaiting_decision',
        'policy_override',
        'planned_and_saved',
      ],
      to: 'discarded',
      spec: actions,
    },
    ...stopMoves,
    {
      on: 'cancel',
      from: planEnds,
      to: 'canceled',
      when: (run) => !awaitsDecision(run),
      spec: actions,
    },
    {
      on: 'cancel',
      from: [
        'pending',
        'fetching',
        'pre_plan_running',
        'pre_plan_completed',
        'queuing',
        'plan_queued',
        'post_plan_running',
        'cost_estimating',
        'policy_checking',
        'confirmed',
        'pre_apply_running',
        'pre_apply_completed',
        'queuing_apply',
        'apply_queued',
        'post_apply_running',
        'post_apply_completed',
      ],
      to: 'canceled',
      spec: actions,
    },
    {
      on: 'stop',
      from: ['planning', 'applying'],
      to: 'canceled',
      when: (run) => run.isCancelAsked && !run.lacksAgent,
      spec: actions,
    },
    {
      on: 'force-cancel',
      from: ['planning', 'applying'],
      to: 'canceled',
      when: (run) => run.isCancelAsked && run.mayForceCancel,
      spec: actions,
    },
    {
      on: 'end',
      from: states.filter((status) => !finalStatuses.includes(status)),
      to: 'canceled',
      spec: 'behaviour/platform#admin-workspaces',
    },
  ],
})

/** Status of a run; behaviour/platform#run-statuses explains each. */
export type RunStatus = Status
