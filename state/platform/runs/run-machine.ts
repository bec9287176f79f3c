import { defineMachine } from '../../kernel/machine.ts'
import { stageNames } from '../run-tasks/tasks.ts'
import type { RunConditions } from './run-facts.ts'

const spec = 'behaviour/platform#run-statuses'
const actionsSpec = 'behaviour/platform#run-actions'
const policyChecksSpec = 'behaviour/platform#policy-checks'

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
export const finalRunStatuses: readonly string[] = [
  'applied',
  'policy_soft_failed',
  'planned_and_finished',
  'errored',
  'canceled',
  'discarded',
]

/** Statuses in which the plan phase can end and a run can wait for confirmation. */
export const planEndStatuses = [
  'planned',
  'post_plan_completed',
  'cost_estimated',
  'policy_checked',
] as const

const awaitsDecision = (run: RunConditions): boolean =>
  run.hasWork &&
  !run.hasPendingPostPlan &&
  !run.hasPendingEstimate &&
  !run.hasPendingPolicyCheck &&
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
  when: (run: RunConditions) => boolean = always,
  rule = spec,
) {
  return { on: 'advance', from, to, when, spec: rule } as const
}

/** Transitions of the statuses in which a task stage runs. */
const stageMoves = stageNames.flatMap((stage) => [
  advance(`${stage}_running`, 'errored', (run) => run.stageState === 'failed'),
  advance(`${stage}_running`, `${stage}_completed`, (run) => run.stageState === 'passed'),
])

/**
 * Transitions for the first cancel of a run during its plan or apply. The status stays until the
 * run stops.
 */
const cancelRequestMoves = (['planning', 'applying'] as const).map(
  (status) =>
    ({
      on: 'cancel',
      from: status,
      to: status,
      when: (run: RunConditions) => !run.isCancelRequested,
      spec: actionsSpec,
    }) as const,
)

/**
 * State machine of a run. If several transitions of an event are possible, the first one applies.
 */
export const runMachine = defineMachine<RunConditions>()({
  name: 'run',
  states,
  moves: [
    advance(['pending', 'fetching'], 'errored', (run) => !run.isBlocked && run.hasBadConfiguration),
    advance('pending', 'fetching', (run) => !run.isBlocked && run.isFetching),
    advance(
      ['pending', 'fetching'],
      'pre_plan_running',
      (run) => !run.isBlocked && !run.isFetching && run.hasPendingPrePlan,
    ),
    ...stageMoves,
    advance(
      'post_plan_running',
      'post_plan_awaiting_decision',
      (run) => run.stageState === 'awaiting',
    ),
    advance(
      'post_plan_awaiting_decision',
      'post_plan_completed',
      (run) => run.stageState === 'passed',
    ),
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
    advance('planned', 'post_plan_running', (run) => run.hasPendingPostPlan),
    advance(['planned', 'post_plan_completed'], 'cost_estimating', (run) => run.hasPendingEstimate),
    advance('cost_estimating', 'cost_estimated'),
    advance(
      ['planned', 'post_plan_completed', 'cost_estimated'],
      'policy_checking',
      (run) => run.hasPendingPolicyCheck,
      policyChecksSpec,
    ),
    advance(
      'policy_checking',
      'errored',
      (run) => run.policyResult === 'hard_failed' || run.policyResult === 'errored',
      policyChecksSpec,
    ),
    advance(
      'policy_checking',
      'policy_soft_failed',
      (run) => run.policyResult === 'soft_failed' && run.isPlanOnly,
      policyChecksSpec,
    ),
    advance(
      'policy_checking',
      'policy_override',
      (run) => run.policyResult === 'soft_failed',
      policyChecksSpec,
    ),
    advance('policy_checking', 'policy_checked', always, policyChecksSpec),
    { on: 'override', from: 'policy_override', to: 'policy_checked', spec: policyChecksSpec },
    advance(planEndStatuses, 'planned_and_finished', (run) => run.isPlanOnly || !run.hasWork),
    advance(planEndStatuses, 'planned_and_saved', (run) => run.savesPlan),
    advance(planEndStatuses, 'confirmed', (run) => run.autoApplies),
    advance('confirmed', 'pre_apply_running', (run) => run.hasPendingPreApply),
    advance(['confirmed', 'pre_apply_completed'], 'queuing_apply', (run) => run.isAtCapacity),
    advance(
      ['confirmed', 'pre_apply_completed', 'queuing_apply'],
      'apply_queued',
      (run) => !run.isAtCapacity,
    ),
    advance('apply_queued', 'applying', (run) => !run.lacksAgent),
    advance('applying', 'errored', (run) => run.applyFails),
    advance('applying', 'post_apply_running', (run) => run.hasPendingPostApply && !run.lacksAgent),
    advance(['applying', 'post_apply_completed'], 'applied', (run) => !run.lacksAgent),

    {
      on: 'confirm',
      from: planEndStatuses,
      to: 'confirmed',
      when: awaitsDecision,
      spec: actionsSpec,
    },
    { on: 'confirm', from: 'planned_and_saved', to: 'confirmed', spec: actionsSpec },
    {
      on: 'discard',
      from: planEndStatuses,
      to: 'discarded',
      when: awaitsDecision,
      spec: actionsSpec,
    },
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
      spec: actionsSpec,
    },
    ...cancelRequestMoves,
    {
      on: 'cancel',
      from: planEndStatuses,
      to: 'canceled',
      when: (run) => !awaitsDecision(run),
      spec: actionsSpec,
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
      spec: actionsSpec,
    },
    {
      on: 'stop',
      from: ['planning', 'applying'],
      to: 'canceled',
      when: (run) => run.isCancelRequested && !run.lacksAgent,
      spec: actionsSpec,
    },
    {
      on: 'force-cancel',
      from: ['planning', 'applying'],
      to: 'canceled',
      when: (run) => run.isCancelRequested && run.mayForceCancel,
      spec: actionsSpec,
    },
    {
      on: 'end',
      from: states.filter((status) => !finalRunStatuses.includes(status)),
      to: 'canceled',
      spec: 'behaviour/platform#admin-workspaces',
    },
  ],
})

/** Status of a run; behaviour/platform#run-statuses explains each. */
export type RunStatus = Status
