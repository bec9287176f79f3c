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
import { outcomeShape } from './outcome-shape.ts'
import { finalStatuses, runMachine } from './run-machine.ts'
import { partStatuses, partTimes } from './run-parts.ts'
import { runTimes } from './run-times.ts'

/** Source of a run: the command-line client, the API, an upload, or a run of another workspace. */
const runSource = word({
  infra: 'terraform',
  'ent-api': 'tfe-api',
  'ent-configuration-version': 'tfe-configuration-version',
  'ent-run-trigger': 'tfe-run-trigger',
})

const variableShape = struct({ key: text, value: text })

/** Attributes of a run as the API returns them (behaviour/platform#run-resource). */
export const runAttributes = {
  status: word(...runMachine.states),
  created_at: instant,
  updated_at: instant,
  /** When the run was asked to stop. */
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
  /** Variables of this run alone. */
  variables: list(variableShape),
  /** Names of the flat tags that the workspace had when the run was created. */
  tags: list(text),
}

const partShape = struct({
  /** Id of the form `plan-…` or `apply-…`. */
  id: text,
  status: word(...partStatuses),
  reached: partTimes,
  /** Resources that are added, changed, destroyed and imported; missing until it is finished. */
  counts: optional(struct({ add: uint, change: uint, destroy: uint, import: uint })),
  /** Id of the object that returns the log. */
  log: text,
})

/** A plan or an apply of a run. */
export interface RunPart extends StoredOf<typeof partShape> {}

const runShape = struct({
  ...runAttributes,
  /** Id of the form `run-…`. */
  id: text,
  /** Id of the workspace. */
  workspace: text,
  /** Id of the configuration version, which may belong to another workspace. */
  configuration_version: text,
  /**
   * Id of the user who created it. `confirmed_by` and `canceled_by` are null until that happens.
   */
  created_by: text,
  confirmed_by: nullable(text),
  canceled_by: nullable(text),
  /** Id of the agent that executed the plan or the apply last, if runs require agents. */
  agent: optional(text),
  /** Id of the state version that was current when the run was created. */
  input_state: nullable(text),
  /** Time from which a run that was asked to stop can be ended by force. */
  force_cancel_at: nullable(instant),
  reached: runTimes,
  plan: partShape,
  apply: partShape,
  /** Outcome of the run; empty until the run plans. */
  outcome: outcomeShape,
  /** Scheme, host and world prefix with which the run was created; missing if not known. */
  base: optional(text),
  /** Whether the run prints JSON lines. */
  structured_output: bool,
})

/** A run of a workspace (behaviour/platform#runs). */
export interface Run extends StoredOf<typeof runShape> {}

/**
 * Runs by `<workspace id>/<position>`, newest first. The index `open` has the same keys and holds
 * the runs that are not over; `openOf` has keys of the form `<configuration version>/<run>`.
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

/** Returns whether a run has reached a final status. */
export function isRunOver({ status }: Pick<Run, 'status'>): boolean {
  return finalStatuses.includes(status)
}

/**
 * Functions that list the runs of a workspace, newest first, find one by its id, and store a new or
 * changed run.
 */
export const {
  of: runsOf,
  withId: runWithId,
  put: putRun,
} = ownedRows(runs, 'workspace', 'newest first')

/** Returns the run that has this plan or apply, if it exists. */
export function runWithPart(world: World, id: string): Run | undefined {
  const table = world.table(runs)
  return table.index('byPlan').get(id) ?? table.index('byApply').get(id)
}

/** Returns the runs of a workspace that are not over, newest first. */
export function openRunsOf(world: World, workspace: string): Run[] {
  return Array.from(world.table(runs).index('open').rows(`${workspace}/`))
}

/** Returns the runs that use a configuration version and are not over. */
export function openRunsWith(world: World, version: string): Run[] {
  return Array.from(world.table(runs).index('openOf').rows(`${version}/`))
}

/** Returns whether a run waits for its turn in the workspace and locks it. */
export function isOrdinary({ plan_only, save_plan }: Pick<Run, 'plan_only' | 'save_plan'>) {
  return !plan_only && !save_plan
}

/** Returns the operation of a run, as lists filter by it (behaviour/platform#run-lists). */
export function operationOf(run: Run): string {
  if (run.plan_only) return 'plan_only'
  if (run.save_plan) return 'save_plan'
  if (run.is_destroy) return 'destroy'
  if (run.refresh_only) return 'refresh_only'
  return run.allow_empty_apply ? 'empty_apply' : 'plan_and_apply'
}
