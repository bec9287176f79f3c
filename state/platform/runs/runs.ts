import {
  bool,
  instant,
  list,
  nullable,
  text,
  translatedText,
  uint,
  word,
} from '../../kernel/shape/kinds.ts'
import { optional, struct, vendorNamed } from '../../kernel/shape/members.ts'
import type { StoredOf } from '../../kernel/shape/values.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { ownedRows } from '../owned-rows.ts'
import { platformTable } from '../table.ts'
import { runOutcomeShape } from './outcome-shape.ts'
import { finalRunStatuses, runMachine } from './run-machine.ts'
import { partStatuses, partTimes } from './run-parts.ts'
import { runTimes } from './run-times.ts'

/** Source of a run: the command-line client, the API, an upload or push, or a run trigger. */
const runSource = word({
  infra: 'terraform',
  'ent-api': 'tfe-api',
  'ent-configuration-version': 'tfe-configuration-version',
  'ent-run-trigger': 'tfe-run-trigger',
})

const variableShape = struct({ key: text, value: text })

/** Attributes of a run (behaviour/platform#run-resource). */
export const runAttributes = {
  status: word(...runMachine.states),
  created_at: instant,
  updated_at: instant,
  /** Time at which a cancel was requested; null without a cancel. */
  canceled_at: nullable(instant),
  has_changes: bool,
  auto_apply: bool,
  allow_empty_apply: bool,
  allow_config_generation: bool,
  debugging_mode: bool,
  is_destroy: bool,
  message: translatedText({
    'Queued manually via the API': 'Queued manually via the Terraform Enterprise API',
  }),
  plan_only: bool,
  refresh: bool,
  refresh_only: bool,
  replace_addrs: nullable(list(text)),
  target_addrs: nullable(list(text)),
  policy_paths: nullable(list(text)),
  invoke_action_addrs: nullable(list(text)),
  save_plan: bool,
  source: runSource,
  infra_version: vendorNamed('terraform-version', text),
  trigger_reason: word('manual', 'vcs_push', 'run_trigger'),
  /** Variables that apply only to this run. */
  variables: list(variableShape),
  /** Tags without values that the workspace had when the run was created. */
  tags: list(text),
}

const partShape = struct({
  /** Id of the form `plan-…` or `apply-…`. */
  id: text,
  status: word(...partStatuses),
  reached: partTimes,
  /**
   * Number of changed resources; missing unless the plan has finished or the apply has finished or
   * errored.
   */
  counts: optional(struct({ add: uint, change: uint, destroy: uint, import: uint })),
  /** Object-store id of the address at which clients read the log. */
  log: text,
})

/** A plan or an apply of a run. */
export interface RunPart extends StoredOf<typeof partShape> {}

const runShape = struct({
  ...runAttributes,
  /** Id of the form `run-…`. */
  id: text,
  /** Workspace id. */
  workspace: text,
  /** Configuration version id. The version may belong to another workspace. */
  configuration_version: text,
  /** User id. */
  created_by: text,
  /** User id; null before the run is confirmed. */
  confirmed_by: nullable(text),
  /** User id; null before a cancel is requested. */
  canceled_by: nullable(text),
  /**
   * Id of the agent that last executed the plan or the apply. Missing if no agent has executed
   * them. Agents execute runs only with the option `agentsRequired` and the execution mode `agent`.
   */
  agent: optional(text),
  /**
   * Id of the state version that was current at the creation of the run; null if there was no
   * state.
   */
  input_state: nullable(text),
  /** Time from which a canceled run can be ended by force; null without a cancel. */
  force_cancel_at: nullable(instant),
  reached: runTimes,
  plan: partShape,
  apply: partShape,
  /**
   * Planned result. The outcome is determined when the pre-plan stage starts or, without that
   * stage, when the plan starts. Until then, the outcome contains only members that a forced
   * transition has set.
   */
  outcome: runOutcomeShape,
  /** Scheme, host and world prefix of the request that created the run; missing if unknown. */
  base: optional(text),
  /** Whether the log consists of JSON lines after its first three lines. */
  structured_output: bool,
})

/** A run: a plan and possibly an apply of a workspace's configuration (behaviour/platform#runs). */
export interface Run extends StoredOf<typeof runShape> {}

/**
 * Runs by `<workspace id>/<position>`, newest first. The index `open` has keys of that form and
 * contains the runs that have not ended. The index `openOf` contains these runs by `<configuration
 * version id>/<run id>`.
 */
export const runs = platformTable('runs', runShape, {
  secrets: { members: ['variables/*/value', 'plan/log', 'apply/log'] },
  indexes: {
    byId: ({ id }) => id,
    byPlan: ({ plan }) => plan.id,
    byApply: ({ apply }) => apply.id,
    open: (run, key) => (isRunOver(run) ? undefined : key),
    openOf: (run) => (isRunOver(run) ? undefined : `${run.configuration_version}/${run.id}`),
  },
})

export function isRunOver({ status }: Pick<Run, 'status'>): boolean {
  return finalRunStatuses.includes(status)
}

/** Functions of `ownedRows` for the runs of a workspace. Lists are newest first. */
export const {
  of: runsOf,
  withId: runWithId,
  put: putRun,
} = ownedRows(runs, 'workspace', 'newest first')

/** Returns the run to which a plan or apply belongs; undefined for an unknown id. */
export function runWithPart(world: World, id: string): Run | undefined {
  const table = world.table(runs)
  return table.index('byPlan').get(id) ?? table.index('byApply').get(id)
}

/** Returns the runs of a workspace that have not ended, newest first. */
export function openRunsOf(world: World, workspace: string): Run[] {
  return Array.from(world.table(runs).index('open').rows(`${workspace}/`))
}

/** Returns the runs that use a configuration version and have not ended. */
export function openRunsWith(world: World, version: string): Run[] {
  return Array.from(world.table(runs).index('openOf').rows(`${version}/`))
}

/**
 * Returns whether a run waits for earlier runs of its workspace and locks the workspace. Plan-only
 * runs and saved plans neither wait nor lock; a saved plan locks the workspace when it is
 * confirmed.
 */
export function locksWorkspace({ plan_only, save_plan }: Pick<Run, 'plan_only' | 'save_plan'>) {
  return !plan_only && !save_plan
}

/**
 * Returns the name of a run's operation, by which clients can filter lists of runs
 * (behaviour/platform#run-lists).
 */
export function operationOf(run: Run): string {
  if (run.plan_only) return 'plan_only'
  if (run.save_plan) return 'save_plan'
  if (run.is_destroy) return 'destroy'
  if (run.refresh_only) return 'refresh_only'
  return run.allow_empty_apply ? 'empty_apply' : 'plan_and_apply'
}
