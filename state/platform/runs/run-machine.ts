import { defineMachine } from '../../kernel/machine.ts'
import { stageNames } from '../run-tasks/tasks.ts'

/** Facts about a run that its next status depends on. */
export interface RunFacts {
  /** Whether another run holds the workspace, or somebody has locked it. */
  readonly isBlocked: boolean
  readonly isFetching: boolean
  readonly hasBadConfiguration: boolean
  /** Whether as many runs of the organization are under way as may be. */
  readonly isAtCapacity: boolean
  readonly planFails: boolean
  readonly applyFails: boolean
  /** Whether the plan can never be applied. */
  readonly isPlanOnly: boolean
  readonly savesPlan: boolean
  readonly autoApplies: boolean
  /** Whether the plan has changes, or an apply without changes is allowed. */
  readonly hasWork: boolean
  /** Whether an estimate of the costs is still to come. */
  readonly estimatesCost: boolean
  /** Whether a stage with tasks is still to come before the plan, after the plan, and so on. */
  readonly hasPrePlan: boolean
  readonly hasPostPlan: boolean
  readonly hasPreApply: boolean
  readonly hasPostApply: boolean
  /** State of the stage that the run is in. */
  readonly stage: 'running' | 'passed' | 'failed' | 'awaiting'
  readonly isCancelAsked: boolean
  /** Whether the time has come at which a run that does not stop can be ended. */
  readonly mayForceCancel: boolean
}

/**
 * Events of a run. `advance` is the next step that a run takes by itself; `end` is how a site admin
 * ends it at once.
 */
export type RunEvent =
  | 'advance'
  | 'confirm'
  | 'discard'
  | 'cancel'
  | 'stop'
  | 'force-cancel'
  | 'end'

const spec = 'behaviour/platform#run-statuses'
const actions = 'behaviour/platform#run-actions'

/** Statuses in which the plan phase can end and a run can wait for a decision. */
const planEnds = ['planned', 'post_plan_completed', 'cost_estimated'] as const

const awaitsDecision = (run: RunFacts): boolean =>
  run.hasWork &&
  !run.hasPostPlan &&
  !run.estimatesCost &&
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

/** State machine of a run. The first move that the facts allow is taken. */
export const runMachine = defineMachine<RunFacts>()({
  name: 'run',
  states: [
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
  ],
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
    { on: 'advance', from: 'plan_queued', to: 'planning', spec },
    { on: 'advance', from: 'planning', to: 'errored', when: (run) => run.planFails, spec },
    { on: 'advance', from: 'planning', to: 'planned', spec },
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
    { on: 'advance', from: 'apply_queued', to: 'applying', spec },
    { on: 'advance', from: 'applying', to: 'errored', when: (run) => run.applyFails, spec },
    {
      on: 'advance',
      from: 'applying',
      to: 'post_apply_running',
      when: (run) => run.hasPostApply,
      spec,
    },
    { on: 'advance', from: ['applying', 'post_apply_completed'], to: 'applied', spec },

    { on: 'confirm', from: planEnds, to: 'confirmed', when: awaitsDecision, spec: actions },
    { on: 'confirm', from: 'planned_and_saved', to: 'confirmed', spec: actions },
    { on: 'discard', from: planEnds, to: 'discarded', when: awaitsDecision, spec: actions },
    {
      on: 'discard',
      from: ['pending', 'post_plan_running', 'post_plan_awaiting_decision', 'planned_and_saved'],
      to: 'discarded',
      spec: actions,
    },
    {
      on: 'cancel',
      from: 'planning',
      to: 'planning',
      when: (run) => !run.isCancelAsked,
      spec: actions,
    },
    {
      on: 'cancel',
      from: 'applying',
      to: 'applying',
      when: (run) => !run.isCancelAsked,
      spec: actions,
    },
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
      when: (run) => run.isCancelAsked,
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
      from: [
        'pending',
        'fetching',
        'queuing',
        'plan_queued',
        'planning',
        'planned',
        'cost_estimating',
        'cost_estimated',
        'planned_and_saved',
        'confirmed',
        'queuing_apply',
        'apply_queued',
        'applying',
      ],
      to: 'canceled',
      spec: 'behaviour/platform#admin-workspaces',
    },
  ],
})

/** Status of a run (behaviour/platform#run-statuses). */
export type RunStatus = (typeof runMachine.states)[number]

/** Statuses that a run never leaves. */
export const finalStatuses: readonly string[] = [
  'applied',
  'planned_and_finished',
  'errored',
  'canceled',
  'discarded',
]
