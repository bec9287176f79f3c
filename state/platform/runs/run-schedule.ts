import type { World } from '../../kernel/worlds/world.ts'
import { versionWithId } from '../configuration-versions/configuration-versions.ts'
import { optionsOf } from '../options.ts'
import { policyCheckOf, policyResultOf } from '../policies/policy-checks.ts'
import { stagesOf } from '../run-tasks/stages.ts'
import { type StageName, stageNames } from '../run-tasks/tasks.ts'
import { milliseconds, timingOf } from '../timing.ts'
import { costEstimateOf } from './cost-estimates.ts'
import { isAtCapacity, isRunBlocked } from './queue.ts'
import { lacksAgent } from './run-agents.ts'
import type { RunConditions } from './run-conditions.ts'
import { type RunStatus, runKind, runMachine } from './run-machine.ts'
import { isRunOver, type Run, runs } from './runs.ts'

/**
 * Returns the conditions that decide which transitions of a run are possible.
 *
 * @param at time for which the conditions hold; by default the current time of the world's clock,
 *   which is read only if a condition depends on it
 */
export function conditionsOf(world: World, run: Run, at?: number): RunConditions {
  const { outcome, status, force_cancel_at } = run
  const { status: versionStatus } = { ...versionWithId(world, run.configuration_version) }
  const isWithoutAgent = lacksAgent(world, run)
  const isWaiting = ['pending', 'fetching', 'queuing', 'confirmed', 'queuing_apply'].includes(
    status,
  )
  return {
    isBlocked: status === 'pending' && isRunBlocked(world, run),
    isFetching: versionStatus === 'fetching' || versionStatus === 'pending',
    hasBadConfiguration: versionStatus === 'errored',
    isAtCapacity: isWaiting && isAtCapacity(world, run),
    lacksAgent: isWithoutAgent,
    planFails: outcome.plan === 'errored' && !isWithoutAgent,
    applyFails: outcome.apply === 'errored' && !isWithoutAgent,
    isPlanOnly: run.plan_only,
    savesPlan: run.save_plan,
    autoApplies: run.auto_apply,
    hasWork: run.has_changes || run.allow_empty_apply,
    ...stageConditions(world, run),
    hasPendingEstimate: costEstimateOf(world, run.id)?.status === 'pending',
    hasPendingPolicyCheck: policyCheckOf(world, run.id)?.status === 'pending',
    policyResult: policyResultOf(world, run),
    isCancelRequested: run.canceled_at !== null,
    mayForceCancel: force_cancel_at !== null && force_cancel_at <= (at ?? world.clock.now()),
  }
}

const stageStates = {
  passed: 'passed',
  failed: 'failed',
  awaiting_override: 'awaiting',
} as const

/** Returns the members of a run's conditions that depend on its task stages. */
function stageConditions(world: World, run: Run) {
  const stages = stagesOf(world, run.id)
  const isStagePending = (name: StageName) =>
    stages.some(({ stage, status }) => stage === name && status === 'pending')
  const name = stageOfStatus(run.status)
  const { status = 'running' } = { ...stages.find(({ stage }) => stage === name) }
  const states: { readonly [S in string]?: RunConditions['stageState'] } = stageStates
  return {
    hasPendingPrePlan: isStagePending('pre_plan'),
    hasPendingPostPlan: isStagePending('post_plan'),
    hasPendingPreApply: isStagePending('pre_apply'),
    hasPendingPostApply: isStagePending('post_apply'),
    stageState: states[status] ?? ('running' as const),
  }
}

/**
 * Returns the task stage to which a run status belongs, or undefined if the status belongs to no
 * stage.
 */
export function stageOfStatus(status: RunStatus): StageName | undefined {
  return stageNames.find(
    (name) => status === `${name}_running` || status === `${name}_awaiting_decision`,
  )
}

/**
 * Schedules the next step of a run. Cancels the scheduled step instead if the run has ended or
 * `stepDelay` returns undefined. Returns the run unchanged. Must run inside a transaction.
 */
export function scheduleStep(world: World, run: Run, at: number): Run {
  const delay = isRunOver(run) ? undefined : stepDelay(world, run)
  if (delay === undefined) world.agenda.cancel(runKind, run.id)
  else world.agenda.schedule({ at: at + delay, job: runKind, id: run.id })
  return run
}

/**
 * Reschedules all runs that have not ended, after a change of options or timings. Must run inside a
 * transaction.
 */
export function rescheduleRuns(world: World): void {
  const now = world.clock.now()
  for (const run of Array.from(world.table(runs).index('open').rows())) {
    rescheduleRun(world, run, now)
  }
}

/**
 * Reschedules the next step of a run if the run can take the step now. The time that has already
 * passed in the status is subtracted from the delay. Must run inside a transaction.
 */
export function rescheduleRun(world: World, run: Run, at: number): void {
  const event = run.canceled_at === null ? 'advance' : 'stop'
  if (!runMachine.allows(run.status, event, conditionsOf(world, run, at))) return
  const delay = stepDelay(world, run)
  if (delay === undefined) return
  const due = Math.max(at, (run.canceled_at ?? run.updated_at) + delay)
  world.agenda.schedule({ at: due, job: runKind, id: run.id })
}

/**
 * Name of the option that sets the duration of each status. Statuses that are not listed have no
 * duration.
 */
const durationOptionByStatus = {
  pending: 'runPendingTime',
  plan_queued: 'runQueuedTime',
  planning: 'planTime',
  cost_estimating: 'stageTime',
  policy_checking: 'stageTime',
  confirmed: 'runQueuedTime',
  apply_queued: 'runQueuedTime',
  applying: 'applyTime',
} as const

function isTimed(status: RunStatus): status is keyof typeof durationOptionByStatus {
  return Object.hasOwn(durationOptionByStatus, status)
}

/**
 * Returns the time in milliseconds that a run stays in its status
 * (behaviour/platform#run-statuses). Returns undefined while a task stage runs, or if only a forced
 * transition moves the run. Returns 0 for a status without a duration option, and for the timing
 * `immediate`. Otherwise the timing overrides the options. For a plan or an apply, the outcome of
 * the run overrides both, unless a cancel was requested or the timing is `immediate` or `manual`.
 */
export function stepDelay(world: World, run: Run): number | undefined {
  const { status, outcome, canceled_at } = run
  const timing = timingOf(world, runKind)
  if (stageOfStatus(status) !== undefined && stageConditions(world, run).stageState === 'running') {
    return undefined
  }
  if (timing === 'manual' || (status === 'pending' && optionsOf(world).holdRuns)) return undefined
  if (timing === 'immediate' || !isTimed(status)) return 0
  const isStopping = canceled_at !== null
  const outcomeDuration = status === 'planning' ? outcome.planTime : outcome.applyTime
  const isPlanOrApply = status === 'planning' || status === 'applying'
  if (isPlanOrApply && !isStopping && outcomeDuration !== undefined)
    return milliseconds(outcomeDuration)
  if (timing !== undefined) return milliseconds(timing.after)
  const options = optionsOf(world)
  return milliseconds(isStopping ? options.stopTime : options[durationOptionByStatus[status]])
}
