import type { JobHandler } from '../../kernel/worlds/service.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { newId } from '../ids.ts'
import { optionsOf } from '../options.ts'
import {
  closeEvaluations,
  combinedResultOf,
  dropEvaluations,
  evaluationKind,
  finishEvaluations,
  startEvaluations,
} from '../policies/evaluations.ts'
import { entryFor, type PlannedTaskOutcome } from '../runs/outcome-shape.ts'
import { runKind } from '../runs/run-machine.ts'
import { type Run, runWithId } from '../runs/runs.ts'
import { delayMs, milliseconds, timingOf } from '../timing.ts'
import { recordTaskCall } from './calls.ts'
import {
  dropTaskResults,
  finalResultStatuses,
  putStage,
  putTaskResult,
  resultsOf,
  resultWithId,
  stageMachine,
  stagesOf,
  stageWithId,
  type TaskOutcome,
  type TaskResult,
  type TaskResultEvent,
  type TaskStage,
  taskResultMachine,
  taskStages,
} from './stages.ts'
import type { StageName } from './tasks.ts'

/**
 * Name of the forced transition of a task result, and of the job that moves a result to its next
 * status.
 */
export const taskResultKind = 'platform.task-result'

/** Report about a task result, apart from the status. Missing members keep the stored values. */
interface TaskReport {
  readonly message?: string | null | undefined
  readonly url?: string | null | undefined
  readonly outcomes?: readonly TaskOutcome[] | undefined
}

/** Returns a stage of a run, or undefined if the run does not have the stage. */
function stageNamed(world: World, { id }: Pick<Run, 'id'>, name: StageName) {
  return stagesOf(world, id).find(({ stage }) => stage === name)
}

function moveStage(
  world: World,
  stage: TaskStage,
  event: Parameters<typeof stageMachine.next>[1],
  at: number,
): TaskStage {
  const status = stageMachine.next(stage.status, event)
  const time = status === 'unreachable' ? {} : { [`${status}_at`]: at }
  return putStage(world, {
    ...stage,
    status,
    updated_at: at,
    reached: { ...stage.reached, ...time },
  })
}

/**
 * Starts a stage: calls its run tasks and starts its evaluations. Does nothing if the run does not
 * have the stage. Must run inside a transaction.
 */
export function startStage(world: World, run: Run, name: StageName, at: number): void {
  const stage = stageNamed(world, run, name)
  if (stage === undefined) return
  moveStage(world, stage, 'start', at)
  const awaits_callback = optionsOf(world).deliverRunTasks
  for (const result of resultsOf(world, stage.id)) {
    const called = putTaskResult(world, { ...result, awaits_callback })
    recordTaskCall(world, run, called, at)
    scheduleResult(world, called, at)
  }
  startEvaluations(world, stage.id, at)
}

/**
 * Schedules the next step of a task result. Cancels the scheduled step instead if the result is
 * final or only forced transitions move results. Must run inside a transaction.
 */
function scheduleResult(world: World, result: TaskResult, at: number): void {
  const { stageTime, taskTimeout } = optionsOf(world)
  const { id, status, awaits_callback: awaitsCallback, reached } = result
  const isHeld =
    finalResultStatuses.includes(status) || timingOf(world, taskResultKind) === 'manual'
  const delay = awaitsCallback
    ? milliseconds(taskTimeout)
    : delayMs(world, taskResultKind, stageTime)
  if (isHeld || delay === undefined) world.agenda.cancel(taskResultKind, id)
  else {
    const start = awaitsCallback ? (reached.running_at ?? at) : at
    world.agenda.schedule({ at: start + delay, job: taskResultKind, id })
  }
}

/**
 * Moves a task result to another status and stores the report. If the stage is running and all of
 * its results and policy evaluations are then final, ends the stage and continues the run. Throws
 * `conflict` if the current status does not allow the event.
 */
export function moveTaskResult(
  world: World,
  result: TaskResult,
  event: TaskResultEvent,
  report: TaskReport = {},
  at = world.clock.now(),
): TaskResult {
  const status = taskResultMachine.next(result.status, event)
  return world.write(() => {
    const { message = result.message, url = result.url, outcomes = result.outcomes } = report
    const time = status === 'unreachable' ? {} : { [`${status}_at`]: at }
    const reached = { ...time, ...result.reached }
    const moved = { ...result, status, message, url, outcomes, reached, updated_at: at }
    putTaskResult(world, moved)
    scheduleResult(world, moved, at)
    const stage = stageWithId(world, result.task_stage)
    if (stage?.status === 'running') endStageIfFinal(world, stage, at)
    return moved
  })
}

const failureStatuses: readonly string[] = ['failed', 'errored']

/**
 * Ends a stage and continues its run if all task results and policy evaluations of the stage are
 * final. A stage with failed policies awaits an override instead of ending if all these failures
 * can be overridden and no mandatory run task has failed. Must run inside a transaction.
 */
