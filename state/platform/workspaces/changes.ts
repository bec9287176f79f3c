import type { World } from '../../kernel/worlds/world.ts'
import type { Caller } from '../accounts/callers.ts'
import { dropTargetFromPools } from '../agents/agent-pools.ts'
import { dropAssessments } from '../assessments/assessments.ts'
import { newId } from '../ids.ts'
import { refuse } from '../messages.ts'
import { moveDependentData, removeDependentData } from '../modules/dependent-data.ts'
import { dropNotificationConfigurations } from '../notifications/configurations.ts'
import { cancelReminder, scheduleReminder } from '../notifications/workspace-messages.ts'
import { removeObjects } from '../objects.ts'
import { organizations } from '../organizations/organizations.ts'
import { dropPolicyCheck } from '../policies/policy-checks.ts'
import { dropTargetFromPolicySets } from '../policies/policy-sets.ts'
import { projectWithId } from '../projects/projects.ts'
import { removeStages } from '../run-tasks/stage-moves.ts'
import { dropWorkspaceTasks } from '../run-tasks/tasks.ts'
import { dropRunTriggersOf } from '../run-triggers/run-triggers.ts'
import { costEstimates } from '../runs/cost-estimates.ts'
import { runAppliedJob } from '../runs/moves.ts'
import { runPlans } from '../runs/planning.ts'
import { currentRuns } from '../runs/queue.ts'
import { workspaceReadmes } from '../runs/readmes.ts'
import { runComments, runEvents } from '../runs/run-events.ts'
import { runKind } from '../runs/run-machine.ts'
import { appliedBlocks } from '../runs/run-state.ts'
import { runs, runsOf } from '../runs/runs.ts'
import { dropStateVersions } from '../states/state-machine.ts'
import { dropStateTexts } from '../states/state-versions.ts'
import { moveTags } from '../tags/organization-tags.ts'
import {
  bindingsOf,
  flatTagNames,
  replacedBindings,
  replacedFlatTags,
  type TagBinding,
  validTagNames,
} from '../tags/tags.ts'
import { dropAccessTo } from '../team-access/team-access.ts'
import { dropWorkspaceFromSets } from '../variable-sets/variable-sets.ts'
import { createConnectedVersion } from '../vcs/receive-commits.ts'
import { dropConsumer } from './consumers.ts'
import { overviewOf } from './overview.ts'
import { hasWorkspaceRight, mayCreateWorkspaceIn } from './rights.ts'
import { validatedSettings, type WorkspaceInput } from './settings.ts'
import { withAddedTags } from './tags.ts'
import { dropWorkspace, putWorkspace, type Workspace, workspacesOf } from './workspaces.ts'

/**
 * Creates a workspace and, if it has a repository, its first configuration version like
 * `createConnectedVersion` (behaviour/platform#workspace-settings). Schedules a reminder if the
 * workspace has an `auto-destroy-at`. Throws 422 for invalid attributes, for a project that
 * `checkProject` rejects, and if the organization has the maximum number of workspaces. Throws 404
 * for an unknown tag id.
 */
export function createWorkspace(
  world: World,
  caller: Caller,
  organization: string,
  input: WorkspaceInput,
): Workspace {
  const validated = validatedSettings(world, organization, input)
  checkProject(world, caller, organization, validated.project)
  checkWorkspaceLimit(world, organization)
  const now = world.clock.now()
  return world.write(() => {
    const workspace = putWorkspace(world, {
      ...validated,
      ...tagsAfter(world, organization, [], input),
      id: newId(world, 'ws'),
      organization,
      source: 'ent-api',
      locked: false,
      locked_by: null,
      created_at: now,
      updated_at: now,
    })
    createConnectedVersion(world, caller.user, workspace)
    if (workspace.auto_destroy_at !== null) scheduleReminder(world, workspace)
    return workspace
  })
}

/**
 * Changes the given members of a workspace. A change of the repository also creates a configuration
 * version like `createConnectedVersion`, and a change of `auto-destroy-at` reschedules the
 * reminder. Throws 422 for invalid attributes, for a new project that `checkProject` rejects, and
 * if the caller may not move the workspace. Throws 404 for an unknown tag id.
 */
export function changeWorkspace(
  world: World,
  caller: Caller,
  workspace: Workspace,
  input: WorkspaceInput,
): Workspace {
  const { organization } = workspace
  const validated = validatedSettings(world, organization, input, workspace)
  const { project } = input
  if (project !== undefined && project !== workspace.project) {
    checkProject(world, caller, organization, project)
    if (!hasWorkspaceRight(world, caller, workspace, 'move')) throw refuse('project-unusable')
  }
  return world.write(() => {
    const changed = putWorkspace(world, {
      ...workspace,
      ...validated,
      ...tagsAfter(world, organization, bindingsOf(workspace), input),
      updated_at: world.clock.now(),
    })
    createConnectedVersion(world, caller.user, changed, workspace)
    if (changed.auto_destroy_at !== workspace.auto_destroy_at) scheduleReminder(world, changed)
    return changed
  })
}

