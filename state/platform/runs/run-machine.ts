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

/** Statuses that a run never leaves. */
export const finalStatuses: readonly string[] = [
  'applied',
  'policy_soft_failed',
  'planned_and_finished',
  'errored',
  'canceled',
  'discarded',
]

/** Statuses in which the plan phase can end and a run can wait for a decision. */
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

/** Kind of the transition of a run, and of the job that takes its next step. */
export const runKind = 'platform.run'

/** Moves of the statuses in which the tasks of a stage run. */
const stageMoves = stageNames.flatMap(
  (stage) =>
    [
      {
        on: 'advance',
        from: `${stage}_running`,
        to: 'errored',
        when: (run: RunFacts) => run.stage === 'failed',
        spec,
      },
      {
        on: 'advance',
        from: `${stage}_running`,
        to: `${stage}_completed`,
        when: (run: RunFacts) => run.stage === 'passed',
        spec,
      },
    ] as const,
)

/** Moves that ask a plan or an apply to stop, once. */
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

/** State machine of a run. The first move that the facts allow is taken. */
export const runMachine = defineMachine<RunFacts>()({
  name: 'run',
  states,
  moves: [
    {
      on: 'advance',
      from: ['pending', 'fetching'],
      to: 'errored',
      when: (run) => !run.isBlocked && run.hasBadConfiguration,
      spec,
    },
    {
      on: 'advance',
      from: 'pending',
      to: 'fetching',
      when: (run) => !run.isBlocked && run.isFetching,
      spec,
    },
    {
      on: 'advance',
      from: ['pending', 'fetching'],
      to: 'pre_plan_running',
      when: (run) => !run.isBlocked && !run.isFetching && run.hasPrePlan,
      spec,
    },
    ...stageMoves,
    {
      on: 'advance',
      from: 'post_plan_running',
      to: 'post_plan_awaiting_decision',
      when: (run) => run.stage === 'awaiting',
      spec,
    },
    {
      on: 'advance',
      from: 'post_plan_awaiting_decision',
      to: 'post_plan_completed',
      when: (run) => run.stage === 'passed',
      spec,
    },
    {
      on: 'advance',
      from: ['pending', 'fetching', 'pre_plan_completed'],
      to: 'queuing',
      when: (run) => !run.isBlocked && !run.isFetching && run.isAtCapacity,
      spec,
    },
    {
      on: 'advance',
      from: ['pending', 'fetching', 'pre_plan_completed', 'queuing'],
      to: 'plan_queued',
      when: (run) => !run.isBlocked && !run.isFetching && !run.isAtCapacity,
      spec,
    },
    { on: 'advance', from: 'plan_queued', to: 'planning', when: (run) => !run.lacksAgent, spec },
    { on: 'advance', from: 'planning', to: 'errored', when: (run) => run.planFails, spec },
    { on: 'advance', from: 'planning', to: 'planned', when: (run) => !run.lacksAgent, spec },
    {
      on: 'advance',
      from: 'planned',
      to: 'post_plan_running',
      when: (run) => run.hasPostPlan,
      spec,
    },
    {
      on: 'advance',
      from: ['planned', 'post_plan_completed'],
      to: 'cost_estimating',
      when: (run) => run.estimatesCost,
      spec,
    },
    { on: 'advance', from: 'cost_estimating', to: 'cost_estimated', spec },
    {
      on: 'advance',
      from: ['planned', 'post_plan_completed', 'cost_estimated'],
      to: 'policy_checking',
      when: (run) => run.checksPolicies,
      spec: policyChecks,
    },
    {
      on: 'advance',
      from: 'policy_checking',
      to: 'errored',
      when: (run) => run.policyResult === 'hard_failed' || run.policyResult === 'errored',
      spec: policyChecks,
    },
    {
      on: 'advance',
      from: 'policy_checking',
      to: 'policy_soft_failed',
      when: (run) => run.policyResult === 'soft_failed' && run.isPlanOnly,
      spec: policyChecks,
    },
    {
      on: 'advance',
      from: 'policy_checking',
      to: 'policy_override',
      when: (run) => run.policyResult === 'soft_failed',
      spec: policyChecks,
    },
    { on: 'advance', from: 'policy_checking', to: 'policy_checked', spec: policyChecks },
    { on: 'override', from: 'policy_override', to: 'policy_checked', spec: policyChecks },
    {
      on: 'advance',
      from: planEnds,
      to: 'planned_and_finished',
      when: (run) => run.isPlanOnly || !run.hasWork,
      spec,
    },
    {
      on: 'advance',
      from: planEnds,
      to: 'planned_and_saved',
      when: (run) => run.savesPlan,
      spec,
    },
    { on: 'advance', from: planEnds, to: 'confirmed', when: (run) => run.autoApplies, spec },
    {
      on: 'advance',
      from: 'confirmed',
      to: 'pre_apply_running',
      when: (run) => run.hasPreApply,
      spec,
    },
    {
      on: 'advance',
      from: ['confirmed', 'pre_apply_completed'],
      to: 'queuing_apply',
      when: (run) => run.isAtCapacity,
      spec,
    },
    {
      on: 'advance',
      from: ['confirmed', 'pre_apply_completed', 'queuing_apply'],
      to: 'apply_queued',
      when: (run) => !run.isAtCapacity,
      spec,
    },
    { on: 'advance', from: 'apply_queued', to: 'applying', when: (run) => !run.lacksAgent, spec },
    { on: 'advance', from: 'applying', to: 'errored', when: (run) => run.applyFails, spec },
    {
      on: 'advance',
      from: 'applying',
      to: 'post_apply_running',
      when: (run) => run.hasPostApply && !run.lacksAgent,
      spec,
    },
    {
      on: 'advance',
      from: ['applying', 'post_apply_completed'],
      to: 'applied',
      when: (run) => !run.lacksAgent,
      spec,
    },

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

/** Status of a run (behaviour/platform#run-statuses). */
export type RunStatus = (typeof runMachine.states)[number]
