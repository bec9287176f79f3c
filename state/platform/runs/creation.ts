import type { World } from '../../kernel/worlds/world.ts'
import {
  type ConfigurationVersion,
  currentVersionOf,
  versionWithId,
} from '../configuration-versions/configuration-versions.ts'
import { newId } from '../ids.ts'
import { refuse, requireFound } from '../messages.ts'
import { notifyAboutRun } from '../notifications/messages.ts'
import { addObject } from '../objects.ts'
import { optionsOf } from '../options.ts'
import { addStages } from '../run-tasks/stage-creation.ts'
import { invalidAttributes, violation } from '../violations.ts'
import { executionOf } from '../workspaces/execution.ts'
import { overviewOf } from '../workspaces/overview.ts'
import { type Workspace, workspaceWithId } from '../workspaces/workspaces.ts'
import { promoteNextRun } from './queue.ts'
import { addRunEvent } from './run-events.ts'
import { scheduleStep } from './run-schedule.ts'
import { locksWorkspace, putRun, type Run } from './runs.ts'

/** Attributes in a request that creates a run. Missing and null attributes get defaults. */
export type RunInput = {
  readonly [Name in
    | 'message'
    | 'is_destroy'
    | 'refresh'
    | 'refresh_only'
    | 'replace_addrs'
    | 'target_addrs'
    | 'policy_paths'
    | 'invoke_action_addrs'
    | 'auto_apply'
    | 'plan_only'
    | 'save_plan'
    | 'allow_empty_apply'
    | 'allow_config_generation'
    | 'debugging_mode'
    | 'infra_version'
    | 'variables']?: Run[Name] | null | undefined
}

/** Creator of a run, and the kind of request or event that created it. */
export interface RunOrigin {
  /** User id. */
  readonly user: string
  readonly source: Run['source']
  /** Whether the user may apply runs. If false, the run is never applied automatically. */
  readonly mayApply: boolean
  readonly triggerReason?: Run['trigger_reason']
  /**
   * Whether the client prints the log as plain text, so that the log must not contain JSON lines.
   */
  readonly printsLines?: boolean
  /** Scheme, host and world prefix of the request. */
  readonly base?: string
}

const defaultMessage = 'Queued manually via the API'

/**
 * Creates a run with a configuration version, by default the current version of the workspace
 * (behaviour/platform#runs). Throws 404 for an unknown version or a destroy plan that the workspace
 * forbids. Throws 422 if the execution mode is `local`, if there is no usable version, or if
 * parameters contradict each other or the version.
 */
export function createRun(
  world: World,
  workspace: Workspace,
  versionId: string | undefined,
  input: RunInput,
  origin: RunOrigin,
): Run {
  if (executionOf(world, workspace).mode === 'local') throw refuse('workspace-local')
  const version =
    versionId === undefined
      ? currentVersionOf(world, workspace.id)
      : requireVersion(world, workspace, versionId)
  checkParameters(workspace, input, version)
  checkVersion(version)
  return world.write(() => addRun(world, workspace, version, input, origin))
}

/**
 * Creates the run that an upload for a workspace starts
 * (behaviour/platform#workspace-configuration-versions). Does nothing if the version belongs to a
 * module, comes from a commit, or does not queue runs, or if the execution mode is `local`. Must
 * run inside a transaction.
 */
export function createRunForWorkspaceUpload(world: World, version: ConfigurationVersion): void {
  const workspace = workspaceWithId(world, version.module)
  // `queueCommitRun` creates the run of a version that comes from a push.
  if (version.ingress !== undefined) return
  if (workspace === undefined || version.auto_queue_runs === false) return
  const message = 'Queued automatically from a configuration version'
  const origin = { user: version.created_by, source: 'ent-configuration-version' } as const
  queueRun(world, workspace, version, { message }, { ...origin, mayApply: true })
}

/**
 * Creates a run that no client requested. Returns undefined if the execution mode is `local`. Must
 * run inside a transaction.
 */
export function queueRun(
  world: World,
  workspace: Workspace,
  version: ConfigurationVersion,
  input: RunInput,
  origin: RunOrigin,
): Run | undefined {
  if (executionOf(world, workspace).mode === 'local') return undefined
  return addRun(world, workspace, version, input, origin)
}

function requireVersion(world: World, { organization }: Workspace, id: string) {
  const version = requireFound(versionWithId(world, id))
  if (version.organization !== organization) throw refuse('not-found')
  return version
}

