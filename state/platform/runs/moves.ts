import type { JobHandler } from '../../kernel/worlds/service.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { agentFreedJob, agentMovedJob, agentWithId, isAgentGone } from '../agents/agents.ts'
import {
  putConfigurationVersion,
  versionWithId,
} from '../configuration-versions/configuration-versions.ts'
import { notifyAboutRun, type RunNotificationTrigger } from '../notifications/messages.ts'
import { optionsOf } from '../options.ts'
import { updatePolicyCheck } from '../policies/policy-checks.ts'
import { closePendingStages, leaveStage, startStage } from '../run-tasks/stage-moves.ts'
import { milliseconds } from '../timing.ts'
import { lockReleasedJob } from '../workspaces/locks.ts'
import { updateCostEstimate } from './cost-estimates.ts'
import { determineOutcome } from './outcome.ts'
import {
  applyFirstHalf,
  applyPlan,
  countsOf,
  firstHalfOf,
  hasChanges,
  planOfRun,
  planRun,
} from './planning.ts'
import { lockWorkspaceFor, nextWaitingRun, promoteNextRun, unlockWorkspaceFor } from './queue.ts'
import { storeReadme } from './readmes.ts'
import { runOfAgent, runsForAgents, updateAgent, withLostAgent } from './run-agents.ts'
import type { RunConditions, RunMachineEvent } from './run-conditions.ts'
import { addRunEvent } from './run-events.ts'
import { type RunStatus, runKind, runMachine } from './run-machine.ts'
import { partAfter } from './run-parts.ts'
import {
  conditionsOf,
  rescheduleRun,
  scheduleStep,
  stageOfStatus,
  stepDelay,
} from './run-schedule.ts'
import { timesAfter } from './run-times.ts'
import { isRunOver, locksWorkspace, openRunsOf, putRun, type Run, runWithId } from './runs.ts'

/** Job that starts triggered runs after a run was applied. The job's id is the run's id. */
export const runAppliedJob = 'platform.run-applied'

/** Conditions of a run that a forced transition replaces with values of its own. */
type ForcedConditions = Partial<RunConditions>

/** Settings of a move; all have defaults. */
interface MoveOptions {
  /** Time of the move; now by default. */
  readonly at?: number
  /** Id of the user who caused the move; by default the creator of the run. */
  readonly actor?: string
  readonly conditions?: ForcedConditions
}

/**
 * Applies an event to a run and schedules the next step. Also updates everything that depends on
 * the status: times, agent, plan, apply, run events, cost estimate, policy check, task stages,
 * lock, queue and notifications. Throws `conflict` if the status does not allow the event.
 */
export function moveRun(
  world: World,
  run: Run,
  event: RunMachineEvent,
  { at = world.clock.now(), actor = run.created_by, conditions }: MoveOptions = {},
): Run {
  const currentConditions = { ...conditionsOf(world, run, at), ...conditions }
  const status = runMachine.next(run.status, event, currentConditions)
  return world.write(() => {
    const cancelRequest =
      event === 'cancel' || event === 'end' ? cancelMembers(world, at, actor) : {}
    if (status === run.status)
      return scheduleStep(world, putRun(world, { ...run, ...cancelRequest }), at)
    const isForced = event === 'force-cancel' || event === 'end'
    const agent = updateAgent(world, { ...run, status }, run.status)
    const moved = putRun(world, {
      ...run,
      ...agent,
      ...cancelRequest,
      ...(event === 'confirm' ? { confirmed_by: actor } : {}),
      ...membersOnEntry(world, run, status),
      status,
      updated_at: at,
      reached: {
        ...timesAfter(run.reached, [run.status, status], at),
        ...(isForced ? { force_canceled_at: at } : {}),
      },
      plan: partAfter('plan', run.plan, { status, isForced }, at),
      apply: partAfter('apply', run.apply, { status, isForced }, at),
    })
    const finished = storeCountsAndState(world, moved, run.apply.status !== moved.apply.status)
    if (event === 'override')
      addRunEvent(world, run, { action: 'overridden', actor, created_at: at })
    addRunEvent(world, run, { action: status, actor, created_at: at })
    updateCostEstimate(world, finished, at)
    updatePolicyCheck(world, finished, run.status, { at, result: currentConditions.policyResult })
    applyEntryEffects(world, finished, run.status, at)
    const trigger = triggerOf(world, finished)
    if (trigger !== undefined) notifyAboutRun(world, finished, trigger, actor)
    return scheduleStep(world, finished, at)
  })
}