/** Throws 422 if an organization has as many workspaces as its limit allows. */
function checkWorkspaceLimit(world: World, organization: string): void {
  const limit = world.table(organizations).get(organization)?.administration?.workspace_limit
  if (limit == null || workspacesOf(world, organization).length < limit) return
  throw refuse('workspace-limit-reached')
}

/**
 * Throws 422 unless the project is in the organization and the caller may create workspaces in it.
 */
function checkProject(world: World, caller: Caller, organization: string, id: string | null): void {
  // An organization from the document of an old release has no projects, so there is no project to
  // check.
  if (id === null) return
  const project = projectWithId(world, id)
  if (project?.organization !== organization) throw refuse('project-unusable')
  if (!mayCreateWorkspaceIn(world, caller, project)) throw refuse('project-unusable')
}

/**
 * Returns `tag_bindings` and `tag_names` of a workspace after a request. Throws 422 for an invalid
 * tag, and 404 for an unknown tag id.
 */
function tagsAfter(
  world: World,
  organization: string,
  before: readonly TagBinding[],
  { tags, tag_names, added_tags }: WorkspaceInput,
) {
  let after = before
  if (tags !== undefined) after = replacedBindings(world, after, tags)
  if (tag_names !== undefined) after = replacedFlatTags(world, after, validTagNames(tag_names))
  if (added_tags !== undefined) after = withAddedTags(world, organization, after, added_tags)
  return { tag_bindings: [...after], tag_names: flatTagNames(after) }
}

/**
 * Deletes a workspace like `deleteWorkspace`. Throws 409 if the workspace is locked, its state is
 * being processed, or its state has resources.
 */
export function safeDeleteWorkspace(world: World, workspace: Workspace): void {
  if (workspace.locked) throw refuse('workspace-locked')
  const { isProcessing, resourceCount } = overviewOf(world, workspace)
  if (isProcessing) throw refuse('workspace-processing')
  if (resourceCount > 0) throw refuse('workspace-managing')
  deleteWorkspace(world, workspace)
}

/** Deletes a workspace with all its data, even if it is locked or has resources. */
export function deleteWorkspace(world: World, workspace: Workspace): void {
  world.write(() => {
    removeRunsOf(world, workspace.id)
    dropRunTriggersOf(world, workspace.id)
    dropAssessments(world, workspace.id)
    removeDependentData(world, workspace.id)
    dropStateVersions(world, workspace.id)
    dropWorkspace(world, workspace)
    dropConsumer(world, workspace)
    dropWorkspaceFromSets(world, workspace)
    dropAccessTo(world, workspace.id)
    dropTargetFromPools(world, workspace)
    dropWorkspaceTasks(world, workspace.id)
    dropTargetFromPolicySets(world, workspace)
    dropNotificationConfigurations(world, workspace.id)
    cancelReminder(world, workspace.id)
  })
}

/** Deletes the workspaces of an organization. Must run inside a transaction. */
export function dropWorkspaces(world: World, organization: string): void {
  for (const workspace of workspacesOf(world, organization)) deleteWorkspace(world, workspace)
}

/**
 * Moves the workspaces and flat tags of a renamed organization, and sets its new name in the
 * configuration versions. Must run inside a transaction.
 */
export function moveWorkspaces(world: World, before: string, organization: string): void {
  moveTags(world, before, organization)
  for (const workspace of workspacesOf(world, before)) {
    putWorkspace(world, { ...workspace, organization })
    moveDependentData(world, workspace.id, organization)
  }
}

/** Deletes the runs of a workspace with all their data. Must run inside a transaction. */
function removeRunsOf(world: World, workspace: string): void {
  for (const { id, plan, apply } of runsOf(world, workspace)) {
    world.agenda.cancel(runKind, id)
    world.agenda.cancel(runAppliedJob, id)
    removeObjects(world, [plan.log, apply.log])
    dropStateTexts(world, apply.id)
    world.table(runEvents).deleteAll(`${id}/`)
    world.table(runComments).deleteAll(`${id}/`)
    world.table(runPlans).delete(id)
    removeStages(world, id)
    dropPolicyCheck(world, id)
    world.table(costEstimates).delete(id)
  }
  world.table(runs).deleteAll(`${workspace}/`)
  world.table(currentRuns).delete(workspace)
  world.table(workspaceReadmes).delete(workspace)
  world.table(appliedBlocks).deleteAll(`${workspace}/`)
}