function checkVersion(
  version: ConfigurationVersion | undefined,
): asserts version is ConfigurationVersion {
  if (version === undefined) throw refuse('configuration-missing')
  if (version.status === 'pending') throw refuse('configuration-processing')
  if (version.status !== 'uploaded' && version.status !== 'fetching') {
    throw refuse('run-parameters-wrong')
  }
}

/**
 * Throws 422 if parameters contradict each other or the configuration version, and 404 for a
 * destroy plan that the workspace forbids.
 */
function checkParameters(
  { allow_destroy_plan }: Workspace,
  input: RunInput,
  version: ConfigurationVersion | undefined,
): void {
  const isSpeculative = version?.speculative === true
  const isPlanOnly = input.plan_only ?? isSpeculative
  const isContradiction =
    (input.is_destroy === true && input.refresh_only === true) ||
    (input.plan_only === false && isSpeculative) ||
    (input.save_plan === true && isPlanOnly)
  if (isContradiction) throw refuse('run-parameters-wrong')
  if (input.is_destroy === true && !allow_destroy_plan) throw refuse('not-found')
  const { infra_version: toolVersion } = input
  if (toolVersion != null && toolVersion !== '' && !isPlanOnly) {
    throw invalidAttributes([violation('infra-version', 'only-plan')])
  }
}

function addRun(
  world: World,
  workspace: Workspace,
  version: ConfigurationVersion,
  input: RunInput,
  origin: RunOrigin,
): Run {
  const now = world.clock.now()
  const newPart = (prefix: 'plan' | 'apply') => {
    const id = newId(world, prefix)
    const log = addObject(world, 'log', id)
    return { id, status: 'pending' as const, reached: { pending_at: now }, log }
  }
  const run = putRun(world, {
    id: newId(world, 'run'),
    workspace: workspace.id,
    configuration_version: version.id,
    created_by: origin.user,
    confirmed_by: null,
    canceled_by: null,
    canceled_at: null,
    force_cancel_at: null,
    input_state: overviewOf(world, workspace).currentState ?? null,
    status: 'pending',
    reached: { plan_queueable_at: now },
    created_at: now,
    updated_at: now,
    has_changes: false,
    message: input.message?.trim() ? input.message : defaultMessage,
    is_destroy: input.is_destroy ?? false,
    refresh: input.refresh ?? true,
    refresh_only: input.refresh_only ?? false,
    replace_addrs: input.replace_addrs ?? null,
    target_addrs: input.target_addrs ?? null,
    policy_paths: input.policy_paths ?? null,
    invoke_action_addrs: input.invoke_action_addrs ?? null,
    auto_apply: origin.mayApply && (input.auto_apply ?? workspace.auto_apply),
    plan_only: input.plan_only ?? version.speculative ?? false,
    save_plan: input.save_plan ?? false,
    allow_empty_apply: input.allow_empty_apply ?? false,
    allow_config_generation: input.allow_config_generation ?? false,
    debugging_mode: input.debugging_mode ?? false,
    infra_version: input.infra_version || toolVersionOf(world, workspace),
    variables: input.variables ?? [],
    source: origin.source,
    trigger_reason: origin.triggerReason ?? 'manual',
    tags: workspace.tag_names,
    outcome: {},
    ...baseOf(origin, version),
    structured_output: workspace.structured_run_output_enabled && origin.printsLines !== true,
    plan: newPart('plan'),
    apply: newPart('apply'),
  })
  addRunEvent(world, run, { action: 'created', actor: origin.user, created_at: now })
  addStages(world, run)
  notifyAboutRun(world, run, 'run:created', origin.user)
  if (locksWorkspace(run)) promoteNextRun(world, workspace.id)
  return scheduleStep(world, run, now)
}

/**
 * Returns an object with the base URL of the request that created the run. If the run has no such
 * request, uses the request that created the version. The object is empty if the URL is unknown.
 */
function baseOf(origin: RunOrigin, version: ConfigurationVersion): Pick<Run, 'base'> {
  const base = origin.base ?? version.base
  return base === undefined ? {} : { base }
}

/**
 * Returns the exact tool version of a workspace. If the workspace has `latest` or constraints
 * instead, returns the option `toolVersion`.
 */
function toolVersionOf(world: World, { infra_version }: Workspace): string {
  return /^\d+\.\d+\.\d+/.test(infra_version) ? infra_version : optionsOf(world).toolVersion
}