/**
 * Notification triggers by status. A status without an entry triggers no notification, unless
 * `triggerOf` finds that the run waits for confirmation.
 */
const statusTriggers: { readonly [S in RunStatus]?: RunNotificationTrigger } = {
  planning: 'run:planning',
  post_plan_awaiting_decision: 'run:needs_attention',
  applying: 'run:applying',
  applied: 'run:completed',
  planned_and_finished: 'run:completed',
  errored: 'run:errored',
  canceled: 'run:errored',
}

/**
 * Returns the notification trigger of a run's status, or undefined if the status triggers no
 * notification.
 */
function triggerOf(world: World, run: Run): RunNotificationTrigger | undefined {
  const isConfirmable =
    run.has_changes &&
    run.status !== 'planned_and_saved' &&
    runMachine.allows(run.status, 'confirm', conditionsOf(world, run))
  return isConfirmable ? 'run:needs_attention' : statusTriggers[run.status]
}

function cancelMembers(world: World, at: number, actor: string) {
  const force_cancel_at = at + milliseconds(optionsOf(world).forceCancelDelay)
  return { canceled_at: at, force_cancel_at, canceled_by: actor }
}

/**
 * Returns the members of a run that change when the run enters a status. The first of
 * `pre_plan_running` and `planning` that the run enters determines the outcome, which counts as one
 * use of the matching outcome rule. At `planning`, also plans the run and stores the plan. Must run
 * inside a transaction.
 */
function membersOnEntry(world: World, run: Run, status: RunStatus): Partial<Run> {
  if (status !== 'planning' && status !== 'pre_plan_running') return {}
  const isOutcomeSet = run.reached.pre_plan_running_at !== undefined
  const outcome = isOutcomeSet ? run.outcome : { ...determineOutcome(world, run), ...run.outcome }
  if (status === 'pre_plan_running') return { outcome }
  const { error } = planRun(world, run, outcome)
  if (error === undefined) return { outcome }
  return { outcome: { ...outcome, plan: 'errored', error } }
}

/**
 * Stores the change counts of a plan or an apply and, after an apply, the new state. Returns the
 * stored run, or the run unchanged if there is nothing to store. Must run inside a transaction.
 */
function storeCountsAndState(world: World, run: Run, isApplyMoved: boolean): Run {
  const plan = planOfRun(world, run)
  if (plan === undefined) return run
  const counts = countsOf(plan)
  if (run.status === 'planned') {
    return putRun(world, { ...run, has_changes: hasChanges(plan), plan: { ...run.plan, counts } })
  }
  if (!isApplyMoved) return run
  if (run.apply.status === 'errored') {
    applyFirstHalf(world, run, plan)
    const applied = countsOf(firstHalfOf(plan).finished)
    return putRun(world, { ...run, apply: { ...run.apply, counts: applied } })
  }
  if (run.apply.status !== 'finished') return run
  applyPlan(world, run)
  return putRun(world, { ...run, apply: { ...run.apply, counts } })
}

/**
 * Applies the effects of a new status on task stages, warnings, lock, queue, configuration version,
 * saved plans, readme and follow-up jobs. Must run inside a transaction.
 */
