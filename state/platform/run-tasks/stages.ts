import { defineMachine } from '../../kernel/machine.ts'
import { any, bool, instant, list, map, nullable, text, word } from '../../kernel/shape/kinds.ts'
import { partial, struct } from '../../kernel/shape/members.ts'
import type { StoredOf } from '../../kernel/shape/values.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { ownedRows } from '../owned-rows.ts'
import { platformTable } from '../table.ts'
import { enforcementLevels, stageNames } from './tasks.ts'

const spec = 'behaviour/platform#task-stages'

/** State machine of a task stage. `close` ends a stage because its run has ended. */
export const stageMachine = defineMachine()({
  name: 'task stage',
  states: [
    'pending',
    'running',
    'passed',
    'failed',
    'awaiting_override',
    'errored',
    'canceled',
    'unreachable',
  ],
  moves: [
    { on: 'start', from: 'pending', to: 'running', spec },
    { on: 'pass', from: 'running', to: 'passed', spec },
    { on: 'fail', from: ['running', 'awaiting_override'], to: 'failed', spec },
    { on: 'await', from: 'running', to: 'awaiting_override', spec },
    { on: 'override', from: 'awaiting_override', to: 'passed', spec },
    { on: 'close', from: 'pending', to: 'unreachable', spec },
    { on: 'close', from: ['running', 'awaiting_override'], to: 'canceled', spec },
  ],
})

export const taskResultMachine = defineMachine()({
  name: 'task result',
  states: ['pending', 'running', 'passed', 'failed', 'errored', 'canceled', 'unreachable'],
  moves: [
    { on: 'running', from: ['pending', 'running'], to: 'running', spec },
    { on: 'passed', from: ['pending', 'running'], to: 'passed', spec },
    { on: 'failed', from: ['pending', 'running'], to: 'failed', spec },
    { on: 'errored', from: ['pending', 'running'], to: 'errored', spec },
    { on: 'canceled', from: ['pending', 'running'], to: 'canceled', spec },
    { on: 'unreachable', from: 'pending', to: 'unreachable', spec },
  ],
})

/** Event of a task result. Each event has the name of the status to which it leads. */
export type TaskResultEvent = Parameters<typeof taskResultMachine.next>[1]

/** Statuses that a task result cannot leave. */
export const finalResultStatuses: readonly string[] = taskResultMachine.states.slice(2)

export const stageAttributes = {
  stage: word(...stageNames),
  status: word(...stageMachine.states),
  created_at: instant,
  updated_at: instant,
}

/** Times at which a stage reached its statuses. Statuses that were not reached are missing. */
export const stageTimes = partial(
  struct({
    running_at: instant,
    passed_at: instant,
    failed_at: instant,
    errored_at: instant,
    canceled_at: instant,
    awaiting_override_at: instant,
  }),
)

const stageShape = struct({
  ...stageAttributes,
  /** Id of the form `ts-…`. */
  id: text,
  /** Run id. */
  run: text,
  reached: stageTimes,
})

/**
 * A step of a run in which run tasks are called and policies are evaluated
 * (behaviour/platform#task-stages).
 */
export interface TaskStage extends StoredOf<typeof stageShape> {}

/** Task stages by `<run>/<position>`, in the order in which the run reaches them. */
export const taskStages = platformTable('task-stages', stageShape, {
  secrets: 'none',
  indexes: { byId: ({ id }) => id },
})

export const resultAttributes = {
  status: word(...taskResultMachine.states),
  message: nullable(text),
  url: nullable(text),
  created_at: instant,
  updated_at: instant,
  task_name: text,
  task_url: text,
  stage: word(...stageNames),
  is_speculative: bool,
  workspace_task_enforcement_level: word(...enforcementLevels),
}

/** Times at which a result reached its statuses. Statuses that were not reached are missing. */
export const resultTimes = partial(
  struct({
    running_at: instant,
    passed_at: instant,
    failed_at: instant,
    errored_at: instant,
    canceled_at: instant,
  }),
)

const taskOutcomeShape = struct({
  /** Id of the form `taskrso-…`. */
  id: text,
  outcome_id: text,
  description: text,
  body: nullable(text),
  url: nullable(text),
  tags: map(any),
})

const resultShape = struct({
  ...resultAttributes,
  /** Id of the form `taskrs-…`. */
  id: text,
  /** Task stage id. */
  task_stage: text,
  /** Run id. */
  run: text,
  /** Run task id. */
  task: text,
  /** Id of the attachment to the workspace; null for a task of all workspaces. */
  workspace_task: nullable(text),
  reached: resultTimes,
  /**
   * Bearer token that authorizes the callback, and requests that read the run's configuration and
   * plan.
   */
  access_token: text,
  /**
   * Whether the result stays open until a callback, a failed call, a forced transition or the
   * timeout ends it.
   */
  awaits_callback: bool,
  outcomes: list(taskOutcomeShape),
})

/** The result of one run task in one run (behaviour/platform#task-stages). */
export interface TaskResult extends StoredOf<typeof resultShape> {}

/** A detail that a run task reports together with its result. */
export interface TaskOutcome extends StoredOf<typeof taskOutcomeShape> {}

/** Task results by `<task stage>/<number>`, in the order in which the stage calls the run tasks. */
export const taskResults = platformTable('task-results', resultShape, {
  secrets: { members: ['access_token'] },
  indexes: { byId: ({ id }) => id, byToken: ({ access_token }) => access_token },
})

/** Returns the stages of a run in the order in which the run reaches them. */
export function stagesOf(world: World, run: string): TaskStage[] {
  return Array.from(world.table(taskStages).rows(`${run}/`))
}

export function stageWithId(world: World, id: string): TaskStage | undefined {
  return world.table(taskStages).index('byId').get(id)
}

/** Functions of `ownedRows` for the task results of a stage. */
export const {
  of: resultsOf,
  withId: resultWithId,
  put: putTaskResult,
  dropAll: dropTaskResults,
} = ownedRows(taskResults, 'task_stage')

/** Returns the task result to which a callback token belongs, even if the token has expired. */
export function resultWithToken(world: World, token: string): TaskResult | undefined {
  return world.table(taskResults).index('byToken').get(token)
}

/** Inserts or updates a task stage. Must run inside a transaction. */
export function putStage(world: World, stage: TaskStage): TaskStage {
  world.table(taskStages).put(`${stage.run}/${stageNames.indexOf(stage.stage)}`, stage)
  return stage
}
