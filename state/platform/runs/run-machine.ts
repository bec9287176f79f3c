import { defineMachine } from '../../kernel/machine.ts'
import { stageNames } from '../run-tasks/tasks.ts'
import type { RunConditions } from './run-conditions.ts'

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

/**
 * Statuses in which a run can wait for confirmation. The task stages, the cost estimate and the
 * policy check of the run determine which of them applies.
 */
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

/**
 * Name of the kind of run transitions that a client can force. Also the name of the job that moves
 * a run to its next status.
 */
export const runKind = 'platform.run'

type Status = (typeof states)[number]

const always = () => true

/** Returns a transition that a run makes without a request. */
function advanceMove(
  from: Status | readonly Status[],
  to: Status,
  when: (run: RunConditions) => boolean = always,
  rule = spec,
) {
  return { on: 'advance', from, to, when, spec: rule } as const
}

/** Transitions out of the `…_running` statuses of the task stages. */
const stageMoves = stageNames.flatMap((stage) => [
  advanceMove(`${stage}_running`, 'errored', (run) => run.stageState === 'failed'),
  advanceMove(`${stage}_running`, `${stage}_completed`, (run) => run.stageState === 'passed'),
])

/**
 * Transitions for the first cancel of a run during its plan or apply. The run keeps its status
 * until another event, such as `stop`, ends the run.
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
    advanceMove(
      ['pending', 'fetching'],
      'errored',
      (run) => !run.isBlocked && run.hasBadConfiguration,
    ),
    advanceMove('pending', 'fetching', (run) => !run.isBlocked && run.isFetching),
    advanceMove(
      ['pending', 'fetching'],
      'pre_plan_running',
      (run) => !run.isBlocked && !run.isFetching && run.hasPendingPrePlan,
    ),
    ...stageMoves,
    advanceMove(
      'post_plan_running',
      'post_plan_awaiting_decision',
      (run) => run.stageState === 'awaiting',
    ),
    advanceMove(
      'post_plan_awaiting_decision',
      'post_plan_completed',
      (run) => run.stageState === 'passed',
    ),
    advanceMove(
      ['pending', 'fetching', 'pre_plan_completed'],
      'queuing',
      (run) => !run.isBlocked && !run.isFetching && run.isAtCapacity,
    ),
    advanceMove(
      ['pending', 'fetching', 'pre_plan_completed', 'queuing'],
      'plan_queued',
      (run) => !run.isBlocked && !run.isFetching && !run.isAtCapacity,
    ),
    advanceMove('plan_queued', 'planning', (run) => !run.lacksAgent),
    advanceMove('planning', 'errored', (run) => run.planFails),
    advanceMove('planning', 'planned', (run) => !run.lacksAgent),
    advanceMove('planned', 'post_plan_running', (run) => run.hasPendingPostPlan),
    advanceMove(
      ['planned', 'post_plan_completed'],
      'cost_estimating',
      (run) => run.hasPendingEstimate,
    ),
    advanceMove('cost_estimating', 'cost_estimated'),
    advanceMove(
      ['planned', 'post_plan_completed', 'cost_estimated'],
      'policy_checking',
      (run) => run.hasPendingPolicyCheck,
      policyChecksSpec,
    ),
    advanceMove(
      'policy_checking',
      'errored',
      (run) => run.policyResult === 'hard_failed' || run.policyResult === 'errored',
      policyChecksSpec,
    ),
    advanceMove(
      'policy_checking',
      'policy_soft_failed',
      (run) => run.policyResult === 'soft_failed' && run.isPlanOnly,
      policyChecksSpec,
    ),
    advanceMove(
      'policy_checking',
      'policy_override',
      (run) => run.policyResult === 'soft_failed',
      policyChecksSpec,
    ),
    advanceMove('policy_checking', 'policy_checked', always, policyChecksSpec),
    { on: 'override', from: 'policy_override', to: 'policy_checked', spec: policyChecksSpec },
    advanceMove(planEndStatuses, 'planned_and_finished', (run) => run.isPlanOnly || !run.hasWork),
    advanceMove(planEndStatuses, 'planned_and_saved', (run) => run.savesPlan),
    advanceMove(planEndStatuses, 'confirmed', (run) => run.autoApplies),
    advanceMove('confirmed', 'pre_apply_running', (run) => run.hasPendingPreApply),
    advanceMove(['confirmed', 'pre_apply_completed'], 'queuing_apply', (run) => run.isAtCapacity),
    advanceMove(
      ['confirmed', 'pre_apply_completed', 'queuing_apply'],
      'apply_queued',
      (run) => !run.isAtCapacity,
    ),
    advanceMove('apply_queued', 'applying', (run) => !run.lacksAgent),
    advanceMove('applying', 'errored', (run) => run.applyFails),
    advanceMove(
      'applying',
      'post_apply_running',
      (run) => run.hasPendingPostApply && !run.lacksAgent,
    ),
    advanceMove(['applying', 'post_apply_completed'], 'applied', (run) => !run.lacksAgent),

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

/** Status of a run; behaviour/platform#run-statuses explains each status. */
export type RunStatus = Status