function applyEntryEffects(world: World, run: Run, from: RunStatus, at: number): void {
  const { status, outcome } = run
  moveStages(world, run, from, at)
  if (from === 'pending' && locksWorkspace(run) && !isRunOver(run)) lockWorkspaceFor(world, run)
  if (status === 'planned') {
    for (const warning of outcome.warnings ?? []) {
      addRunEvent(world, run, { ...warning, actor: run.created_by, created_at: at })
    }
  }
  if (status === 'applied') {
    const version = versionWithId(world, run.configuration_version)
    if (version !== undefined) putConfigurationVersion(world, { ...version, was_applied: true })
    discardSavedPlans(world, run, at)
    storeReadme(world, run)
    world.agenda.schedule({ at, job: runAppliedJob, id: run.id })
  }
  if (isRunOver(run)) {
    unlockWorkspaceFor(world, run)
    promoteAndScheduleNext(world, run.workspace, at)
  }
  const next = nextWaitingRun(world, run)
  if (next !== undefined) world.agenda.schedule({ at, job: runKind, id: next.id })
}

/**
 * Ends the task stage that a run has left, or starts the stage that it has entered. Closes the
 * remaining stages of a run that has ended. Must run inside a transaction.
 */
function moveStages(world: World, run: Run, from: RunStatus, at: number): void {
  const leftStage = stageOfStatus(from)
  const enteredStage = stageOfStatus(run.status)
  if (leftStage !== undefined && leftStage !== enteredStage) {
    const isFailed = run.status === 'errored'
    const ending = isFailed ? 'failed' : isRunOver(run) ? 'canceled' : 'passed'
    leaveStage(world, run, leftStage, ending, at)
  } else if (enteredStage !== undefined && enteredStage !== leftStage)
    startStage(world, run, enteredStage, at)
  if (isRunOver(run)) closePendingStages(world, run, at)
}

/**
 * Discards the saved plans of a workspace after the given run has changed the state of the
 * workspace.
 */
function discardSavedPlans(world: World, { id, workspace }: Run, at: number): void {
  const open = openRunsOf(world, workspace)
  const all = open.filter((one) => one.status === 'planned_and_saved' && one.id !== id)
  for (const one of all) moveRun(world, one, 'discard', { at })
}

/**
 * Makes the next run of a workspace current. If this run is pending, schedules its first step,
 * unless only a forced transition can move the run. Must run inside a transaction.
 */
function promoteAndScheduleNext(world: World, workspace: string, at: number): void {
  const next = promoteNextRun(world, workspace)
  if (next?.status !== 'pending') return
  const delay = stepDelay(world, next)
  if (delay === undefined) return
  const due = Math.max(at, next.created_at + delay)
  world.agenda.schedule({ at: due, job: runKind, id: next.id })
}

/**
 * Job handlers. The job `runKind` moves a run when its next step is due. The jobs for a freed agent
 * or lock schedule the next step of the runs that waited for it. After a forced transition of an
 * agent to `errored` or `exited`, the job `agentMovedJob` fails the run of the agent.
 */
export const runJobs: Readonly<Record<string, JobHandler>> = {
  [runKind]: (world, { at, id }) => {
    const run = runWithId(world, id)
    if (run === undefined) return
    const event = run.canceled_at === null ? 'advance' : 'stop'
    if (runMachine.allows(run.status, event, conditionsOf(world, run, at))) {
      moveRun(world, run, event, { at })
    }
  },
  [agentFreedJob]: (world, { at, id }) => {
    world.write(() => {
      for (const run of runsForAgents(world, id)) rescheduleRun(world, run, at)
    })
  },
  [agentMovedJob]: (world, { at, id }) => {
    const agent = agentWithId(world, id)
    const run = agent && runOfAgent(world, agent)
    if (agent === undefined || run === undefined) return
    if (isAgentGone(agent)) moveRun(world, withLostAgent(run, agent), 'advance', { at })
    else rescheduleRun(world, run, at)
  },
  [lockReleasedJob]: (world, { at, id }) =>
    world.write(() => promoteAndScheduleNext(world, id, at)),
}
