import { type InParts, isInParts, runParts } from '../../kernel/parts.ts'
import type { JobHandler } from '../../kernel/worlds/service.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { optionsOf } from '../options.ts'
import { progressStep } from './deployments/deployment-failure.ts'
import { healthStep } from './deployments/health.ts'
import { processEvaluation } from './evaluations/processing.ts'
import {
  cancelStep,
  holdStep,
  runsAutomatically,
  type StepName,
  type StepResult,
  scheduleStepAt,
  stepNames,
  waitsForOperator,
} from './model/steps.ts'
import { type HeldStep, heldSteps } from './model/tables.ts'
import { drainStep } from './nodes/node-drain.ts'
import { taskStep } from './tasks/task-runtime.ts'

/**
 * Function that runs a step inside a transaction. The function either runs the whole step or
 * returns a generator (`InParts`) that the caller runs. A step whose result is `repeat` runs again;
 * every other result means that the step has finished.
 */
type StepHandler = (world: World, id: string, at: number) => unknown

const repeat: StepResult = 'repeat'

/** Functions that run the steps, by step name. `at` is the due time in milliseconds since 1970. */
const handlers: Readonly<Record<StepName, StepHandler>> = {
  [stepNames.evaluation]: processEvaluation,
  [stepNames.task]: taskStep,
  [stepNames.health]: healthStep,
  [stepNames.progress]: progressStep,
  [stepNames.drain]: drainStep,
}

const allStepNames = Object.values(stepNames)

function findStepName(job: string): StepName | undefined {
  return allStepNames.find((name) => name === job)
}

/**
 * Handlers of the cluster's agenda jobs. If `runsAutomatically` returns false for a due step, the
 * step is held and does not run.
 */
export const clusterAgendaJobs: Readonly<Record<string, JobHandler>> = Object.fromEntries(
  allStepNames.map((name): [string, JobHandler] => [
    name,
    (world, { id, at }) => {
      if (!runsAutomatically(world, name)) return holdStep(world, name, id, at)
      const result = handlers[name](world, id, at)
      return isInParts(result) ? runStepInParts(world, name, id, at, result) : undefined
    },
  ]),
)

/**
 * Runs the parts of a step. If the result is `repeat`, schedules the step again for its due time.
 */
function* runStepInParts(
  world: World,
  name: StepName,
  id: string,
  at: number,
  work: InParts<unknown>,
): InParts<void> {
  if ((yield* work) === repeat) scheduleStepAt(world, name, id, at)
}

/**
 * Returns the next step that the function `step` runs: the first held step or, if no step is held,
 * the scheduled step with the earliest due time. Steps that an operator has paused are skipped.
 * Returns undefined if no step remains.
 */
function nextStep(world: World): HeldStep | undefined {
  for (const held of world.table(heldSteps).rows()) {
    if (!waitsForOperator(world, held.job)) return held
  }
  for (const scheduledJob of world.agenda.all()) {
    const { job } = scheduledJob
    if (findStepName(job) !== undefined && !waitsForOperator(world, job)) return scheduledJob
  }
  return undefined
}

/**
 * Runs the cluster's next step, whether or not the step is due (behaviour/scheduler#steering,
 * `schedulerMode` manual). A step that returns `repeat` runs once more.
 *
 * @returns due time in milliseconds since 1970, agenda job and key of the step; undefined if no
 *   step may run or the cluster is frozen
 */
export function step(world: World) {
  if (optionsOf(world).schedulerMode === 'frozen') return undefined
  const next = nextStep(world)
  const name = next === undefined ? undefined : findStepName(next.job)
  if (next === undefined || name === undefined) return undefined
  const { at, id } = next
  const runStep = () =>
    world.write(() => {
      cancelStep(world, name, id)
      const result = handlers[name](world, id, at)
      return isInParts(result) ? runParts(result) : result
    })
  if (runStep() === repeat) runStep()
  return { at, kind: name, id }
}

/**
 * Schedules the held steps that may run automatically now. Must be called after the scheduler mode,
 * a timing or the scheduler configuration has changed.
 */
export function resumeSteps(world: World): void {
  world.write(() => {
    for (const { at, job, id } of [...world.table(heldSteps).rows()]) {
      const name = findStepName(job)
      if (name !== undefined && runsAutomatically(world, name)) {
        scheduleStepAt(world, name, id, Math.max(at, world.clock.now()))
      }
    }
  })
}
