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
 * Function that runs a step, or returns its work in parts, inside a transaction. Any result other
 * than a `StepResult` means that the step has finished.
 */
type StepHandler = (world: World, id: string, at: number) => unknown

const repeat: StepResult = 'repeat'

/** The handler of each step. `at` is its due time, in milliseconds since 1970. */
const handlers: Readonly<Record<StepName, StepHandler>> = {
  [stepNames.evaluation]: processEvaluation,
  [stepNames.task]: taskStep,
  [stepNames.health]: healthStep,
  [stepNames.progress]: progressStep,
  [stepNames.drain]: drainStep,
}

const names = Object.values(stepNames)

function findStepName(job: string): StepName | undefined {
  return names.find((name) => name === job)
}

/** Agenda jobs of the cluster. If automatic steps are disabled, a step that becomes due is held. */
export const clusterAgendaJobs: Readonly<Record<string, JobHandler>> = Object.fromEntries(
  names.map((name): [string, JobHandler] => [
    name,
    (world, { id, at }) => {
      if (!runsAutomatically(world, name)) return holdStep(world, name, id, at)
      const result = handlers[name](world, id, at)
      return isInParts(result) ? runStepInParts(world, name, id, at, result) : undefined
    },
  ]),
)

/** Runs the work of a step, and schedules the step again if its work must be repeated. */
function* runStepInParts(
  world: World,
  name: StepName,
  id: string,
  at: number,
  work: InParts<unknown>,
): InParts<void> {
  if ((yield* work) === repeat) scheduleStepAt(world, name, id, at)
}

/** Returns the next step: a held step if there is one, otherwise the earliest scheduled step. */
function nextStep(world: World): HeldStep | undefined {
  for (const held of world.table(heldSteps).rows()) {
    if (!waitsForOperator(world, held.job)) return held
  }
  for (const scheduled of world.agenda.all()) {
    const { job } = scheduled
    if (findStepName(job) !== undefined && !waitsForOperator(world, job)) return scheduled
  }
  return undefined
}

/**
 * Runs the cluster's next step, even if it is not due (behaviour/scheduler#cluster, `schedulerMode`
 * manual).
 *
 * @returns the due time in milliseconds since 1970, the agenda job and the key; undefined if there
 *   is no step or the cluster is frozen
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
 * Schedules held steps that may run automatically again. Called after a change of the mode or of a
 * timing.
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