function endStageIfFinal(world: World, stage: TaskStage, at: number): void {
  const results = resultsOf(world, stage.id)
  const evaluationResult = combinedResultOf(world, stage.id)
  const areFinal = results.every(({ status }) => finalResultStatuses.includes(status))
  if (!areFinal || evaluationResult === 'open') return
  const isFailed = results.some(
    ({ status, workspace_task_enforcement_level: level }) =>
      level === 'mandatory' && failureStatuses.includes(status),
  )
  const event = isFailed || evaluationResult === 'failed' ? 'fail' : 'pass'
  moveStage(world, stage, event === 'pass' && evaluationResult === 'awaiting' ? 'await' : event, at)
  continueRun(world, stage, at)
}

function continueRun(world: World, { run }: TaskStage, at: number): void {
  if (timingOf(world, runKind) !== 'manual') world.agenda.schedule({ at, job: runKind, id: run })
}

/**
 * Overrides the failure of a stage, so that the stage passes, and continues the run. Throws
 * `conflict` unless the stage awaits an override.
 */
export function overrideStage(world: World, stage: TaskStage): TaskStage {
  const at = world.clock.now()
  return world.write(() => {
    const passed = moveStage(world, stage, 'override', at)
    closeEvaluations(world, stage.id, 'passed', at)
    continueRun(world, stage, at)
    return passed
  })
}

/**
 * Ends a stage that its run leaves, for example because the run is canceled. Results that are not
 * final get the given status. Does nothing unless the stage is running or awaits an override. Must
 * run inside a transaction.
 */
export function leaveStage(
  world: World,
  run: Run,
  name: StageName,
  status: 'passed' | 'failed' | 'canceled',
  at: number,
): void {
  const stage = stageNamed(world, run, name)
  if (stage?.status !== 'running' && stage?.status !== 'awaiting_override') return
  const isAwaiting = stage.status === 'awaiting_override'
  const events = {
    passed: isAwaiting ? 'override' : 'pass',
    failed: 'fail',
    canceled: 'close',
  } as const
  moveStage(world, stage, events[status], at)
  closeEvaluations(world, stage.id, status, at)
  closeResults(world, stage, status, at)
}

/** Closes the stages that an ended run did not reach. Must run inside a transaction. */
export function closePendingStages(world: World, { id }: Run, at: number): void {
  for (const stage of stagesOf(world, id)) {
    if (stage.status !== 'pending') continue
    moveStage(world, stage, 'close', at)
    closeEvaluations(world, stage.id, 'unreachable', at)
    closeResults(world, stage, 'unreachable', at)
  }
}

function closeResults(world: World, { id }: TaskStage, event: TaskResultEvent, at: number): void {
  for (const result of resultsOf(world, id)) {
    if (!finalResultStatuses.includes(result.status)) moveTaskResult(world, result, event, {}, at)
  }
}

/**
 * Deletes the stages of a run with their results and evaluations. Must run inside a transaction.
 */
export function removeStages(world: World, run: string): void {
  for (const { id } of stagesOf(world, run)) {
    for (const result of resultsOf(world, id)) world.agenda.cancel(taskResultKind, result.id)
    dropTaskResults(world, id)
    world.agenda.cancel(evaluationKind, id)
    dropEvaluations(world, id)
  }
  world.table(taskStages).deleteAll(`${run}/`)
}

/**
 * Returns the status and the report that the outcome of the run contains for a run task. If the
 * outcome has no entry for the task, the status is `passed` and the report is empty. Task outcomes
 * get new ids.
 */
function plannedReportOf(world: World, { run, task_name }: TaskResult) {
  const {
    status = 'passed',
    outcomes,
    ...report
  } = {
    ...entryFor(runWithId(world, run)?.outcome.tasks, task_name),
  }
  if (outcomes === undefined) return { status, report }
  return { status, report: { ...report, outcomes: newTaskOutcomes(world, outcomes) } }
}

/** Converts planned task outcomes to stored task outcomes with new ids. */
export function newTaskOutcomes(
  world: World,
  outcomes: readonly PlannedTaskOutcome[],
): readonly TaskOutcome[] {
  return outcomes.map(
    ({ outcomeId: outcome_id, description, body = null, url = null, tags = {} }) => {
      const id = newId(world, 'taskrso')
      return { id, outcome_id, description, body, url, tags }
    },
  )
}

/**
 * Jobs of task stages. The job `evaluationKind` ends the policy evaluations of a stage, and then
 * the stage if all its task results are final. The job `taskResultKind` moves a task result to its
 * next status, or to `errored` if the expected callback is missing.
 */
export const taskResultJobs: Readonly<Record<string, JobHandler>> = {
  [evaluationKind]: (world, { at, id }) => {
    const stage = stageWithId(world, id)
    const run = runWithId(world, stage?.run ?? '')
    if (stage?.status !== 'running' || run === undefined) return
    world.write(() => {
      finishEvaluations(world, id, run, at)
      endStageIfFinal(world, stage, at)
    })
  },
  [taskResultKind]: (world, { at, id }) => {
    const result = resultWithId(world, id)
    if (result === undefined || finalResultStatuses.includes(result.status)) return
    if (result.awaits_callback) {
      moveTaskResult(world, result, 'errored', { message: 'Timed out' }, at)
    } else if (result.status === 'pending') moveTaskResult(world, result, 'running', {}, at)
    else {
      world.write(() => {
        const { status, report } = plannedReportOf(world, result)
        moveTaskResult(world, result, status, report, at)
      })
    }
  },
}
