import { describe, expect, test } from 'vitest'
import type {
  RunConditions,
  RunMachineEvent,
} from '../../../../state/platform/runs/run-conditions.ts'
import { type RunStatus, runMachine } from '../../../../state/platform/runs/run-machine.ts'

/** Returns the conditions of a run that has changes, and that nothing delays. */
function conditions(members: Partial<RunConditions> = {}): RunConditions {
  return {
    isBlocked: false,
    isFetching: false,
    hasBadConfiguration: false,
    isAtCapacity: false,
    lacksAgent: false,
    planFails: false,
    applyFails: false,
    isPlanOnly: false,
    savesPlan: false,
    autoApplies: false,
    hasWork: true,
    hasPendingEstimate: false,
    hasPendingPrePlan: false,
    hasPendingPostPlan: false,
    hasPendingPreApply: false,
    hasPendingPostApply: false,
    stageState: 'running',
    hasPendingPolicyCheck: false,
    policyResult: 'passed',
    isCancelRequested: false,
    mayForceCancel: false,
    ...members,
  }
}

const finalStatuses = [
  'applied',
  'policy_soft_failed',
  'planned_and_finished',
  'errored',
  'canceled',
  'discarded',
] as const
/** Statuses in which a run with changes waits for a confirmation. */
const planEnds = ['planned', 'post_plan_completed', 'cost_estimated', 'policy_checked'] as const
/** Statuses in which a run waits for somebody to decide. */
const decisions = ['post_plan_awaiting_decision', 'policy_override', 'planned_and_saved'] as const
const executing = ['planning', 'applying'] as const
/** Statuses in which a run waits for its turn, a task or a check. */
const inProgress = [
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
] as const
const all: readonly RunStatus[] = [
  ...finalStatuses,
  ...planEnds,
  ...decisions,
  ...executing,
  ...inProgress,
]

/** Returns the status after an event for each status that allows the event. */
function targets(event: RunMachineEvent, run: RunConditions): Record<string, string> {
  return Object.fromEntries(
    all
      .filter((status) => runMachine.allows(status, event, run))
      .map((status) => [status, runMachine.next(status, event, run)]),
  )
}

const each = (statuses: readonly string[], to: string) =>
  Object.fromEntries(statuses.map((status) => [status, to]))

describe('behaviour/platform#run-actions: every status and every action', () => {
  test('the table names every status', () => {
    expect([...all].sort()).toEqual([...runMachine.states].sort())
  })

  test('a run that waits, or a saved plan, can be confirmed', () => {
    expect(targets('confirm', conditions())).toEqual(
      each([...planEnds, 'planned_and_saved'], 'confirmed'),
    )
    const other = { autoApplies: true }
    expect(targets('confirm', conditions(other))).toEqual(each(['planned_and_saved'], 'confirmed'))
  })

  test('a pending run, a run that waits, or a saved plan can be discarded', () => {
    const always = ['pending', 'post_plan_running', ...decisions]
    expect(targets('discard', conditions())).toEqual(each([...planEnds, ...always], 'discarded'))
    expect(targets('discard', conditions({ isPlanOnly: true }))).toEqual(each(always, 'discarded'))
  })

  test.each([
    ['a run that waits', {}, []],
    ['an automatic run', { autoApplies: true }, planEnds],
    ['a run without changes', { hasWork: false }, planEnds],
    ['a plan-only run', { isPlanOnly: true }, planEnds],
    ['a run that saves its plan', { savesPlan: true }, planEnds],
    ['a run with a pending stage', { hasPendingPostPlan: true }, planEnds],
    ['a run with a pending estimate', { hasPendingEstimate: true }, planEnds],
    ['a run with a pending policy check', { hasPendingPolicyCheck: true }, planEnds],
  ])('%s can be canceled while it is in progress', (_, members, more) => {
    expect(targets('cancel', conditions(members))).toEqual({
      ...each([...inProgress, ...more], 'canceled'),
      planning: 'planning',
      applying: 'applying',
    })
  })

  test('a plan or an apply is canceled once, and ends when it is stopped', () => {
    const requested = { isCancelRequested: true }
    expect(targets('cancel', conditions(requested))).toEqual(each(inProgress, 'canceled'))
    expect(targets('stop', conditions())).toEqual({})
    expect(targets('stop', conditions(requested))).toEqual(each(executing, 'canceled'))
    expect(targets('stop', conditions({ ...requested, lacksAgent: true }))).toEqual({})
  })

  test('only a canceled plan or apply can be canceled by force, and only after the delay', () => {
    const requested = { isCancelRequested: true }
    const late = { mayForceCancel: true }
    expect(targets('force-cancel', conditions(requested))).toEqual({})
    expect(targets('force-cancel', conditions(late))).toEqual({})
    expect(targets('force-cancel', conditions({ ...requested, ...late }))).toEqual(
      each(executing, 'canceled'),
    )
  })

  test('a site admin can cancel a run in every status that is not final', () => {
    const statuses = [...planEnds, ...decisions, ...executing, ...inProgress]
    expect(targets('end', conditions())).toEqual(each(statuses, 'canceled'))
  })

  test('only a failed policy check can be overridden', () => {
    expect(targets('override', conditions())).toEqual({ policy_override: 'policy_checked' })
  })
})
